"""Keeps history: writes what waits as Parquet, makes one file of each past day, lets old days go, erases."""

from __future__ import annotations

import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Generic

import redis
import structlog
from redis.exceptions import LockError
from redis.lock import Lock

from hopline.errors import Transient
from hopline.models.history import day_of
from hopline.models.times import timestamp
from workers.history.books import Book, RowOf
from workers.history.parts import Files, Part, holding, stored_parts
from workers.history.pending_rows import PendingRows
from workers.history.table import open_table, relation_of, relation_of_files, write_parquet

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

log = structlog.get_logger()

SEAL_ROWS, SEAL_SECONDS = 5000, 60.0
_TURN_SECONDS = 60  # after which whoever holds the turn is taken for dead
_ERASE_WAITS = 30.0  # seconds for a turn


class HistoryKeeper(Generic[RowOf]):
    """Moves the rows of a book from Redis into files.

    Every act may be cut off at any place and is then done again: a sealed set of rows never changes, its file
    is named after it, and it leaves Redis only when that file is there. Two that keep history at a time write
    the same files.

    Args:
        client: the ledger's Redis.
        files: the history's files.
        days: that history is kept.
        book: whose rows.
    """

    def __init__(self, client: redis.Redis, files: Files, days: float, book: Book[RowOf]) -> None:
        self._client = client
        self._files = files
        self._days = days
        self._book: Book[RowOf] = book
        self.pending: PendingRows[RowOf] = PendingRows(client, book)

    def take_turn(self, rows: int = SEAL_ROWS, seconds: float = SEAL_SECONDS) -> int:
        """Write what waits, if it is this one's turn; return how many rows were sealed rows of this turn.

        Args:
            rows: so many that wait are sealed at once.
            seconds: fewer are sealed so long after the last time.
        """
        turn = self._client.lock(self._book.turn, timeout=_TURN_SECONDS, blocking=False)
        if not turn.acquire():
            return 0
        try:
            return self._write_pending(rows, seconds)
        finally:
            _give_back(turn)

    def tidy(self, now: float | None = None) -> None:
        """Make one file of each past day, and remove the days that are too old, if it is this one's turn."""
        turn = self._client.lock(self._book.turn, timeout=_TURN_SECONDS, blocking=False)
        if not turn.acquire():
            return
        try:
            moment = timestamp(time.time() if now is None else now)
            self._remove_before(day_of(moment - timedelta(days=self._days)))
            for day, parts in self._by_day().items():
                if day < day_of(moment):
                    self._compact(parts)
                    turn.reacquire()
        finally:
            _give_back(turn)

    def erase(self, erased: Callable[[DuckDBPyRelation], DuckDBPyRelation | None]) -> int:
        """Rewrite files without erased data; return their number.

        Args:
            erased: returns a file's rows after erasure; None if nothing changes.

        Raises:
            Transient: somebody else keeps history at the moment.
        """
        turn = self._client.lock(self._book.turn, timeout=_TURN_SECONDS, blocking_timeout=_ERASE_WAITS)
        if not turn.acquire():
            raise Transient("history is being written: try again in a moment")
        try:
            while self._write_pending(1, 0.0):
                turn.reacquire()
            anew = 0
            for part in holding(self._stored()):
                anew += self._erase_from(part, erased)
                turn.reacquire()
            self._remove_covered()
        finally:
            _give_back(turn)
        return anew

    def _write_pending(self, rows: int, seconds: float) -> int:
        numbers = self.pending.sealed()
        if not numbers:
            above = max((part.last for part in self._stored()), default=0)
            number = self.pending.seal(rows, seconds, above)
            numbers = [] if number is None else [number]
        written = 0
        for number in numbers:
            written += self._write(number)
            self.pending.written(number)
        return written

    def _write(self, number: int) -> int:
        """Write sealed rows, a file for each day that they ended on, unless it is there; return how many."""
        days: dict[str, list[RowOf]] = defaultdict(list)
        for row in self.pending.rows(number):
            days[row.day].append(row)
        stored = self._stored()
        for day, rows in days.items():
            part = Part(day, number, number, folder=self._book.folder)
            if not any(other.covers(part) for other in stored):
                with _workshop(self._files) as (folder, connection):
                    waiting = relation_of(connection, rows, folder, self._book.columns)
                    write_parquet(waiting, folder / "part.parquet", self._book.order)
                    self._files.put(part.name, folder / "part.parquet")
        return sum(len(rows) for rows in days.values())

    def _compact(self, parts: list[Part]) -> None:
        """Make one file of a day's parts, and remove those that it covers."""
        kept = holding(parts)
        if len(kept) > 1:
            whole = kept[0]._replace(last=max(part.last for part in kept), generation=0)
            with _workshop(self._files) as (folder, connection):
                files = [self._files.local(part.name, folder) for part in kept]
                if None in files:
                    return  # somebody else was here meanwhile
                rows = relation_of_files(connection, [file for file in files if file], self._book.columns)
                write_parquet(rows, folder / "part.parquet", self._book.order)
                self._files.put(whole.name, folder / "part.parquet")
            kept = [whole]
        for part in parts:
            if part not in kept:
                self._files.delete(part.name)

    def _erase_from(self, part: Part, erased: Callable[[DuckDBPyRelation], DuckDBPyRelation | None]) -> int:
        with _workshop(self._files) as (folder, connection):
            file = self._files.local(part.name, folder)
            if file is None:
                raise Transient(f"{part.name} was moved at the same time: try again")
            rows = erased(relation_of_files(connection, [file], self._book.columns))
            if rows is None:
                return 0
            anew = part._replace(generation=part.generation + 1)
            write_parquet(rows, folder / "part.parquet", self._book.order)
            self._files.put(anew.name, folder / "part.parquet")
        self._files.delete(part.name)
        return 1

    def _remove_covered(self) -> None:
        parts = self._stored()
        for part in set(parts) - set(holding(parts)):
            self._files.delete(part.name)

    def _remove_before(self, day: str) -> None:
        first = f"{self._book.folder}day={day}/"
        for name in self._files.names(self._book.folder):
            if name < first:
                self._files.delete(name)
                log.info("history.removed", file=name)

    def _stored(self) -> list[Part]:
        return stored_parts(self._files, self._book.folder)

    def _by_day(self) -> dict[str, list[Part]]:
        days: dict[str, list[Part]] = defaultdict(list)
        for part in self._stored():
            days[part.day].append(part)
        return days


@contextmanager
def _workshop(files: Files) -> Iterator[tuple[Path, DuckDBPyConnection]]:
    """Yield a folder for new files, and a connection that reads it and the stored files."""
    with tempfile.TemporaryDirectory(prefix="hopline-history-") as name:
        folder = Path(name)
        with open_table(folder, files.folders) as connection:
            yield folder, connection


def _give_back(turn: Lock) -> None:
    with suppress(LockError):  # it took longer than a turn: another may have it by now
        turn.release()
