"""Derives typed labels, relationships and MajorEvent nodes from what live chunks state.

They are derived from the chunks; those of a redirect are placed at its target. Every transaction that changes
live content or redirects brings them up to date before it commits.
"""

from __future__ import annotations

from collections.abc import Iterable

from workers.adapters.neo4j.connection import Connection, Row, Run
from workers.adapters.neo4j.statements import (
    Statement,
    elements_of,
    event_rows,
    label_rows,
    relation_rows,
    statements,
)

_ROWS = 2000


class _NothingDone(Exception):
    """The transaction must be rolled back."""


class TypedView:
    """The operations of one transaction.

    Args:
        run: runs a named query in the transaction.
    """

    def __init__(self, run: Run) -> None:
        self._run = run

    def lock(self, statements: Iterable[Statement], others: Iterable[str] = ()) -> None:
        """Lock all elements that statements name, and others, with their targets, by id."""
        self._run("typed_lock", ids=sorted({*elements_of(statements), *others}))

    def withdraw(self, statements: list[Statement]) -> None:
        """Withdraw stated relations and events, using the redirects of that time."""
        self._each("typed_unrelate", relations=relation_rows(statements, self._homes(statements)))
        self._each("typed_unhappen", events=event_rows(statements, {}))

    def state(self, statements: list[Statement]) -> None:
        """Create labels, relations and events that live chunks state; fresh ones do not exist yet."""
        homes = self._homes(statements)
        statements = [
            statement for statement in statements if statement.parts[0] != "T" or statement.parts[1] in homes
        ]
        self._each(
            "typed_label",
            labels=[{**row, "element": homes[row["element"]]} for row in label_rows(statements)],
        )
        self._each("typed_relate", relations=relation_rows(statements, homes))
        self._each("typed_happen", events=event_rows(statements, homes))

    def unlabel(self, labels: list[Row]) -> None:
        """Remove labels ({element, labels}) that no live chunk states any more."""
        self._each("typed_unlabel", labels=labels)

    def _each(self, query: str, **rows: list[Row]) -> None:
        """Run a query in batches of rows, to limit its memory."""
        for name, whole in rows.items():
            for first in range(0, len(whole), _ROWS):
                self._run(query, **{name: whole[first : first + _ROWS]})

    def _homes(self, statements: list[Statement]) -> dict[str, str]:
        names = elements_of(statements)
        rows = self._run("typed_homes", ids=names) if names else []
        return {row["id"]: row["home"] for row in rows}


def make_typed_live(connection: Connection, version: Row) -> list[Row]:
    """Do `make_live` for a document whose chunks state something; return its rows."""

    def work(run: Run) -> list[Row]:
        rows = run("typed_version", **{name: version[name] for name in _VERSION})
        if not rows:
            return []
        gone, stated = statements(rows[0]["chunks"])
        view = TypedView(run)
        view.lock([*gone, *stated])
        view.withdraw(gone)
        made = run("make_live", typed=True, documents=[version])
        view.state(stated)
        view.unlabel(label_rows(gone))
        return made

    return connection.together("make_live", work)


_VERSION = ("id", "version", "content_hash", "title_id")


def hide_typed(connection: Connection, document_id: str) -> list[Row]:
    """Do `hide_document` for a document whose chunks state something; return its rows."""

    def work(run: Run) -> list[Row]:
        gone, _stated = statements(run("typed_document", id=document_id))
        view = TypedView(run)
        view.lock(gone)
        view.withdraw(gone)
        hidden = run("hide_document", id=document_id, typed=True)
        view.unlabel(label_rows(gone))
        return hidden

    return connection.together("hide_document", work)


def merge_typed(connection: Connection, source: str, target: str, **merge: object) -> list[Row]:
    """Do `merge_elements` where chunks state something of the source; return its rows."""

    def work(run: Run) -> list[Row]:
        view = TypedView(run)
        for row in run(
            "typed_merge", source=source, target=target
        ):  # to know which elements are to be locked
            view.lock(statements(row["chunks"])[1], [*row["members"], source, target])
        rows = run("typed_merge", source=source, target=target)
        concerned = [statement for row in rows for statement in statements(row["chunks"])[1]]
        view.withdraw(concerned)
        merged = run("merge_elements", source=source, target=target, typed=True, **merge)
        if not merged:
            raise _NothingDone
        view.state(concerned)
        labels = {label for row in label_rows(concerned) for label in row["labels"]}
        view.unlabel([{"element": source, "labels": sorted(labels)}])
        return merged

    try:
        return connection.together("merge_elements", work)
    except _NothingDone:
        return []


def undo_typed(connection: Connection, **merge: object) -> list[Row]:
    """Run `undo_merge` on elements that chunks make statements about; return its rows."""

    def work(run: Run) -> list[Row]:
        view = TypedView(run)
        for row in run("typed_undo", id=merge["id"]):  # to know which elements are to be locked
            view.lock(statements(row["chunks"])[1], row["members"])
        rows = run("typed_undo", id=merge["id"])
        concerned = [statement for row in rows for statement in statements(row["chunks"])[1]]
        view.withdraw(concerned)
        undone = run("undo_merge", typed=True, **merge)
        view.state(concerned)
        labels = {label for row in label_rows(concerned) for label in row["labels"]}
        view.unlabel([{"element": row["target"], "labels": sorted(labels)} for row in rows])
        return undone

    return connection.together("undo_merge", work)
