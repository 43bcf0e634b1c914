"""Evidence from graph tools: the origin of each row, and what a sentence may cite of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from hopline.models.base import Frozen
from workers.core.answers.evidence import fact_key
from workers.core.models.tools import FoundBy
from workers.core.records import FactSource, FinalFact, GraphPlace


class RowSource(Frozen):
    """A node, a relationship or a row, with the call that found it."""

    fact_id: str
    fact: str
    by: FoundBy
    place: GraphPlace
    stated: FactSource | None = None  # the sentence of a document that says so

    @property
    def quote(self) -> str:
        """The text that supports it: a document's if there is one, otherwise the row's."""
        return self.stated.quote if self.stated else self.place.said

    @property
    def title(self) -> str:
        """The title of its source."""
        return f"{self.by.tool}, {self.stated.title}" if self.stated else self.by.tool

    @property
    def chunk_id(self) -> str:
        """The id of the chunk around the sentence; "" if there is none."""
        return self.stated.chunk_id if self.stated else ""

    @property
    def stands(self) -> str:
        """The text that can support a sentence citing it: the row, the call's arguments, the document."""
        document_text = self.stated.stands if self.stated else ""
        return f"{self.place.said}\n{self.by.words}.\n{document_text}"


def row_sources(
    facts: Sequence[FinalFact], calls: Mapping[str, FoundBy], stated: Mapping[str, FactSource]
) -> Iterator[tuple[FinalFact, RowSource]]:
    """Yield the facts found in the graph, with their places.

    Args:
        facts: facts without a place, or with an unknown call, are skipped.
        calls: the calls that found them, by the id of the item that made the call.
        stated: places in documents by fact id.
    """
    for fact in facts:
        if fact.place is None or fact.place.call not in calls:
            continue
        yield (
            fact,
            RowSource(
                fact_id=f"row:{fact_key(fact.fact_text)}",
                fact=fact.fact_text,
                by=calls[fact.place.call],
                place=fact.place,
                stated=stated.get(fact.source_fact_id or ""),
            ),
        )
