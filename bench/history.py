"""How long a search takes in a history of a million jobs, made by DuckDB."""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
from fakeredis import FakeRedis

from hopline.models.jobs import JobState
from workers.adapters.named_files import NamedFiles
from workers.core.jobs.history import WantedHistory
from workers.core.metadata.filter_text import parse_filter
from workers.history.books import JOBS
from workers.history.pending_rows import PendingRows
from workers.history.search import HistorySearch
from workers.history.table import COLUMNS

DAYS, DAY, LAST = 400, 86400, 1_790_000_000
_MODELS = """map {
    'gpt-5-mini': {'model_calls': n % 30, 'prompt_tokens': (n % 30) * 1000,
                   'completion_tokens': (n % 30) * 100, 'cost': (n % 30) * 0.002},
    'gpt-5': {'model_calls': 1, 'prompt_tokens': 1000, 'completion_tokens': 100, 'cost': 0.002}
}"""
MADE = {
    "id": "'j' || lpad(n::VARCHAR, 24, '0')",
    "epoch": "CASE WHEN n % 50 = 0 THEN 2 ELSE 1 END",
    "kind": "CASE WHEN n % 20 = 0 THEN 'batch' WHEN n % 20 < 8 THEN 'query' ELSE 'document' END",
    "collection": "'collection-' || (n % 30)",
    "collections": "['collection-' || (n % 30)]",
    "caller": "'key' || (n % 12)",
    "state": "CASE WHEN n % 25 = 0 THEN 'failed' ELSE 'done' END",
    "ended": "$last - (n * $step)",
    "created": "$last - (n * $step) - 9",
    "seconds": "9.0",
    "calls": "n % 40",
    "prompt_tokens": "(n % 40) * 1000",
    "completion_tokens": "(n % 40) * 100",
    "cost": "(n % 40) * 0.002",
    "models": "CASE WHEN n % 20 < 8 THEN " + _MODELS + " ELSE map {} END",
    "steps": "map {'ingest.load': 1, 'ingest.extract': n % 60}",
    "timings": "map {'ingest.load': 0.1, 'ingest.extract': 8.5}",
    "dead": "CASE WHEN n % 25 = 0 THEN 1 ELSE 0 END",
    "errors": "CASE WHEN n % 25 = 0 THEN [{'step': 'ingest.extract', 'error': md5(n::VARCHAR)}] ELSE [] END",
    "reason": "CASE WHEN n % 25 = 0 THEN 'an item was given up' ELSE '' END",
    "params": "json_object('uri', 's3://archive/' || md5(n::VARCHAR) || '.pdf', 'format', 'pdf')",
    "outcome": "json_object('chunks', n % 60, 'facts', n % 900)",
    "parent": "CASE WHEN n % 20 < 8 THEN '' ELSE 'j' || lpad((n - n % 20)::VARCHAR, 24, '0') END",
    "request_id": "md5(n::VARCHAR)",
    "priority": "'normal'",
    "tags": "map {'team': 'team' || (n % 9)}",
}


def make(folder: Path, jobs: int) -> int:
    """Write a file for each day; return the bytes of all."""
    connection = duckdb.connect()
    step, each = DAYS * DAY / jobs, -(-jobs // DAYS)
    columns = ", ".join(f"({MADE[name]})::{kind} AS {name}" for name, kind in COLUMNS.items())
    for nth in range(DAYS):
        made = f"SELECT {columns} FROM range($first, $behind) AS t(n)"  # noqa: S608 - of this file's own
        bounds = {"first": nth * each, "behind": min(jobs, (nth + 1) * each), "last": LAST, "step": step}
        day = time.strftime("%Y-%m-%d", time.gmtime(LAST - nth * DAY))
        place = folder / "history" / "jobs" / f"day={day}" / f"{nth + 1}-{nth + 1}.g0.parquet"
        place.parent.mkdir(parents=True)
        connection.sql(made, params=bounds).write_parquet(str(place), compression="zstd")
    return sum(file.stat().st_size for file in folder.rglob("*.parquet"))


def main() -> None:
    """Print the median and the longest time of each search, and the processor time that it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=1_000_000)
    parser.add_argument("--times", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        size = make(Path(name), arguments.jobs)
        print(f"{arguments.jobs} jobs in {DAYS} days, {size / 1e6:.0f} MB")
        search = HistorySearch(PendingRows(FakeRedis(decode_responses=True), JOBS), NamedFiles(name))
        where = parse_filter('cost > 0.05 and steps has "ingest.extract"')
        failed = WantedHistory(state=JobState.FAILED, step="ingest.extract")
        month = WantedHistory(state=JobState.FAILED, since=LAST - 30 * DAY)
        searches: dict[str, Callable[[], object]] = {
            "newest 50 of all": lambda: search.page(WantedHistory()),
            "newest 50 failed in a step": lambda: search.page(failed),
            "newest 50 failed in a month": lambda: search.page(month),
            "newest 50 by a filter": lambda: search.page(WantedHistory(where=where)),
            "newest 50 with a text in errors": lambda: search.page(WantedHistory(error="no such text")),
            "costs by day": lambda: search.costs(WantedHistory(), "day"),
            "costs by model": lambda: search.costs(WantedHistory(), "model"),
        }
        for label, act in searches.items():
            print(f"{label:34} {_times(act, arguments.times)}")


def _times(act: Callable[[], object], times: int) -> str:
    taken, worked = [], []
    for _ in range(times):
        begin, work = time.perf_counter(), time.process_time()
        act()
        taken.append(time.perf_counter() - begin)
        worked.append(time.process_time() - work)
    shown = f"median {statistics.median(taken):.2f} s, longest {max(taken):.2f} s"
    return f"{shown}, processor {statistics.median(worked):.2f} s"


if __name__ == "__main__":
    main()
