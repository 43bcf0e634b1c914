"""Request forms that an endpoint is known to take for a model, shared by all processes for a while."""

from __future__ import annotations

from typing import Protocol

from hopline.models.jobs import Json


class Learnt(Protocol):
    """Keeps what refusals have taught, by endpoint and model."""

    def recall(self, endpoint: str, model: str) -> Json:
        """Return what is known; empty if nothing is, or the store is away."""

    def keep(self, endpoint: str, model: str, form: Json) -> None:
        """Keep what is known in place of what was; a store that is away is passed by."""


class Unlearnt:
    """Shares nothing: for a process that is alone."""

    def recall(self, endpoint: str, model: str) -> Json:  # noqa: ARG002
        """Return nothing."""
        return {}

    def keep(self, endpoint: str, model: str, form: Json) -> None:
        """Do nothing."""
