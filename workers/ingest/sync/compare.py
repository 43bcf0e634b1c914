"""Step ingest.compare: finds what is new, changed, moved or gone between sources and the graph."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import orjson

from hopline.errors import InvalidInput, Permanent
from hopline.events.documents import SourcesCompared
from hopline.models.base import Frozen
from hopline.models.documents import Document
from hopline.models.jobs import Json
from hopline.models.params import SyncParams
from workers.core import ids
from workers.core.graph.document_pages import all_documents
from workers.core.jobs.manifest import Manifest, ManifestWriter
from workers.core.jobs.params import DocumentParams, read_input
from workers.core.jobs.result_pages import get_entries, unfold_pages
from workers.core.jobs.work import Item, Outcome
from workers.core.language.languages import languages_of
from workers.core.ports import Blobs, Graph, Ports
from workers.ingest.load import INDEXED, would_be_read_better
from workers.ingest.sync.remove import RemoveInput
from workers.ingest.sync.scope import Doubtful, Scope
from workers.ingest.sync.survey import (
    WINDOW,
    SurveyResult,
    read_page,
    survey_number,
    too_many_refused,
)

_PAGE = 500  # documents of the graph in one round trip
_FEW = 20  # a collection of so few may lose all of them without being asked
_EXAMPLES = 20  # of each kind of change
_LANGUAGES = 10_000  # documents that one sync detects the languages of
_EXAMPLE = 500  # characters of an address that they show: a result is bounded


class _Gone(NamedTuple):
    """A document that the sources no longer hold."""

    id: str
    uri: str
    title: str
    made_of: str


@dataclass
class _Changes:
    """Changes to make, by document id."""

    unchanged: set[str] = field(default_factory=set)
    changed: set[str] = field(default_factory=set)
    gone: list[_Gone] = field(default_factory=list)
    doubtful: int = 0  # not listed, but their places could not be read
    standing: int = 0  # documents of the graph that lie under the sources
    moved: dict[str, _Gone] = field(default_factory=dict)  # new id -> what it was

    def kind_of(self, document_id: str) -> str:
        if document_id in self.unchanged:
            return "unchanged"
        if document_id in self.moved:
            return "moved"
        return "changed" if document_id in self.changed else "new"


class FailedSurvey(Frozen):
    """What a result page keeps of a survey that failed."""

    error: str


class SurveyEntry(Frozen):
    """A survey whose result has not left Redis, while others have."""

    item: str  # id
    line: SurveyResult


class CompareInput(Frozen):
    """What the sources hold: either `surveyed` or, where results have left Redis, `pages` and `rest`."""

    refusals: str  # blob of [place, reason] pairs
    scopes: tuple[Scope, ...]  # where the sources' documents lie
    surveyed: tuple[tuple[str, str], ...] | None = None  # (page, made) in the order of the listing
    pages: tuple[str, ...] | None = None  # blobs of result pages of the surveys
    rest: tuple[SurveyEntry, ...] | None = None  # those that lie in no page


class CompareResult(Frozen):
    """What is to be done."""

    counts: dict[str, int]  # new, changed, moved, removed, unchanged, doubtful -> documents; 0 may be missing
    changes: Manifest  # list of items
    removals: Manifest
    examples: dict[str, tuple[str, ...]]  # kind of change -> some addresses


def compare_documents(listed: CompareInput, ports: Ports) -> Outcome:
    """Compare the sources with their documents in the graph.

    Documents of before languages were stored are given theirs; unchanged ones are not read again.

    Raises:
        InvalidInput: more documents would go than the job allows.
        Permanent: a page of the sources could not be surveyed.
    """
    params = read_input(SyncParams, ports.job.params)
    surveyed = _surveyed(listed, ports.blobs)
    refused = orjson.loads(ports.blobs.get(listed.refusals))
    unsure = None if too_many_refused(len(refused)) else Doubtful(place for place, _reason in refused)
    changes = _compare(ports, _listed(ports.blobs, surveyed), listed.scopes, unsure, reread=params.reread)
    _pair_moved(ports.blobs, surveyed, changes)
    _check_removals(params, changes)
    result = _written(ports.blobs, ports.job.collection, surveyed, changes)
    if not params.dry_run:
        _detect_languages(ports.graph, ports.job.collection)
    return Outcome(result=result, events=(SourcesCompared(**result.counts),))


def _surveyed(listed: CompareInput, blobs: Blobs) -> list[tuple[str, str]]:
    """Return (page, made) references in the order of the listing, which does not change."""
    if listed.surveyed is not None:
        return list(listed.surveyed)
    surveys = {survey_number(entry.item): entry.line for entry in listed.rest or ()}
    for page in unfold_pages(blobs, listed.pages or ()):
        for entry in get_entries(blobs, page):
            if "made" not in entry.line:
                failed = FailedSurvey.read_stored(entry.line)
                raise Permanent(f"{entry.item} failed while the sources were listed: {failed.error}")
            surveys[survey_number(entry.item)] = SurveyResult.read_stored(entry.line)
    return [(surveys[number].page, surveys[number].made) for number in sorted(surveys)]


def _made(blobs: Blobs, surveyed: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str, str]]:
    """Yield (document id, uri, source hash) of all that is listed."""
    for _page, made in surveyed:
        yield from orjson.loads(blobs.get(made))


def _mark(uri: str, source_hash: str) -> bytes:
    return hashlib.blake2b(f"{source_hash}\0{uri}".encode(), digest_size=12).digest()


def _listed(blobs: Blobs, surveyed: Sequence[tuple[str, str]]) -> dict[str, bytes]:
    """Return a mark of address and content per document: a hundred bytes, for there may be a million."""
    return {name: _mark(uri, made_of) if made_of else b"" for name, uri, made_of in _made(blobs, surveyed)}


def _compare(
    ports: Ports,
    listed: dict[str, bytes],
    scopes: Sequence[Scope],
    unsure: Doubtful | None,
    *,
    reread: bool,
) -> _Changes:
    changes, vision = _Changes(), ports.model.name_of("vision")
    for document in _documents(ports.graph, ports.job.collection):
        under = any(scope.holds(document.uri) for scope in scopes)
        changes.standing += under
        # One from before its bytes were noted: of plain text the hash is that of its bytes.
        made_of = document.source_hash or document.content_hash
        if document.id in listed:
            same = document.status == INDEXED and listed[document.id] == _mark(document.uri, made_of)
            same = same and not (reread and would_be_read_better(document, vision))
            (changes.unchanged if same else changes.changed).add(document.id)
        elif under and (unsure is None or unsure.holds(document.uri)):
            changes.doubtful += 1
        elif under:
            changes.gone.append(_Gone(document.id, document.uri, document.title, made_of))
    return changes


def _documents(graph: Graph, collection: str) -> Iterator[Document]:
    documents = all_documents(graph.store, collection, _PAGE)
    return (document for document in documents if document.status != "deleting")


def _detect_languages(graph: Graph, collection: str) -> None:
    for _page in range(0, _LANGUAGES, _PAGE):
        if not (found := graph.store.without_languages(collection, _PAGE)):
            return
        graph.store.note_languages([(each.id, each.version, languages_of(each.text)) for each in found])


def _pair_moved(blobs: Blobs, surveyed: Sequence[tuple[str, str]], changes: _Changes) -> None:
    """Find moved documents: gone from one place, new at another, with the same bytes."""
    went: dict[str, list[_Gone]] = defaultdict(list)
    for gone in changes.gone:
        went[gone.made_of].append(gone)
    for document_id, _uri, made_of in _made(blobs, surveyed):
        if document_id not in changes.unchanged and (same := went.get(made_of)):
            changes.moved[document_id] = same.pop(0)


def _check_removals(params: SyncParams, changes: _Changes) -> None:
    removed = len(changes.gone) - len(changes.moved)
    if params.dry_run or removed <= max(_FEW, params.most_removed * changes.standing):
        return
    share = f"{removed} of {changes.standing} documents"
    message = (
        f"this would remove {share}, more than a share of {params.most_removed:g}: nothing was changed;"
        " if the sources are whole, allow more (--most-removed)"
    )
    raise InvalidInput("most_removed", share, f"at most {params.most_removed:g} of them", message=message)


def _written(
    blobs: Blobs, collection: str, surveyed: Sequence[tuple[str, str]], changes: _Changes
) -> CompareResult:
    """Store the lists of pending work."""
    writer, counts = ManifestWriter(blobs, WINDOW), Counter[str]()
    examples: dict[str, list[str]] = defaultdict(list)
    for page, _made_of in surveyed:
        for document in read_page(blobs, page):
            document_id = ids.document_id(collection, document.name or document.uri)
            kind = changes.kind_of(document_id)
            counts[kind] += 1
            if kind != "unchanged":
                _note(examples[kind], document.uri)
                writer.add(_item(writer.size, document, changes.moved.get(document_id)))
    removals = _removals(blobs, changes, counts, examples)
    counts["doubtful"] = changes.doubtful
    return CompareResult(
        counts=dict(counts),
        changes=writer.finish(),
        removals=removals,
        examples={kind: tuple(uris) for kind, uris in examples.items()},
    )


def _item(at: int, document: DocumentParams, was: _Gone | None) -> Item:
    known: Json = {"keeps_command": True}
    if was:
        known |= {"moved_from": was.id, "known_as": was.title}
    document = document.model_copy(update=known)
    shown = "".join(c if c.isprintable() else "?" for c in document.uri[-60:])
    return Item(id=f"{at}:{shown}", step="ingest.document", input=document.model_dump(mode="json"))


def _removals(
    blobs: Blobs, changes: _Changes, counts: Counter[str], examples: dict[str, list[str]]
) -> Manifest:
    writer = ManifestWriter(blobs, WINDOW)
    became = {was.id: document_id for document_id, was in changes.moved.items()}
    for nth, gone in enumerate(changes.gone):
        if gone.id not in became:
            counts["removed"] += 1
            _note(examples["removed"], gone.uri)
        removal = RemoveInput(document_id=gone.id, uri=gone.uri, became=became.get(gone.id, ""))
        writer.add(Item(id=f"remove:{nth}", step="ingest.remove", input=removal))
    return writer.finish()


def _note(examples: list[str], uri: str) -> None:
    if len(examples) < _EXAMPLES:
        examples.append(uri[:_EXAMPLE])
