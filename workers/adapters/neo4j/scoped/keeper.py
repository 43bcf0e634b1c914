"""Caches the contents of documents that are read within scopes, and the views of these scopes."""

from __future__ import annotations

import threading
from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from hopline.errors import Permanent, Transient
from workers.adapters.neo4j.connection import Connection, Row
from workers.adapters.neo4j.kept.past import read_kept, select_past
from workers.adapters.neo4j.metadata.filters import CompiledFilter
from workers.core.graph.kept_versions import kept_store, plain_id
from workers.core.retries import RETRIES
from workers.core.scope import Scope

if TYPE_CHECKING:
    from workers.adapters.neo4j.scoped.columns import ChunkRow, DocumentColumns
    from workers.adapters.neo4j.scoped.contents import Contents
    from workers.adapters.neo4j.scoped.view import View
    from workers.adapters.neo4j.scoped.words import Vocabulary

_VIEWS = 50  # kept, those used last
_DOCUMENTS_READ = 200  # at a time
_SECONDS = 120.0  # that one such reading may take

_Selected = tuple[str | None, Row]  # which contents of a document are live, and its node's properties
_Collections = tuple[str, ...]  # whose documents a scope is of
_Merges = Mapping[str, Mapping[str, str]]  # that people made, by collection: source → target


class LiveText(NamedTuple):
    """The live text of a document."""

    name: str  # of this text among all that the document ever had
    since: float  # seconds since the epoch, by the server's clock; 0 where that was not noted


class _Read(NamedTuple):
    """A cached document."""

    contents: str | None  # which of its contents are live; None: what was read may be a part of them
    row: Row  # its node's properties
    columns: DocumentColumns
    replaced: bool = False  # another text became live before it was read, or while it was


@dataclass
class _Shelf:
    """The cached documents of some collections read together, most recently used last."""

    vocabulary: Vocabulary
    read: OrderedDict[str, _Read] = field(default_factory=OrderedDict)  # by id

    @property
    def facts(self) -> int:
        """Number of their facts."""
        return sum(document.row["facts"] for document in self.read.values())


class _Known(NamedTuple):
    """A view, and the documents it was built from."""

    mark: str  # of a state of the database
    documents: list[_Read]
    merges: _Merges
    view: View

    @property
    def facts(self) -> int:
        """Number of facts of its documents."""
        return self.view.contents.facts_stated


class ScopeKeeper:
    """The views cached by a process.

    Whenever something was written since, the graph is queried for the documents in a scope and their live
    contents; one round trip shows that nothing was. A document is read once per version, and only for a scope
    that contains it.

    Args:
        connection: connection to the graph.
        most: maximum number of facts in all cached documents, in all views, and in one scope.
    """

    def __init__(self, connection: Connection, most: int) -> None:
        self._connection = connection
        self._most = most
        self._shelves: OrderedDict[_Collections, _Shelf] = OrderedDict()
        self._views: OrderedDict[tuple[_Collections, str], _Known] = OrderedDict()
        self._reading: defaultdict[_Collections, threading.Lock] = defaultdict(threading.Lock)
        self._lock = threading.Lock()

    def view(self, collection: str | Sequence[str], scope: Scope) -> View:
        """Return the current view of a scope.

        Several collections form one view, in which a name is one key element, with its id in the first
        collection.

        Raises:
            Permanent: the scope contains too many facts.
            DependencyAway, Transient: the server is unavailable.
        """
        names = _names(collection)
        key = names, scope.model_dump_json()
        mark = self._connection.mark()
        known = self._known(key)
        if known and known.mark == mark:
            return known.view
        selected = self._selected(names, scope)
        self._check_size(names, [row for _contents, row in selected])
        merges = {name: self._merged(name) for name in names}
        with self._lock:
            reading = self._reading[names]
        with reading:
            shelf = self._shelf(names)
            documents = self._documents(selected, names[0], shelf, mark)
            for _ in range(RETRIES.scope_reads):
                if not any(document.replaced for document in documents):
                    break
                documents = self._documents(self._selected(names, scope), names[0], shelf, mark)
            if scope.known_at is not None and any(document.replaced for document in documents):
                raise Transient("documents are changing faster than a past state can be read: ask again")
            # Who may see a document changes together with its text: none is shown with another's selection.
            documents = [document for document in documents if not document.replaced]
            known = self._known(key)
            if known and (known.documents, known.merges) == (documents, merges):
                view = known.view
            else:
                view = _build(documents, merges, shelf.vocabulary)
            self._keep(key, _Known(mark, documents, merges, view))
        return view

    def documents_in(self, collection: str | Sequence[str], scope: Scope) -> frozenset[str]:
        """Return the ids of the live documents in a scope."""
        names = _names(collection)
        known = self._known((names, scope.model_dump_json()))
        if known and known.mark == self._connection.mark():
            return frozenset(document.row["id"] for document in known.documents)
        return frozenset(row["id"] for _contents, row in self._selected(names, scope))

    def among(self, collection: str | Sequence[str], ids: Iterable[str], scope: Scope) -> frozenset[str]:
        """Return the given document ids that are live and in a scope."""
        named = set(ids) & set(scope.documents) if scope.documents else set(ids)
        if not named:  # a scope without ids would hold all documents
            return frozenset()
        return self.documents_in(collection, scope.model_copy(update={"documents": tuple(sorted(named))}))

    def live_texts(self, ids: Iterable[str]) -> dict[str, LiveText]:
        """Return the live text of each of the given documents that is live."""
        rows = self._connection.run("versions", ids=sorted(set(ids)))
        return {
            row["id"]: LiveText(f"{row['live']} {row['live_hash'] or ''}", row["since"] / 1000)
            for row in rows
        }

    def _known(self, key: tuple[_Collections, str]) -> _Known | None:
        with self._lock:
            known = self._views.get(key)
            if known:
                self._views.move_to_end(key)
            return known

    def _selected(self, collections: _Collections, scope: Scope) -> list[_Selected]:
        """Return the live documents in a scope, each with its live contents."""
        compiled = CompiledFilter(scope.filter, scope.documents)
        selected: list[_Selected] = []
        for name in collections:
            if scope.known_at is not None:
                selected += select_past(self._connection, name, scope, scope.known_at)
                continue
            rows = compiled.run(
                self._connection,
                "documents_in_scope",
                collection=name,
            )
            selected += [(contents, row) for contents, row in rows[0]["documents"]]
        return selected

    def _merged(self, collection: str) -> dict[str, str]:
        rows = self._connection.run("merges_made", collection=collection)
        return {row["source"]: row["target"] for row in rows}

    def _documents(
        self, selected: Iterable[_Selected], collection: str, shelf: _Shelf, mark: str
    ) -> list[_Read]:
        """Return the documents in a scope by id, after reading changed ones again."""
        documents: dict[str, _Read] = {}
        missing = []
        for contents, row in selected:
            if document := _current(shelf.read.get(_name(row)), contents, row):
                documents[_name(row)] = document
            else:
                missing.append((contents, row))
        documents |= self._read(missing, collection, shelf.vocabulary, mark)
        self._put(shelf, documents)
        return [documents[name] for name in sorted(documents)]

    def _read(
        self, selected: Sequence[_Selected], collection: str, vocabulary: Vocabulary, mark: str
    ) -> Iterator[tuple[str, _Read]]:
        from workers.adapters.neo4j.scoped.columns import ChunkRow, document_columns  # noqa: PLC0415 - numpy

        for first in range(0, len(selected), _DOCUMENTS_READ):
            some = selected[first : first + _DOCUMENTS_READ]
            ids = [row["id"] for _contents, row in some if "key" not in row]
            chunks: dict[str, list[ChunkRow]] = {_name(row): [] for _contents, row in some}
            for name, chunk, facts in self._connection.stream("contents", _SECONDS, mark, ids=ids):
                chunks[name].append(ChunkRow(chunk, facts))
            now = self._connection.run("versions", ids=ids)
            live = {row["id"]: row["contents"] for row in now}
            texts = {row["id"]: _text_of(row) for row in now}
            for key, kept_chunks in read_kept(self._connection, chunks.keys() - ids).items():
                chunks[key] += [ChunkRow(*kept_chunk) for kept_chunk in kept_chunks]
            for contents, row in some:
                name = _name(row)
                if "key" in row and chunks[name]:
                    live[name], texts[name] = contents, _text_of(row)
                columns = document_columns(collection, row["title"], chunks[name], vocabulary)
                # What changed while it was read is read again with the next question, and so is what was read
                # in the middle of a commit, without all of the chunks that the document says it has.
                is_whole = "key" in row or len(chunks[name]) == row["chunks"]
                known = contents if is_whole and live.get(name) == contents else None
                yield name, _Read(known, row, columns, replaced=texts.get(name) != _text_of(row))

    def _shelf(self, collections: _Collections) -> _Shelf:
        from workers.adapters.neo4j.scoped.words import Vocabulary  # noqa: PLC0415 - numpy

        with self._lock:
            shelf = self._shelves.setdefault(collections, _Shelf(Vocabulary()))
            self._shelves.move_to_end(collections)
            return shelf

    def _check_size(self, collections: _Collections, documents: Sequence[Row]) -> None:
        facts = sum(row["facts"] for row in documents)
        if facts > self._most:
            raise Permanent(
                f"the scope contains {facts:,} facts of collection {' and '.join(collections)}, and at most "
                f"{self._most:,} are read: set HOPLINE_SEARCH_MEMORY_FACTS higher, or ask about fewer "
                "documents"
            )

    def _put(self, shelf: _Shelf, documents: Mapping[str, _Read]) -> None:
        """Cache documents, dropping the least recently used ones if there are too many."""
        with self._lock:
            for name, document in documents.items():
                shelf.read[name] = document
                shelf.read.move_to_end(name)
            held = sum(other.facts for other in self._shelves.values())
            while held > self._most and len(self._shelves) > 1:
                _name, dropped = self._shelves.popitem(last=False)
                held -= dropped.facts
            while held > self._most:
                _id, document = shelf.read.popitem(last=False)
                held -= document.row["facts"]

    def _keep(self, key: tuple[_Collections, str], known: _Known) -> None:
        with self._lock:
            self._views[key] = known
            self._views.move_to_end(key)
            held = sum(other.facts for other in self._views.values())
            while len(self._views) > 1 and (len(self._views) > _VIEWS or held > self._most):
                _key, dropped = self._views.popitem(last=False)
                held -= dropped.facts


def _current(read: _Read | None, contents: str | None, row: Row) -> _Read | None:
    """Return the cached document if it is live, including its title."""
    if read is None or contents is None:
        return None
    if (read.contents, read.row["title"]) != (contents, row["title"]):
        return None
    return read if read.row == row else read._replace(row=row)


def _build(documents: Sequence[_Read], merges: _Merges, vocabulary: Vocabulary) -> View:
    from workers.adapters.neo4j.scoped.contents import build_contents  # noqa: PLC0415 - numpy
    from workers.adapters.neo4j.scoped.view import View  # noqa: PLC0415

    contents = build_contents([(document.row, document.columns) for document in documents], vocabulary)
    if len(merges) == 1:
        [merged] = merges.values()
        return View(contents, merged)
    return View(contents, joined_merges(contents, merges))


def joined_merges(contents: Contents, merges: _Merges) -> dict[str, str]:
    """Return the merges of several collections as one, those of the first collection first.

    A merge counts only if documents of its own collection name both, because otherwise hidden ones may be the
    reason for it. Collections may merge the same names in opposite directions; a merge that would form a
    circle is left out.
    """
    joined: dict[str, str] = {}
    for collection, merged in merges.items():
        stores = kept_store(collection), collection
        names = [entry for store in stores for entry in contents.stored_ids(store).items()]
        own = {plain_id(name): here for name, here in names}
        for stored in sorted(own.keys() & merged.keys()):
            source, target = own[stored], own.get(merged[stored])
            if source not in joined and target is not None and _end(joined, target) != source:
                joined[source] = target
    return joined


def _end(merges: Mapping[str, str], name: str) -> str:
    """Return the name to which merges lead."""
    while name in merges:
        name = merges[name]
    return name


def _names(collection: str | Sequence[str]) -> _Collections:
    return (collection,) if isinstance(collection, str) else tuple(collection)


def _name(row: Row) -> str:
    """Return a key that distinguishes a document and its kept versions from others."""
    name: str = row["key"] if "key" in row else row["id"]
    return name


def _text_of(row: Row) -> tuple[Any, Any]:
    """Return a document's live version and text."""
    return row.get("live"), row.get("live_hash")
