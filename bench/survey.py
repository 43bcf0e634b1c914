"""How long a survey takes over its critical path, and how many model calls, at a fixed model latency.

Reviews with known themes (themes.py) are ingested and their topics built. The critical path is plan +
embedding + rounds + claims + answer, one model call each. Asked is with the defaults, at two sizes of the
collection, and for 24 batches of facts. Ends with 1 where a ratio or a number of calls is over its target.

With --themes it is measured instead which themes an answer names (recall.py): seeds times sizes, of reviews
or of tickets, which speak of other things in other words.

    python bench/survey.py [--runs 5] [--latency 0.2] [--reviews 100 1000] [--json FILE]
    python bench/survey.py --themes [--corpus tickets] [--seeds 5] [--reviews 60 300 1000] [--json FILE]
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time

import psutil
from recall import CORPORA, measured_themes, theme_table, too_few
from report import keep, machine, options
from rich.console import Console
from rich.table import Table
from themes import QUESTION, reviews
from world import World, started_world

from hopline import Hopline
from hopline.models.answers import Answer
from hopline.models.jobs import Json

CALLS_BESIDE_ROUNDS = 4  # plan, embedding, claims, answer
TARGET = 1.5  # times the critical path
MOST_CALLS = 20  # with the defaults
WIDE = {"max_facts": 360, "max_model_calls": 100}  # 24 batches
WARM = 5  # questions at no latency, for what Neo4j and the workers do only in the beginning


def main() -> int:
    """Measure and print."""
    arguments = _parse_arguments()
    with started_world(lasting=not arguments.themes) as world, Hopline.local(world.settings) as client:
        world.work("bulk", arguments.workers)
        if arguments.themes:
            return _themes(world, client, arguments)
        for count in arguments.reviews:
            client.ingest([reviews(count).write(world.folder / f"reviews-{count}")], f"reviews-{count}")
            client.jobs.wait(client.topics.build(f"reviews-{count}").id)
        for number in range(arguments.workers):
            world.running.pop(f"bulk worker {number + 1}").stop()
        world.work("interactive", arguments.workers)
        cases: list[tuple[int, Json]] = [(count, {}) for count in arguments.reviews]
        cases.append((arguments.reviews[-1], WIDE))
        for count, bounds in cases * WARM:
            _ask(client, count, bounds)
        world.model(chat={"latency": arguments.latency}, embeddings={"latency": arguments.latency})
        rows = [_measure(world, client, count, bounds, arguments) for count, bounds in cases]
    report = {"benchmark": "survey", "machine": machine(), "model_latency": arguments.latency, "rows": rows}
    Console().print(_table(report))
    keep(report, arguments.json)
    slow = any(row["over_critical_path"] > TARGET for row in rows)
    return int(slow or any(row["calls"] > MOST_CALLS for row in rows if not row["bounds"]))


def _themes(world: World, client: Hopline, arguments: argparse.Namespace) -> int:
    world.work("interactive", arguments.workers)
    rows = measured_themes(world, client, arguments.corpus, arguments.reviews, range(arguments.seeds))
    Console().print(theme_table(rows))
    keep({"benchmark": "survey themes", "machine": machine(), "rows": rows}, arguments.json)
    return int(too_few(rows))


def _parse_arguments() -> argparse.Namespace:
    parser = options(__doc__, "survey")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--latency", type=float, default=0.2, help="seconds of each model call")
    parser.add_argument("--workers", type=int, default=2, help="worker processes")
    parser.add_argument("--reviews", type=int, nargs="+", help="texts of each collection")
    parser.add_argument("--themes", action="store_true", help="measure which themes an answer names")
    parser.add_argument("--corpus", choices=CORPORA, default="reviews", help="of what kind, with --themes")
    parser.add_argument("--seeds", type=int, default=5, help="of the corpus, with --themes")
    arguments = parser.parse_args()
    arguments.reviews = arguments.reviews or ([60, 300, 1000] if arguments.themes else [100, 1000])
    if arguments.themes and arguments.json == parser.get_default("json"):
        of_reviews = arguments.corpus == "reviews"
        arguments.json = arguments.json.with_name(
            f"survey_themes{'' if of_reviews else '_' + arguments.corpus}.json"
        )
    return arguments


def _ask(client: Hopline, count: int, bounds: Json) -> Answer:
    answer = client.ask(QUESTION, collection=f"reviews-{count}", strategy="survey", **bounds)
    if answer.status != "done" or not answer.citations:
        raise SystemExit(f"not an answer: {answer.status}, {answer.reason}")
    return answer


def _measure(world: World, client: Hopline, count: int, bounds: Json, arguments: argparse.Namespace) -> Json:
    _ask(client, count, bounds)
    before, busy = world.processor_seconds(), _busy_seconds()
    runs = []
    for _ in range(arguments.runs):
        started = time.perf_counter()
        answer = _ask(client, count, bounds)
        runs.append((time.perf_counter() - started, answer))
    after, busy = world.processor_seconds(), _busy_seconds() - busy
    walls = sorted(wall for wall, _answer in runs)
    others = busy - sum(after.values()) + sum(before.values())
    ratios = sorted(wall / _path_seconds(answer, arguments.latency) for wall, answer in runs)
    answer = runs[-1][1]
    return {
        "reviews": count,
        "bounds": bounds,
        "facts_scored": answer.details["facts"],
        "rounds": answer.details["rounds"],
        "calls": max(answer.usage.model_calls for _wall, answer in runs),
        "critical_path_s": round(_path_seconds(answer, arguments.latency), 3),
        "wall_s": round(statistics.median(walls), 3),
        "wall_worst_s": round(walls[-1], 3),
        "over_critical_path": round(statistics.median(ratios), 2),
        "over_critical_path_best": round(ratios[0], 2),
        "over_critical_path_worst": round(ratios[-1], 2),
        "cpu_ms_per_question": {
            name: round(1000 * (after[name] - before[name]) / arguments.runs) for name in after
        },
        # Of all cores; the figures are worth something where it is small. This process's part is in it.
        "share_of_cores_used_by_others": round(others / (psutil.cpu_count() or 1) / sum(walls), 2),
        "seconds_per_step": {name: round(seconds, 3) for name, seconds in answer.timings.items()},
    }


def _path_seconds(answer: Answer, latency: float) -> float:
    return latency * float(CALLS_BESIDE_ROUNDS + answer.details["rounds"])


def _busy_seconds() -> float:
    """Return the processor time that the whole machine has used so far."""
    times = psutil.cpu_times()
    return float(times.user + times.system + times.nice)


def _table(report: Json) -> Table:
    table = Table(
        title=f"survey at {report['model_latency'] * 1000:.0f} ms model latency ({report['machine']})"
    )
    columns = (
        "reviews",
        "facts scored",
        "rounds",
        "calls",
        "critical path",
        "wall",
        f"ratio (target {TARGET})",
    )
    for name in (*columns, "best, worst", "others' CPU"):
        table.add_column(name, justify="right")
    for row in report["rows"]:
        table.add_row(
            f"{row['reviews']:,}",
            str(row["facts_scored"]),
            str(row["rounds"]),
            str(row["calls"]),
            f"{row['critical_path_s']:.1f} s",
            f"{row['wall_s']:.2f} s",
            f"{row['over_critical_path']:.2f}",
            f"{row['over_critical_path_best']:.2f}, {row['over_critical_path_worst']:.2f}",
            f"{row['share_of_cores_used_by_others']:.0%}",
        )
    return table


if __name__ == "__main__":
    sys.exit(main())
