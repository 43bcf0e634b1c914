"""A question over the tree's documents, whose answer in peace is known."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fleet.crew import Crew
from fleet.worlds import TREE_FACTS, TREE_QUESTION, TREE_VISITS, write_tree
from workers.core.answers.answer import Answer


@dataclass(frozen=True)
class Tree:
    """The tree's collection, and its question's answer in peace."""

    collection: str
    answer: Answer

    def submit(self, crew: Crew, **params: Any) -> str:
        return crew.client.submit_question(
            TREE_QUESTION, self.collection, strategy="graph", max_seeds=1, facts_per_critic=1, **params
        )


def answered_tree(crew: Crew, folder: Path) -> Tree:
    """Ingest the tree's documents and ask its question before anything is killed; leaves workers running."""
    crew.have(a="interactive", bulk="bulk")
    collection = f"tree-{secrets.token_hex(4)}"
    crew.ingest(write_tree(folder), collection)
    answer = crew.client.ask(TREE_QUESTION, collection, strategy="graph", max_seeds=1, facts_per_critic=1)
    assert answer.status == "done", answer
    assert len(answer.walk) == TREE_VISITS
    assert answer.details["facts"] == TREE_FACTS
    return Tree(collection, answer)
