"""Reads versions of documents that were live at an earlier time."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from hopline.errors import InvalidInput
from workers.adapters.neo4j.connection import Connection, Row
from workers.adapters.neo4j.metadata.filters import CompiledFilter
from workers.core.graph.kept_versions import kept_store, shown_time
from workers.core.scope import Scope, SeenScope, allowed_to

_NAMED = 5  # documents in an error
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

Selected = tuple[str | None, Row]  # see `keeper`


def select_past(connection: Connection, collection: str, scope: Scope, at: datetime) -> list[Selected]:
    """Return the versions of a collection's documents that were live at a time and are in a scope.

    Raises:
        InvalidInput: the time is in the future, or versions from then are not kept.
    """
    moment = (at - _EPOCH) // timedelta(milliseconds=1)
    selected = _selected(connection, collection, scope, moment)
    # After that, so that what went before it was selected is noted by now.
    state = connection.run("kept_gaps", collection=collection, at=moment)[0]
    _check_time(at, collection, state, moment)
    concerned = [gap for gap in state["gaps"] if not scope.documents or gap["id"] in scope.documents]
    hidden = _hidden(connection, scope, moment, [gap["id"] for gap in concerned])
    _check_gaps(at, [gap for gap in concerned if gap["id"] not in hidden])
    kept = [row["id"] for _contents, row in selected if "key" in row]
    hidden = _hidden(connection, scope, moment, kept)
    return [(contents, _marked(row)) for contents, row in selected if row["id"] not in hidden]


def _selected(connection: Connection, collection: str, scope: Scope, moment: int) -> list[Selected]:
    compiled = CompiledFilter(scope.filter, scope.documents)
    rows = compiled.run(
        connection,
        "kept_selected",
        collection=collection,
        at=moment,
    )
    return [(contents, row) for contents, row in rows[0]["documents"]]


def _marked(row: Row) -> Row:
    """Return a document's row; that of a kept version says where its vectors are."""
    return {**row, "store": kept_store(row["collection"])} if "key" in row else row


def _hidden(connection: Connection, scope: Scope, moment: int, named: Sequence[str]) -> frozenset[str]:
    """Return the documents whose older versions the caller may no longer see.

    A version may be seen by those who may also see every later one and the current document.
    """
    if not named or not isinstance(scope, SeenScope):
        return frozenset()
    compiled = CompiledFilter(allowed_to(scope.principals))
    rows = compiled.run(
        connection,
        "kept_hidden",
        named=list(named),
        at=moment,
    )
    return frozenset(rows[0]["hidden"])


def _check_time(at: datetime, collection: str, state: Row, moment: int) -> None:
    timestamp = at.isoformat()
    if moment > state["now"]:
        raise InvalidInput("known_at", timestamp, f"a time in the past: it is now {shown_time(state['now'])}")
    if state["since"] is None:
        unkept = f"nothing for collection {collection}: earlier versions are not kept there"
        hint = "(set HOPLINE_VERSIONS_KEPT); as_of goes by the documents' own dates"
        raise InvalidInput("known_at", timestamp, f"{unkept} {hint}")
    if moment < state["since"]:
        since = shown_time(state["since"])
        reason = f"{since} or later: since then versions of collection {collection} are kept"
        raise InvalidInput("known_at", timestamp, reason)


def _check_gaps(at: datetime, gaps: Sequence[Row]) -> None:
    if not gaps:
        return
    names = ", ".join(gap["uri"] for gap in gaps[:_NAMED]) + (", …" if len(gaps) > _NAMED else "")
    until = shown_time(max(gap["until"] for gap in gaps))
    lost = f"what was live then of {len(gaps)} of the documents is not kept any more ({names})"
    raise InvalidInput("known_at", at.isoformat(), f"{until} or later: {lost}")


def read_kept(connection: Connection, keys: Collection[str]) -> dict[str, list[list[Any]]]:
    """Return contents of kept versions by key, as chunks with facts; versions that are gone are missing."""
    read: dict[str, list[list[Any]]] = {}
    for row in connection.run("kept_parts", keys=list(keys)) if keys else ():
        read.setdefault(row["key"], []).extend(json.loads(row["body"]))
    return read
