"""Finds chunks near a question by words and by vector."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

from hopline.errors import Permanent, Transient
from workers.core.errors import BudgetExceeded, EmbedderMismatch, WorkPaused
from workers.core.graph.surroundings import GraphSnapshot
from workers.core.graph.vectors import Embedder, Vectors
from workers.core.ports import Graph
from workers.core.records import Hit
from workers.search.mentions import content_words

_HITS = 50  # of each search

Scores = dict[str, float]


class Embedding(Protocol):
    """Embeds texts; implemented by a model."""

    @property
    def embedder(self) -> Embedder:
        """The embedder's name and dimension."""

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector per text."""


@dataclass(frozen=True)
class Texts:
    """A question, and the part of it without names.

    Args:
        question: question as asked.
        asked: its text and translations without the names in them; "" if it has no names, or nothing else.
        translations: its names and words in other languages.
    """

    question: str
    asked: str
    translations: tuple[str, ...] = ()

    @property
    def worded(self) -> list[str]:
        """The texts for the word search: words of all languages can be searched for together in one index."""
        whole = " ".join((*self.translations, self.question))
        return [whole, self.asked] if self.asked else [whole]

    @property
    def embedded(self) -> list[str]:
        """The texts for the vector search, one per language."""
        return [self.question, *([self.asked] if self.asked else []), *self.translations]

    def joined(self, scores: Sequence[Scores], levels: Sequence[float]) -> list[Scores]:
        """Return the question's scores in the language that fits best, and those of the part without names.

        Words of some languages are near every text, those of others near none, so each translation's scores
        are shifted by the difference between the mean score of its hits and that of the question's.

        Args:
            scores: scores of the texts in `embedded`, in order.
            levels: mean score of the hits of each.
        """
        if not self.translations:
            return list(scores)
        own = len(scores) - len(self.translations)
        best = dict(scores[0])
        for other, level in zip(scores[own:], levels[own:], strict=True):
            for name, score in other.items():
                here = score - level + levels[0]
                best[name] = max(here, best.get(name, here))
        return [best, *scores[1:own]]


def by_words(
    texts: Texts, collection: str, graph: Graph, snapshot: GraphSnapshot | None = None
) -> list[Scores]:
    """Return chunk → BM25 score for each of the texts; one round trip.

    Raises:
        SnapshotOutdated: the graph has changed since the snapshot was taken.
    """
    wanted = [content_words(text) for text in texts.worded]
    results = graph.around.chunks_like(collection, wanted, _HITS, snapshot)
    return [{hit.id: hit.score for hit in hits} for hits in results]


@dataclass
class NearVectors:
    """The texts' vectors and the chunks near them; if there are none, both are empty, with the reason."""

    collection: str
    vectors: Vectors
    found: list[Scores] = field(default_factory=list)
    failed: str | None = None
    weight: float = 1.0  # what the ranker's weights of vectors are multiplied by in this collection
    _texts: Texts | None = None  # that were searched for
    _embedded: list[list[float]] = field(default_factory=list)
    _levels: list[float] = field(default_factory=list)  # mean scores of their hits
    _degrade: bool = False

    def search(self, texts: Texts, model: Embedding, *, degrade: bool) -> None:
        """Embed the texts in one call, and find their nearest chunks in another; does nothing at weight 0.

        Repeated calls with the same texts search only once.

        Raises:
            EmbedderMismatch: the operator must reindex; ranking without vectors would only hide it.
            Transient: a server is unavailable, unless `degrade` allows searching without vectors.
            WorkPaused: the embedder is paused.
        """
        if texts == self._texts:
            return
        self._texts, self._degrade = texts, degrade
        with self._or_without():
            self.vectors.check(self.collection, model.embedder)
            self.weight = self.vectors.weight(self.collection)
            if not self.weight:
                return
            self._embedded = model.embed(texts.embedded)
            hits = self.vectors.search(self.collection, self._embedded, "chunk", _HITS)
            scores = _scores(hits)
            self._levels = [sum(some.values()) / max(1, len(some)) for some in scores]
            self.found = texts.joined(scores, self._levels)

    def compare(self, ids: Sequence[str]) -> list[Scores]:
        """Return chunk → similarity for each text, including the given chunks; one round trip if any is new.

        Raises:
            EmbedderMismatch, Transient: as for `search`; similarities already found remain available.
        """
        known = set.intersection(*map(set, self.found)) if self.found else set()
        missing = [name for name in ids if name not in known]
        if self._texts and self.found and missing and not self.failed:
            with self._or_without():
                near = self.vectors.nearest_among(self.collection, self._embedded, missing)
                more = self._texts.joined(near, self._levels)
                self.found = [scores | extra for scores, extra in zip(self.found, more, strict=True)]
        return self.found

    @contextmanager
    def _or_without(self) -> Iterator[None]:
        try:
            yield
        except (EmbedderMismatch, WorkPaused):
            raise
        except (Permanent, BudgetExceeded) as error:
            self.failed = str(error)[:300]
        except Transient as error:
            if not self._degrade:
                raise
            self.failed = str(error)[:300]


def _scores(hits: Sequence[Sequence[Hit]]) -> list[Scores]:
    return [{hit.id: hit.score for hit in some} for some in hits]
