"""An earlier question of a session with its answer, as steps hand it on."""

from __future__ import annotations

from hopline.models.base import Frozen


class Turn(Frozen):
    """An earlier question of the session."""

    question: str
    answer: str
