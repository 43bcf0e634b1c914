"""How many names that documents state lead to whom they mean, how many wrongly, and whether orders matter.

Made-up stories in English, German and Chinese (named_stories.py), each in a collection of its own: by-names
that one document states and others use, short forms, and what must not be joined. An alias is resolved if its
key element leads to the person's; a merge is wrong if it joins what the story does not. Each story is
ingested again in other orders. Documents are deleted in between: some return, others, which use a name for
something else, go for good. Graphs are compared as readers see them: elements with their facts and spellings,
merges with their sentences, and names with those whom they may mean. Private servers are started; no model
is called.

    python bench/names.py [--stories 24] [--orders 2] [--seed 18] [--json FILE]
"""

from __future__ import annotations

import logging
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import structlog
from named_stories import Sentence, Story, make_stories
from report import keep, machine, options
from rich.console import Console
from rich.table import Table
from world import started_world

from hopline.models.documents import Chunk, Document, KeyElement
from hopline.models.jobs import Json
from workers.core import ids
from workers.core.graph.elements import normalise_element
from workers.core.ports import ChunkFacts, Graph
from workers.core.records import AtomicFact
from workers.ingest.naming.claims import find_claims
from workers.ingest.naming.short_forms import find_short_forms
from workers.services import Services

LANGUAGES = {"en": "English", "de": "German", "zh": "Chinese"}
_PAGE = 1000


def main() -> None:
    """Ingest, count and compare."""
    parser = options(__doc__)
    parser.add_argument("--stories", type=int, default=24, help="half of them English")
    parser.add_argument("--orders", type=int, default=2, help="in which each story is ingested")
    parser.add_argument("--seed", type=int, default=18)
    arguments = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    stories = make_stories(arguments.stories, arguments.seed)
    with started_world() as world:
        services = Services(world.settings)
        rows = [_measured(services.graph, nth, story, arguments) for nth, story in enumerate(stories)]
        services.close()
    report = {
        "benchmark": "names",
        "machine": machine(),
        **{name: getattr(arguments, name) for name in ("seed", "stories", "orders")},
        "languages": {language: _sum(rows, language) for language in LANGUAGES},
        "unresolved": sorted(chain.from_iterable(row["unresolved"] for row in rows)),
        "wrong": sorted(chain.from_iterable(row["wrong"] for row in rows)),
        "differing": [row["story"] for row in rows if row["graphs"] > 1],
    }
    Console(width=110).print(_table(report))
    for name in ("unresolved", "wrong", "differing"):
        print(f"{name}: {', '.join(map(str, report[name])) or 'none'}")
    keep(report, arguments.json)


def _measured(graph: Graph, nth: int, story: Story, arguments: Any) -> Json:
    """Ingest a story in all orders; return what the first resolved, and how many graphs came of them."""
    collection = _Collection(graph, f"story-{nth}")
    rng = random.Random(arguments.seed + nth)
    pictures, deletions = [], 0
    for _ in range(arguments.orders):
        deletions += collection.ingest(story, rng)
        pictures.append(collection.picture())
        collection.empty(story)
    leading = {(alias, name) for alias, name, *_why in pictures[0]["merges"]}
    wanted = {(alias, name) for alias, name in story.meant.items() if name}
    return {
        "story": nth,
        "language": story.language,
        "aliases": len(wanted),
        "resolved": len(wanted & leading),
        "kept apart": sum(name is None for name in story.meant.values()),
        "unresolved": [" → ".join(pair) for pair in wanted - leading],
        "wrong": [" → ".join(pair) for pair in leading - wanted],
        "graphs": sum(picture not in pictures[:place] for place, picture in enumerate(pictures)),
        "documents": len(story.documents),
        "deletions": deletions,
    }


@dataclass(frozen=True)
class _Collection:
    graph: Graph
    name: str

    def ingest(self, story: Story, rng: random.Random) -> int:
        """Ingest a story's documents in some order; return how many were deleted in between."""
        deletions = 0
        for uri, paragraphs in story.some_order(rng):
            if paragraphs is None:
                self._delete(uri)
                deletions += 1
            else:
                self._write(uri, paragraphs)
        return deletions

    def empty(self, story: Story) -> None:
        """Delete a story's documents, so that the next order begins with nothing."""
        for uri in story.documents:
            self._delete(uri)
        if any(self.picture().values()):
            raise SystemExit(f"{self.name} is not empty without its documents")

    def picture(self) -> Json:
        """Return what readers see."""
        page, _next = self.graph.merging.element_page(self.name, after="", before="l", limit=_PAGE)
        elements = {}
        for element in page:
            node = self.graph.nodes.read_node(self.name, element.id, max_facts=500, max_neighbours=100)
            facts = sorted(fact.fact for fact in node.facts) if node else []
            elements[element.name] = (facts, element.aliases)
        merges = self.graph.merging.merges(self.name, limit=_PAGE)
        return {
            "elements": elements,
            "merges": sorted(
                (merge.source_name, merge.target_name, merge.rule, merge.evidence) for merge in merges
            ),
            "candidates": sorted(
                (
                    ambiguity.element.name,
                    [other.name for other in ambiguity.candidates],
                    [(place.name, place.uri) for place in ambiguity.resolved_in],
                )
                for ambiguity in self.graph.merging.name_candidates(self.name, limit=_PAGE)
            ),
        }

    def _write(self, uri: str, paragraphs: Sequence[Sequence[Sentence]]) -> None:
        text = "\n\n".join(" ".join(fact for fact, _names in paragraph) for paragraph in paragraphs)
        document = Document(
            id=ids.document_id(self.name, uri),
            collection=self.name,
            uri=uri,
            title=uri.title(),
            content_hash=ids.content_hash(text),
        )
        opened = self.graph.store.open_version(document)
        self.graph.store.write_chunks(opened, list(self._chunks(document.id, text, paragraphs)))
        self.graph.store.make_live(opened)

    def _chunks(
        self, document: str, text: str, paragraphs: Iterable[Sequence[Sentence]]
    ) -> Iterator[ChunkFacts]:
        end = 0
        for index, paragraph in enumerate(paragraphs):
            chunk_text = " ".join(fact for fact, _names in paragraph)
            start = text.index(chunk_text, end)
            end = start + len(chunk_text)
            facts = tuple(self._fact(text, *sentence) for sentence in paragraph)
            yield ChunkFacts(
                chunk=Chunk(
                    id=ids.chunk_id(document, chunk_text, 0),
                    index=index,
                    text=chunk_text,
                    start=start,
                    end=end,
                    tokens=len(chunk_text) // 4,
                    content_hash=ids.content_hash(chunk_text),
                ),
                facts=facts,
                claims=find_claims(chunk_text, facts),
                short_forms=find_short_forms(self.name, facts),
            )

    def _fact(self, text: str, sentence: str, names: Sequence[str]) -> AtomicFact:
        start = text.index(sentence)
        return AtomicFact(
            id=ids.fact_id(self.name, sentence),
            text=sentence,
            key_elements=tuple(self._element(name) for name in names),
            start=start,
            end=start + len(sentence),
            match=1.0,
            grounded=True,
        )

    def _element(self, spelled: str) -> KeyElement:
        name = normalise_element(spelled)
        return KeyElement(id=ids.element_id(self.name, name), name=name, aliases=(spelled,))

    def _delete(self, uri: str) -> None:
        self.graph.store.delete_document(ids.document_id(self.name, uri))


def _sum(rows: Sequence[Json], language: str) -> Json:
    own = [row for row in rows if row["language"] == language]
    counted = Counter[str]()
    for row in own:
        counted.update(
            {name: row[name] for name in ("aliases", "resolved", "kept apart", "documents", "deletions")}
        )
        counted.update({"stories": 1, "wrong": len(row["wrong"]), "differing": row["graphs"] > 1})
    return dict(counted)


def _table(report: Json) -> Table:
    table = Table(title=f"Names of made-up stories, {report['orders']} orders each, seed {report['seed']}")
    shown = ("stories", "documents", "aliases", "resolved", "kept apart", "wrong", "deletions", "differing")
    for name in ("language", *shown):
        table.add_column(name, justify="left" if name == "language" else "right")
    everything = Counter[str]()
    for language, name in LANGUAGES.items():
        counts = report["languages"][language]
        everything.update(counts)
        table.add_row(name, *(str(counts.get(column, 0)) for column in shown))
    table.add_row("all", *(str(everything[column]) for column in shown))
    return table


if __name__ == "__main__":
    main()
