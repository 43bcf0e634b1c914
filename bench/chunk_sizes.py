"""What chunk sizes cost and bring: calls and tokens of extraction, and how many gold passages a search finds.

The passages of hotpot500 are short (half of them have fewer than 112 tokens), so that sizes from 300 up would
hardly differ over them. They are joined to documents of some 6,000 tokens, each passage under its title on a
line of its own: in an order drawn by a fixed seed (--order drawn), so that a document is of many matters, or
as the file has them (--order file), where the passages of one question stand together.

A gold passage is found where the first chunks hold at least half of its characters: the first five chunks
(R@5), and, as larger chunks bring more text, the first chunks of together at most 6,000 tokens (R@6,000).

    python bench/chunk_sizes.py [--file FILE] [--order drawn|file] [--sizes 300/60 600/60 …] [--json FILE]
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import orjson
from corpus import Loader
from report import is_there, keep, machine, options
from rich.console import Console
from rich.table import Table
from world import World, started_world

from hopline.models.jobs import Json
from hopline.models.search import FoundChunk
from infra.local.neo4j_server import Neo4jMemory
from producer.evaluation.dataset import Dataset, EvalQuestion, Passage, read_dataset
from workers.adapters.openai.dialect import Dialect
from workers.adapters.openai.wire import MARGIN, ReplyRequest
from workers.core import ids
from workers.core.language.text import words
from workers.core.models.tokens import count_tokens
from workers.core.prompts import load_prompt
from workers.ingest.schema import ExtractedFacts
from workers.search.search import search
from workers.services import Services

SIZES = ("300/60", "600/60", "1200/60", "2000/60", "600/0", "600/120")  # chunk and overlap
MEMORY = Neo4jMemory(heap=1024, page_cache=512)
_DOCUMENT = 6_000  # tokens
_SEED = 5
_FIRST = 5  # chunks
_READ = 6_000  # tokens: as many as an answer may rest on
_ASKED = 40  # chunks: 6,000 tokens of small ones
_HALF = 0.5  # of a passage's characters


class Place(NamedTuple):
    """Where a passage stands among the joined documents."""

    document: str
    start: int
    end: int


class CountingLoader(Loader):
    """Counts what extraction would send and what comes back."""

    calls = prompt_tokens = reply_tokens = 0

    def extract(self, material: Json) -> Json:
        """Return what the offline model replies to a chunk."""
        reply = super().extract(material)
        if words(material["text"]):
            request = ReplyRequest(load_prompt("workers.ingest", "extract"), material, ExtractedFacts)
            self.calls += 1
            self.prompt_tokens += round(request.bound(Dialect()) / MARGIN)
            self.reply_tokens += count_tokens(orjson.dumps(reply).decode())
        return reply


def main() -> None:
    """Measure and print."""
    arguments = _parse_arguments()
    if not is_there("chunk_sizes", arguments.file):
        return
    dataset = read_dataset(arguments.file).first(arguments.questions)
    documents, places = _joined(dataset.passages, drawn=arguments.order == "drawn")
    report: Json = {"benchmark": "chunk_sizes", "machine": machine(), "file": dataset.name}
    report |= {"order": arguments.order, "passages": len(dataset.passages), "documents": len(documents)}
    report["rows"] = rows = []
    with started_world(MEMORY, lasting=True) as world:
        for size in arguments.sizes:
            rows.append(_measured(world, size, documents, places, dataset))
            print(rows[-1], file=sys.stderr)
    _print(Console(width=None if sys.stdout.isatty() else 170), report)
    keep(report, arguments.json)


def _joined(passages: Sequence[Passage], *, drawn: bool) -> tuple[list[Passage], dict[str, Place]]:
    """Return the documents, and where each passage stands in them."""
    ordered = list(passages)
    if drawn:
        random.Random(_SEED).shuffle(ordered)
    documents: list[Passage] = []
    places: dict[str, Place] = {}
    text, tokens = "", 0
    for at, passage in enumerate(ordered):
        name = f"volume-{len(documents)}"
        head = f"{text}{passage.title}\n"
        text = f"{head}{passage.text}\n\n"
        places[passage.id] = Place(name, len(head), len(head) + len(passage.text))
        tokens += count_tokens(passage.text)
        if tokens >= _DOCUMENT or at == len(ordered) - 1:
            documents.append(Passage(id=name, title=f"Volume {len(documents)}", text=text))
            text, tokens = "", 0
    return documents, places


def _measured(
    world: World, size: str, documents: Sequence[Passage], places: dict[str, Place], dataset: Dataset
) -> Json:
    chunk, overlap = map(int, size.split("/"))
    sizes = {"chunk_tokens": chunk, "chunk_overlap": overlap}
    limits = world.settings.limits.model_copy(update=sizes)
    services = Services(world.settings.model_copy(update={"limits": limits}))
    loader = CountingLoader(services, f"chunks-{chunk}-{overlap}")
    begun = time.perf_counter()
    loader.load(documents)
    results = list(_measure_shares(services, loader.collection, dataset.questions, places))
    services.close()
    return {
        **sizes,
        "chunks": loader.chunks,
        "calls": loader.calls,
        "prompt_tokens": loader.prompt_tokens,
        "reply_tokens": loader.reply_tokens,
        "facts": len(loader.facts),
        "elements": len(loader.elements),
        "recall_5": round(sum(result[0] for result in results) / len(results), 4),
        "recall_read": round(sum(result[1] for result in results) / len(results), 4),
        "tokens_of_5": round(sum(result[2] for result in results) / len(results)),
        "seconds": round(time.perf_counter() - begun, 1),
    }


def _measure_shares(
    services: Services, collection: str, questions: Sequence[EvalQuestion], places: dict[str, Place]
) -> Iterator[tuple[float, float, int]]:
    """Yield the shares of gold in the first chunks and in the first tokens, and the first chunks' tokens."""
    for question in questions:
        ranked = search(question.question, collection, services, limit=_ASKED).chunks
        gold = [_at(collection, places[name]) for name in question.gold]
        first = ranked[:_FIRST]
        yield _share(gold, first), _share(gold, _within(ranked)), sum(each.chunk.tokens for each in first)


def _at(collection: str, place: Place) -> Place:
    return place._replace(document=ids.document_id(collection, place.document))


def _within(ranked: Sequence[FoundChunk]) -> list[FoundChunk]:
    """Return the first chunks that have no more tokens together than may be read."""
    read, taken = 0, []
    for hit in ranked:
        read += hit.chunk.tokens
        if read > _READ:
            break
        taken.append(hit)
    return taken


def _share(gold: Sequence[Place], chunks: Sequence[FoundChunk]) -> float:
    """Return the share of passages of which the chunks hold at least half."""
    held: dict[Place, set[int]] = defaultdict(set)
    for place in gold:
        for hit in chunks:
            if hit.document.id == place.document:
                span = max(place.start, hit.chunk.start), min(place.end, hit.chunk.end)
                held[place].update(range(*span))
    return sum(len(held[place]) >= _HALF * (place.end - place.start) for place in gold) / len(gold)


def _print(console: Console, report: Json) -> None:
    table = Table(
        title=f"{report['file']}, {report['passages']:,} passages in {report['documents']} documents, "
        f"order: {report['order']} ({report['machine']})"
    )
    for name in ("chunk/overlap", "chunks", "calls", "prompt tokens", "reply tokens", "facts"):
        table.add_column(name, justify="right")
    for name in ("R@5", "tokens of 5", f"R@{_READ:,} tokens"):
        table.add_column(name, justify="right")
    for row in report["rows"]:
        table.add_row(
            f"{row['chunk_tokens']}/{row['chunk_overlap']}",
            *(f"{row[name]:,}" for name in ("chunks", "calls", "prompt_tokens", "reply_tokens", "facts")),
            f"{100 * row['recall_5']:.1f}",
            f"{row['tokens_of_5']:,}",
            f"{100 * row['recall_read']:.1f}",
        )
    console.print(table)


def _parse_arguments() -> argparse.Namespace:
    parser = options(__doc__, "chunk_sizes")
    parser.add_argument("--file", type=Path, default=Path("../shared/eval/hotpot500.json"))
    parser.add_argument("--questions", type=int, help="only the first so many")
    parser.add_argument("--order", choices=("drawn", "file"), default="drawn")
    parser.add_argument("--sizes", nargs="+", default=list(SIZES), metavar="CHUNK/OVERLAP")
    return parser.parse_args()


if __name__ == "__main__":
    main()
