"""Request forms that an endpoint is known to accept for a model, shared by all processes for a while."""

from __future__ import annotations

from typing import Protocol

from hopline.models.jobs import Json


class Learnt(Protocol):
    """Stores what was learnt from an endpoint's refusals, by endpoint and model."""

    def recall(self, endpoint: str, model: str) -> Json:
        """Return what is known; empty if nothing is, or if the store is unavailable."""

    def keep(self, endpoint: str, model: str, form: Json) -> None:
        """Replace what is known; an unavailable store is ignored."""


class Unlearnt:
    """Shares nothing: for a process that runs alone."""

    def recall(self, endpoint: str, model: str) -> Json:  # noqa: ARG002
        """Return nothing."""
        return {}

    def keep(self, endpoint: str, model: str, form: Json) -> None:
        """Do nothing."""
