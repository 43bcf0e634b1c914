"""The JSON of ingestion's inputs, results and events is that of the version before, key for key.

`tests/data/ingest_records.jsonl` holds it: written by hand, from what the steps and flows of 85269f8 wrote as
dictionaries. Each line is a record's class, or an event's name, and its JSON. Items hold a document's
parameters whole; what equals its default may be missing. A profile's numbers and headings left out are there
where there are some, else not.
"""

import json
from pathlib import Path
from pkgutil import resolve_name

from workers.core.events.catalogue import read_event
from workers.core.jobs.params import DocumentParams
from workers.core.jobs.work import ChildResult, Event, JobState, Json, as_json
from workers.flows.batch import delegate_document, document_item
from workers.flows.registry import FLOWS

STORED = Path(__file__).parents[3] / "data" / "ingest_records.jsonl"
LINES: list[tuple[str, Json]] = [tuple(json.loads(line)) for line in STORED.read_text("utf-8").splitlines()]
RECORDS = [(name, stored) for name, stored in LINES if ":" in name]  # module:class
EVENTS = [(name, stored) for name, stored in LINES if ":" not in name]
INGESTION = ("document", "batch", "prefill", "provider_batch", "provider_cancel", "sync", "merge", "delete")
KINDS = (*INGESTION, "reindex", "webhook")


def test_the_json_of_each_record_is_that_of_the_version_before() -> None:
    for name, stored in RECORDS:
        assert as_json(resolve_name(name).read_stored(stored)) == stored, name


def test_the_data_of_each_event_is_that_of_the_version_before() -> None:
    for name, stored in EVENTS:
        data = read_event(Event(name=name, data=stored))
        assert data is not None, (name, stored)
        assert Event.of(data).data == stored, name


def test_how_a_child_ended_is_written_whole() -> None:
    stored = {"state": "done", "outcome": {}, "job_id": "j", "ended": 0.0, "seconds": 0.0}
    child = ChildResult(state=JobState.DONE, outcome={}, job_id="j")
    assert child.model_dump(mode="json") == stored
    assert ChildResult.read_stored(stored) == child


def test_a_document_of_a_batch_is_an_item_and_a_job_with_all_its_parameters() -> None:
    params = DocumentParams(uri="/a.txt", source="/a.txt", format="txt")
    texts = dict.fromkeys(("name", "title", "profile", "moved_from", "known_as"), "")
    numbers = dict.fromkeys(("chunk_tokens", "chunk_overlap", "chapter", "order"))
    whole = {"uri": "/a.txt", "source": "/a.txt", "format": "txt", **texts, **numbers}
    assert document_item(0, params).input == whole
    child = delegate_document(params, None).delegate  # type: ignore[arg-type]
    assert child is not None
    assert child.params == whole


def test_every_step_of_ingestion_names_its_input_and_result_and_both_are_compared_here() -> None:
    for kind in KINDS:
        compared = {resolve_name(name) for name, _stored in RECORDS} | {ChildResult}
        for name, step in FLOWS[kind].steps.items():
            assert {step.input, step.result} <= compared, name
