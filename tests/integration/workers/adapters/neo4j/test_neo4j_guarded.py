"""Statements of others on a Neo4j of their own: nothing changes, and nothing runs past its limit."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from fleet.servers import START_SECONDS, skip_without
from neo4j import Driver, GraphDatabase
from neo4j.time import Date, DateTime, Duration, Time

from infra.local.jars import cache_folder, ensure_jars
from infra.local.java import find_java
from infra.local.neo4j_server import USER, neo4j_address, neo4j_program
from infra.local.process import Running, free_port
from workers.adapters.neo4j.rows import to_value
from workers.adapters.neo4j.untrusted_cypher import GuardedReader
from workers.core.errors import CypherLost, CypherRefused, CypherTooLong, DependencyAway, HoplineError
from workers.core.graph.cypher import CypherRows, ReadLimits
from workers.text2cypher.check import checked

DATA = Path(__file__).parents[4] / "data"
PASSWORD = "of-this-server-alone"
BRIEF = ReadLimits(rows=50, bytes=50_000, seconds=0.2)
SMALL = ReadLimits(rows=50, bytes=50_000, seconds=30)
WIDE = ReadLimits(rows=10_000, bytes=10_000_000, seconds=60)
CHECKSUM = (
    "MATCH (n) WITH n ORDER BY elementId(n) WITH collect([labels(n), properties(n)]) AS nodes "
    "OPTIONAL MATCH ()-[r]->() WITH nodes, r ORDER BY elementId(r) "
    "RETURN nodes, collect([type(r), properties(r)]) AS relationships"
)


def _rows(name: str) -> list[dict[str, Any]]:
    return [
        json.loads(line) for line in (DATA / f"{name}.jsonl").read_text(encoding="utf-8").split("\n") if line
    ]


HOSTILE = _rows("hostile")
DIRECT = [row for row in HOSTILE if row["direct"]]


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder, port = tmp_path_factory.mktemp("guarded"), free_port()
    try:
        jars, java = ensure_jars(cache_folder()), find_java(None)
    except HoplineError as error:
        skip_without(str(error))
    program = neo4j_program(folder / "neo4j", port, PASSWORD, java=java, jars=jars, lasting=False)
    server = Running(program, folder / "neo4j.log")
    server.wait_ready(START_SECONDS)
    yield neo4j_address(port)
    server.kill()


@pytest.fixture(scope="module")
def plain(url: str) -> Iterator[Driver]:
    with GraphDatabase.driver(url, auth=(USER, PASSWORD), notifications_min_severity="OFF") as driver:
        driver.execute_query((DATA / "films.cypher").read_text(encoding="utf-8"))
        yield driver


@pytest.fixture(scope="module")
def reader(url: str, plain: Driver) -> Iterator[GuardedReader]:  # noqa: ARG001 - it reads what that loaded
    reader = GuardedReader(url, USER, PASSWORD)
    yield reader
    reader.close()


@pytest.fixture(scope="module")
def before(plain: Driver) -> str:
    return _state(plain)


def _state(plain: Driver) -> str:
    graph = plain.execute_query(CHECKSUM).records[0].data()
    schema = [
        sorted(map(str, plain.execute_query(f"SHOW {what} YIELD name RETURN name").records))
        for what in ("INDEXES", "CONSTRAINTS")
    ]
    users = plain.execute_query("SHOW USERS YIELD user RETURN user", database_="system").records
    return json.dumps([graph, schema, str(users)], sort_keys=True, default=str)


def _idle(plain: Driver) -> bool:
    """Wait until no transaction but the asking one is left."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if len(plain.execute_query("SHOW TRANSACTIONS YIELD transactionId").records) == 1:
            return True
        time.sleep(0.05)
    return False


def _outcome(reader: GuardedReader, statement: str, limits: ReadLimits) -> CypherRows | HoplineError:
    try:
        return reader.read(statement, {}, limits)
    except (CypherRefused, CypherTooLong) as error:
        return error


@pytest.mark.parametrize("row", HOSTILE, ids=lambda row: row["name"])
def test_a_hostile_statement_is_refused_or_ended(
    row: dict[str, Any], reader: GuardedReader, plain: Driver, before: str
) -> None:
    try:
        statement = checked(row["statement"])
    except CypherRefused:
        assert row["by"] == "guard"
        return
    outcome = _outcome(reader, statement, BRIEF if row["reason"] == "time" else SMALL)
    assert isinstance(outcome, CypherTooLong) if row["reason"] == "time" else outcome.cut == row["reason"]
    assert _idle(plain)
    assert _state(plain) == before


@pytest.mark.parametrize("row", DIRECT, ids=lambda row: row["name"])
def test_a_hostile_statement_changes_nothing_even_where_nothing_checks_it_before(
    row: dict[str, Any], reader: GuardedReader, plain: Driver, before: str
) -> None:
    outcome = _outcome(reader, row["statement"], BRIEF)
    if isinstance(outcome, CypherRows):
        assert len(outcome.rows) <= BRIEF.rows
        assert "root:" not in json.dumps(outcome.rows)
    assert _state(plain) == before


@pytest.mark.parametrize("row", _rows("harmless"), ids=lambda row: row["name"])
def test_a_harmless_statement_returns_what_it_returns_without_a_guard(
    row: dict[str, Any], reader: GuardedReader, plain: Driver
) -> None:
    result = reader.read(checked(row["statement"]), row["parameters"], WIDE)
    records, _, keys = plain.execute_query(row["statement"], row["parameters"])
    assert result.columns == tuple(keys)
    assert result.cut is None
    assert [list(row_values) for row_values in result.rows] == [
        [to_value(value) for value in record.values()] for record in records
    ]
    assert result.rows
    json.dumps(result.rows, allow_nan=False)


def test_rows_stop_at_their_limit(reader: GuardedReader) -> None:
    result = reader.read("UNWIND range(1, 100000) AS x RETURN x", {}, ReadLimits(rows=7))
    assert result.rows == tuple((n,) for n in range(1, 8))
    assert result.cut == "rows"
    assert reader.read("UNWIND range(1, 7) AS x RETURN x", {}, ReadLimits(rows=7)).cut is None


def test_bytes_stop_at_their_limit_while_they_stream(reader: GuardedReader) -> None:
    text = "UNWIND range(1, 100) AS x RETURN [y IN range(1, 100) | 'abcdefgh'] AS long"
    result = reader.read(text, {}, ReadLimits(bytes=5000))
    assert result.cut == "bytes"
    assert 1 <= len(result.rows) < 5


def test_one_row_of_many_megabytes_is_not_taken_in(reader: GuardedReader) -> None:
    result = reader.read("RETURN range(1, 1000000) AS long", {}, ReadLimits(bytes=5000, seconds=30))
    assert (result.rows, result.cut) == ((), "bytes")
    assert reader.read("RETURN 1 AS x", {}, ReadLimits()).rows == ((1,),)


def test_memory_beyond_the_servers_limit_ends_the_statement_once(reader: GuardedReader) -> None:
    text = "UNWIND range(1, 20000000) AS x RETURN collect($long + x) AS l"
    with pytest.raises(CypherTooLong, match="memory"):
        reader.read(text, {"long": "x" * 1000}, ReadLimits(seconds=60))


def test_a_refusal_tells_the_place_in_the_statement_as_it_was_given(reader: GuardedReader) -> None:
    with pytest.raises(CypherRefused, match=r"^line 1:19: Variable `m` not defined$"):
        reader.read("MATCH (n) RETURN (m)", {}, ReadLimits())
    with pytest.raises(CypherRefused, match=r"^line 2:8: Variable `m` not defined$"):
        reader.read("MATCH (n)\nRETURN m", {}, ReadLimits())
    with pytest.raises(CypherRefused, match="parameter"):
        reader.read("RETURN $missing AS x", {}, ReadLimits())


def test_brackets_beyond_what_the_server_can_read_leave_the_next_statement_alone(
    reader: GuardedReader,
) -> None:
    with pytest.raises((CypherLost, CypherTooLong)):
        reader.read("RETURN " + "(" * 3000 + "1" + ")" * 3000, {}, BRIEF)
    assert reader.read("RETURN 1 AS x", {}, ReadLimits()).rows == ((1,),)


@pytest.mark.parametrize("word", [b"EXPLAIN", b"\x8dRETURN 1 AS x"], ids=["plan", "run"])
@pytest.mark.parametrize("dies", [True, False], ids=["dies", "stays"])
def test_a_statement_over_which_the_connection_is_lost_has_failed_for_good(
    url: str, word: bytes, *, dies: bool
) -> None:
    relay = Relay(int(url.rpartition(":")[2]), word, closes=True, dies=dies)
    reader = GuardedReader(neo4j_address(relay.port), USER, PASSWORD)
    reader.ping()
    with pytest.raises(CypherLost):
        reader.read("RETURN 1 AS x", {}, WIDE)
    if dies:
        with pytest.raises(DependencyAway):
            reader.ping()
        with pytest.raises(DependencyAway):  # nothing was sent
            reader.read("RETURN 1 AS x", {}, WIDE)
    reader.close()
    relay.close()


def test_a_server_that_is_not_there_is_away() -> None:
    reader = GuardedReader(neo4j_address(free_port()), USER, PASSWORD)
    with pytest.raises(DependencyAway):
        reader.read("RETURN 1 AS x", {}, BRIEF)
    reader.close()


def test_a_server_that_never_says_a_word_is_waited_for_no_longer_than_allowed() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        reader = GuardedReader(neo4j_address(silent.getsockname()[1]), USER, PASSWORD)
        with pytest.raises((CypherTooLong, DependencyAway)):
            reader.read("RETURN 1 AS x", {}, BRIEF)
        reader.close()


@pytest.mark.parametrize(
    "word", [b"tx_timeout", b"EXPLAIN", b"\x8eRETURN 'hangs'"], ids=["begin", "plan", "run"]
)
def test_an_answer_that_never_comes_is_waited_for_no_longer_than_allowed(url: str, word: bytes) -> None:
    relay = Relay(int(url.rpartition(":")[2]), word)
    reader = GuardedReader(neo4j_address(relay.port), USER, PASSWORD)
    with pytest.raises(CypherTooLong):
        reader.read("RETURN 'hangs'", {}, BRIEF)
    reader.close()
    relay.close()


class Relay:
    """Passes bytes to a server and back, until a client says a word: then it waits, closes or dies."""

    def __init__(self, to: int, word: bytes, *, closes: bool = False, dies: bool = False) -> None:
        self._to, self._word, self._closes, self._dies = to, word, closes, dies
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self._open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self._to))
            self._open += [client, server]
            threading.Thread(target=self._pass, args=(client, server, self._word), daemon=True).start()
            threading.Thread(target=self._pass, args=(server, client, None), daemon=True).start()

    def _pass(self, source: socket.socket, sink: socket.socket, word: bytes | None) -> None:
        with suppress(OSError):
            while piece := source.recv(65536):
                if word is not None and word in piece:
                    if self._dies:
                        self._listening.shutdown(socket.SHUT_RDWR)
                        self._listening.close()
                    if self._closes:
                        source.shutdown(socket.SHUT_RDWR)
                    return
                sink.sendall(piece)
        sink.close()

    def close(self) -> None:
        for open_socket in (self._listening, *self._open):
            open_socket.close()


def test_values_are_what_json_has(plain: Driver) -> None:
    assert to_value(float("nan")) == "nan"
    assert to_value(float("-inf")) == "-inf"
    assert to_value(b"\x01\xff") == "01ff"
    assert to_value(Date(2020, 2, 29)) == "2020-02-29"
    assert to_value(DateTime(2020, 1, 2, 3, 4, 5)) == "2020-01-02T03:04:05.000000000"
    assert to_value(Time(1, 2, 3)) == "01:02:03.000000000"
    assert to_value(Duration(months=14, days=3)) == "P1Y2M3D"
    assert to_value({"a": [Date(2020, 1, 1), (1, None)]}) == {"a": ["2020-01-01", [1, None]]}
    record = plain.execute_query(
        "MATCH p = (:Person {name: 'Lana Wachowski'})-[r:WROTE]->(m) "
        "RETURN p, r, m, point({x: 1, y: 2}) AS a, point({longitude: 8, latitude: 50}) AS b"
    ).records[0]
    path, relationship, node, flat, round_ = (to_value(value) for value in record.values())
    assert node["labels"] == ["Movie"]
    assert node["properties"]["title"] == "The Matrix Reloaded"
    assert (relationship["type"], relationship["end"], relationship["properties"]) == (
        "WROTE",
        node["node"],
        {},
    )
    assert path["path"][1:] == [relationship, node]
    assert path["path"][0]["node"] == relationship["start"]
    assert flat == {"point": [1.0, 2.0], "srid": 7203}
    assert round_ == {"point": [8.0, 50.0], "srid": 4326}
