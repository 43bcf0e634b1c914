"""The Neo4j driver of a process: runs queries by name, with time limits and retries."""

from __future__ import annotations

import logging
import random
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import structlog
from neo4j import Bookmarks, Driver, GraphDatabase, NotificationMinimumSeverity, Query, Result, Session

from hopline.certificates import tls_context
from hopline.errors import DependencyAway
from workers.adapters.neo4j.errors import FAILURES, OWN, Login, classed, is_worth_repeating
from workers.core.retries import RETRIES
from workers.telemetry.traces.leaf import Leaf

_POOL = 64  # connections; as many as a worker has threads
_CONNECT_SECONDS = 5.0
_IDLE_SECONDS = 60.0  # a connection unused for longer is tried before it is trusted
_FETCHED = 2000  # rows of a stream that are held at a time
_PARAMETER = re.compile(r"\$(\w+)")
_FIRST_DELAY, _LONGEST_DELAY = 0.02, 0.8  # seconds; doubling, with jitter

Row = dict[str, Any]
Found = TypeVar("Found")
Run = Callable[..., list[Row]]  # runs a named query with its parameters, in a transaction with others

_log = structlog.get_logger()
# What the driver logs of lost connections comes out as our errors too; unconfigured logging would print it.
logging.getLogger("neo4j").addHandler(logging.NullHandler())


@cache
def load_query(name: str) -> str:
    """Return a query of the folder `cypher` without its comments, which would travel with every call."""
    raw = _query_files()[name].read_text(encoding="utf-8")
    return "\n".join(line for line in raw.splitlines() if not line.lstrip().startswith("//"))


@cache
def _query_files() -> dict[str, Path]:
    """Return the files of queries by name; their folders are their subjects."""
    return {path.stem: path for path in Path(__file__).with_name("cypher").rglob("*.cypher")}


@cache
def _planned_once(name: str) -> tuple[str, frozenset[str]]:
    """Return a named query that takes its values as the entries of one parameter, a map; and their names.

    The server plans a query again for every combination of the sizes of parameters that are strings or lists
    (up to 1, 10, 100 …), for some a second each; it does not look into a map.
    """
    text = load_query(name)
    return _PARAMETER.sub(r"$given.\1", text), frozenset(_PARAMETER.findall(text))


def query_with(name: str, parameters: Row) -> str:
    """Return a named query for a map of its values: one that is not in the map would be null."""
    text, named = _planned_once(name)
    if missing := named - parameters.keys():
        raise TypeError(f"query {name} lacks {', '.join(sorted(missing))}")
    return text


def open_driver(url: str, user: str, password: str, ca_file: Path | None, **options: Any) -> Driver:
    """Return a driver that has not connected yet.

    Args:
        url: bolt:// or neo4j://, with +s for encryption.
        user: the login.
        password: its password.
        ca_file: certificate authorities to trust in addition to the system's.
        options: options of the driver.
    """
    scheme, _, place = url.partition("://")
    if scheme.lower().endswith("+s"):  # the driver refuses +s together with a context
        url = f"{scheme[:-2]}://{place}"
        options["ssl_context"] = tls_context(ca_file)
    return GraphDatabase.driver(
        url,
        auth=(user, password),
        notifications_min_severity=NotificationMinimumSeverity.OFF,
        telemetry_disabled=True,
        **options,
    )


class Connection:
    """A pool of connections to one Neo4j; safe to share between threads.

    Args:
        url: bolt:// or neo4j://, with +s for encryption.
        user: the login.
        password: its password.
        timeout: seconds after which the server ends a query.
        settings: what the settings of its login begin with; "" if no setting holds it.
        ca_file: certificate authorities to trust in addition to the system's.
    """

    def __init__(
        self,
        url: str,
        user: str,
        password: str,
        timeout: float,
        settings: str = OWN,
        *,
        ca_file: Path | None = None,
    ) -> None:
        self._timeout = timeout
        self._login = Login(url, settings)
        self._driver = open_driver(
            url,
            user,
            password,
            ca_file,
            max_connection_pool_size=_POOL,
            connection_acquisition_timeout=timeout,
            connection_timeout=_CONNECT_SECONDS,
            liveness_check_timeout=_IDLE_SECONDS,
            keep_alive=True,
        )

    def close(self) -> None:
        """Close all connections."""
        self._driver.close()

    def run(self, query: str, /, **parameters: Any) -> list[Row]:
        """Run a named query in its own transaction and return its rows.

        A query is one transaction by itself, so it goes out as one message and needs no explicit begin and
        commit: these would be two more round trips. Every query is idempotent, so it is also repeated if the
        connection is lost and it is unknown whether it was committed.

        Raises:
            DependencyAway: the server cannot be reached.
            Transient: a deadlock or lack of resources that lasts.
            Permanent: the query was refused.
        """
        return self.run_text(query, query_with(query, parameters), given=parameters)

    def run_text(self, name: str, text: str, seconds: float | None = None, /, **parameters: Any) -> list[Row]:
        """Run a query that has no file; like `run`, with its own time limit."""
        query = Query(text, timeout=seconds or self._timeout)
        return self._repeated(name, lambda session: _rows(session.run(query, parameters)))

    def mark(self) -> str:
        """Return a name for the state of the database, which changes with every committed transaction.

        It is the bookmark of a transaction that reads nothing: the server names its last committed one in it.

        Raises:
            DependencyAway, Transient: as `run`.
        """
        return self.run_marked("mark")[1]

    def run_marked(self, query: str, /, **parameters: Any) -> tuple[list[Row], str]:
        """Run a named query like `run`; return its rows and the state that it read, named as by `mark`."""
        text = Query(query_with(query, parameters), timeout=self._timeout)

        def once(session: Session) -> tuple[list[Row], str]:
            rows = _rows(session.run(text, given=parameters))
            return rows, " ".join(sorted(session.last_bookmarks().raw_values))

        return self._repeated(query, once)

    def stream(self, query: str, seconds: float, mark: str, /, **parameters: Any) -> Iterator[list[Any]]:
        """Yield the rows of a named query one by one, as lists of values; not repeated on failure.

        Args:
            query: name of the query.
            seconds: time limit.
            mark: state of the database that must be visible.
            parameters: values of its parameters.

        Raises:
            DependencyAway, Transient, Permanent: as for `run`.
        """
        bookmarks = Bookmarks.from_raw_values(mark.split())
        try:
            with self._driver.session(fetch_size=_FETCHED, bookmarks=bookmarks) as session:
                for record in session.run(Query(load_query(query), timeout=seconds), parameters):
                    yield record.values()
        except FAILURES as error:
            raise classed(error, query, self._login) from error

    def together(self, name: str, work: Callable[[Run], Found]) -> Found:
        """Run several named queries in one transaction, retried as a whole.

        Args:
            name: name of the transaction in errors.
            work: called with a function that runs a query in the transaction; may be called again; an
                exception rolls everything back.

        Raises:
            DependencyAway, Transient, Permanent: as for `run`.
        """

        def once(session: Session) -> Found:
            with session.begin_transaction(timeout=self._timeout) as transaction:

                def run(query: str, /, **parameters: Any) -> list[Row]:
                    return _rows(transaction.run(query_with(query, parameters), given=parameters))

                result = work(run)
                transaction.commit()
                return result

        return self._repeated(name, once)

    def _repeated(self, name: str, once: Callable[[Session], Found]) -> Found:
        begun = time.monotonic()
        for delay in _delays():
            try:
                with statement_span(name), self._driver.session() as session:
                    return once(session)
            except FAILURES as error:
                failed = classed(error, name, self._login)
                is_away = isinstance(failed, DependencyAway)
                patience = RETRIES.neo4j_away_seconds if is_away else RETRIES.neo4j_seconds
                if not is_worth_repeating(error) or time.monotonic() + delay > begun + patience:
                    raise failed from error
                _log.debug("query.repeated", query=name, error=str(error)[:200])
            time.sleep(delay)
        raise AssertionError("delays never end")

    @contextmanager
    def holding(self, name: str, seconds: float, /, **parameters: Any) -> Iterator[None]:
        """Keep a transaction with this query open, and so its locks, during the block."""
        try:
            with (
                self._driver.session() as session,
                session.begin_transaction(timeout=seconds) as transaction,
            ):
                transaction.run(load_query(name), parameters).consume()
                yield
                transaction.commit()
        except FAILURES as error:
            raise classed(error, name, self._login) from error


def statement_span(name: str) -> Leaf:
    """Return the span of a statement, or of several in one transaction, with its name but not its text."""
    return Leaf(name, {"db.system.name": "neo4j", "db.query.summary": name})


def _rows(result: Result) -> list[Row]:
    # Queries return plain values and maps, no nodes: no need to look for them.
    return [dict(zip(record.keys(), record, strict=True)) for record in result]


def _delays() -> Iterator[float]:
    delay = _FIRST_DELAY
    while True:
        yield delay * random.uniform(0.5, 1.5)  # noqa: S311 - jitter against two that collide again
        delay = min(2 * delay, _LONGEST_DELAY)
