"""Reply schema of the tools strategy's first step."""

from __future__ import annotations

from pydantic import Field

from workers.traverse.schema import Plan


class AtomicQuestions(Plan):
    """A question in parts that can be asked of a graph one by one, and side by side.

    Input: {question, history: [{question, answer}], schema: text}. A part that cannot be asked before another
    is answered is left out: the check of the answers asks for it in the next round.
    """

    sub_questions: list[str] = Field(default=[], max_length=10)  # none: the question itself is atomic
