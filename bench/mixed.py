"""How long questions take while bulk work has filled its queue, beside those of an idle system, in one run.

Batches of documents put 20,000 items into the bulk queue; bulk workers may have 16 calls at the model, and
questions have their own share of the calls. Every call takes 200 ms; every server is on this machine.

    python bench/mixed.py [--items 20000] [--questions 20] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import secrets
import statistics
import time
from collections.abc import Iterator

import redis
from report import keep, machine, options
from rich.console import Console
from rich.table import Table
from tree import QUESTION, VISITS, load_tree
from world import World, started_world, submit_texts

from hopline import Hopline
from hopline.models.documents import TextDocument
from hopline.models.jobs import Json
from producer.service.service import Service
from workers.core.jobs.work import Terms
from workers.limits.model_queues import lines_now
from workers.services import Services
from workers.telemetry.queues import queue_depths

LATENCY = 0.2  # seconds of each model call
BULK_CALLS, CALLS = 16, 64  # in flight: bulk work's, and all
BATCH = 200  # documents, all of them in flight at a time
FACTS = 24
TARGETS = {"p50": 1.2, "p95": 1.6}  # over the idle system
BULK_RATE = 20  # chunks/s that bulk work must do meanwhile, at least
_COLLECTION = "tree"


def main() -> None:
    """Measure and print."""
    arguments = _parse_arguments()
    with started_world() as world:
        services = Services(world.settings)
        load_tree(services.graph, _COLLECTION, FACTS)
        world.work("interactive", 2, **_limits())
        world.work("bulk", 2, **_limits())
        service, client = Service(world.settings), Hopline.local(world.settings)
        client.ask(QUESTION, collection=_COLLECTION, strategy="graph")  # connections are made, plans cached
        world.model(chat={"latency": LATENCY})
        idle = _ask(client, arguments.questions)
        put = _put(service, arguments.items)
        _until_busy(services.redis)
        before = _chunks(world)
        began = time.monotonic()
        mixed = _ask(client, arguments.questions)
        rate = (_chunks(world) - before) / (time.monotonic() - began)
        left = queue_depths(services.redis)["bulk"]
    report = _report(idle, mixed) | {
        "items_put": put,
        "items_left": left,
        "bulk_chunks_per_s": round(rate, 1),
        "bulk_target_chunks_per_s": BULK_RATE,
        "bulk_calls_allowed": BULK_CALLS,
    }
    Console().print(_table(report))
    keep(report, arguments.json)


def _limits() -> dict[str, str]:
    return {
        "HOPLINE_MODEL_CALLS_CLUSTER": str(CALLS),
        "HOPLINE_BULK_THREADS": str(2 * BULK_CALLS),
        "HOPLINE_INTERACTIVE_SHARE": str(1 - BULK_CALLS / CALLS),
        "HOPLINE_LIMITS": json.dumps({"chunk_tokens": 330, "chunk_overlap": 0}),
    }


def _ask(client: Hopline, questions: int) -> list[float]:
    """Ask one question after another; return the seconds of each."""
    walls = []
    for _ in range(questions):
        started = time.perf_counter()
        answer = client.ask(QUESTION, collection=_COLLECTION, strategy="graph", max_model_calls=400)
        walls.append(time.perf_counter() - started)
        if len(answer.walk) != VISITS:
            raise SystemExit(f"not the walk that was made: {len(answer.walk)} visits")
    return walls


def _put(service: Service, items: int) -> int:
    """Submit batches until so many items are in the bulk queue; return how many there were at most."""
    deepest = 0
    for texts in _batches(items):
        submit_texts(service, texts, f"bulk-{secrets.token_hex(4)}", Terms(priority="low"))
        deepest = max(deepest, queue_depths(service.services.redis)["bulk"])
    return deepest


def _batches(items: int) -> Iterator[list[TextDocument]]:
    for first in range(0, items, BATCH):
        numbers = range(first, min(items, first + BATCH))
        yield [TextDocument(name=f"tower-{number}", text=_text(number)) for number in numbers]


def _text(number: int) -> str:
    """Return a text that shares little with others: of writers that wait for one another it tells nothing."""
    who, where, what = f"Pelagia{number}", f"Sandport{number}", f"Brigantine{number}"
    return f"{who} sailed to {where} with {what}. {what} sank off Cape{number} in {1000 + number % 900}.\n"


def _until_busy(client: redis.Redis) -> None:
    """Wait until bulk work has all the calls that it may have."""
    deadline = time.monotonic() + 120
    while max((state.bulk for state in lines_now(client)), default=0) < BULK_CALLS:
        if time.monotonic() > deadline:
            raise SystemExit("bulk work did not come to its calls")
        time.sleep(0.2)


def _chunks(world: World) -> int:
    """Return how many chunks the model was asked about."""
    return int(world.model()["requests"].get("ExtractedFacts", 0))


def _report(idle: list[float], mixed: list[float]) -> Json:
    rows = []
    for name, share in (("p50", 0.5), ("p95", 0.95)):
        alone, beside = _quantile(idle, share), _quantile(mixed, share)
        ratio = round(beside / alone, 2)
        rows.append({"of": name, "idle_s": alone, "mixed_s": beside, "ratio": ratio, "target": TARGETS[name]})
    return {"benchmark": "mixed", "machine": machine(), "questions": len(mixed), "rows": rows}


def _quantile(walls: list[float], share: float) -> float:
    if share == 0.5:
        return round(statistics.median(walls), 3)
    return round(statistics.quantiles(walls, n=20, method="inclusive")[-1], 3)


def _table(report: Json) -> Table:
    title = (
        f"{report['questions']} questions beside {report['items_put']} items of bulk work, "
        f"{report['bulk_chunks_per_s']} chunks/s (target: {report['bulk_target_chunks_per_s']}) "
        f"within {report['bulk_calls_allowed']} calls "
        f"({report['machine']})"
    )
    table = Table(title=title)
    for name in ("of a question", "idle", "beside bulk work", "ratio", "target"):
        table.add_column(name, justify="right")
    for row in report["rows"]:
        seconds = (f"{row['idle_s']:.2f} s", f"{row['mixed_s']:.2f} s")
        table.add_row(row["of"], *seconds, f"{row['ratio']:.2f}", f"{row['target']:.1f}")
    return table


def _parse_arguments() -> argparse.Namespace:
    parser = options(__doc__, "mixed")
    parser.add_argument("--items", type=int, default=20_000, help="put into the bulk queue")
    parser.add_argument("--questions", type=int, default=20, help="asked of the idle system, then again")
    return parser.parse_args()


if __name__ == "__main__":
    main()
