"""Statements of others: nothing changes, and nothing runs past its limit.

What reads, loads or fills the whole database runs on a server of its own, in the long tests.
"""

import json
import re
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from doubles.relay import Relay
from fleet.crew import wait_until
from fleet.servers import START_SECONDS, skip_without
from neo4j import Driver, GraphDatabase
from neo4j.exceptions import Neo4jError
from neo4j.time import Date, DateTime, Duration, Time

from hopline.errors import DependencyAway, HoplineError
from infra.local.jars import ensure_jars
from infra.local.java import find_java
from infra.local.neo4j_server import USER, neo4j_address, neo4j_program
from infra.local.process import Running, free_port
from infra.local.settings import cache_folder
from workers.adapters.neo4j.rows import to_value
from workers.adapters.neo4j.untrusted_cypher import GuardedReader, refuse_plan
from workers.core.errors import CypherLost, CypherRefused, CypherTooLong
from workers.core.graph.cypher import CypherRows, ReadLimits
from workers.text2cypher.check import checked

DATA = Path(__file__).parents[4] / "data"
PASSWORD = "of-this-server-alone"
BRIEF = ReadLimits(rows=50, bytes=50_000, seconds=0.2)
SMALL = ReadLimits(rows=50, bytes=50_000, seconds=60)
WIDE = ReadLimits(rows=10_000, bytes=10_000_000, seconds=120)
CHECKSUM = (
    "MATCH (n) WITH n ORDER BY elementId(n) WITH collect([labels(n), properties(n)]) AS nodes "
    "OPTIONAL MATCH ()-[r]->() WITH nodes, r ORDER BY elementId(r) "
    "RETURN nodes, collect([type(r), properties(r)]) AS relationships"
)
OWN = "CREATE (n:Guarded {of: $of, born: 1964})-[:WROTE {pages: 3}]->(m:Guarded:Kept {of: $of}) "
MORE = "MATCH p = (n:Guarded {of: $of})-[r:WROTE]->(m) "


def _rows(name: str) -> list[dict[str, Any]]:
    return [
        json.loads(line) for line in (DATA / f"{name}.jsonl").read_text(encoding="utf-8").split("\n") if line
    ]


HOSTILE = _rows("hostile")
DIRECT = [row for row in HOSTILE if row["direct"]]
# Refused for a word that writes or commands, or for a procedure.
DOES_MORE = [
    row for row in DIRECT if re.match("'(?!PROFILE)[A-Za-z]{3,}'|the procedure|one of MATCH", row["reason"])
]


@pytest.fixture(scope="module")
def reader(neo4j) -> Iterator[GuardedReader]:
    reader = GuardedReader(neo4j.url, neo4j.user, neo4j.password)
    yield reader
    reader.close()


@pytest.fixture
def own(raw: Driver, collection: str) -> Iterator[str]:
    """The name of two nodes of a test's own."""
    raw.execute_query(OWN, of=collection)
    yield collection
    raw.execute_query("MATCH (n:Guarded {of: $of}) DETACH DELETE n", of=collection)


@pytest.mark.parametrize("statement", [
    "CREATE (n:Guarded {of: $of}) RETURN n",
    "MATCH (n:Guarded {of: $of}) SET n.born = 1 RETURN n",
    "MATCH (n:Guarded {of: $of}) CALL (n) { SET n.born = 1 } IN TRANSACTIONS RETURN 1 AS one",
    "MATCH (n:Guarded {of: $of}) DETACH DELETE n",
])  # fmt: skip
def test_a_statement_that_writes_changes_nothing(reader, raw, own, statement):
    read = f"{MORE} RETURN n.born AS born, COUNT {{ (:Guarded {{of: $of}}) }} AS nodes"
    before = raw.execute_query(read, of=own).records
    with pytest.raises(CypherRefused):
        reader.read(statement, {"of": own}, WIDE)
    assert raw.execute_query(read, of=own).records == before
    assert before[0].values() == [1964, 2]


def test_no_plan_that_does_more_than_read_is_run(raw):
    passed = []
    for row in DOES_MORE:
        with suppress(Neo4jError, CypherRefused):
            refuse_plan(raw.execute_query(f"EXPLAIN {row['statement']}", routing_="r").summary)
            passed.append(row["name"])
    assert len(DOES_MORE) > 40
    assert passed == []


def test_a_statement_is_ended_at_its_limit_of_time(reader, raw, own):
    endless = f"WITH '{own}' AS own UNWIND range(1, 10000000) AS a UNWIND range(1, 10000000) AS b "
    reader.ping()
    with pytest.raises(CypherTooLong):
        reader.read(f"{endless} RETURN count(own) AS pairs", {}, BRIEF)
    running = "SHOW TRANSACTIONS YIELD currentQuery WHERE currentQuery STARTS WITH $text RETURN 1 AS one"
    wait_until(lambda: not raw.execute_query(running, text=endless[:50]).records, "the server ends it")


def test_values_come_as_json_has_them(reader, raw, own):
    statement = (
        f"{MORE} RETURN p, r, m, point({{x: 1, y: 2}}) AS a, point({{longitude: 8, latitude: 50}}) AS b"
    )
    records, _, keys = raw.execute_query(statement, of=own)
    result = reader.read(statement, {"of": own}, WIDE)
    assert (result.columns, result.cut) == (tuple(keys), None)
    assert list(result.rows[0]) == [to_value(value) for value in records[0].values()]
    path, relationship, node, flat, round_ = result.rows[0]
    assert (sorted(node["labels"]), node["properties"]) == (["Guarded", "Kept"], {"of": own})
    assert (relationship["type"], relationship["end"]) == ("WROTE", node["node"])
    assert relationship["properties"] == {"pages": 3}
    assert path["path"][1:] == [relationship, node]
    assert path["path"][0]["node"] == relationship["start"]
    assert flat == {"point": [1.0, 2.0], "srid": 7203}
    assert round_ == {"point": [8.0, 50.0], "srid": 4326}


@pytest.mark.parametrize(("value", "shown"), [
    (float("nan"), "nan"),
    (float("-inf"), "-inf"),
    (b"\x01\xff", "01ff"),
    (Date(2020, 2, 29), "2020-02-29"),
    (DateTime(2020, 1, 2, 3, 4, 5), "2020-01-02T03:04:05.000000000"),
    (Time(1, 2, 3), "01:02:03.000000000"),
    (Duration(months=14, days=3), "P1Y2M3D"),
    ({"a": [Date(2020, 1, 1), (1, None)]}, {"a": ["2020-01-01", [1, None]]}),
])  # fmt: skip
def test_what_json_has_no_form_for_is_text(value, shown):
    assert to_value(value) == shown


def test_rows_stop_at_their_limit(reader):
    limits = ReadLimits(rows=7, seconds=60)
    result = reader.read("UNWIND range(1, 100000) AS x RETURN x", {}, limits)
    assert result.rows == tuple((n,) for n in range(1, 8))
    assert result.cut == "rows"
    assert reader.read("UNWIND range(1, 7) AS x RETURN x", {}, limits).cut is None


def test_bytes_stop_at_their_limit_while_they_stream(reader):
    text = "UNWIND range(1, 100) AS x RETURN [y IN range(1, 100) | 'abcdefgh'] AS long"
    limits = ReadLimits(bytes=5000, seconds=60)
    result = reader.read(text, {}, limits)
    assert result.cut == "bytes"
    assert 1 <= len(result.rows) < 5
    result = reader.read("RETURN range(1, 300000) AS long", {}, limits)  # a row of a megabyte is not taken in
    assert (result.rows, result.cut) == ((), "bytes")
    assert reader.read("RETURN 1 AS x", {}, SMALL).rows == ((1,),)


def test_a_refusal_tells_the_place_in_the_statement_as_it_was_given(reader):
    for statement, why in (
        ("MATCH (n) RETURN (m)", r"^line 1:19: Variable `m` not defined$"),
        ("MATCH (n)\nRETURN m", r"^line 2:8: Variable `m` not defined$"),
        ("RETURN $missing AS x", "parameter"),
    ):
        with pytest.raises(CypherRefused, match=why):
            reader.read(statement, {}, SMALL)


@pytest.mark.parametrize(("word", "dies"), [(b"EXPLAIN", True), (b"\x8dRETURN 1 AS x", False)])
def test_a_statement_over_which_the_connection_is_lost_has_failed_for_good(neo4j, word, dies):
    relay = Relay(int(neo4j.url.rpartition(":")[2]))
    relay.when_asked(word, relay.close if dies else relay.cut)
    reader = GuardedReader(neo4j_address(relay.port), neo4j.user, neo4j.password)
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


def test_a_server_that_is_not_there_is_away():
    reader = GuardedReader(neo4j_address(free_port()), USER, PASSWORD)
    with pytest.raises(DependencyAway):
        reader.read("RETURN 1 AS x", {}, BRIEF)
    reader.close()


def test_a_server_that_never_says_a_word_is_waited_for_no_longer_than_allowed():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        reader = GuardedReader(neo4j_address(silent.getsockname()[1]), USER, PASSWORD)
        with pytest.raises((CypherTooLong, DependencyAway)):
            reader.read("RETURN 1 AS x", {}, BRIEF)
        reader.close()


@pytest.mark.parametrize(
    "word", [b"tx_timeout", b"EXPLAIN", b"\x8eRETURN 'hangs'"], ids=["begin", "plan", "run"]
)
def test_an_answer_that_never_comes_is_waited_for_no_longer_than_allowed(neo4j, word):
    relay = Relay(int(neo4j.url.rpartition(":")[2]))
    reader = GuardedReader(neo4j_address(relay.port), neo4j.user, neo4j.password)
    reader.ping()  # the time of a statement is no time to open a connection on a machine that is busy
    relay.when_asked(word)
    with pytest.raises(CypherTooLong):
        reader.read("RETURN 'hangs'", {}, BRIEF)
    reader.close()
    relay.close()


@pytest.fixture(scope="module")
def alone_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
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
def alone(alone_url: str) -> Iterator[Driver]:
    with GraphDatabase.driver(alone_url, auth=(USER, PASSWORD), notifications_min_severity="OFF") as driver:
        driver.execute_query((DATA / "films.cypher").read_text(encoding="utf-8"))
        yield driver


@pytest.fixture(scope="module")
def alone_reader(alone_url: str, alone: Driver) -> Iterator[GuardedReader]:  # noqa: ARG001 - it reads what that loaded
    reader = GuardedReader(alone_url, USER, PASSWORD)
    yield reader
    reader.close()


@pytest.fixture(scope="module")
def before(alone: Driver) -> str:
    return _state(alone)


def _state(driver: Driver) -> str:
    graph = driver.execute_query(CHECKSUM).records[0].data()
    schema = [
        sorted(map(str, driver.execute_query(f"SHOW {what} YIELD name RETURN name").records))
        for what in ("INDEXES", "CONSTRAINTS")
    ]
    users = driver.execute_query("SHOW USERS YIELD user RETURN user", database_="system").records
    return json.dumps([graph, schema, str(users)], sort_keys=True, default=str)


def _is_idle(driver: Driver) -> bool:
    """Return whether no transaction but the asking one is left."""
    return len(driver.execute_query("SHOW TRANSACTIONS YIELD transactionId").records) == 1


def _outcome(reader: GuardedReader, statement: str, limits: ReadLimits) -> CypherRows | HoplineError:
    reader.ping()  # the time of a statement is no time to open a connection on a machine that is busy
    try:
        return reader.read(statement, {}, limits)
    except (CypherRefused, CypherTooLong) as error:
        return error


@pytest.mark.long
@pytest.mark.parametrize(
    "row", [row for row in HOSTILE if row["by"] == "server"], ids=lambda row: row["name"]
)
def test_a_hostile_statement_that_passes_the_guard_is_ended(row, alone_reader, alone, before):
    limits = BRIEF if row["reason"] == "time" else SMALL
    outcome = _outcome(alone_reader, checked(row["statement"]), limits)
    assert isinstance(outcome, CypherTooLong) if row["reason"] == "time" else outcome.cut == row["reason"]
    wait_until(lambda: _is_idle(alone), "no transaction is left")
    assert _state(alone) == before


@pytest.mark.long
@pytest.mark.parametrize("row", DIRECT, ids=lambda row: row["name"])
def test_a_hostile_statement_changes_nothing_even_where_nothing_checks_it(row, alone_reader, alone, before):
    outcome = _outcome(alone_reader, row["statement"], BRIEF)
    if isinstance(outcome, CypherRows):
        assert len(outcome.rows) <= BRIEF.rows
        assert "root:" not in json.dumps(outcome.rows)
    assert _state(alone) == before


@pytest.mark.long
@pytest.mark.parametrize("row", _rows("harmless"), ids=lambda row: row["name"])
def test_a_harmless_statement_returns_what_it_returns_without_a_guard(row, alone_reader, alone):
    result = alone_reader.read(checked(row["statement"]), row["parameters"], WIDE)
    records, _, keys = alone.execute_query(row["statement"], row["parameters"])
    assert (result.columns, result.cut) == (tuple(keys), None)
    assert [list(values) for values in result.rows] == [
        [to_value(value) for value in record.values()] for record in records
    ]
    assert result.rows
    json.dumps(result.rows, allow_nan=False)


@pytest.mark.long
def test_memory_beyond_the_servers_limit_ends_the_statement_once(alone_reader):
    text = "UNWIND range(1, 20000000) AS x RETURN collect($long + x) AS l"
    with pytest.raises(CypherTooLong, match="memory"):
        alone_reader.read(text, {"long": "x" * 1000}, WIDE)


@pytest.mark.long
def test_brackets_beyond_what_the_server_can_read_leave_the_next_statement_alone(alone_reader):
    alone_reader.ping()
    with pytest.raises((CypherLost, CypherTooLong)):
        alone_reader.read("RETURN " + "(" * 3000 + "1" + ")" * 3000, {}, BRIEF)
    assert alone_reader.read("RETURN 1 AS x", {}, SMALL).rows == ((1,),)
