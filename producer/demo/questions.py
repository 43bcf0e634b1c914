"""The demos' questions and their expected results."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import TYPE_CHECKING, Literal, TypeVar

from hopline.models.base import Frozen

if TYPE_CHECKING:
    from hopline.models.answers import Answer

Question = TypeVar("Question", bound=Frozen)


class DemoQuestion(Frozen):
    """A question with the expected answer."""

    question: str
    shows: str  # what the question is there to show
    status: Literal["done", "abstained"] = "done"
    words: tuple[str, ...] = ()  # that the answer must hold
    documents: int = 0  # how many different ones must be cited
    graph: bool = False  # whether places in the graph must be cited

    def mistakes(self, answer: Answer) -> list[str]:
        """Return the problems of an answer; an empty list if it is as expected."""
        wrong = []
        if answer.status != self.status:
            wrong.append(f"ended {answer.status}, should be {self.status}")
        wrong += [f"the answer does not say {word!r}" for word in self.words if word not in answer.text]
        cited = {citation.document.id for citation in answer.citations if citation.document}
        if len(cited) < self.documents:
            wrong.append(f"cites {len(cited)} documents, should be {self.documents}")
        if self.graph and not any(citation.kind == "graph" for citation in answer.citations):
            wrong.append("cites nothing in the graph")
        return [f"“{self.question}” {fault}" for fault in wrong]


def load_questions(kind: type[Question], *folders: str) -> list[Question]:
    """Return the questions of a demo, from questions.toml in its folder below the demos'."""
    file = files("producer.demo").joinpath(*folders, "questions.toml")
    return [
        kind.model_validate(question)
        for question in tomllib.loads(file.read_text(encoding="utf-8"))["questions"]
    ]
