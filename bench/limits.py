"""How much of a limit worker processes use together, and how often they pass it.

The offline model keeps a sliding minute at its door, of requests or of tokens (those of the prompt, and the
longest reply that is allowed, counted on arrival), and refuses everybody for some seconds after a violation.
Bulk workers ingest documents; what is measured is what the model's door saw.

    python bench/limits.py [--only requests|tokens] [--seconds 200] [--workers 4] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import secrets
import threading
import time
from contextlib import suppress

from ingest import make_folder
from report import keep, machine, options
from rich.console import Console
from rich.table import Table
from world import World, started_world

from hopline import Hopline
from hopline.errors import HoplineError
from hopline.models.jobs import Json

REQUESTS, TOKENS = 600, 60_000
PUNISHMENT = 5.0  # seconds that everybody is refused after a violation
LATENCY = 1.0  # seconds of a call
THREADS = 32  # of a worker process
FIRST = 60  # seconds that are not judged
_CASES = {"requests": ("rpm", REQUESTS, 0.92), "tokens": ("tpm", TOKENS, 0.85)}


def main() -> None:
    """Measure and print."""
    arguments = _parse_arguments()
    rows = []
    for case in _CASES:
        if arguments.only in (None, case):
            with started_world() as world:
                rows.append(_measure(world, case, arguments))
                print(rows[-1], flush=True)
    report = {"benchmark": "limits", "machine": machine(), "workers": arguments.workers, "rows": rows}
    Console().print(_table(report))
    keep(report, arguments.json)


def _measure(world: World, case: str, arguments: argparse.Namespace) -> Json:
    """Ingest for some minutes against a limit, and read what came to the model's door."""
    switch, limit, target = _CASES[case]
    world.work(
        "bulk",
        arguments.workers,
        HOPLINE_BULK_THREADS=str(THREADS),
        HOPLINE_LIMITS=json.dumps({"chunk_tokens": 330, "chunk_overlap": 0}),
        **{f"HOPLINE_MODEL_{switch.upper()}": str(limit)},
    )
    world.model(reset=True, chat={"latency": LATENCY}, chat_limits={switch: limit, "punish": PUNISHMENT})
    folder = make_folder(world, documents=max(20, arguments.seconds * REQUESTS // 60 // 8))
    client = Hopline.local(world.settings)
    threading.Thread(target=_ingest, args=(client, folder), daemon=True).start()
    seen = _watch(world, arguments.seconds)
    used = seen[case][FIRST : arguments.seconds]
    late = [at for at in seen["violations"] if at >= FIRST]
    return {
        "limit": f"{limit} {case} a minute",
        "seconds": arguments.seconds,
        "used": round(sum(used) * 60 / len(used) / limit, 4),
        "target": target,
        "most_in_a_minute": _most(seen[case]),
        "violations": len(seen["violations"]),
        "violations_after_the_first_minute": len(late),
        "refused_as_punishment": seen["punished"],
        "by_minute": [sum(seen[case][at : at + 60]) for at in range(0, arguments.seconds - 59, 60)],
    }


def _ingest(client: Hopline, folder: object) -> None:
    with suppress(HoplineError):  # its servers end before it does
        client.ingest([folder], f"bench-{secrets.token_hex(4)}")  # type: ignore[list-item]


def _watch(world: World, seconds: int) -> Json:
    """Return what the model's door saw, when it has seen calls for so many seconds."""
    while True:
        shown = world.model()["minutes"]["chat"]
        if len(shown["requests"]) > seconds:
            return dict(shown)
        time.sleep(1.0)


def _most(by_second: list[int]) -> int:
    return max(sum(by_second[at : at + 60]) for at in range(max(1, len(by_second) - 59)))


def _table(report: Json) -> Table:
    table = Table(title=f"limits, {report['workers']} worker processes ({report['machine']})")
    for name in (
        "limit",
        "used after the first minute",
        "target",
        "most in 60 s",
        "violations",
        "late",
        "by minute",
    ):
        table.add_column(name, justify="right")
    for row in report["rows"]:
        table.add_row(
            row["limit"],
            f"{row['used']:.1%}",
            f"{row['target']:.0%}",
            str(row["most_in_a_minute"]),
            str(row["violations"]),
            str(row["violations_after_the_first_minute"]),
            ", ".join(map(str, row["by_minute"])),
        )
    return table


def _parse_arguments() -> argparse.Namespace:
    parser = options(__doc__, "limits")
    parser.add_argument("--only", choices=list(_CASES), help="run one case")
    parser.add_argument("--seconds", type=int, default=200, help="of each case")
    parser.add_argument("--workers", type=int, default=4, help="bulk worker processes")
    return parser.parse_args()


if __name__ == "__main__":
    main()
