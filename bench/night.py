"""One night, 20,000 documents of two chunks: is all of it in, and is memory flat, and the rate?

Every server and the workers on this machine, the model answers at once. Sampled while it runs: documents
done, what Redis and each worker hold. At the end graph and vectors are counted.

    python bench/night.py [--documents 20000] [--workers 2] [--json FILE] [--plot FILE.svg]
"""

from __future__ import annotations

import argparse
import secrets
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import psutil
from corpus_many import write_corpus
from plots import Series, write_plot
from report import keep, machine, options
from rich.console import Console
from rich.table import Table
from world import World, started_world

from hopline import Hopline
from hopline.models.ingest_reports import IngestReport
from hopline.models.jobs import JobState, Json
from workers.adapters.redis.client import redis_client
from workers.services import Services

_EVERY = 2.0  # seconds between two samples
_TOLD = 15  # of so many samples one is printed meanwhile
_MB = 1_000_000
_FIFTHS = 5


@dataclass(frozen=True)
class Sample:
    """What was seen at one moment."""

    at: float  # seconds since the batch was submitted
    documents: int  # done
    redis: int  # bytes used, less what an idle stack uses
    rewrites: bool  # Redis writes its file again; before version 7 it holds what comes then, 10 MB at once
    workers: int  # bytes resident, the largest worker's


def main() -> None:
    """Measure, print, and draw."""
    arguments = _parse_arguments()
    with started_world(lasting=True) as world:
        world.work("bulk", arguments.workers)
        report = _measure(world, arguments.documents)
    report = {"benchmark": "night", "machine": machine(), "workers": arguments.workers, **report}
    Console().print(_table(report))
    keep(report, arguments.json)
    if arguments.plot:
        _draw(report, arguments.plot)


def _measure(world: World, documents: int) -> Json:
    corpus = world.folder / "corpus.jsonl"
    write_corpus(corpus, documents)
    collection, redis = f"night-{secrets.token_hex(4)}", redis_client(world.environment["HOPLINE_REDIS_URL"])
    with Hopline.local(world.settings) as client:
        warm = world.folder / "warm.jsonl"
        write_corpus(warm, 20, seed=99)
        client.ingest([warm], f"warm-{secrets.token_hex(4)}")
        idle = redis.info("memory")["used_memory"]
        started = time.perf_counter()
        job = client.batches.submit("night", (str(corpus),), collection).job_id
        submitted = time.perf_counter() - started
        samples = _watched(world, client, job, redis, idle)
        counted = _counted(client, Services(world.settings), collection, job, documents)
    wall = samples[-1].at
    return {
        "documents": documents,
        "submit_s": round(submitted, 2),
        "wall_s": round(wall, 1),
        "chunks_per_s": round(2 * documents / wall, 1),
        "fifths_chunks_per_s": _rates(samples, documents),
        "redis_most_mb": round(max(sample.redis for sample in samples) / _MB, 2),
        "redis_fifths_mb": _per_fifth(
            [sample for sample in samples if not sample.rewrites], documents, "redis"
        ),
        "worker_fifths_mb": _per_fifth(samples, documents, "workers"),
        **counted,
        "samples": [vars(sample) for sample in samples],
    }


def _watched(world: World, client: Hopline, job: str, redis: object, idle: int) -> list[Sample]:
    """Sample until the batch has ended."""
    workers = [psutil.Process(process.pid) for name, process in world.running.items() if "worker" in name]
    samples, started = [], time.perf_counter()
    while True:
        record = client.jobs.get(job)
        info = redis.info()  # type: ignore[attr-defined]
        used, rewrites = info["used_memory"] - idle, bool(info["aof_rewrite_in_progress"])
        resident = max(worker.memory_info().rss for worker in workers)
        done = record.done.get("ingest.document", 0)
        samples.append(Sample(round(time.perf_counter() - started, 2), done, used, rewrites, resident))
        if len(samples) % _TOLD == 0:
            print(samples[-1], file=sys.stderr, flush=True)
        if record.state is not JobState.RUNNING:
            return samples
        time.sleep(_EVERY)


def _counted(client: Hopline, services: Services, collection: str, job: str, documents: int) -> Json:
    """Return what is in graph and vectors, and whether exactly that was to be there."""
    live = client.collections.census(collection).live
    vectors, record, report = services.vectors, client.jobs.get(job), client.batches.report("night")
    chunk_vectors = vectors.count(collection, "chunk")
    element_vectors = vectors.count(collection, "element")
    counts = IngestReport.of(record).counts
    return {
        "state": record.state.value,
        "counts": counts,
        "live": live.model_dump(),
        "chunk_vectors": chunk_vectors,
        "element_vectors": element_vectors,
        "exact": (
            counts == {"done": documents}
            and (live.documents, live.chunks) == (documents, 2 * documents)
            and (chunk_vectors, element_vectors) == (live.chunks, live.elements)
        ),
        "chunks_read": report.chunks,
        "facts_read": report.facts,
        "model_calls": record.usage.model_calls,
        "leases_lost": record.leases_lost,
    }


def _fifths(samples: list[Sample], documents: int) -> list[list[Sample]]:
    """Return the samples of each fifth of the documents."""
    fifths: list[list[Sample]] = [[] for _ in range(_FIFTHS)]
    for sample in samples:
        fifths[min(_FIFTHS - 1, _FIFTHS * sample.documents // documents)].append(sample)
    return fifths


def _rates(samples: list[Sample], documents: int) -> list[float]:
    rates = []
    for fifth in _fifths(samples, documents):
        took = fifth[-1].at - fifth[0].at if len(fifth) > 1 else 0.0
        rates.append(round(2 * (fifth[-1].documents - fifth[0].documents) / took, 1) if took else 0.0)
    return rates


def _per_fifth(samples: list[Sample], documents: int, name: str) -> list[float]:
    """Return the largest value in each fifth, in MB."""
    fifths = _fifths(samples, documents)
    return [round(max((getattr(sample, name) for sample in fifth), default=0) / _MB, 2) for fifth in fifths]


def _table(report: Json) -> Table:
    table = Table(title=f"{report['documents']} documents of two chunks ({report['machine']})")
    for name in ("fifth", "chunks/s", "Redis at most, MB", "largest worker, MB"):
        table.add_column(name, justify="right")
    for nth in range(_FIFTHS):
        table.add_row(
            str(nth + 1),
            *(
                str(report[name][nth])
                for name in ("fifths_chunks_per_s", "redis_fifths_mb", "worker_fifths_mb")
            ),
        )
    live = report["live"]
    table.caption = (
        f"{report['state']} {report['counts']} in {report['wall_s']} s; graph {live};"
        f" vectors {report['chunk_vectors']} chunks, {report['element_vectors']} elements;"
        f" {'exactly' if report['exact'] else 'NOT'} what was to be there;"
        f" Redis at most {report['redis_most_mb']} MB, also while it rewrites its file"
    )
    return table


def _draw(report: Json, target: Path) -> None:
    samples = report["samples"]
    write_plot(
        target,
        f"{report['documents']} documents of two chunks over {report['wall_s'] / 60:.0f} minutes",
        "minutes",
        [
            Series("documents done", [(sample["at"] / 60, sample["documents"]) for sample in samples]),
            Series("Redis, MB over idle", [(sample["at"] / 60, sample["redis"] / _MB) for sample in samples]),
            Series(
                "largest worker, MB", [(sample["at"] / 60, sample["workers"] / _MB) for sample in samples]
            ),
        ],
    )


def _parse_arguments() -> argparse.Namespace:
    parser = options(__doc__, "night")
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--workers", type=int, default=2, help="bulk worker processes")
    parser.add_argument("--plot", type=Path, help="an SVG file to draw")
    return parser.parse_args()


if __name__ == "__main__":
    main()
