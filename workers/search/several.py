"""Searches for several questions whose texts are embedded in one call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from hopline.models.search import Found
from workers.core.graph.vectors import Embedder, Vectors
from workers.core.ports import Graph
from workers.search.near import Embedding
from workers.search.search import Searchable, search, texts_of


@dataclass
class _Together:
    """An embedder that embeds all texts with the first call."""

    model: Embedding
    texts: Sequence[str]
    _known: dict[str, list[float]] = field(default_factory=dict)

    @property
    def embedder(self) -> Embedder:
        """The embedder's name and dimension."""
        return self.model.embedder

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector per text."""
        if missing := [text for text in texts if text not in self._known]:
            wanted = missing if self._known else list(dict.fromkeys([*self.texts, *missing]))
            self._known |= dict(zip(wanted, self.model.embed(wanted), strict=True))
        return [self._known[text] for text in texts]


@dataclass(frozen=True)
class _Searched:
    """Dependencies of a search, with an embedder of one's own."""

    graph: Graph
    vectors: Vectors
    model: Embedding


def search_each(
    questions: Sequence[str],
    collection: str,
    ports: Searchable,
    *,
    limit: int,
    translations: Sequence[str] = (),
) -> list[Found]:
    """Return the result of `search` for each question; the embedder is called once for all.

    Args:
        questions: the whole question first, then its parts.
        collection: collection to search.
        ports: graph, vectors and embedder.
        limit: maximum number of chunks per question.
        translations: the whole question's names and words in other languages.

    Raises:
        EmbedderMismatch, Transient: as for `search`.
    """
    asked = [(question, () if nth else tuple(translations)) for nth, question in enumerate(questions)]
    texts = [
        text
        for question, others in asked
        for text in texts_of(question, collection, ports.graph, others).embedded
    ]
    together = _Searched(ports.graph, ports.vectors, _Together(ports.model, texts))
    return [
        search(question, collection, together, limit=limit, translations=others) for question, others in asked
    ]
