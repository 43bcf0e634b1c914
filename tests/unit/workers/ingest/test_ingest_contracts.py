"""The JSON of ingestion's inputs and results is that of the version before, key for key."""

from __future__ import annotations

from typing import Any

import pytest

from workers.core.events.catalogue import read_event
from workers.core.events.documents import (
    BatchReported,
    ChunkExtracted,
    ChunksLinked,
    CollectionReindexed,
    DocumentDeleted,
    DocumentIndexed,
    DocumentLoaded,
    DocumentSplit,
    DocumentUnchanged,
    ElementsAsked,
    ElementsCompared,
    ElementsMerged,
    MergeUndone,
    SourcesCompared,
    SourcesListed,
)
from workers.core.events.jobs import WebhookSent
from workers.core.events.provider import (
    BatchCreated,
    BatchRead,
    BatchStopped,
    BatchUploaded,
    BatchWaitedFor,
    LinesGrouped,
)
from workers.core.graph.merges import Merge
from workers.core.jobs.batches import DocumentLine, FailedChunk
from workers.core.jobs.manifest import Manifest
from workers.core.jobs.params import DocumentParams
from workers.core.jobs.result_pages import Entry, PageResult
from workers.core.jobs.work import ChildResult, Event, EventData, JobState, Json, NoInput, Usage, as_json
from workers.core.records import Document, Frozen
from workers.flows.batch import delegate_document, document_item
from workers.flows.prefill import PrefillParams
from workers.flows.registry import FLOWS
from workers.ingest.chunking.split import SplitInput, SplitResult
from workers.ingest.delete import DeleteResult
from workers.ingest.extract import ExtractInput, ExtractResult
from workers.ingest.index import IndexInput, IndexResult
from workers.ingest.link import LinkInput, LinkResult
from workers.ingest.load import LoadResult
from workers.ingest.provider.clear import CleanInput, CleanResult, StopInput, StopResult
from workers.ingest.provider.fetch import ReadInput, ReadResult, WaitInput, WaitResult
from workers.ingest.provider.group import GroupInput, GroupResult, HandOverInput
from workers.ingest.provider.lines import Part, PrepareResult
from workers.ingest.provider.send import CreateInput, CreateResult, UploadResult
from workers.ingest.reindex import ReindexInput, ReindexResult
from workers.ingest.report import ReportInput, ReportResult
from workers.ingest.resolution.merge import (
    FindInput,
    FindResult,
    MergeInput,
    MergeListResult,
    MergeResult,
    UndoResult,
)
from workers.ingest.resolution.verdicts import AskInput, AskResult, LikelyPairs
from workers.ingest.sync.compare import CompareInput, CompareResult, FailedSurvey, SurveyEntry
from workers.ingest.sync.remove import RemoveInput, RemoveResult
from workers.ingest.sync.scope import Scope
from workers.ingest.sync.survey import ListResult, SurveyInput, SurveyResult
from workers.webhooks.deliver import DeliverResult

KINDS = (
    "document",
    "batch",
    "prefill",
    "provider_batch",
    "provider_cancel",
    "sync",
    "merge",
    "delete",
    "reindex",
    "webhook",
)

OPENED = Document(
    id="d1", collection="c", uri="/a.txt", title="A", content_hash="e3", status="loaded", source_hash="e4"
)
STORED = {
    "id": "d1",
    "collection": "c",
    "uri": "/a.txt",
    "title": "A",
    "content_hash": "e3",
    "version": 1,
    "status": "loaded",
    "error": None,
    "chunks": 0,
    "facts": 0,
    "source_hash": "e4",
    "chunk_tokens": None,
    "chunk_overlap": None,
}

USED = {"model_calls": 3, "prompt_tokens": 0, "completion_tokens": 0, "cost": None}
# Items hold a document's parameters whole; what equals its default may be missing.
PARAMS = DocumentParams(uri="/a.txt", source="/a.txt", format="txt")
PARAMS_STORED = {"uri": "/a.txt", "source": "/a.txt", "format": "txt"}

LIST = Manifest(reference="l", size=0)
LISTED = {"reference": "l", "size": 0}
SCOPE = Scope(kind="folder", root="/docs")
SCOPED = {"kind": "folder", "root": "/docs"}

MERGED_STORED = {
    "source": "k1",
    "source_name": "a",
    "target": "k2",
    "target_name": "b",
    "rule": "typo",
    "evidence": "",
    "id": "m1",
    "collection": "c",
    "job": "j",
    "made": "2026",
    "undone": None,
}
MERGED = Merge.model_validate(MERGED_STORED)

# By hand, from what the steps and flows of 85269f8 wrote as dictionaries.
RECORDS: list[tuple[Frozen, Json]] = [
    (NoInput(), {}),
    (
        LoadResult(document=OPENED, text="t", uri="/a.txt", characters=3, encoding=None),
        {"document": STORED, "text": "t", "uri": "/a.txt", "characters": 3, "encoding": None},
    ),
    (SplitInput(document=OPENED, text="t"), {"document": STORED, "text": "t"}),
    (SplitResult(pages=("p",), chunks=1), {"pages": ["p"], "chunks": 1}),
    (ExtractInput(title="", page="p", at=0), {"title": "", "page": "p", "at": 0}),
    (
        ExtractResult(index=0, facts="f", count=0, ungrounded=0, kept=False),
        {"index": 0, "count": 0, "ungrounded": 0, "kept": False, "facts": "f"},
    ),
    (
        ExtractResult(
            index=0,
            facts="f",
            count=0,
            ungrounded=0,
            kept=True,
            entities=0,
            relations=0,
            events=0,
            dropped={},
        ),
        {
            "index": 0,
            "count": 0,
            "ungrounded": 0,
            "kept": True,
            "entities": 0,
            "relations": 0,
            "events": 0,
            "dropped": {},
            "facts": "f",
        },
    ),
    (
        LinkInput(document=OPENED, pages=("p",), facts=("f", ""), first=False),
        {"document": STORED, "pages": ["p"], "facts": ["f", ""], "first": False},
    ),
    (LinkInput(document=OPENED, error="all failed"), {"document": STORED, "error": "all failed"}),
    (LinkResult(chunks=2, facts=0, embed="e"), {"chunks": 2, "facts": 0, "embed": "e"}),
    (
        LinkResult(chunks=2, facts=0, embed="e", typed="t"),
        {"chunks": 2, "facts": 0, "embed": "e", "typed": "t"},
    ),
    (LinkResult(), {}),
    (
        IndexInput(document=OPENED, embed=("e",), pages=("p",), chunks=2, error=None),
        {"document": STORED, "embed": ["e"], "pages": ["p"], "chunks": 2, "error": None},
    ),
    (
        IndexInput(document=OPENED, embed=("e",), pages=("p",), chunks=2, error="1 of 2", typed=("t",)),
        {
            "document": STORED,
            "embed": ["e"],
            "pages": ["p"],
            "chunks": 2,
            "error": "1 of 2",
            "typed": ["t"],
        },
    ),
    (PARAMS, PARAMS_STORED),
    (
        PrefillParams(manifest="m", documents=2, window=200),
        {"manifest": "m", "documents": 2, "window": 200},
    ),
    (
        ReportInput(pages=(), lines=(DocumentLine(uri="/a.txt", status="done"),)),
        {
            "pages": [],
            "lines": [
                {
                    "uri": "/a.txt",
                    "title": "",
                    "document_id": "",
                    "status": "done",
                    "chunks": 0,
                    "facts": 0,
                    "kept": 0,
                    "seconds": 0.0,
                    "ended": 0.0,
                    "error": None,
                    "failed_chunks": [],
                    "entities": 0,
                    "relations": 0,
                    "events": 0,
                }
            ],
        },
    ),
    (ReportResult(report=""), {"report": ""}),
    (
        DocumentLine(uri="/a.txt", status="partial", failed_chunks=(FailedChunk(index=0, error="no"),)),
        {"uri": "/a.txt", "status": "partial", "failed_chunks": [{"index": 0, "error": "no"}]},
    ),
    (PageResult(reference="r", counts={}), {"reference": "r", "counts": {}}),
    (
        Entry(item="0:a", step="ingest.document", status="done", line={"uri": "a"}, again=None),
        {"item": "0:a", "step": "ingest.document", "status": "done", "line": {"uri": "a"}, "again": None},
    ),
    (PrepareResult(parts=(Part("p", 1, 9),)), {"parts": [["p", 1, 9]]}),
    (PrepareResult(parts=()), {"parts": []}),
    (PrepareResult(parts=(), why="empty"), {"parts": [], "why": "empty"}),
    (PrepareResult(listed="l"), {"listed": "l"}),
    (
        GroupInput(pages=(), prepared=(PrepareResult(parts=(Part("p", 1, 9),)),)),
        {"pages": [], "prepared": [{"parts": [["p", 1, 9]]}]},
    ),
    (
        GroupResult(groups="g", count=0, lines=0, window=1),
        {"groups": "g", "count": 0, "lines": 0, "window": 1},
    ),
    (HandOverInput(groups="g", at=0), {"groups": "g", "at": 0}),
    (UploadResult(lines=0), {"lines": 0}),
    (
        UploadResult(lines=3, file="f", created=0.0, bound=Usage(model_calls=3)),
        {"lines": 3, "file": "f", "created": 0.0, "bound": USED},
    ),
    (
        CreateInput(lines=3, file="f", created=0.0, bound=Usage(model_calls=3)),
        {"lines": 3, "file": "f", "created": 0.0, "bound": USED},
    ),
    (
        CreateInput(lines=3, file="f", created=0.0, bound=Usage(model_calls=3), not_before=7.0),
        {"lines": 3, "file": "f", "created": 0.0, "bound": USED, "not_before": 7.0},
    ),
    (CreateResult(batch="b"), {"batch": "b"}),
    (WaitInput(batch="b", round=1), {"batch": "b", "round": 1}),
    (
        WaitResult(standing="ended", status="done", input="i", output="o", errors="", why="", not_before=0.0),
        {
            "standing": "ended",
            "status": "done",
            "input": "i",
            "output": "o",
            "errors": "",
            "why": "",
            "not_before": 0.0,
        },
    ),
    (ReadInput(output="o", errors=""), {"output": "o", "errors": ""}),
    (
        ReadResult(
            lines=3, kept=3, unusable=0, unreadable=0, failed=0, reasons={}, usage=Usage(model_calls=3)
        ),
        {
            "lines": 3,
            "kept": 3,
            "unusable": 0,
            "unreadable": 0,
            "failed": 0,
            "reasons": {},
            "usage": USED,
        },
    ),
    (CleanInput(files=("i", ""), refused=False), {"files": ["i", ""], "refused": False}),
    (CleanResult(removed=0), {"removed": 0}),
    (StopInput(), {}),
    (StopInput(keep=True), {"keep": True}),
    (StopResult(batch=""), {"batch": ""}),
    (
        ListResult(documents=1, refused=0, surveys=LIST, refusals="r", scopes=(SCOPE,)),
        {"documents": 1, "refused": 0, "surveys": LISTED, "refusals": "r", "scopes": [SCOPED]},
    ),
    (SurveyInput(page="p"), {"page": "p"}),
    (SurveyResult(page="p", made="m"), {"page": "p", "made": "m"}),
    (FailedSurvey(error="no"), {"error": "no"}),
    (
        CompareInput(refusals="r", scopes=(SCOPE,), surveyed=(("p", "m"),)),
        {"refusals": "r", "scopes": [SCOPED], "surveyed": [["p", "m"]]},
    ),
    (
        CompareInput(refusals="r", scopes=(SCOPE,), pages=("q",), rest=()),
        {"refusals": "r", "scopes": [SCOPED], "pages": ["q"], "rest": []},
    ),
    (
        CompareInput(
            refusals="r",
            scopes=(SCOPE,),
            pages=("q",),
            rest=(SurveyEntry(item="survey:0", line=SurveyResult(page="p", made="m")),),
        ),
        {
            "refusals": "r",
            "scopes": [SCOPED],
            "pages": ["q"],
            "rest": [{"item": "survey:0", "line": {"page": "p", "made": "m"}}],
        },
    ),
    (
        CompareResult(
            counts={"new": 1, "doubtful": 0}, changes=LIST, removals=LIST, examples={"new": ("a",)}
        ),
        {
            "counts": {"new": 1, "doubtful": 0},
            "changes": LISTED,
            "removals": LISTED,
            "examples": {"new": ["a"]},
        },
    ),
    (
        RemoveInput(document_id="d1", uri="/a.txt", became=""),
        {"document_id": "d1", "uri": "/a.txt", "became": ""},
    ),
    (RemoveResult(uri="/a.txt", kept="not yet"), {"uri": "/a.txt", "kept": "not yet"}),
    (FindInput(range="0", after="", before="k1"), {"range": "0", "after": "", "before": "k1"}),
    (FindResult(elements=0, found=0, proposals=""), {"elements": 0, "found": 0, "proposals": ""}),
    (
        FindResult(elements=0, found=0, proposals="", likely=2, pairs=(LikelyPairs(count=2, blob="p"),)),
        {"elements": 0, "found": 0, "proposals": "", "likely": 2, "pairs": [{"count": 2, "blob": "p"}]},
    ),
    (AskInput(pairs=("p",), calls=1), {"pairs": ["p"], "calls": 1}),
    (
        AskResult(asked=0, same=0, left=0, proposals=""),
        {"asked": 0, "same": 0, "left": 0, "proposals": ""},
    ),
    (MergeInput(proposals="p"), {"proposals": "p"}),
    (MergeResult(made=0, refused=0), {"made": 0, "refused": 0}),
    (MergeListResult(listed=(("a", "b", "typo", ""),)), {"listed": [["a", "b", "typo", ""]]}),
    (
        UndoResult(merge=MERGED, restored=(), removed=0),
        {"merge": MERGED_STORED, "restored": [], "removed": 0},
    ),
    (
        DeleteResult(document_id="d1", known=False, chunks=0, facts=0, elements=0),
        {"document_id": "d1", "known": False, "chunks": 0, "facts": 0, "elements": 0},
    ),
    (ReindexInput(drop=False), {"drop": False}),
    (ReindexResult(vectors=0), {"vectors": 0}),
    (DeliverResult(job_id="j", status=204), {"job_id": "j", "status": 204}),
    (
        IndexResult(uri="/a.txt", facts=0, vectors=0, removed=0),
        {"uri": "/a.txt", "facts": 0, "vectors": 0, "removed": 0},
    ),
    (
        IndexResult(uri="/a.txt", facts=0, vectors=0, removed=0, entities=0, relations=0, events=0),
        {
            "uri": "/a.txt",
            "facts": 0,
            "vectors": 0,
            "removed": 0,
            "entities": 0,
            "relations": 0,
            "events": 0,
        },
    ),
]


# The same of events; a profile's numbers and headings left out are there where there are some, else not.
EVENTS: list[tuple[EventData, Json]] = [
    (
        DocumentLoaded(uri="/a.txt", characters=3, encoding=None),
        {"uri": "/a.txt", "characters": 3, "encoding": None},
    ),
    (
        DocumentUnchanged(uri="/a.txt", characters=3, encoding="utf-8"),
        {"uri": "/a.txt", "characters": 3, "encoding": "utf-8"},
    ),
    (DocumentSplit(uri="/a.txt", chunks=1), {"uri": "/a.txt", "chunks": 1}),
    (
        DocumentSplit(uri="/a.txt", chunks=1, headings_left_out=2),
        {"uri": "/a.txt", "chunks": 1, "headings_left_out": 2},
    ),
    (
        ChunkExtracted(index=0, count=0, ungrounded=0, kept=False),
        {"index": 0, "count": 0, "ungrounded": 0, "kept": False},
    ),
    (ChunksLinked(chunks=1, facts=0), {"chunks": 1, "facts": 0}),
    (
        DocumentIndexed(uri="/a.txt", facts=0, vectors=0, removed=0, entities=0, relations=0, events=0),
        {"uri": "/a.txt", "facts": 0, "vectors": 0, "removed": 0, "entities": 0, "relations": 0, "events": 0},
    ),
    (
        DocumentDeleted(uri="/a.txt", chunks=0, facts=0, elements=0),
        {"uri": "/a.txt", "chunks": 0, "facts": 0, "elements": 0},
    ),
    (CollectionReindexed(vectors=0), {"vectors": 0}),
    (ElementsCompared(elements=0, found=0), {"elements": 0, "found": 0}),
    (ElementsAsked(asked=0, same=0), {"asked": 0, "same": 0}),
    (ElementsMerged(made=0, refused=0), {"made": 0, "refused": 0}),
    (
        MergeUndone(merge="m1", restored=("a",), removed=0),
        {"merge": "m1", "restored": ["a"], "removed": 0},
    ),
    (SourcesListed(documents=1, refused=0), {"documents": 1, "refused": 0}),
    (SourcesCompared(new=1, doubtful=0), {"new": 1, "doubtful": 0}),
    (BatchReported(batch="night", documents={"done": 1}), {"batch": "night", "documents": {"done": 1}}),
    (LinesGrouped(count=0, lines=0), {"count": 0, "lines": 0}),
    (BatchUploaded(file="f", lines=1), {"file": "f", "lines": 1}),
    (BatchCreated(batch="b", lines=1), {"batch": "b", "lines": 1}),
    (
        BatchWaitedFor(batch="b", status="done", completed=0, failed=0),
        {"batch": "b", "status": "done", "completed": 0, "failed": 0},
    ),
    (
        BatchRead(lines=1, kept=0, unusable=0, unreadable=0, failed=0),
        {"lines": 1, "kept": 0, "unusable": 0, "unreadable": 0, "failed": 0},
    ),
    (BatchStopped(batch="b"), {"batch": "b"}),
    (WebhookSent(status=204), {"status": 204}),
]


def _named(record: Any) -> str:
    return type(record).__name__ if isinstance(record, Frozen) else ""


@pytest.mark.parametrize(("record", "stored"), RECORDS, ids=_named)
def test_the_json_is_that_of_the_version_before(record: Frozen, stored: Json) -> None:
    assert as_json(record) == stored
    assert type(record).read_stored(stored) == record


@pytest.mark.parametrize(("data", "stored"), EVENTS, ids=_named)
def test_the_data_of_an_event_is_that_of_the_version_before(data: EventData, stored: Json) -> None:
    event = Event.of(data)
    assert event.data == stored
    assert read_event(event) == data


ENDED = {"document_id": "d1", "uri": "/a.txt", "title": "", "chunks": 0, "facts": 0, "kept": 0}
COUNTED = {"lines": 0, "kept": 0, "unusable": 0, "unreadable": 0, "failed": 0}


@pytest.mark.parametrize(
    ("name", "stored"),
    [
        ("document.ended", {**ENDED, "status": "unchanged"}),
        ("document.ended", {**ENDED, "status": "failed", "error": "empty"}),
        ("document.ended", {**ENDED, "status": "done", "entities": 0, "relations": 0, "events": 0}),
        ("delete.ended", {"document_id": "d1", "known": False, "chunks": 0, "facts": 0, "elements": 0}),
        ("prefill.ended", {**COUNTED, "batches": 0, "window": 200}),
        ("provider_batch.ended", {**COUNTED, "status": ""}),
        ("document.ended", {"reason": "cancelled by its caller"}),
        ("delete.ended", {"reason": "cancelled by its caller"}),
        ("prefill.ended", {"reason": "cancelled by its caller"}),
        ("provider_batch.ended", {"reason": "cancelled by its caller"}),
    ],
)
def test_the_end_of_a_child_is_read_as_its_flow_left_it(name: str, stored: Json) -> None:
    data = read_event(Event(name=name, data=stored))
    assert data is not None
    assert Event.of(data).data == stored


def test_how_a_child_ended_is_written_whole() -> None:
    stored = {"state": "done", "outcome": {}, "job_id": "j", "ended": 0.0, "seconds": 0.0}
    child = ChildResult(state=JobState.DONE, outcome={}, job_id="j")
    assert child.model_dump(mode="json") == stored
    assert ChildResult.read_stored(stored) == child


def test_a_document_of_a_batch_is_an_item_and_a_job_with_all_its_parameters() -> None:
    whole = {
        **PARAMS_STORED,
        "chunk_tokens": None,
        "chunk_overlap": None,
        "name": "",
        "title": "",
        "profile": "",
        "chapter": None,
        "order": None,
        "moved_from": "",
        "known_as": "",
    }
    assert document_item(0, PARAMS).input == whole
    child = delegate_document(PARAMS, None).delegate  # type: ignore[arg-type]
    assert child is not None
    assert child.params == whole


@pytest.mark.parametrize("kind", KINDS)
def test_every_step_of_ingestion_names_its_input_and_result_and_both_are_compared_here(kind: str) -> None:
    compared = {type(record) for record, _stored in RECORDS} | {ChildResult}
    for name, step in FLOWS[kind].steps.items():
        assert {step.input, step.result} <= compared, name
