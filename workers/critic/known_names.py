"""Names in a draft that the graph knows, for scripts without capitals."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from workers.core.answers.translation import has_capitals
from workers.core.language.text import normalise
from workers.core.ports import NodeGraph

_NAMES = 60  # of one draft
_TEXT = 4000  # characters of a draft that names are looked for in
_SHORTEST = 2  # characters of a name


@dataclass
class KnownNames:
    """Key elements whose names share words with a draft; looked up once, only for scripts without capitals.

    Args:
        graph: the graph as visible to the question's scope and principals.
        collection: collection to search.
    """

    graph: NodeGraph
    collection: str
    _looked: set[str] = field(default_factory=set)
    _names: dict[str, tuple[str, ...]] = field(default_factory=dict)  # spellings by id

    def look(self, sentences: Iterable[str]) -> bool:
        """Look up the names in new sentences; return whether the graph knows any."""
        new = [text for text in sentences if text not in self._looked and not has_capitals(text)]
        self._looked.update(new)
        hits = self.graph.elements_like(self.collection, " ".join(new)[:_TEXT], _NAMES) if new else []
        wanted = [hit.id for hit in hits if hit.id not in self._names]
        elements = self.graph.elements(self.collection, wanted) if wanted else []
        self._names |= {element.id: (element.name, *element.aliases) for element in elements}
        return bool(elements)

    def of(self, sentence: str, stands: str) -> list[str]:
        """Return the known names in a sentence's quotes, then those in the sentence itself."""
        if has_capitals(sentence):
            return []
        quoted, said = normalise(stands), normalise(sentence)
        names = [name for group in self._names.values() for name in group if len(name) >= _SHORTEST]
        inside = [name for name in names if normalise(name) in quoted]
        return list(dict.fromkeys((*inside, *(name for name in names if normalise(name) in said))))
