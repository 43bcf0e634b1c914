"""Runs untrusted Cypher: planned first, read-only, and limited in time, rows and bytes."""

from __future__ import annotations

import re
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import orjson
import structlog
from neo4j import READ_ACCESS, Driver, Result, ResultSummary
from neo4j.exceptions import ClientError, DatabaseError, Neo4jError

from hopline.errors import DependencyAway, HoplineError
from workers.adapters.neo4j.connection import load_query, open_driver, statement_span
from workers.adapters.neo4j.errors import FAILURES, OWN, Failure, Login, classed
from workers.adapters.neo4j.rows import to_value
from workers.core.errors import CypherLost, CypherRefused, CypherTooLong
from workers.core.graph.cypher import CypherRows, ReadLimits, Value

# These plans are of the type that reads, as tried on 5.26.30: LOAD CSV reaches files and addresses, IN
# TRANSACTIONS leaves the statement's own transaction, and the commands tell or end what other users do.
_REFUSED = ("LoadCSV", "Transaction", "Terminate", "Show", "Administration", "Foreach")
# What only looks things up by a name or in an index.
_CALLED = frozenset(
    {
        "apoc.meta.data",
        "db.index.fulltext.querynodes",
        "db.index.fulltext.queryrelationships",
        "db.index.vector.querynodes",
        "db.index.vector.queryrelationships",
        "db.labels",
        "db.propertykeys",
        "db.relationshiptypes",
        "db.schema.nodetypeproperties",
        "db.schema.reltypeproperties",
        "db.schema.visualization",
    }
)


def refuse_plan(summary: ResultSummary) -> None:
    """Refuse a plan that does more than read the graph.

    Args:
        summary: summary of the statement's EXPLAIN.

    Raises:
        CypherRefused: it writes, or has an operator or calls a procedure that it may not.
    """
    if summary.query_type != "r":
        raise CypherRefused(
            f"according to the server, the statement does not only read ({summary.query_type})"
        )
    if not summary.plan:
        raise CypherRefused("the server did not plan the statement")
    for operator in _operators(summary.plan):
        name = str(operator.get("operatorType", "")).partition("@")[0]
        if name.startswith(_REFUSED):
            raise CypherRefused(f"the query plan contains {name}, which is not allowed")
        if name.startswith("ProcedureCall"):
            _refuse_call(str(operator.get("args", {}).get("Details", "")))


def _operators(plan: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield plan
    for child in plan.get("children", ()):
        yield from _operators(child)


def _refuse_call(details: str) -> None:
    name = details.partition("(")[0].strip().replace("`", "")
    if name.lower() not in _CALLED:
        raise CypherRefused(f"the server plans to call {name or 'a procedure'}, which is not allowed")


_POOL = 8  # connections: statements at once
_CONNECT_SECONDS = 5.0
_PLANNED = 512  # statements whose plans are remembered
_IDLE_SECONDS = 60.0  # a connection unused for longer is tried before it is trusted
_FETCHED = 20  # rows on the way at a time: few, so that little is thrown away where it stops
_CLOSING_SECONDS = 1.0  # to say goodbye to a statement that is not read to its end
_TERMINATING_SECONDS = 2.0
_SPARE = 65_536  # bytes of the wire beyond twice those of the values: names, plan, summary
_EXPLAIN = "EXPLAIN "
_PLACE = re.compile(r"(?<!\s)\s*+\(line (\d+), column (\d+) \(offset: \d+\)\).*", re.DOTALL)
_TIMED_OUT = ("Neo.ClientError.Transaction.TransactionTimedOut", "Neo.TransientError.Transaction.Terminated")
_ENDED = "Neo.ClientError.Transaction.Terminated"
_MEMORY = "OutOfMemory"

_log = structlog.get_logger()


class GuardedReader:
    """A CypherReader; safe to share between threads.

    The server enforces reading (access mode), time and memory (`db.memory.transaction.max`). It looks at the
    clock between rows only, and not while it plans, so this side has a clock of its own: at the deadline the
    connection is closed and the transaction is asked to end, while control returns. What neither can stop
    is the work within one expression; `text2cypher.check` refuses such forms before they come here.

    Args:
        url: bolt:// or neo4j://, with +s for encryption.
        user: the login; one that may only read is best, where the edition has such.
        password: its password.
        settings: what the settings of its login begin with.
        ca_file: certificate authorities to trust in addition to the system's.
    """

    def __init__(
        self, url: str, user: str, password: str, settings: str = OWN, *, ca_file: Path | None = None
    ) -> None:
        self._login = Login(url, settings)
        self._driver = open_driver(
            url,
            user,
            password,
            ca_file,
            max_connection_pool_size=_POOL,
            connection_timeout=_CONNECT_SECONDS,
            connection_acquisition_timeout=_CONNECT_SECONDS,  # of a ping; statements have their own
            liveness_check_timeout=_IDLE_SECONDS,
            keep_alive=True,
        )
        meter_connections(self._driver)
        self._terminating = ThreadPoolExecutor(1, "terminate-statement")
        self._planned = _Planned()

    def close(self) -> None:
        """Close all connections."""
        self._terminating.shutdown(cancel_futures=True)
        self._driver.close()

    def read(self, text: str, parameters: Mapping[str, Value], limits: ReadLimits) -> CypherRows:
        """Return the rows of a statement, as many as the limits allow.

        Raises:
            CypherRefused: its plan does more than read the graph, or it cannot be planned or run.
            CypherTooLong: it, or its plan, took longer or more memory than it may.
            CypherLost: the connection was lost after it was sent.
            DependencyAway: the server cannot be reached, so nothing was sent.
        """
        begun = time.monotonic()
        meter = Meter(limits.seconds, 2 * limits.bytes + _SPARE)
        mark = secrets.token_hex(8)
        gathered = _Gathered(limits)
        try:
            with statement_span("guarded statement"), metered(meter):
                self._run(text, parameters, limits, mark, meter, gathered)
        except FAILURES as error:
            if meter.late or meter.full:
                self._terminating.submit(self._terminate, mark)
            if meter.full:
                gathered.cut = gathered.cut or "bytes"
            if gathered.cut is None:
                raise self._judged(error, meter, limits, sent=gathered.sent) from error
        seconds = round(time.monotonic() - begun, 4)
        return CypherRows(
            columns=gathered.columns, rows=tuple(gathered.rows), cut=gathered.cut, seconds=seconds
        )

    def _run(
        self,
        text: str,
        parameters: Mapping[str, Value],
        limits: ReadLimits,
        mark: str,
        meter: Meter,
        gathered: _Gathered,
    ) -> None:
        with self._driver.session(
            default_access_mode=READ_ACCESS,
            fetch_size=_FETCHED,
            connection_acquisition_timeout=limits.seconds,
        ) as session:
            transaction = session.begin_transaction(metadata={"statement": mark}, timeout=limits.seconds)
            gathered.sent = True  # the server took the transaction a moment ago
            if not self._planned.holds(text):
                refuse_plan(transaction.run(_EXPLAIN + text, dict(parameters)).consume())
                self._planned.keep(text)
            gathered.read(transaction.run(text, dict(parameters)))
            if gathered.cut == "bytes":
                meter.stop()
            elif gathered.cut:
                meter.hurry(_CLOSING_SECONDS)

    def _terminate(self, mark: str) -> None:
        """Ask the server to end the transaction; a closed connection alone is noticed late."""
        with (
            suppress(*FAILURES),
            metered(Meter(_TERMINATING_SECONDS, _SPARE)),
            self._driver.session(connection_acquisition_timeout=_TERMINATING_SECONDS) as session,
        ):
            ended = session.run(load_query("terminate_statement"), {"mark": mark}).value()
            _log.info("statement.terminated", mark=mark, transactions=len(ended))

    def _judged(self, error: Failure, meter: Meter, limits: ReadLimits, *, sent: bool) -> HoplineError:
        code = (error.code or "") if isinstance(error, Neo4jError) else ""
        if meter.late or code.startswith((*_TIMED_OUT, _ENDED)):
            return CypherTooLong(f"the statement was ended: it takes longer than {limits.seconds:g} seconds")
        if _MEMORY in code:
            return CypherTooLong("the statement was ended: it takes more memory than one statement may")
        failed = classed(error, "statement", self._login)
        if isinstance(failed, DependencyAway) and sent:
            return CypherLost(
                "the connection to the database was lost over the statement; it is not sent again"
            )
        if isinstance(error, ClientError | DatabaseError) and not isinstance(failed, DependencyAway):
            return CypherRefused(_format_error(error))
        return failed

    def ping(self) -> None:
        """Try the server.

        Raises:
            DependencyAway: it cannot be reached.
        """
        try:
            with metered(Meter(_CONNECT_SECONDS, _SPARE)):
                self._driver.verify_connectivity()
        except FAILURES as error:
            raise classed(error, "ping", self._login) from error


class _Planned:
    """A cache of checked query plans, by the text of the statement."""

    def __init__(self) -> None:
        self._texts: OrderedDict[str, None] = OrderedDict()
        self._lock = threading.Lock()

    def holds(self, text: str) -> bool:
        """Return whether a statement is known to read only."""
        with self._lock:
            if text in self._texts:
                self._texts.move_to_end(text)
                return True
            return False

    def keep(self, text: str) -> None:
        """Remember a read-only statement."""
        with self._lock:
            self._texts[text] = None
            while len(self._texts) > _PLANNED:
                self._texts.popitem(last=False)


class _Gathered:
    """The rows so far."""

    def __init__(self, limits: ReadLimits) -> None:
        self._limits = limits
        self._size = 0
        self.sent = False  # the statement, so that the server may have seen it
        self.columns: tuple[str, ...] = ()
        self.rows: list[tuple[Value, ...]] = []
        self.cut: str | None = None

    def read(self, result: Result) -> None:
        """Read rows until the end or the limit."""
        self.columns = tuple(result.keys())
        for record in result:
            if len(self.rows) >= self._limits.rows:
                self.cut = "rows"
                return
            row = tuple(to_value(value) for value in record.values())
            self._size += len(orjson.dumps(row))
            if self._size > self._limits.bytes:
                self.cut = "bytes"
                return
            self.rows.append(row)


def _format_error(error: Neo4jError) -> str:
    """Return the server's message, its place counted from the statement's own beginning."""
    message = error.message or str(error)
    match = _PLACE.search(message)
    if match is None:
        return message
    line, column = int(match[1]), int(match[2])
    shifted = column - len(_EXPLAIN) if line == 1 and _EXPLAIN in message else column
    return f"line {line}:{shifted}: {message[: match.start()]}"


_BETWEEN_SECONDS = 5.0  # for what the driver says outside of a statement


class Meter:
    """Seconds and bytes that are left.

    Args:
        seconds: from now on.
        size: bytes that may be received.
    """

    def __init__(self, seconds: float, size: int) -> None:
        self._deadline = time.monotonic() + seconds
        self._left = size
        self.late = False  # it has waited until its deadline
        self.full = False  # it has received all it may

    def remaining(self) -> float:
        """Return the seconds left.

        Raises:
            TimeoutError: there are none.
        """
        left = self._deadline - time.monotonic()
        if left <= 0:
            self.late = True
            raise TimeoutError("the statement exceeded its time limit")
        return left

    def received(self, size: int) -> None:
        """Count received bytes.

        Raises:
            OSError: the limit is exceeded.
        """
        self._left -= size
        if self._left < 0:
            self.full = True
            raise OSError("the statement returns too many bytes")

    def hurry(self, seconds: float) -> None:
        """Reduce the time left to at most `seconds`."""
        self._deadline = min(self._deadline, time.monotonic() + seconds)

    def stop(self) -> None:
        """Take nothing more: the connection is closed instead of emptied."""
        self._left = -1


_running = threading.local()


@contextmanager
def metered(meter: Meter) -> Iterator[None]:
    """Have this thread's connections obey a meter."""
    _running.meter = meter
    try:
        yield
    finally:
        _running.meter = None


def meter_connections(driver: Driver) -> None:
    """Have all connections of a driver obey the meter of the thread that uses them.

    The driver has a time limit for opening a connection and none for an answer, and it holds a row in memory
    before it hands it out, however large: both can only be bounded where it receives. These attributes are
    not its public ones; an integration test tells when they have moved.
    """
    pool: Any = driver._pool  # noqa: SLF001 - see above
    opened = pool.opener

    def open_metered(*arguments: Any) -> Any:
        connection = opened(*arguments)
        _meter_socket(connection.socket)
        return connection

    pool.opener = open_metered


def _meter_socket(socket: Any) -> None:
    receive, send = socket.recv_into, socket.sendall

    def recv_into(buffer: Any, size: int) -> int:
        meter: Meter | None = getattr(_running, "meter", None)
        socket.set_read_timeout(meter.remaining() if meter else _BETWEEN_SECONDS)
        try:
            count = int(receive(buffer, size))
        except TimeoutError:
            if meter:
                meter.late = True
            raise
        if meter:
            meter.received(count)
        return count

    def sendall(data: Any) -> Any:
        meter: Meter | None = getattr(_running, "meter", None)
        socket.set_write_timeout(meter.remaining() if meter else _BETWEEN_SECONDS)
        return send(data)

    socket.recv_into, socket.sendall = recv_into, sendall
