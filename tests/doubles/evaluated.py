"""Answers as an evaluation has counted them."""

from typing import Any

from hopline.models.jobs import JobState
from producer.evaluation.answers import AnswerRow

_ASKED = {"id": "q", "question": "?", "type": "bridge", "expected": "Vestby", "gold": ("p1", "p2")}
_ANSWERED = {"job_id": "j", "status": JobState.DONE, "text": "Vestby [1].", "reason": None, "cited": ("p1",)}
_COUNTED = {"exact": 1.0, "f1": 1.0, "visits": 4, "seconds": 1.5}
_USED = {"model_calls": 8, "prompt_tokens": 90, "completion_tokens": 10}
_RIGHT: dict[str, Any] = {**_ASKED, **_ANSWERED, **_COUNTED, **_USED}


def answer_row(**fields: Any) -> AnswerRow:
    """Return a right answer that cites one of two gold passages, but for these fields."""
    return AnswerRow(**{**_RIGHT, **fields})
