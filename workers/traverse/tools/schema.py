"""Request and reply schemas of the tools strategy's first steps."""

from __future__ import annotations

from pydantic import Field

from hopline.models.base import Frozen
from workers.core.jobs.params import ChosenStrategy
from workers.traverse.schema import Plan


class AtomicQuestions(Plan):
    """A question in parts that can be asked of a graph one by one, and side by side.

    Input: {question, history: [{question, answer}], schema: text}. A part that cannot be asked before another
    is answered is left out: the check of the answers asks for it in the next round.
    """

    sub_questions: list[str] = Field(default=[], max_length=10)  # none: the question itself is atomic


class StrategyChoice(Frozen):
    """Which way of answering fits a question, and the question made ready for it.

    Input: {question, history: [{question, answer}], schema: text, tools: [{name, purpose}], documents: bool,
    whether the collection holds any}.
    """

    strategy: ChosenStrategy
    why: str = Field(default="", max_length=500)  # in a sentence, for who reads the trace
    question: str = Field(default="", max_length=4000)  # for tools, standing alone; "": not prepared
    sub_questions: list[str] = Field(default=[], max_length=10)  # for tools; none: the question is atomic
