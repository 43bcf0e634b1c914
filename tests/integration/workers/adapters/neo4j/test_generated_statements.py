"""Statements that nobody thought of: behind the guard none writes, outlives its limit or ends the server.

A long test of 300 of them; `HOPLINE_TEST_STATEMENTS=10000` draws so many, and
`HOPLINE_TEST_STATEMENTS_REPORT` names a file for what became of them.
"""

import csv
import json
import os
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Self

import pytest
from doubles.foreign import MOVIES
from doubles.statements import Statements
from neo4j import Driver, GraphDatabase

from workers.adapters.neo4j.untrusted_cypher import GuardedReader
from workers.core.errors import CypherRefused, CypherTooLong
from workers.core.graph.cypher import ReadLimits
from workers.text2cypher.check import checked

NUMBER = int(os.environ.get("HOPLINE_TEST_STATEMENTS", "300"))
SEED = 20261122
LIMITS = ReadLimits(seconds=10.0)
AFTER = 60.0  # seconds that a statement may still run when its limit is over, and what a look takes longer
AT_ONCE = 3
STATE = (
    "MATCH (n) WITH n ORDER BY elementId(n) WITH collect([elementId(n), labels(n), properties(n)]) AS nodes "
    "OPTIONAL MATCH ()-[r]->() WITH nodes, r ORDER BY elementId(r) "
    "RETURN nodes, collect([elementId(r), type(r), properties(r)]) AS relationships"
)
LONG = "CREATE (:Long {text: $text, words: $words, numbers: range(1, 2000)})"


@pytest.fixture(scope="module")
def plain(movies_neo4j) -> Iterator[Driver]:
    """The graph with a long text and long lists in it."""
    login = (movies_neo4j.user, movies_neo4j.password)
    with GraphDatabase.driver(movies_neo4j.url, auth=login, notifications_min_severity="OFF") as driver:
        driver.execute_query(LONG, {"text": "xy" * 2000, "words": ["ab" * 50] * 500})
        yield driver
        driver.execute_query("MATCH (n:Long) DETACH DELETE n")


def _state(driver: Driver) -> str:
    return json.dumps(driver.execute_query(STATE).records[0].data(), sort_keys=True, default=str)


def _recorded() -> list[str]:
    data = Path(__file__).parents[4] / "data"
    texts = [
        json.loads(line)["statement"] for name in ("hostile", "harmless") for line in _lines(data / name)
    ]
    with MOVIES.with_name("text2cypher_movies_opus.csv").open(encoding="utf-8", newline="") as rows:
        return texts + [row["cypher"] for row in csv.DictReader(rows)]


def _lines(path: Path) -> list[str]:
    return [line for line in path.with_suffix(".jsonl").read_text("utf-8").split("\n") if line]


class Watch:
    """Looks at what runs on the server, and keeps the longest, and how long the slowest look took."""

    def __init__(self, driver: Driver) -> None:
        self.longest = (0.0, "")
        self.slowest_look = 0.0  # seconds: the server ends nothing, either, while its machine does other work
        self._driver = driver
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._done.wait(0.2):
            since = time.monotonic()
            rows = self._driver.execute_query("SHOW TRANSACTIONS YIELD elapsedTime, currentQuery").records
            self.slowest_look = max(self.slowest_look, time.monotonic() - since)
            # A transaction without a statement waits for its connection's end; nothing runs in it.
            seconds = [(row[0].seconds + row[0].nanoseconds / 1e9, row[1]) for row in rows if row[1]]
            self.longest = max([self.longest, *seconds])


def _outcome(reader: GuardedReader, text: str) -> tuple[str, str]:
    try:
        statement = checked(text)
    except CypherRefused:
        return "refused by the guard", text
    try:
        return f"returned, cut at {reader.read(statement, {}, LIMITS).cut}", text
    except CypherRefused:
        return "refused by the server", text
    except CypherTooLong as error:
        return f"ended: {str(error).partition('takes ')[2]}", text


@pytest.mark.long
@pytest.mark.timeout(900 + NUMBER)
def test_no_statement_writes_outlives_its_limit_or_ends_the_server(movies_neo4j, plain: Driver) -> None:
    before = _state(plain)
    reader = GuardedReader(movies_neo4j.url, movies_neo4j.user, movies_neo4j.password)
    drawn = Statements(SEED, _recorded()).draw(NUMBER)
    with Watch(plain) as watch, ThreadPoolExecutor(AT_ONCE) as pool:
        # Whatever else is raised ends the test: the guard's own errors, and a connection that is lost.
        outcomes = Counter(kind for kind, _ in pool.map(lambda text: _outcome(reader, text), drawn))
    reader.close()
    if report := os.environ.get("HOPLINE_TEST_STATEMENTS_REPORT"):
        Path(report).write_text(json.dumps({**outcomes, "longest": watch.longest}), "utf-8")
    assert watch.longest[0] <= LIMITS.seconds + AFTER + watch.slowest_look, watch.longest[1]
    assert _state(plain) == before
    assert outcomes["returned, cut at None"] > NUMBER / 20
    assert outcomes["refused by the guard"] > NUMBER / 20
