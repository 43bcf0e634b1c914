"""Loads a Cypher script into an empty database, all or nothing as far as possible."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby

import structlog
from neo4j import Query, ResultSummary, Session

from hopline.errors import HoplineError, LoginRefused, Permanent
from hopline.models.base import Frozen
from workers.adapters.neo4j.connection import Connection, Row, load_query
from workers.adapters.neo4j.errors import FAILURES, classed
from workers.text2cypher.lexer import tokens_of
from workers.text2cypher.script import ScriptStatement

_SECONDS = 3600.0  # of one transaction
_LOOK_SECONDS = 60.0  # of a look at what is there
# One transaction holds at most this many characters and statements: it stands in the server's memory.
MOST_CHARACTERS, MOST_STATEMENTS = 8_000_000, 20_000
_SHOWN = 600  # characters of the server's words
_PLACE = re.compile(r"line (\d+), column")
_DROPPING = {"constraints": "drop_constraint", "indexes": "drop_index"}  # in this order
Tell = Callable[[int], None]
Names = dict[str, set[str]]  # of constraints and of indexes

_log = structlog.get_logger()


class Loaded(Frozen):
    """The result of a script."""

    statements: int
    schema_statements: int  # of these; each in a transaction of its own
    transactions: int  # of the others
    nodes: int  # made, less those removed again
    relationships: int


class ScriptConnection(Connection):
    """A connection that can also run scripts."""

    @contextmanager
    def session(self) -> Iterator[Session]:
        """Yield a session, whose transactions the caller commits."""
        with self._driver.session() as session:
            yield session

    def size(self) -> tuple[int, int]:
        """Return the numbers of nodes and relationships."""
        row = self.look("schema_size")[0]
        return row["nodes"], row["relationships"]

    def database_id(self) -> str:
        """Return an id that is unique to this database."""
        return str(self.look("database_id")[0]["id"])

    def look(self, query: str) -> list[Row]:
        """Run a query that only reads."""
        return self.run_text(query, load_query(query), _LOOK_SECONDS)


def load_script(connection: ScriptConnection, statements: Sequence[ScriptStatement], tell: Tell) -> Loaded:
    """Run a script's statements in order; after a failure, remove what they created.

    Consecutive statements on data share a transaction, up to a limit; those on the schema, and those that
    open transactions, run alone. The database must be empty.

    Args:
        connection: connection to the database.
        statements: the script's statements.
        tell: called with the number of statements run so far.

    Raises:
        Permanent: a statement failed or was interrupted; the message says which, why, and what remains.
        DependencyAway: the server cannot be reached.
        BaseException: any other cause, with a note that says what remains.
    """
    loading = _Loading(connection, tell)
    before = _schema_names(connection)
    try:
        for batch in batches(statements):
            loading.run(batch)
    except (HoplineError, KeyboardInterrupt) as error:
        raise Permanent(f"{str(error) or 'interrupted'}. {_undone(connection, before, loading)}") from error
    except BaseException as error:
        error.add_note(_undone(connection, before, loading))
        raise
    return Loaded(
        statements=loading.run_so_far,
        schema_statements=sum(statement.kind == "schema" for statement in statements),
        transactions=loading.transactions,
        nodes=loading.nodes,
        relationships=loading.relationships,
    )


def batches(
    statements: Sequence[ScriptStatement],
    most_characters: int = MOST_CHARACTERS,
    most_statements: int = MOST_STATEMENTS,
) -> Iterator[list[ScriptStatement]]:
    """Yield the statements grouped by transaction."""
    for kind, group in groupby(statements, lambda statement: statement.kind):
        batch: list[ScriptStatement] = []
        size = 0
        for statement in group:
            full = size + len(statement.text) > most_characters or len(batch) >= most_statements
            if batch and (full or kind != "data"):
                yield batch
                batch, size = [], 0
            batch.append(statement)
            size += len(statement.text)
        yield batch


class _Loading:
    """A running script."""

    def __init__(self, connection: ScriptConnection, tell: Tell) -> None:
        self._connection = connection
        self._tell = tell
        self.run_so_far = self.transactions = self.nodes = self.relationships = 0
        self.schema: Names = {kind: set() for kind in _DROPPING}  # what its statements are known to have made

    def run(self, batch: list[ScriptStatement]) -> None:
        with self._connection.session() as session:
            if batch[0].kind == "data":
                self._together(session, batch)
                return
            for statement in batch:
                self._alone(session, statement)
                self._count()  # last: what it made is known by now, whatever becomes of telling

    def _together(self, session: Session, batch: list[ScriptStatement]) -> None:
        where = f"lines {batch[0].line} to {batch[-1].line}, one transaction"
        with _failing(where, batch[0]), session.begin_transaction(timeout=_SECONDS) as transaction:
            summaries = []
            for statement in batch:
                with _failing(f"line {statement.line}", statement):
                    summaries.append(transaction.run(statement.text, statement.parameters).consume())
                self._count()
            transaction.commit()
        self._add(summaries)

    def _alone(self, session: Session, statement: ScriptStatement) -> None:
        """Run a statement; for one on the schema, find what it created, which the statement may not name."""
        before = _schema_names(self._connection) if statement.kind == "schema" else {}
        with _failing(f"line {statement.line}", statement):
            summary = session.run(Query(statement.text, timeout=_SECONDS), statement.parameters).consume()
        if not before:
            self._add([summary])
            return
        after, counters = _schema_names(self._connection), summary.counters
        added = {"constraints": counters.constraints_added, "indexes": counters.indexes_added}
        for kind, count in added.items():
            self.schema[kind] |= own_names(after[kind] - before[kind], count, statement.text)

    def _add(self, summaries: Sequence[ResultSummary]) -> None:
        self.transactions += 1
        for summary in summaries:
            self.nodes += summary.counters.nodes_created - summary.counters.nodes_deleted
            made, gone = summary.counters.relationships_created, summary.counters.relationships_deleted
            self.relationships += made - gone

    def _count(self) -> None:
        self.run_so_far += 1
        self._tell(self.run_so_far)


@contextmanager
def _failing(where: str, statement: ScriptStatement) -> Iterator[None]:
    """Name the script's line at which the server failed; positions count from its first line."""
    try:
        yield
    except FAILURES as error:
        failed = classed(error, where)
        if isinstance(failed, LoginRefused):
            raise failed from error
        message = getattr(error, "message", None) or str(error)
        reason = _PLACE.sub(lambda at: f"line {int(at[1]) + statement.line - 1}, column", message)
        text = f"{where}: {' '.join(reason.split())[:_SHOWN]}"
        raise (Permanent(text) if isinstance(failed, Permanent) else type(failed)(text)) from error


def own_names(new: set[str], count: int, statement: str) -> set[str]:
    """Return the names that a statement created, given their number, without those of others."""
    if len(new) <= count:
        return new
    return new & {token.name for token in tokens_of(statement)} if count else set()


def _schema_names(connection: ScriptConnection) -> Names:
    return {kind: {str(row["name"]) for row in connection.look(f"show_{kind}")} for kind in _DROPPING}


def _undone(connection: ScriptConnection, before: Names, loading: _Loading) -> str:
    """Delete everything a failed script created; return a description of the rest."""
    try:
        left = _nodes_left(connection, loading.nodes)
        there = _schema_names(connection)
        for kind, query in _DROPPING.items():
            for name in sorted(loading.schema[kind] & there[kind] - before[kind]):
                connection.run_text(query, load_query(query), _SECONDS, name=name)
        left += _schema_left(before, _schema_names(connection))
    except HoplineError as error:
        _log.warning("script.left", error=str(error))
        return f"What was done before it may be there still: {error}"
    if left:
        _log.warning("script.left", left=left)
        return f"Not all is as it was: {'; '.join(left)}"
    return "Nothing of the script was kept: the database is empty again"


def _nodes_left(connection: ScriptConnection, made: int) -> list[str]:
    there, _relationships = connection.size()
    if there != made:
        # Somebody else writes here, too, or a statement ended among its own transactions.
        known = f"of which the script is known to have made {made}"
        return [f"{there} nodes are there, {known}: remove them before the next try"]
    if there:
        connection.run_text("remove_everything", load_query("remove_everything"), _SECONDS)
    return []


def _schema_left(before: Names, now: Names) -> list[str]:
    """Name new objects that may not be the script's, and objects that were dropped."""
    left = []
    for kind in before:
        if new := sorted(now[kind] - before[kind]):
            left.append(f"{kind} that may be somebody else's: {', '.join(new)}")
        if gone := sorted(before[kind] - now[kind]):
            left.append(f"{kind} that were there before are gone: {', '.join(gone)}")
    return left
