"""Reads the rows of a book with DuckDB: those in files and those that wait in Redis, as one relation."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from hopline.errors import InvalidInput, Transient
from hopline.models.history import day_of
from hopline.models.times import timestamp
from workers.core.retries import RETRIES
from workers.history.books import Book, RowOf
from workers.history.filter_expression import column, constant
from workers.history.parts import Files, holding, stored_parts
from workers.history.pending_rows import PendingRows
from workers.history.table import open_table

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation, Expression

    # Connection, rows that wait, files, and a folder for more -> all rows.
    Join = Callable[[DuckDBPyConnection, Sequence[RowOf], Sequence[Path], Path], DuckDBPyRelation]

_LAST = 253_402_300_799.0  # the end of the year 9999, after which days have no name
Result = TypeVar("Result")


class StoredRows(Generic[RowOf]):
    """The rows of a book, wherever they are.

    Args:
        book: which one.
        name: its name in errors.
        pending: its rows that wait.
        files: the history's files.
        union: joins waiting and stored rows.
    """

    def __init__(
        self, book: Book[RowOf], name: str, pending: PendingRows[RowOf], files: Files, union: Join[RowOf]
    ) -> None:
        self._book: Book[RowOf] = book
        self._name = name
        self._pending: PendingRows[RowOf] = pending
        self._files = files
        self._union: Join[RowOf] = union

    def read(self, since: float | None, read: Callable[[DuckDBPyRelation], Result]) -> Result:
        """Apply a function to all rows, at least those of the days since a time.

        Raises:
            Transient: files were put together meanwhile, again and again.
        """
        import duckdb  # noqa: PLC0415 - 0.1 s and 25 MB, only for who searches

        for _ in range(RETRIES.history_reads):
            try:
                with self._rows(since) as rows:
                    return read(rows)
            except (duckdb.IOException, _Moved):
                continue
        raise Transient(f"{self._name} is being assembled: try again in a moment")

    @contextmanager
    def _rows(self, since: float | None) -> Iterator[DuckDBPyRelation]:
        live = self._pending.all()  # before the files: what is written meanwhile is in both
        first = day_of(timestamp(min(max(since, 0.0), _LAST))) if since is not None else ""
        parts = [part for part in holding(stored_parts(self._files, self._book.folder)) if part.day >= first]
        with tempfile.TemporaryDirectory(prefix="hopline-history-") as name:
            folder = Path(name)
            stored = [self._files.local(part.name, folder) for part in parts]
            files = [file for file in stored if file is not None]
            if len(files) < len(parts):
                raise _Moved
            with open_table(folder, self._files.folders) as connection:
                yield self._union(connection, live, files, folder)


class _Moved(Exception):
    """A file was put together with others after it was listed."""


def behind(cursor: str, rank: str) -> Expression:
    """Return whether a row comes after a page's last one, by a column and then by id, both descending.

    Raises:
        InvalidInput: the cursor is not one.
    """
    number, _, name = cursor.partition(":")
    try:
        last = constant(float(number))
    except ValueError:
        raise InvalidInput("cursor", cursor, "the `next` of a page") from None
    return (column(rank) < last) | ((column(rank) == last) & (column("id") < constant(name)))
