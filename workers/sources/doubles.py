"""Detects repeated document ids, on disk so that millions of them need no memory."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator

from workers.sources.formats import Found, Named, Refused

_MEMORY = 16_384  # KiB of pages that are held; the rest lies in a temporary file that goes with us


class FirstPlaces:
    """Remembers where each id occurred first."""

    def __init__(self) -> None:
        self._known = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self._known.execute(f"PRAGMA cache_size = -{_MEMORY}")
        self._known.execute("PRAGMA journal_mode = OFF")
        self._known.execute("CREATE TABLE first (name BLOB PRIMARY KEY, place TEXT) WITHOUT ROWID")
        self._known.execute("BEGIN")

    def before(self, name: str, place: str) -> str | None:
        """Return where an id occurred before; remember a new one and return None."""
        key = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        if self._known.execute("INSERT OR IGNORE INTO first VALUES (?, ?)", (key, place)).rowcount:
            return None
        row = self._known.execute("SELECT place FROM first WHERE name = ?", (key,)).fetchone()
        return str(row[0])

    def close(self) -> None:
        """Close the record and delete it."""
        self._known.close()


def without_doubles(named: Iterable[Named], places: FirstPlaces) -> Iterator[Named]:
    """Yield documents; one whose id occurred before is refused, with both places.

    The same place again, by a folder and a pattern for instance, is no mistake and passed over.
    """
    for candidate in named:
        if isinstance(candidate, Found):
            name = candidate.document.name or candidate.document.uri
            first = places.before(name, candidate.place)
            if first is not None:
                if first != candidate.place:
                    yield Refused(candidate.place, f"the id {name!r} was given before, at {first}")
                continue
        yield candidate
