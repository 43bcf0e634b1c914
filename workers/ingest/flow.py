"""Flow of a document: load → split → extract (one item per chunk) → link → index.

Between loading and splitting, pages that are pictures are recognised, those that recognition doubts are read
by a vision model if there is one, and the document is loaded again with their words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from operator import or_
from typing import Annotated

from hopline.events.documents import DocumentIndexed
from hopline.models.base import Frozen
from hopline.models.documents import UNKEPT, Document
from hopline.models.jobs import JobState, Json
from hopline.models.reports import FailedChunk
from workers.core import ids
from workers.core.errors import DocumentSuperseded
from workers.core.jobs.flow import Flow, Record, Results, Step, result_of
from workers.core.jobs.params import DocumentParams
from workers.core.jobs.work import End, Item, Job, Outcome, Phase
from workers.core.metadata.changes import NO_CHANGE, MetadataChange
from workers.core.ports import Ports
from workers.core.records import IN_FULL
from workers.ingest.chunking.split import SplitInput, SplitResult, split_document
from workers.ingest.extract import ExtractInput, ExtractResult, extract_facts
from workers.ingest.link import LinkInput, LinkResult, link_chunks
from workers.ingest.load import LoadInput, LoadResult, load_document
from workers.ingest.measure import measure_where_due
from workers.ingest.originals import tidy_originals
from workers.ingest.pages import CHUNKS_PER_PAGE, Embeddable, Typed, get_contents, get_embeddables, get_typed
from workers.ingest.recognise import RecogniseInput, RecogniseResult, parts_of, recognise_pages
from workers.ingest.transcribe import TranscribeInput, TranscribeResult, transcribe_page
from workers.ingest.vectors import forget_unheld, forget_vectors, store_new_vectors
from workers.ingest.versions import keep_vectors, tidy_document


class IndexInput(Frozen):
    """A version of a document that was linked as a whole."""

    document: Annotated[Document, IN_FULL]
    embed: tuple[str, ...]  # blobs of what is to be embedded
    pages: tuple[str, ...] = ()  # blobs of its chunks
    chunks: int
    error: str | None  # what the version lacks; None where it is whole
    typed: tuple[str, ...] | None = None  # blobs of what a profile found; None without one
    metadata: Annotated[MetadataChange, IN_FULL] = NO_CHANGE


class IndexResult(Frozen):
    """A version that is live."""

    uri: str
    facts: int  # distinct ones
    vectors: int  # that were not there
    removed: int  # vectors of the version before
    # Distinct ones, with a profile only:
    entities: int | None = None
    relations: int | None = None
    events: int | None = None

    @property
    def counts(self) -> dict[str, int]:
        """Number of distinct facts, and of the items that a profile asks for."""
        return self.model_dump(include={"facts", "entities", "relations", "events"}, exclude_none=True)


def index_document(version: IndexInput, ports: Ports) -> Outcome:
    """Embed the version, make it live, and delete what only the older version held.

    The order is vectors, live, old vectors. Readers take ids from the vector store and read them from the
    graph, which shows live versions only: vectors that come early are found and dropped there, and vectors of
    removed nodes are deleted once no reader can still be on the way to them. After a crash in between this
    step is still due, and every part of it may be repeated; only vectors of nodes that `make_live` removed
    before the crash stay, which readers ignore and `hopline collections reindex` sweeps.

    Raises:
        DocumentSuperseded: a newer version of the document was opened.
        EmbedderMismatch: the collection was rebuilt with another embedder meanwhile.
    """
    document = version.document
    entries: dict[str, Embeddable] = {}
    for reference in version.embed:
        entries.update((entry[0], entry) for entry in get_embeddables(ports.blobs, reference))
    elements = [graph_id for graph_id, kind, _text in entries.values() if kind == "element"]
    for redirect in ports.graph.merging.redirects(document.collection, elements):
        del entries[redirect]  # found by its target's vector
    ports.vectors.prepare(document.collection, ports.model.embedder)
    contents = get_contents(ports.blobs, version.pages)
    stored = store_new_vectors(ports, document.collection, list(entries.values()), contents)
    facts = sum(kind == "fact" for _id, kind, _text in entries.values())
    counted = document.model_copy(update={"chunks": version.chunks, "facts": facts})
    keep_vectors(ports, document.id)
    try:
        gone = ports.graph.store.make_live(counted, document.source_hash, version.metadata)
    except DocumentSuperseded:
        # Whoever overtook this version may have removed it before its vectors came.
        forget_unheld(ports, document.collection, entries)
        raise
    removed = forget_vectors(ports, document.collection, gone)
    tidy_document(ports, document.id)
    if document.version > 1:
        tidy_originals(ports, [document.id])
    if version.error:
        ports.graph.store.set_status(document.id, document.version, "partial", version.error)
    measure_where_due(ports, document.collection, document.id, version.chunks)
    typed = None
    if version.typed is not None:
        parts = (get_typed(ports.blobs, reference) for reference in version.typed)
        typed = reduce(or_, parts, Typed())
    result = IndexResult(
        uri=document.uri, facts=facts, vectors=stored, removed=removed, **(typed.counts if typed else {})
    )
    return Outcome(result=result, events=(DocumentIndexed(**result.model_dump()),))


LOAD, SPLIT, EXTRACT, LINK, INDEX = range(5)
_RECOGNISE, _TRANSCRIBE = "ingest.recognise", "ingest.transcribe"
_RECOGNISED, _TRANSCRIBED = 2, 3  # phases between LOAD and SPLIT for pages that are pictures
TYPED = ("entities", "relations", "events")  # in the outcome where a profile asked for them
_PAGES_PER_LINK = 5  # 100 chunks: one transaction
_CHUNKS_PER_LINK = _PAGES_PER_LINK * CHUNKS_PER_PAGE
_REASONS_SHOWN = 3  # in a document's one-line error
_LISTED = 20  # failed chunks in the outcome, which a batch keeps for each of its documents
_REASON = 300  # characters of each one's error; the dead letters have it whole


def _advance(phase: int, results: Results, job: Job) -> Phase | End:
    """Return what follows a phase, where those for pages that are pictures come in between."""
    first = _result_if_any(results, LOAD, LoadResult)
    if first is None or not first.pictured:
        return _advance_read(phase, results, job)
    if phase == LOAD:
        return Phase(items=tuple(_recognition(first)))
    further = _further_phases(results)
    if phase < further - 1:
        return Phase(items=tuple(_transcription(first, results)))
    if phase == further - 1:
        return _loading_again(first, results)
    return _advance_read(phase - further, _read_phases(results), job)


def _further_phases(results: Results) -> int:
    """Return how many phases for pages that are pictures stand between LOAD and SPLIT.

    They are recognition, transcription if a page is doubtful, and loading again.
    """
    first = _result_if_any(results, LOAD, LoadResult)
    if first is None or not first.pictured:
        return 0
    if begun := results.get(LOAD + 2):  # perhaps by a worker that knows no transcription
        return _TRANSCRIBED if begun[0].step == _TRANSCRIBE else _RECOGNISED
    return _TRANSCRIBED if any(part.doubtful for part in _recognised_parts(results)) else _RECOGNISED


def _read_phases(results: Results) -> Results:
    """Return the phases without those for pages that are pictures."""
    further = _further_phases(results)
    return {number - further: done for number, done in results.items() if number >= further}


def _recognised_parts(results: Results) -> list[RecogniseResult]:
    read = (result_of(done, RecogniseResult) for done in results.get(LOAD + 1, ()))
    return [part for part in read if part]


def _recognition(loaded: LoadResult) -> Iterator[Item]:
    parts = list(parts_of(loaded.pictured))
    for nth, pages in enumerate(parts):
        part = RecogniseInput(pages=pages, source=loaded.source, nth=nth, parts=len(parts))
        yield Item(id=f"pages:{pages[0]}", step=_RECOGNISE, input=part)


def _transcription(loaded: LoadResult, results: Results) -> Iterator[Item]:
    for part in _recognised_parts(results):
        for page in part.doubtful:
            item = TranscribeInput(page=page, recognised=part.pages, source=loaded.source)
            yield Item(id=f"page:{page.number}", step=_TRANSCRIBE, input=item)


def _loading_again(loaded: LoadResult, results: Results) -> Phase:
    """Return the phase that reads the document with the words of its pages.

    Unrecognised pages are left out; a page that could not be transcribed keeps its recognised words.
    """
    blobs = [part.pages for part in _recognised_parts(results)]
    if _further_phases(results) == _TRANSCRIBED:
        read = (result_of(done, TranscribeResult) for done in results.get(LOAD + 2, ()))
        blobs += [page.pages for page in read if page]
    recognition = LoadInput(recognised=tuple(filter(None, blobs)), source=loaded.source)
    return Phase(items=(Item(id="load:recognised", step="ingest.load", input=recognition),))


def _advance_read(phase: int, results: Results, job: Job) -> Phase | End:
    if phase == EXTRACT:
        return _after_extract(results)
    broken = next((done for done in results.get(phase, ()) if done.error), None)
    if broken or not results.get(phase):
        return _end(results, job, broken.error if broken else "stopped before it was done")
    if phase == LOAD:
        return _after_load(results, job)
    if phase == SPLIT:
        return _after_split(results)
    return _after_link(results, job) if phase == LINK else _end(results, job, None)


def _after_load(results: Results, job: Job) -> Phase | End:
    loaded = _result(results, LOAD, LoadResult)
    if loaded.unchanged:
        return _end(results, job, None)
    split = SplitInput(document=loaded.document, text=loaded.text, places=loaded.places)
    return Phase(items=(Item(id="split", step="ingest.split", input=split),))


def _after_split(results: Results) -> Phase:
    title = _result(results, LOAD, LoadResult).document.title
    split = _result(results, SPLIT, SplitResult)
    places = (
        ExtractInput(title=title, page=split.pages[index // CHUNKS_PER_PAGE], at=index % CHUNKS_PER_PAGE)
        for index in range(split.chunks)
    )
    return Phase(
        items=tuple(
            Item(id=_chunk_item(index), step="ingest.extract", input=place)
            for index, place in enumerate(places)
        )
    )


def _chunk_item(index: int) -> str:
    return f"chunk:{index}"


def _after_extract(results: Results) -> Phase:
    document = _result(results, LOAD, LoadResult).document
    split = _result(results, SPLIT, SplitResult)
    failed = _failed_chunks(results)
    if len(failed) == split.chunks:
        # Nothing was learnt: an older version, if there is one, stays the live one.
        part = LinkInput(document=document, error=_summary(failed, split.chunks))
        return Phase(items=(Item(id="link:failed", step="ingest.link", input=part),))
    facts = {
        done.item_id: extracted.facts
        for done in results[EXTRACT]
        if (extracted := result_of(done, ExtractResult))
    }
    ordered = [facts.get(_chunk_item(index), "") for index in range(split.chunks)]
    return Phase(
        items=tuple(_link_items(document, split.pages, ordered)),
        window=1,  # the transactions of one document would wait for one another's locks
    )


def _link_items(document: Document, pages: Sequence[str], facts: Sequence[str]) -> Iterator[Item]:
    for nth in range((len(pages) + _PAGES_PER_LINK - 1) // _PAGES_PER_LINK):
        part = LinkInput(
            document=document,
            pages=tuple(pages[nth * _PAGES_PER_LINK : (nth + 1) * _PAGES_PER_LINK]),
            facts=tuple(facts[nth * _CHUNKS_PER_LINK : (nth + 1) * _CHUNKS_PER_LINK]),
            first=nth == 0,
        )
        yield Item(id=f"link:{nth}", step="ingest.link", input=part)


def _after_link(results: Results, job: Job) -> Phase | End:
    failed = _failed_chunks(results)
    split = _result(results, SPLIT, SplitResult)
    linked = [LinkResult.read_stored(done.result) for done in results[LINK]]
    if len(failed) == split.chunks:
        return _end(results, job, _summary(failed, split.chunks))
    if sum(part.chunks or 0 for part in linked) != split.chunks:
        return _end(results, job, "stopped before all chunks were linked")
    profiled = bool(job.params.get("profile"))
    loaded = _result(results, LOAD, LoadResult)
    version = IndexInput(
        document=loaded.document,
        metadata=loaded.metadata,
        embed=tuple(part.embed or "" for part in linked),
        pages=split.pages,
        chunks=split.chunks,
        error=_summary(failed, split.chunks) if failed else None,
        typed=tuple(part.typed or "" for part in linked) if profiled else None,
    )
    return Phase(items=(Item(id="index", step="ingest.index", input=version),))


def _result(results: Results, phase: int, kind: type[Record]) -> Record:
    """Return the result of the one item of a phase, which did not fail."""
    return kind.read_stored(results[phase][0].result)


def _result_if_any(results: Results, phase: int, kind: type[Record]) -> Record | None:
    """Return the same; None if the item failed or was not done."""
    read = (result_of(done, kind) for done in results.get(phase, ()))
    return next(filter(None, read), None)


def _failed_chunks(results: Results) -> list[FailedChunk]:
    split = _result_if_any(results, SPLIT, SplitResult)
    states = {done.item_id: done.error for done in results.get(EXTRACT, ())}
    errors = (
        (index, states.get(_chunk_item(index), "not done")) for index in range(split.chunks if split else 0)
    )
    return [FailedChunk(index=index, error=error) for index, error in errors if error]


def _summary(failed: Sequence[FailedChunk], chunks: int) -> str:
    shown = "; ".join(f"chunk {chunk.index}: {chunk.error[:_REASON]}" for chunk in failed[:_REASONS_SHOWN])
    more = "; …" if len(failed) > _REASONS_SHOWN else ""
    return f"{len(failed)} of {chunks} chunks failed: {shown}{more}"


def _end(results: Results, job: Job, error: str | None) -> End:
    """End the job: as failed after an error, else by the results of reading the document."""
    document = _document(results, job)
    split = _result_if_any(results, SPLIT, SplitResult)
    failed = _failed_chunks(results) if results.get(EXTRACT) else []
    indexed = _result_if_any(results, INDEX, IndexResult)
    if error:
        state, status = JobState.FAILED, "failed"
    elif indexed is None:
        state, status = JobState.DONE, "unchanged"
    elif failed and split:
        state, status = JobState.PARTIAL, "partial"
        error = _summary(failed, split.chunks)
    else:
        state, status = JobState.DONE, "done"
    extracted = (result_of(done, ExtractResult) for done in results.get(EXTRACT, ()))
    outcome: Json = {
        "uri": document.uri,
        "title": document.title,
        "document_id": document.id,
        "chunks": split.chunks if indexed and split else document.chunks,
        **(indexed.counts if indexed else {"facts": document.facts}),
        "kept": sum(chunk.kept for chunk in extracted if chunk),
        "status": status,
        "error": error,
        "failed_chunks": [
            {"index": chunk.index, "error": chunk.error[:_REASON]} for chunk in failed[:_LISTED]
        ],
        **({"original": document.original} if document.original in UNKEPT else {}),
        **({"doubts": list(document.reading.doubts)} if document.reading and document.reading.doubts else {}),
    }
    return End(state=state, outcome=outcome)


def _cut_short(results: Results, job: Job, error: str) -> End:
    return _end(_read_phases(results), job, error)


def _document(results: Results, job: Job) -> Document:
    loaded = _result_if_any(results, LOAD, LoadResult)
    if loaded:
        return loaded.document
    params = DocumentParams.read_stored(job.params)
    document_id = ids.document_id(job.collection, params.name or params.uri)
    return Document(
        id=document_id, collection=job.collection, uri=params.uri, title=params.title, content_hash=""
    )


BLOBS = frozenset(("disk",))
GRAPH = BLOBS | {"neo4j"}
MODEL = BLOBS | {"model"}
VECTORS = GRAPH | {"embedding", "vectors"}

DOCUMENT = Flow(
    kind="document",
    params=DocumentParams,
    steps={
        "ingest.load": Step(
            load_document,
            LoadInput,
            LoadResult,
            activity="loading the document",
            queue="bulk",
            priority=3,
            time_limit=180,
            needs=GRAPH,
        ),
        _RECOGNISE: Step(
            recognise_pages,
            RecogniseInput,
            RecogniseResult,
            activity="recognising pages that are pictures",
            queue="ocr",
            priority=3,
            time_limit=1200,
            needs=BLOBS,
        ),
        _TRANSCRIBE: Step(
            transcribe_page,
            TranscribeInput,
            TranscribeResult,
            activity="reading scanned pages with the vision model",
            queue="bulk",
            priority=3,
            time_limit=300,
            needs=MODEL,
        ),
        "ingest.split": Step(
            split_document,
            SplitInput,
            SplitResult,
            activity="splitting into chunks",
            queue="bulk",
            priority=3,
            needs=BLOBS,
        ),
        "ingest.extract": Step(
            extract_facts,
            ExtractInput,
            ExtractResult,
            activity="extracting facts",
            queue="bulk",
            priority=3,
            time_limit=300,
            needs=MODEL,
        ),
        "ingest.link": Step(
            link_chunks,
            LinkInput,
            LinkResult,
            activity="linking facts into the graph",
            queue="bulk",
            time_limit=300,
            needs=GRAPH,
        ),
        "ingest.index": Step(
            index_document,
            IndexInput,
            IndexResult,
            activity="indexing vectors",
            queue="bulk",
            time_limit=1800,
            needs=VECTORS,
        ),
    },
    first=lambda _job: Phase(items=(Item(id="load", step="ingest.load"),)),
    advance=_advance,
    cut_short=_cut_short,
    last=INDEX,
    composed=True,
)
