"""Keeps the contents of collections that are read within scopes, and the views of their scopes."""

from __future__ import annotations

import threading
from collections import OrderedDict, defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from workers.adapters.neo4j.connection import Connection, load_query
from workers.adapters.neo4j.metadata.filters import CompiledFilter
from workers.adapters.neo4j.rows import to_document
from workers.core.errors import Permanent
from workers.core.records import Document
from workers.core.scope import Scope

if TYPE_CHECKING:
    from workers.adapters.neo4j.scoped.contents import ChunkRow, Contents
    from workers.adapters.neo4j.scoped.view import View

_VIEWS = 50  # kept, those used last
_DOCUMENTS_READ = 200  # at a time
_SECONDS = 120.0  # that one such reading may take


Selection = tuple[frozenset[str], dict[str, str]]  # documents, and merges that people made


@dataclass(frozen=True)
class _Kept:
    """A collection in memory, as of a state of the database."""

    mark: str
    versions: dict[str, str | None]  # what is live of each document, by id; None: it was not whole yet
    rows: dict[str, list[ChunkRow]]
    contents: Contents


class ScopeKeeper:
    """The views of a process.

    A document is read once per version. Which documents are in a scope is asked of the graph whenever
    something was written since: by one round trip where nothing was.

    Args:
        connection: to the graph.
        most: facts of all collections together that are kept; of one that is read, at most.
    """

    def __init__(self, connection: Connection, most: int) -> None:
        self._connection = connection
        self._most = most
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._views: OrderedDict[tuple[str, str], tuple[str, Selection, View]] = OrderedDict()
        self._reading: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self._lock = threading.Lock()

    def view(self, collection: str, scope: Scope) -> View:
        """Return what a scope holds now.

        Raises:
            Permanent: the collection holds too many facts to be read within a scope.
            DependencyAway, Transient: the server cannot be asked now.
        """
        from workers.adapters.neo4j.scoped.view import View  # noqa: PLC0415 - numpy

        key = collection, scope.model_dump_json()
        mark = self._connection.mark()
        with self._lock:
            known = self._views.get(key)
            if known:
                self._views.move_to_end(key)
        if known and known[0] == mark:
            return known[2]
        with self._lock:
            reading = self._reading[collection]
        with reading:
            contents = self._contents(collection, mark)
        visible = self.documents_in(collection, scope)
        merges = {
            row["source"]: row["target"] for row in self._connection.run("merges_made", collection=collection)
        }
        if known and known[2].contents is contents and known[1] == (visible, merges):
            view = known[2]
        else:
            view = View(contents, visible, merges)
        with self._lock:
            kept = self._kept.get(collection)
            if kept and kept.contents is contents:
                self._views[key] = mark, (visible, merges), view
            while len(self._views) > _VIEWS:
                self._views.popitem(last=False)
        return view

    def documents_in(self, collection: str, scope: Scope) -> frozenset[str]:
        """Return the ids of the live documents in a scope."""
        compiled = CompiledFilter(scope.filter)
        rows = self._connection.run_text(
            "documents_in_scope",
            compiled.within(load_query("documents_in_scope")),
            None,
            **compiled.parameters,
            collection=collection,
            ids=list(scope.documents) or None,
        )
        return frozenset(row["id"] for row in rows)

    def _contents(self, collection: str, mark: str) -> Contents:
        from workers.adapters.neo4j.scoped.contents import build_contents  # noqa: PLC0415 - numpy

        with self._lock:
            kept = self._kept.get(collection)
        if kept and kept.mark == mark:
            return kept.contents
        rows = self._connection.run("versions", collection=collection)
        documents = [to_document(row["document"]) for row in rows]
        versions = {row["id"]: row["contents"] for row in rows}
        self._check_size(collection, documents)
        old = kept.rows if kept and kept.versions else {}
        unchanged = {
            name for name in old if kept and versions.get(name) and versions[name] == kept.versions[name]
        }
        read = {name: old[name] for name in unchanged} | self._read(sorted(versions.keys() - unchanged), mark)
        if kept and unchanged == kept.versions.keys() == versions.keys():
            contents = replace(kept.contents, documents=documents)
            if documents == kept.contents.documents:
                contents = kept.contents
        else:
            contents = build_contents(collection, documents, read)
        self._keep(collection, _Kept(mark, versions, read, contents))
        return contents

    def _check_size(self, collection: str, documents: list[Document]) -> None:
        facts = sum(document.facts for document in documents)
        if facts > self._most:
            raise Permanent(
                f"collection {collection} holds {facts:,} facts; within a scope at most {self._most:,} are "
                "read: set HOPLINE_SEARCH_MEMORY_FACTS higher, or ask without a scope"
            )

    def _read(self, ids: list[str], mark: str) -> dict[str, list[ChunkRow]]:
        from workers.adapters.neo4j.scoped.contents import ChunkRow  # noqa: PLC0415 - numpy

        read: dict[str, list[ChunkRow]] = {name: [] for name in ids}
        for first in range(0, len(ids), _DOCUMENTS_READ):
            some = ids[first : first + _DOCUMENTS_READ]
            for name, chunk, facts in self._connection.stream("contents", _SECONDS, mark, ids=some):
                read[name].append(ChunkRow(chunk, facts))
        return read

    def _keep(self, collection: str, kept: _Kept) -> None:
        with self._lock:
            self._kept[collection] = kept
            self._kept.move_to_end(collection)
            self._drop_views(collection, kept.contents)
            while (
                sum(len(one.contents.facts) for one in self._kept.values()) > self._most
                and len(self._kept) > 1
            ):
                dropped, _contents = self._kept.popitem(last=False)
                self._drop_views(dropped)

    def _drop_views(self, collection: str, besides: Contents | None = None) -> None:
        """Drop a collection's views, which hold its contents, but for those of the newest."""
        for key, (_mark, _selection, view) in list(self._views.items()):
            if key[0] == collection and view.contents is not besides:
                del self._views[key]

    def _facts(self) -> int:
        return sum(len(kept.contents.facts) for kept in self._kept.values())
