"""What traces cost a worker: its processor time per question without them, and with some of the jobs sampled.

Workers of each kind stand side by side on the same servers and take turns, so that what else the machine does
meets all of them. Processor time is the worker's own; the collector only takes what comes.

    python bench/traces.py [--rounds 6] [--questions 20] [--latency 0.02] [--json FILE]
"""

from __future__ import annotations

import argparse
import secrets
import statistics
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from report import keep, machine, options
from rich.console import Console
from rich.table import Table
from tree import QUESTION, load_tree
from world import World, started_world

from hopline import Hopline
from hopline.models.jobs import Json
from hopline.traces import in_trace
from workers.services import Services

COLLECTION, FACTS = "traced-tree", 24
OFF = "off"
SHARES = {OFF: 0, "configured, none sampled": 0, "10% sampled": 10, "all sampled": 100}  # of 100 questions
WARM = 10  # questions before those that count


def main() -> None:
    """Measure and print."""
    arguments = _parse_arguments()
    with started_world() as world, _collector() as url:
        load_tree(Services(world.settings).graph, COLLECTION, FACTS)
        arms = {name: _arm(world, name, number, url) for number, name in enumerate(SHARES, start=1)}
        world.model(chat={"latency": arguments.latency})
        for name, arm in arms.items():
            _ask(arm, SHARES[name], WARM)
        rounds = [
            {name: _processor(arm, SHARES[name], arguments.questions) for name, arm in arms.items()}
            for _ in range(arguments.rounds)
        ]
    report = {"benchmark": "traces", "machine": machine(), "questions": arguments.questions, "rounds": rounds}
    report["rows"] = [_row(name, rounds) for name in SHARES]
    Console().print(_table(report))
    keep(report, arguments.json)


def _parse_arguments() -> argparse.Namespace:
    parser = options(__doc__, "traces")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--questions", type=int, default=20, help="of each kind in a round")
    parser.add_argument("--latency", type=float, default=0.02, help="seconds of each model call")
    return parser.parse_args()


def _arm(world: World, name: str, number: int, url: str) -> World:
    """Return a world with a worker of this kind."""
    arm = world.beside(name, number)
    arm.work("interactive", 1, **({} if name == OFF else {"OTEL_EXPORTER_OTLP_ENDPOINT": url}))
    return arm


def _processor(arm: World, share: int, questions: int) -> float:
    """Return the milliseconds of processor time that a worker takes for a question."""
    name = f"{arm.label}interactive worker 1"
    before = arm.processor_seconds()[name]
    _ask(arm, share, questions)
    return round(1000 * (arm.processor_seconds()[name] - before) / questions, 2)


def _ask(arm: World, share: int, questions: int) -> None:
    """Ask, with so many of 100 questions sampled: the first, and then as evenly as they come."""
    with Hopline.local(arm.settings) as client:
        for number in range(questions):
            sampled = number * share % 100 < share
            traceparent = f"00-{secrets.token_hex(16)}-{secrets.token_hex(8)}-01"
            with in_trace(traceparent) if sampled else nullcontext():
                answer = client.ask(QUESTION, collection=COLLECTION, strategy="graph", max_model_calls=400)
            if answer.details["facts"] != FACTS:
                raise SystemExit(f"not the walk that was made: {answer.details['facts']} facts")


def _row(name: str, rounds: list[dict[str, float]]) -> Json:
    more = [round_[name] / round_[OFF] - 1 for round_ in rounds]
    return {
        "traces": name,
        "cpu_ms_per_question": statistics.median(round_[name] for round_ in rounds),
        "more_percent": round(100 * statistics.median(more), 1),
        "least_percent": round(100 * min(more), 1),
        "most_percent": round(100 * max(more), 1),
    }


def _table(report: Json) -> Table:
    table = Table(title=f"a worker's processor time per question ({report['machine']})")
    for name in ("traces", "ms", "more than off", "least and most of a round"):
        table.add_column(name)
    for row in report["rows"]:
        spread = f"{row['least_percent']}% to {row['most_percent']}%"
        table.add_row(row["traces"], str(row["cpu_ms_per_question"]), f"{row['more_percent']}%", spread)
    return table


@contextmanager
def _collector() -> Iterator[str]:
    """Take whatever is sent, and forget it."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            """Read a request to its end."""
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, name="collector", daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


if __name__ == "__main__":
    main()
