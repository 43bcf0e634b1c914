"""What a scope costs: a search within one over the same search without, and the first one after a change.

Passages of an evaluation file, repeated with their rare names changed (copies.py), are loaded with tags: a
half of the documents has one, a hundredth another. Each question is asked without a scope, and within that of
either tag, in turns; the medians are compared. Without a scope the collection is held in memory, as it is in
a process that searched it some times while the graph rested.

Then something changes, and a question is asked within each scope: another collection, a document outside the
scope, one in it, a tag, and the process (a cold one).

Last, half of the documents are hidden from who asks, and ids of hidden documents and of none are looked up in
turns: of so many pairs the hidden one should take longer as often as not.

    python bench/scopes.py [--facts 20000] [--questions 100] [--changes 3] [--pairs 1000] [--file FILE]
        [--json FILE]
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from copies import Repeater
from corpus import Loader
from report import is_there, keep, machine, options
from rich.console import Console
from rich.table import Table
from world import started_world

from hopline.errors import NotFound
from hopline.models.jobs import Json
from hopline.models.search import Found
from hopline.principals import ALLOW
from infra.local.neo4j_server import Neo4jMemory
from producer.api.access import Caller, seen_document
from producer.evaluation.dataset import Passage, read_dataset
from producer.service.keys import ApiKey
from producer.service.service import Service
from workers.core.ids import document_id
from workers.core.metadata.changes import MetadataChange
from workers.core.scope import Scope
from workers.engine.startup import warm_up as warm_up_process
from workers.search.search import search
from workers.services import Services

if TYPE_CHECKING:
    from producer.api.context import Api

COLLECTION, OTHER = "scopes", "other"
SCOPES = {"half": Scope(where='tags has "half"'), "hundredth": Scope(where='tags has "hundredth"')}
TARGETS = {"half": 1.3, "hundredth": 1.0}  # of the time without a scope, at most
MEMORY = Neo4jMemory(heap=1024, page_cache=512)
ASKING, SOMEBODY_ELSE = "user:ann", "user:bo"
_HUNDRED = 100
_PAGE = 1000  # documents tagged at a time
_WARM = 10  # pairs that are looked up before those that count


class Corpus:
    """The loaded collection, and changes to it."""

    def __init__(self, services: Services, file: Path, facts: int) -> None:
        self.services = services
        self.dataset = read_dataset(file)
        self.loader = Loader(services, COLLECTION)
        self._others = Loader(services, OTHER)
        self._passages: Iterator[Passage] = Repeater(self.dataset.passages).copies()
        self.loader.load_until(facts, self._passages)
        self._others.load([next(self._passages)])
        self.documents = self._tag_all()

    def _tag_all(self) -> list[str]:
        """Tag the documents; return the ids of all."""
        ids = [document.id for document in self._listed()]
        tagged: dict[tuple[str, ...], list[str]] = {}
        for nth, name in enumerate(ids):
            tags = [*(["half"] if nth % 2 else []), *([] if nth % _HUNDRED else ["hundredth"])]
            tagged.setdefault(tuple(tags), []).append(name)
        for tags_of, names in tagged.items():
            for first in range(0, len(names), _PAGE):
                self._tag(names[first : first + _PAGE], tags_of)
        return ids

    def _listed(self) -> Iterator[Any]:
        after = ""
        while page := self.services.graph.store.documents(COLLECTION, after=after, limit=_PAGE):
            yield from page
            after = page[-1].id

    def _tag(self, names: Sequence[str], tags: Sequence[str]) -> None:
        change = MetadataChange(values={"tags": tuple(tags)}) if tags else MetadataChange(unset=("tags",))
        self.services.graph.store.change_metadata(names, change)

    def change_other(self) -> None:
        """Write a document of another collection."""
        self._others.load([next(self._passages)])

    def add_outside(self) -> None:
        """Write a document that has no tag."""
        self.loader.load([next(self._passages)])

    def add_inside(self) -> None:
        """Write a document that has both tags."""
        before = set(self.documents)
        self.add_outside()
        self.documents = [document.id for document in self._listed()]
        self._tag(sorted(set(self.documents) - before), ["half", "hundredth"])

    def hide_half(self) -> list[str]:
        """Allow every second document to somebody else alone; return the ids of these."""
        hidden = self.documents[::2]
        for first in range(0, len(hidden), _PAGE):
            change = MetadataChange(values={ALLOW: (SOMEBODY_ELSE,)})
            self.services.graph.store.change_metadata(sorted(hidden[first : first + _PAGE]), change)
        return hidden

    def change_tags(self) -> None:
        """Take a document out of both scopes."""
        within = self.services.scopes.documents_in(COLLECTION, SCOPES["hundredth"])
        self._tag([min(within)], [])


def main() -> None:
    """Measure and print."""
    arguments = _parse_arguments()
    if not is_there("scopes", arguments.file):
        return
    with started_world(MEMORY, lasting=True) as world:
        services = Services(world.settings)
        corpus = Corpus(services, arguments.file, arguments.facts)
        questions = [question.question for question in corpus.dataset.questions[: arguments.questions]]
        report: Json = {
            "benchmark": "scopes",
            "machine": machine(),
            "file": corpus.dataset.name,
            "documents": len(corpus.documents),
            "facts": len(corpus.loader.facts),
            "chunks": corpus.loader.chunks,
            "searches": _searches(services, questions),
            "after": _changes(corpus, questions, arguments.changes),
            "hidden": _hidden(corpus, arguments.pairs),
        }
        services.close()
    _print(Console(width=None if sys.stdout.isatty() else 120), report)
    keep(report, arguments.json)


def ask(services: Services, question: str, scope: Scope | None) -> Found:
    """Search as the API does."""
    within = services.within(COLLECTION, scope)
    ports = type("Searched", (), {**within._asdict(), "model": services.model})()
    return search(question, COLLECTION, ports)


def timed(call: Callable[[], object]) -> float:
    """Return how many milliseconds a call takes."""
    begun = time.perf_counter()
    call()
    return 1000 * (time.perf_counter() - begun)


def _searches(services: Services, questions: Sequence[str]) -> Json:
    """Ask each question every way, in turns."""
    warm_up_process(services)
    services.graph.around.size(COLLECTION)
    if not services.graph.around.snapshots.take(COLLECTION):
        raise SystemExit("the collection cannot be held in memory")
    ways: dict[str, Scope | None] = {"none": None, **SCOPES}
    for question in (*questions, *questions):  # the local vector endpoint takes in what is asked for often
        for scope in ways.values():
            ask(services, question, scope)
    took: dict[str, list[float]] = {name: [] for name in ways}
    for nth, question in enumerate(questions):
        for turn in range(len(ways)):
            name = list(ways)[(nth + turn) % len(ways)]
            took[name].append(timed(lambda: ask(services, question, ways[name])))  # noqa: B023 - called at once
    without = statistics.median(took["none"])
    return {
        name: {
            "p50_ms": round(statistics.median(some), 1),
            "p95_ms": round(statistics.quantiles(some, n=20)[-1], 1),
            "of_none": round(statistics.median(some) / without, 2),
        }
        for name, some in took.items()
    }


def _changes(corpus: Corpus, questions: Sequence[str], times: int) -> Json:
    """Return how long the first question within each scope takes after each change, in milliseconds."""
    changes: dict[str, Callable[[], object]] = {
        "nothing": lambda: None,
        "another collection": corpus.change_other,
        "a document outside": corpus.add_outside,
        "a document inside": corpus.add_inside,
        "a tag": corpus.change_tags,
        "the process": lambda: corpus.services.__dict__.pop("scopes"),
    }
    medians: Json = {}
    for name, change in changes.items():
        took: dict[str, list[float]] = {scope: [] for scope in SCOPES}
        for nth in range(times):
            for scope, within in SCOPES.items():
                change()
                question = questions[nth % len(questions)]
                took[scope].append(timed(lambda: ask(corpus.services, question, within)))  # noqa: B023
        medians[name] = {scope: round(statistics.median(some), 1) for scope, some in took.items()}
    return medians


def _hidden(corpus: Corpus, pairs: int) -> Json:
    """Look up hidden documents and such as are not there, in turns, as the API does for a key."""
    ids = corpus.hide_half()
    key = ApiKey(id="k", name="k", digest="", scopes=frozenset({"read"}), created=0.0, principals=(ASKING,))
    api, caller = SimpleNamespace(service=Service(services=corpus.services)), Caller(key)

    def look_up(document_id: str) -> None:
        with suppress(NotFound):
            seen_document(cast("Api", api), caller, document_id)
            raise SystemExit(f"{document_id} is not hidden")

    chosen = [(ids[nth % len(ids)], document_id(COLLECTION, f"none {nth}")) for nth in range(_WARM + pairs)]
    took: dict[str, list[float]] = {"hidden": [], "unknown": []}
    for nth, (hidden, unknown) in enumerate(chosen):
        turn = [("hidden", hidden), ("unknown", unknown)]
        for name, looked_up in turn if nth % 2 else turn[::-1]:
            took[name].append(timed(lambda: look_up(looked_up)))  # noqa: B023 - called at once
    longer = [
        hidden_time > unknown_time
        for hidden_time, unknown_time in zip(*(some[_WARM:] for some in took.values()), strict=True)
    ]
    medians = {f"{name}_p50_ms": round(statistics.median(some[_WARM:]), 2) for name, some in took.items()}
    return {"pairs": pairs, **medians, "hidden_longer": round(sum(longer) / len(longer), 3)}


def _print(console: Console, report: Json) -> None:
    size = f"{report['documents']:,} documents, {report['facts']:,} facts"
    table = Table(title=f"search within a scope, {size} ({report['machine']})")
    for name in ("scope", "p50 ms", "p95 ms", "of that without", "target"):
        table.add_column(name, justify="right")
    for name, row in report["searches"].items():
        target = f"at most {TARGETS[name]}" if name in TARGETS else ""
        table.add_row(name, str(row["p50_ms"]), str(row["p95_ms"]), f"{row['of_none']:.2f}", target)
    console.print(table)
    table = Table(title="the first question after a change, median ms")
    for name in ("changed", *SCOPES):
        table.add_column(name, justify="right")
    for name, row in report["after"].items():
        table.add_row(name, *(f"{row[scope]:,.0f}" for scope in SCOPES))
    console.print(table)
    row = report["hidden"]
    console.print(
        f"until a 404: hidden {row['hidden_p50_ms']} ms, unknown {row['unknown_p50_ms']} ms; "
        f"of {row['pairs']} pairs the hidden one took longer in {100 * row['hidden_longer']:.1f}%"
    )


def _parse_arguments() -> argparse.Namespace:
    parser = options(__doc__, "scopes")
    parser.add_argument("--file", type=Path, default=Path("../shared/eval/hotpot100.json"))
    parser.add_argument("--facts", type=int, default=20_000, help="at least so many; many take minutes")
    parser.add_argument("--questions", type=int, default=100, help="the first so many of the file")
    parser.add_argument("--changes", type=int, default=3, help="how often each change is made")
    parser.add_argument("--pairs", type=int, default=1000, help="of a hidden document and of none")
    return parser.parse_args()


if __name__ == "__main__":
    main()
