"""Flow of a document: load → split → extract (one item per chunk) → link → index."""

from __future__ import annotations

from collections.abc import Iterator

from workers.core import ids
from workers.core.jobs.flow import Flow, Results, Step
from workers.core.jobs.params import DocumentParams
from workers.core.jobs.work import Done, End, Item, Job, JobState, Json, Phase
from workers.core.model import Document
from workers.ingest.chunking.split import split_document
from workers.ingest.extract import extract_facts
from workers.ingest.index import index_document
from workers.ingest.link import link_chunks
from workers.ingest.load import INDEXED, load_document
from workers.ingest.pages import CHUNKS_PER_PAGE

LOAD, SPLIT, EXTRACT, LINK, INDEX = range(5)
TYPED = ("entities", "relations", "events")  # in the outcome where a profile asked for them
_PAGES_PER_LINK = 5  # 100 chunks: one transaction
_CHUNKS_PER_LINK = _PAGES_PER_LINK * CHUNKS_PER_PAGE
_REASONS_SHOWN = 3  # in a document's one-line error
_LISTED = 20  # failed chunks in the outcome, which a batch keeps for each of its documents
_REASON = 300  # characters of each one's error; the dead letters have it whole


def _advance(phase: int, results: Results, job: Job) -> Phase | End:
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
    loaded = results[LOAD][0].result
    if loaded["document"]["status"] == INDEXED:
        return _end(results, job, None)
    given = {"document": loaded["document"], "text": loaded["text"]}
    return Phase(items=(Item(id="split", step="ingest.split", input=given),))


def _after_split(results: Results) -> Phase:
    title = results[LOAD][0].result["document"]["title"]
    split = results[SPLIT][0].result
    return Phase(
        items=tuple(
            Item(
                id=_chunk_item(index),
                step="ingest.extract",
                input={
                    "title": title,
                    "page": split["pages"][index // CHUNKS_PER_PAGE],
                    "at": index % CHUNKS_PER_PAGE,
                },
            )
            for index in range(split["chunks"])
        )
    )


def _chunk_item(index: int) -> str:
    return f"chunk:{index}"


def _after_extract(results: Results) -> Phase:
    document = results[LOAD][0].result["document"]
    split = results[SPLIT][0].result
    failed = _failed_chunks(results)
    if len(failed) == split["chunks"]:
        # Nothing was learnt: an older version, if there is one, stays the live one.
        given = {"document": document, "error": _summary(failed, split["chunks"])}
        return Phase(items=(Item(id="link:failed", step="ingest.link", input=given),))
    facts = {done.item_id: done.result["facts"] for done in results[EXTRACT] if not done.error}
    ordered = [facts.get(_chunk_item(index), "") for index in range(split["chunks"])]
    return Phase(
        items=tuple(_link_items(document, split["pages"], ordered)),
        window=1,  # the transactions of one document would wait for one another's locks
    )


def _link_items(document: Json, pages: list[str], facts: list[str]) -> Iterator[Item]:
    for part in range((len(pages) + _PAGES_PER_LINK - 1) // _PAGES_PER_LINK):
        given = {
            "document": document,
            "pages": pages[part * _PAGES_PER_LINK : (part + 1) * _PAGES_PER_LINK],
            "facts": facts[part * _CHUNKS_PER_LINK : (part + 1) * _CHUNKS_PER_LINK],
            "first": part == 0,
        }
        yield Item(id=f"link:{part}", step="ingest.link", input=given)


def _after_link(results: Results, job: Job) -> Phase | End:
    failed = _failed_chunks(results)
    split = results[SPLIT][0].result
    linked = results[LINK]
    if len(failed) == split["chunks"]:
        return _end(results, job, _summary(failed, split["chunks"]))
    if sum(done.result["chunks"] for done in linked) != split["chunks"]:
        return _end(results, job, "stopped before all chunks were linked")
    given = {
        "document": results[LOAD][0].result["document"],
        "embed": [done.result["embed"] for done in linked],
        "pages": split["pages"],
        "chunks": split["chunks"],
        "error": _summary(failed, split["chunks"]) if failed else None,
    }
    if job.params.get("profile"):
        given["typed"] = [done.result["typed"] for done in linked]
    return Phase(items=(Item(id="index", step="ingest.index", input=given),))


def _failed_chunks(results: Results) -> list[Json]:
    """Return {index, error} of the chunks without extraction: dead letters, or cut off by a closed phase."""
    split = next((done.result for done in results.get(SPLIT, ()) if not done.error), {"chunks": 0})
    states = {done.item_id: done.error for done in results.get(EXTRACT, ())}
    errors = ((index, states.get(_chunk_item(index), "not done")) for index in range(split["chunks"]))
    return [{"index": index, "error": error} for index, error in errors if error]


def _summary(failed: list[Json], chunks: int) -> str:
    shown = "; ".join(f"chunk {one['index']}: {one['error'][:_REASON]}" for one in failed[:_REASONS_SHOWN])
    more = "; …" if len(failed) > _REASONS_SHOWN else ""
    return f"{len(failed)} of {chunks} chunks failed: {shown}{more}"


def _end(results: Results, job: Job, error: str | None) -> End:
    """End the job: with an error as failed, else by what the phases brought."""
    document = _document(results, job)
    failed = _failed_chunks(results) if results.get(EXTRACT) else []
    indexed: Done | None = next((done for done in results.get(INDEX, ()) if not done.error), None)
    if error:
        state, status = JobState.FAILED, "failed"
    elif indexed is None:
        state, status = JobState.DONE, "unchanged"
    elif failed:
        state, status = JobState.PARTIAL, "partial"
        error = _summary(failed, results[SPLIT][0].result["chunks"])
    else:
        state, status = JobState.DONE, "done"
    counts = {"chunks": document["chunks"], "facts": document["facts"]}
    if indexed:
        counts = {"chunks": results[SPLIT][0].result["chunks"], "facts": indexed.result["facts"]}
        counts |= {name: indexed.result[name] for name in TYPED if name in indexed.result}
    counts["kept"] = sum(bool(done.result.get("kept")) for done in results.get(EXTRACT, ()))
    told = {key: document[key] for key in ("uri", "title")} | {"document_id": document["id"]} | counts
    listed = [{**one, "error": one["error"][:_REASON]} for one in failed[:_LISTED]]
    return End(state=state, outcome={**told, "status": status, "error": error, "failed_chunks": listed})


def _document(results: Results, job: Job) -> Json:
    loaded = next((done.result for done in results.get(LOAD, ()) if not done.error), None)
    if loaded:
        found: Json = loaded["document"]
        return found
    params = DocumentParams.read_stored(job.params)
    document_id = ids.document_id(job.collection, params.name or params.uri)
    blank = Document(
        id=document_id, collection=job.collection, uri=params.uri, title=params.title, content_hash=""
    )
    return blank.model_dump()


BLOBS = frozenset(("disk",))
GRAPH = BLOBS | {"neo4j"}
MODEL = BLOBS | {"model"}
VECTORS = GRAPH | {"embedding", "vectors"}

DOCUMENT = Flow(
    kind="document",
    params=DocumentParams,
    steps={
        "ingest.load": Step(run=load_document, queue="bulk", priority=6, time_limit=180, needs=GRAPH),
        "ingest.split": Step(run=split_document, queue="bulk", priority=3, needs=BLOBS),
        "ingest.extract": Step(run=extract_facts, queue="bulk", priority=3, time_limit=300, needs=MODEL),
        "ingest.link": Step(run=link_chunks, queue="bulk", time_limit=300, needs=GRAPH),
        "ingest.index": Step(run=index_document, queue="bulk", time_limit=1800, needs=VECTORS),
    },
    first=lambda _job: Phase(items=(Item(id="load", step="ingest.load"),)),
    advance=_advance,
    cut_short=_end,
    last=INDEX,
)
