"""What is there after ingestion: nodes, vectors, bytes on disk and in memory; and how long replies are.

`hopline estimate` computes with the figures of bench/results/capacity.json (producer/estimate/factors.py).

The corpus of an evaluation file is repeated with its rare names changed (copies.py) and loaded as
bench/search.py loads it. At each size the servers are ended, what they keep is measured, and they are
started again. Replies: those of the offline model over the same passages, and, as what a language model may
say at the most, the atomic facts that people wrote down for biographies, with key elements as the offline
model takes them.

    nice python bench/capacity.py [--file FILE] [--facts FILE] [--sizes N …] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import psutil
from copies import Repeater
from corpus import Loader
from report import is_there, keep, machine, options
from world import World, started_world

from hopline.models.jobs import Json
from infra.local.neo4j_server import Neo4jMemory
from infra.offline_model.parser.extracted_facts import extract_facts
from producer.evaluation.dataset import Passage, read_dataset
from workers.core.models.tokens import count_tokens
from workers.ingest.chunking.split import split_text
from workers.services import Services

SIZES = (20_000, 100_000)  # facts
MEMORY = Neo4jMemory(heap=1024, page_cache=512)
_SAMPLE = 600  # passages whose replies are counted


def main() -> None:
    """Measure and print."""
    arguments = _parse_arguments()
    if not is_there("capacity", arguments.file):
        return
    passages = read_dataset(arguments.file).passages
    report: Json = {"benchmark": "capacity", "machine": machine(), "file": arguments.file.name}
    report["replies"] = _replies(passages[:_SAMPLE], arguments.facts)
    with started_world(MEMORY, lasting=True) as world:
        report["rows"] = list(_grown(world, passages, arguments.sizes))
    print(json.dumps(report, indent=2))
    keep(report, arguments.json)


def _replies(passages: tuple[Passage, ...], facts: Path) -> Json:
    """Count tokens of chunks and of replies: the offline model's, and those of people's facts."""
    chunks = [
        (passage.title, chunk)
        for passage in passages
        for chunk in split_text(passage.id, passage.text, 600, 60)
    ]
    replies = [extract_facts({"title": title, "text": chunk.text}) for title, chunk in chunks]
    read = sum(chunk.tokens for _title, chunk in chunks)
    report: Json = {
        "chunks": len(chunks),
        "chunk_tokens": read,
        "facts": sum(len(reply["facts"]) for reply in replies),
        "reply_tokens": sum(map(_tokens, replies)),
    }
    return report | ({"people": _people(facts)} if facts.is_file() else {})


def _people(file: Path) -> Json:
    """Count what people took from biographies, written as a reply."""
    read = written = facts = 0
    for line in file.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        texts = [
            fact["text"]
            for sentence in entry["annotations"] or ()
            for fact in sentence.get("human-atomic-facts") or ()
        ]
        if not texts:
            continue
        read += count_tokens(entry["output"])
        facts += len(texts)
        written += _tokens({"facts": [_fact(text) for text in texts]})
    return {"text_tokens": read, "facts": facts, "reply_tokens": written}


def _fact(text: str) -> Json:
    facts = extract_facts({"title": "", "text": text})["facts"]
    return {"text": text, "key_elements": sorted({name for fact in facts for name in fact["key_elements"]})}


def _tokens(reply: Any) -> int:
    return count_tokens(orjson.dumps(reply).decode())


def _grown(world: World, passages: tuple[Passage, ...], sizes: list[int]) -> Iterator[Json]:
    copies = Repeater(passages).copies()
    services = Services(world.settings)
    loader = Loader(services, "capacity")
    for size in sizes:
        loader.load_until(size, copies)
        memory = {name: _memory(world, name) for name in ("neo4j", "vectors")}
        disk = _disk(world)
        yield _row(loader, services, memory, disk)


def _memory(world: World, name: str) -> int:
    return int(psutil.Process(world.running[name].pid).memory_info().rss)


def _disk(world: World) -> Json:
    """End the servers, so that all is written; measure; start them again."""
    for name in ("neo4j", "vectors"):
        world.running[name].stop(120)
    data = world.folder / "neo4j" / "data"
    sizes = {
        "neo4j_store": _bytes(data / "databases"),
        "neo4j_log": _bytes(data / "transactions"),
        "vectors": _bytes(world.folder / "vectors"),
    }
    for name in ("neo4j", "vectors"):
        world.start(world.running[name].program, name)
    for name in ("neo4j", "vectors"):
        world.running[name].wait_ready(120)
    return sizes


def _bytes(folder: Path) -> int:
    """Return what a folder takes on disk, whole blocks, holes not counted."""
    return sum(512 * path.stat().st_blocks for path in folder.rglob("*") if path.is_file())


def _row(loader: Loader, services: Services, memory: Json, disk: Json) -> Json:
    names = list(loader.elements)
    spelt = [next(iter(loader.elements[name])) for name in names[:: max(1, len(names) // 5000)]]
    return {
        "documents": loader.chunks,
        "chunks": loader.chunks,
        "facts": len(loader.facts),
        "elements": len(names),
        "vectors": services.vectors.count(loader.collection),
        "dimension": services.model.embedder.dimension,
        "element_tokens": round(sum(map(count_tokens, spelt)) / len(spelt), 2),
        "memory_bytes": memory,
        "disk_bytes": disk,
    }


def _parse_arguments() -> argparse.Namespace:
    parser = options(__doc__, "capacity")
    parser.add_argument("--file", type=Path, default=Path("../shared/eval/hotpot500.json"))
    parser.add_argument("--facts", type=Path, default=Path("../shared/eval/factscore_chatgpt.jsonl"))
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES), help="facts")
    return parser.parse_args()


if __name__ == "__main__":
    main()
