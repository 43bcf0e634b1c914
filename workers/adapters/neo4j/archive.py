"""Exports the whole graph from Neo4j, and imports it into an empty one.

The community edition has no online backup; using Neo4j's own protocol needs no access to the server's files.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from hopline.errors import Permanent
from workers.adapters.neo4j.connection import load_query, open_driver
from workers.adapters.neo4j.errors import FAILURES, OWN, Login, classed

Row = dict[str, Any]
_FETCHED = 2_000  # rows at a time, and so in memory


class GraphArchive:
    """One graph, read as a stream and written in pages.

    Args:
        url: bolt:// or neo4j://.
        user: the login.
        password: its password.
        ca_file: certificate authorities to trust in addition to the system's.

    Raises:
        DependencyAway, Transient, Permanent: (every method) as queries do.
    """

    def __init__(self, url: str, user: str, password: str, *, ca_file: Path | None = None) -> None:
        self._login = Login(url, OWN)
        self._driver = open_driver(url, user, password, ca_file)

    def close(self) -> None:
        """Close all connections."""
        self._driver.close()

    def nodes(self) -> Iterator[Row]:
        """Yield {at, labels, properties} of every node."""
        return self._stream("archive_nodes")

    def relationships(self) -> Iterator[Row]:
        """Yield {from, to, type, properties} of every relationship."""
        return self._stream("archive_relationships")

    def is_empty(self) -> bool:
        """Return whether nothing was ever ingested."""
        return bool(self._run("archive_is_empty")[0]["empty"])

    def begin(self) -> None:
        """Prepare a restore into a graph that is empty and migrated."""
        self._run("archive_index")
        self._run("await_indexes", seconds=600)

    def put_nodes(self, rows: Sequence[Row]) -> None:
        """Create nodes."""
        self._run("archive_put_nodes", rows=rows)

    def put_relationships(self, rows: Sequence[Row]) -> None:
        """Create relationships between restored nodes.

        Raises:
            Permanent: an end of one is missing: the backup is not whole.
        """
        made = self._run("archive_put_relationships", rows=rows)[0]["made"]
        if made != len(rows):
            raise Permanent(
                f"{len(rows) - made} of {len(rows)} relationships lead to a node that the backup lacks"
            )

    def end(self) -> None:
        """Remove the marks by which relationships found their nodes."""
        self._run("archive_forget_marks")
        self._run("archive_drop_index")

    def _stream(self, name: str) -> Iterator[Row]:
        try:
            with self._driver.session(fetch_size=_FETCHED) as session:
                yield from (dict(record) for record in session.run(load_query(name)))
        except FAILURES as error:
            raise classed(error, name, self._login) from error

    def _run(self, name: str, **parameters: object) -> list[Row]:
        try:
            with self._driver.session() as session:
                return [dict(record) for record in session.run(load_query(name), parameters)]
        except FAILURES as error:
            raise classed(error, name, self._login) from error
