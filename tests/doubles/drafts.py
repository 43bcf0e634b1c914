"""What a writer is given and what it drafts: for tests of the steps that write an answer."""

from typing import Any

from doubles.library import f, k
from workers.core.records import ScoredFact
from workers.critic.schema import AnswerDraft, DraftSentence


def scored(text: str, score: float = 0.9, *, of: str = "Ada Lovelace", **fields: Any) -> ScoredFact:
    """Return a fact of a library as a critic scored it."""
    known = {
        "fact_text": text, "source_node_id": k(of), "source_fact_id": f(text), "extracted_from_depth": 0,
        "score": score, "source_description": "a life", "scored_by": "critic",
    }  # fmt: skip
    return ScoredFact.model_validate({**known, **fields})


def sentences(*statements: tuple[Any, ...]) -> list[DraftSentence]:
    """Return drafted sentences, each of a text and the numbers that it cites."""
    return [DraftSentence(text=text, citations=list(cited)) for text, *cited in statements]


def draft(*statements: tuple[Any, ...], **fields: Any) -> AnswerDraft:
    return AnswerDraft(**{"answerable": True, "sentences": sentences(*statements), **fields})
