"""The demo's questions, and how each should end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workers.core.answers.answer import Answer


@dataclass(frozen=True)
class DemoQuestion:
    """A question with what a right answer looks like."""

    text: str
    shows: str  # what the question is there to show
    status: str  # done or abstained
    words: tuple[str, ...] = ()  # that the answer must hold
    documents: int = 0  # how many different ones must be cited

    def mistakes(self, answer: Answer) -> list[str]:
        """Return what is wrong with an answer; an empty list where it is as it should be."""
        wrong = []
        if answer.status != self.status:
            wrong.append(f"ended {answer.status}, should be {self.status}")
        wrong += [f"the answer does not say {word!r}" for word in self.words if word not in answer.text]
        cited = {citation.document.id for citation in answer.citations if citation.document}
        if len(cited) < self.documents:
            wrong.append(f"cites {len(cited)} documents, should be {self.documents}")
        return [f"“{self.text}” {one}" for one in wrong]


QUESTIONS = (
    DemoQuestion(
        text="When was the Forth Bridge opened?",
        shows="One document holds the answer.",
        status="done",
        words=("1890",),
        documents=1,
    ),
    DemoQuestion(
        text="Where was the designer of the Clifton Suspension Bridge born?",
        shows="It takes two documents: the second tells his birthplace and never mentions the bridge.",
        status="done",
        words=("Portsmouth",),
        documents=2,
    ),
    DemoQuestion(
        text="Who composed the opera Carmen?",
        shows="The documents never mention it, so it is declined.",
        status="abstained",
    ),
    DemoQuestion(
        text="How much did the Golden Gate Bridge cost?",
        shows="The documents know the bridge, not its cost, so it is declined.",
        status="abstained",
    ),
)
