"""An earlier question of a session with its answer, as passed between steps."""

from __future__ import annotations

from hopline.models.base import Frozen


class Turn(Frozen):
    """An earlier question of the session."""

    question: str
    answer: str
