"""Questions over documents of their own, each with the answer that it has when nothing is killed."""

import secrets
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from themes import QUESTION as SURVEY_QUESTION
from themes import reviews

from fleet.crew import Crew
from fleet.worlds import BRIDGE_QUESTION, TREE_QUESTION, write_bridge, write_tree
from hopline.models.answers import Answer


def write_reviews(folder: Path) -> Path:
    """Write twelve reviews with three complaints."""
    return reviews(12, themes=3, seed=5).write(folder)


# By flow: what writes the documents, the question, its parameters, and what the answer says.
FLOWS: dict[str, tuple[Callable[[Path], Path], str, dict[str, Any], str]] = {
    "graph": (write_tree, TREE_QUESTION, {"max_seeds": 1, "facts_per_critic": 1}, "Vestby"),
    "reader": (write_bridge, BRIDGE_QUESTION, {"max_seeds": 1}, "Vestby"),
    "tools": (write_bridge, BRIDGE_QUESTION, {}, "Vestby"),
    "auto": (write_bridge, BRIDGE_QUESTION, {}, "Vestby"),
    "survey": (write_reviews, SURVEY_QUESTION, {}, ""),
}


@dataclass(frozen=True)
class Asked:
    """A question, its answer in peace, and how many calls of the model that took, by reply schema."""

    question: str
    collection: str
    params: Mapping[str, Any]
    answer: Answer
    calls: Counter[str]

    def submit(self, crew: Crew, *, key: str | None = None, **params: Any) -> str:
        bounds = {**self.params, **params}
        strategy = bounds.pop("strategy")
        job = crew.client.queries.submit(
            self.question, collection=self.collection, strategy=strategy, parameters=bounds, key=key
        )
        return job.id


def ask_in_peace(crew: Crew, folder: Path, flow: str) -> Asked:
    """Ingest a flow's documents and ask its question; leaves workers running."""
    write, question, params, says = FLOWS[flow]
    params = params | {"strategy": flow}
    collection = f"{flow}-{secrets.token_hex(4)}"
    crew.model.set()
    crew.have(a="interactive", bulk="bulk")
    crew.ingest(write(folder), collection)
    crew.model.set()  # counts again
    answer = crew.client.ask(question, collection=collection, **params)
    assert answer.status == "done", answer
    assert says in answer.text
    return Asked(question, collection, params, answer, crew.model.chat_calls())
