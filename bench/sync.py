"""1,000 documents, 5% changed, 3% moved, 2% removed: what a sync finds, asks and leaves behind.

Every server and a worker on this machine. Compared with a fresh ingest of the new state into another
collection, by the ids that facts and elements would have in one; and every text must be covered.

    python bench/sync.py [--documents 1000] [--json FILE]
"""

from __future__ import annotations

import argparse
import random
import secrets
import time
from pathlib import Path

from report import keep, machine, options
from rich.console import Console
from rich.table import Table
from world import World, started_world

from hopline import Hopline
from hopline.models.jobs import Json
from hopline.models.results import Job
from hopline.models.syncs import SyncReport
from workers.core import ids
from workers.core.graph.stored_document import standing_chunks
from workers.core.ports import Graph
from workers.services import Services

_WORDS = "mill farm bridge chapel quarry harbour orchard tower school garden".split()  # noqa: SIM905 - a list reads best
_PLACES = "Bern Basel Chur Genf Lugano Thun Zug Aarau Sion Davos".split()  # noqa: SIM905 - as above
_SENTENCES, _PARAGRAPHS = 6, 13  # two chunks or three


def main() -> None:
    """Measure and print."""
    arguments = _parse_arguments()
    with started_world(lasting=True) as world:
        world.work("bulk")
        report = {"benchmark": "sync", "machine": machine(), **_measure(world, arguments.documents)}
    table = Table("what", "found")
    for name, value in report.items():
        table.add_row(name, str(value))
    Console().print(table)
    keep(report, arguments.json)


def _measure(world: World, documents: int) -> Json:
    folder, rng = world.folder / "source", random.Random(7)
    _write(folder, documents, rng)
    kept, fresh = f"sync-{secrets.token_hex(4)}", f"fresh-{secrets.token_hex(4)}"
    graph = Services(world.settings).graph
    with Hopline.local(world.settings) as client:
        first, first_s = _timed(client, folder, kept)
        changed = _edit(folder, rng)
        dry, dry_s = _timed(client, folder, kept, dry_run=True)
        second, second_s = _timed(client, folder, kept)
        again, again_s = _timed(client, folder, kept)
        _timed(client, folder, fresh)
        same = _held(graph, kept) == _held(graph, fresh)
        covered = all(_covers(graph, kept, path) for path in folder.rglob("*.md"))
    return {
        "documents": documents,
        "first_s": first_s,
        "first_calls": first.usage.model_calls,
        "dry_run": _counts(dry),
        "dry_run_s": dry_s,
        "documents_changed": changed,
        "sync": _counts(second),
        "sync_status": second.state.value,
        "sync_s": second_s,
        "sync_calls": second.usage.model_calls,  # embeddings count, too
        "again": _counts(again),
        "again_s": again_s,
        "same_facts_and_elements_as_fresh": same,
        "every_text_covered": covered,
    }


def _timed(client: Hopline, folder: Path, collection: str, *, dry_run: bool = False) -> tuple[Job, float]:
    started = time.perf_counter()
    job = client.syncs.submit((str(folder),), collection, dry_run=dry_run)
    return client.jobs.wait(job.id), round(time.perf_counter() - started, 1)


def _counts(job: Job) -> Json:
    return SyncReport.of(job).counts


def _sentence(rng: random.Random) -> str:
    who, year = f"Settler {rng.randrange(9000)}", rng.randrange(1700, 1990)
    return f"{who} built a {rng.choice(_WORDS)} in {rng.choice(_PLACES)} in {year}."


def _write(folder: Path, documents: int, rng: random.Random) -> None:
    for nth in range(documents):
        rows = [" ".join(_sentence(rng) for _ in range(_SENTENCES)) for _ in range(_PARAGRAPHS)]
        path = folder / f"part{nth % 20}" / f"doc{nth}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n\n".join([f"# Record {nth}", *rows]), encoding="utf-8")


def _edit(folder: Path, rng: random.Random) -> int:
    """Change 5%, move 3%, remove 2%; return how many were changed."""
    paths = rng.sample(sorted(folder.rglob("*.md")), len(list(folder.rglob("*.md"))) // 10)
    changed, moved, removed = len(paths) // 2, len(paths) * 3 // 10, len(paths) // 5
    for path in paths[:changed]:
        text = path.read_text(encoding="utf-8")
        at = text.index(". ", rng.randrange(len(text) * 9 // 10)) + 2
        path.write_text(f"{text[:at]}{_sentence(rng)} {text[at:]}", encoding="utf-8")
    (folder / "moved").mkdir()
    for path in paths[changed : changed + moved]:
        path.rename(folder / "moved" / path.name)
    for path in paths[changed + moved : changed + moved + removed]:
        path.unlink()
    return changed


def _held(graph: Graph, collection: str) -> set[str]:
    """The ids that facts and elements would have in one and the same collection."""
    graph_ids = set()
    for page in graph.nodes.texts(collection):
        graph_ids |= {ids.fact_id("", text) for _id, kind, text in page if kind == "fact"}
        graph_ids |= {ids.element_id("", text) for _id, kind, text in page if kind == "element"}
    return graph_ids


def _covers(graph: Graph, collection: str, path: Path) -> bool:
    text, covered = path.read_text(encoding="utf-8"), 0
    for chunk in standing_chunks(graph.store, ids.document_id(collection, str(path))):
        if chunk.text != text[chunk.start : chunk.end] or text[covered : chunk.start].strip():
            return False
        covered = chunk.end
    return not text[covered:].strip()


def _parse_arguments() -> argparse.Namespace:
    parser = options(__doc__, "sync")
    parser.add_argument("--documents", type=int, default=1000)
    return parser.parse_args()


if __name__ == "__main__":
    main()
