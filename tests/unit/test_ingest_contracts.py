"""The JSON of ingestion's inputs and results is that of the version before, key for key."""

from __future__ import annotations

from typing import Any

import pytest

from workers.core.jobs.work import ChildResult, JobState, Json, NoInput, as_json
from workers.core.model import Document, Frozen
from workers.flows.registry import FLOWS
from workers.ingest.chunking.split import SplitInput, SplitResult
from workers.ingest.extract import ExtractInput, ExtractResult
from workers.ingest.index import IndexInput, IndexResult
from workers.ingest.link import LinkInput, LinkResult
from workers.ingest.load import LoadResult

KINDS = ("document",)

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


def _named(record: Any) -> str:
    return type(record).__name__ if isinstance(record, Frozen) else ""


@pytest.mark.parametrize(("record", "stored"), RECORDS, ids=_named)
def test_the_json_is_that_of_the_version_before(record: Frozen, stored: Json) -> None:
    assert as_json(record) == stored
    assert type(record).read_stored(stored) == record


def test_how_a_child_ended_is_written_whole() -> None:
    stored = {"state": "done", "outcome": {}, "job_id": "j", "ended": 0.0, "seconds": 0.0}
    child = ChildResult(state=JobState.DONE, outcome={}, job_id="j")
    assert child.model_dump(mode="json") == stored
    assert ChildResult.read_stored(stored) == child


@pytest.mark.parametrize("kind", KINDS)
def test_every_step_of_ingestion_names_its_input_and_result_and_both_are_compared_here(kind: str) -> None:
    compared = {type(record) for record, _stored in RECORDS} | {ChildResult}
    for name, step in FLOWS[kind].steps.items():
        assert {step.input, step.result} <= compared, name
