"""The questions that the reader's plan, paths and last step share."""

from __future__ import annotations

from hopline.models.base import Frozen


class AnswerPlan(Frozen):
    """The plan of an answer. Without a plan all fields are empty, and the question itself is used."""

    asked: str  # what kind of thing is asked for
    steps: tuple[str, ...]
    key_information: tuple[str, ...]
