"""The questions of the reader's paths, as its plan, its paths and its last step share them."""

from __future__ import annotations

from hopline.models.base import Frozen


class AnswerPlan(Frozen):
    """The way to the answer. Without a plan all are empty: the question itself is looked for."""

    asked: str  # what kind of thing is asked for
    steps: tuple[str, ...]
    key_information: tuple[str, ...]
