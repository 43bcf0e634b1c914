"""A sync of very many documents: inputs and Redis do not grow with it; the runner over a real Redis."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

import pytest
from doubles.broker import Broker
from doubles.graph_parts import Whole
from doubles.manifests import pages_of
from doubles.model import ExtractingModel
from doubles.spooling import spool_at

from workers.core import ids
from workers.core.jobs import result_pages
from workers.core.jobs.flow import Flow, Step
from workers.core.jobs.params import DeleteParams, DocumentParams
from workers.core.jobs.work import Done, End, Item, Job, JobState, Json, NoInput, Outcome, Phase, as_json
from workers.core.ports import Ports
from workers.core.records import Document
from workers.engine.runner import Runner
from workers.engine.submit import retry_job, submit_job
from workers.engine.watchdog import Watchdog
from workers.flows import registry
from workers.flows.sync import SYNC
from workers.ingest.sync import survey
from workers.ingest.sync.compare import CompareInput
from workers.ingest.sync.fingerprint import source_hash
from workers.ledger.keys import job_key
from workers.ledger.records import JobRecord
from workers.services import Services
from workers.settings import Settings

SPOOLED_AT = 50


class Shelf(dict[str, Document], Whole):
    """A graph that holds nothing but documents."""

    def document(self, document_id: str) -> Document | None:
        return self.get(document_id)

    def documents(self, _collection: str, *, after: str = "", limit: int = 100) -> list[Document]:
        return [self[name] for name in sorted(self) if name > after][:limit]


@dataclass
class Night:
    """Documents and removals that fail where a test says so."""

    services: Services
    folder: Path
    shelf: Shelf
    broken: set[str] = field(default_factory=set)
    read: Counter[str] = field(default_factory=Counter)
    largest: Counter[str] = field(default_factory=Counter)  # bytes of a step's inputs
    held: int = 0  # items that Redis ever held of the job

    def __post_init__(self) -> None:
        self.broker = Broker()
        self.runner = Runner(self.services, self.broker)
        self.watchdog = Watchdog(self.runner.driver, 0.1)

    def write(self, count: int) -> None:
        self.folder.mkdir(exist_ok=True)
        for nth in range(count):
            (self.folder / f"{nth}.txt").write_text(f"Document {nth}.")

    def sync(self, **wanted: object) -> JobRecord:
        params = {"sources": [str(self.folder)], "most_removed": 1, **wanted}
        return self.play(submit_job(self.services, self.broker, "sync", "c", params).job.id)

    def play(self, name: str) -> JobRecord:
        for _ in range(2000):
            while self.broker.queued:
                if not len(self.broker.delivered) % 20 or len(self.broker.queued) == 1:
                    self.weigh(name)
                self.broker.deliver_one(self.runner, self.broker.queued.popleft())
            record = self.services.ledger.job(name)
            assert record is not None
            if record.state is not JobState.RUNNING:
                return record
            self.watchdog.look_once()
        raise AssertionError("it never ended")

    def weigh(self, name: str) -> None:
        items = cast("dict[str, str]", self.services.redis.hgetall(job_key(name, "items")))
        self.held = max(self.held, len(items))
        for value in items.values():
            _phase, step, item_input = value.split(" ", 2)
            self.largest[step] = max(self.largest[step], len(item_input))

    def do(self, flow: str, uri: str) -> Outcome:
        self.read[f"{flow} {Path(uri).name}"] += 1
        failed = uri in self.broken
        return Outcome(result={"uri": uri, "status": "failed" if failed else "done"})


def child_flow(kind: str, step: Step) -> Flow:
    def advance(_phase: int, results: dict[int, list[Done]], _job: Job) -> End:
        outcome = results[0][0].result
        failed = outcome["status"] == "failed"
        child_outcome = {**outcome, "error": "no text" if failed else None}
        return End(state=JobState.FAILED if failed else JobState.DONE, outcome=child_outcome)

    return Flow(
        kind=kind,
        params=DocumentParams if kind == "document" else DeleteParams,
        steps={"ingest.load": step},
        first=lambda _job: Phase(items=(Item(id="load", step="ingest.load"),)),
        advance=advance,
        cut_short=lambda _results, _job, reason: End(state=JobState.FAILED, outcome={"reason": reason}),
    )


@pytest.fixture
def night(empty_redis: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Night]:
    settings = Settings(
        topics_after_ingest="never",  # there is no graph to ask for topics
        _env_file=None,
        redis_url=empty_redis,
        blob_url=str(tmp_path / "blobs"),
        resend_seconds=0.05,
    )
    services = Services(settings)
    services.redis.flushdb()
    shelf = Shelf()
    services.__dict__ |= {
        "graph": shelf,
        "concepts": None,
        "vectors": None,
        "model": ExtractingModel(lambda _text: []),
    }
    made = Night(services, tmp_path / "source", shelf)

    def read(_given: Json, ports: Ports) -> Outcome:
        params = DocumentParams.model_validate(ports.job.params)
        done = made.do("read", params.uri)
        if done.result["status"] == "done":
            name = ids.document_id("c", params.uri)
            of = source_hash(Path(params.source).read_bytes(), params, ports.limits)
            known = {"id": name, "collection": "c", "uri": params.uri, "title": "", "content_hash": "h"}
            shelf[name] = Document(**known, status="indexed", source_hash=of)
        return done

    def remove(_given: Json, ports: Ports) -> Outcome:
        name = ports.job.params["document_id"]
        document = shelf.get(name)
        done = made.do("remove", document.uri if document else "/gone")
        if done.result["status"] == "done":
            shelf.pop(name, None)
        return done

    monkeypatch.setitem(registry.FLOWS, "document", child_flow("document", Step(run=read)))
    monkeypatch.setitem(registry.FLOWS, "delete", child_flow("delete", Step(run=remove)))
    monkeypatch.setattr(survey, "_PAGE", 1)
    spool_at(monkeypatch, SPOOLED_AT)
    yield made
    for name in ("graph", "concepts", "vectors", "model"):
        del services.__dict__[name]
    services.close()


def test_inputs_do_not_grow_with_the_number_of_documents(
    night: Night, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(result_pages, "_NAMED", 3)
    seen = []
    for count in (210, 500):
        night.write(count)
        night.largest.clear()
        night.held = 0
        ended = night.sync(dry_run=True)
        assert ended.outcome is not None
        assert ended.outcome["counts"] == {"new": count, "doubtful": 0}
        seen.append(dict(night.largest))
        assert night.held < SPOOLED_AT + 3 * survey.WINDOW
    assert seen[1]["ingest.compare"] == seen[0]["ingest.compare"] < 1000
    assert max(seen[1].values()) < 1000


def test_results_leave_redis_and_the_outcome_counts_them_all(night: Night) -> None:
    night.write(160)
    night.broken = {str(night.folder / f"{nth}.txt") for nth in (3, 150)}
    ended = night.sync()
    assert ended.state is JobState.PARTIAL
    assert ended.outcome is not None
    assert ended.outcome["documents"] == {"done": 158, "failed": 2}
    assert {document["uri"] for document in ended.outcome["failed"]} == night.broken
    redis = night.services.redis
    assert redis.hlen(job_key(ended.job.id, "items")) < 20
    assert redis.hlen(job_key(ended.job.id, "result")) < 20


def test_a_retry_does_again_what_failed_in_the_phase_that_it_failed_in(night: Night) -> None:
    night.write(120)
    night.sync()
    for nth in range(60):
        (night.folder / f"{nth}.txt").unlink()
        (night.folder / f"new{nth}.txt").write_text(f"New {nth}.")
    night.broken = {str(night.folder / "new7.txt"), str(night.folder / "9.txt")}
    night.read.clear()
    ended = night.sync()
    assert ended.outcome is not None
    assert ended.outcome["documents"] == {"done": 59, "failed": 1}
    assert ended.outcome["removals"] == {"removed": 59, "failed": 1}
    assert ended.dead == 2
    night.broken = {str(night.folder / "9.txt")}
    night.read.clear()
    retry_job(night.services, night.broker, ended.job.id)
    again = night.play(ended.job.id)
    assert again.outcome is not None
    assert again.outcome["counts"] == ended.outcome["counts"]
    assert again.outcome["documents"] == {"done": 60}
    assert again.outcome["removals"] == {"removed": 59, "failed": 1}
    assert (again.done["ingest.list"], again.done["ingest.document"], again.dead) == (1, 60, 1)
    assert {name for name in night.read if name.startswith("read")} == {"read new7.txt"}
    night.broken.clear()
    night.read.clear()
    retry_job(night.services, night.broker, ended.job.id)
    whole = night.play(ended.job.id)
    assert (whole.state, whole.outcome and whole.outcome["removals"]) == (JobState.DONE, {"removed": 60})
    assert night.read == Counter({"remove 9.txt": 1})


def test_a_page_that_could_not_be_surveyed_stops_it_and_is_done_again_by_a_retry(
    night: Night, monkeypatch: pytest.MonkeyPatch
) -> None:
    night.write(120)
    whole = survey.read_document

    def broken(document: DocumentParams, ports: Ports) -> bytes:
        if document.source.endswith("/77.txt"):
            raise RuntimeError("a disk that is broken")
        return whole(document, ports)

    with monkeypatch.context() as broken_disk:
        broken_disk.setattr(survey, "read_document", broken)
        broken_disk.setattr(night.runner.ledger, "fail", failing_at_once(night))
        ended = night.sync()
    assert ended.state is JobState.FAILED
    assert ended.outcome is not None
    assert "a disk that is broken" in ended.outcome["error"]
    retry_job(night.services, night.broker, ended.job.id)
    again = night.play(ended.job.id)
    assert (again.state, again.outcome and again.outcome["documents"]) == (JobState.DONE, {"done": 120})


def failing_at_once(night: Night):  # type: ignore[no-untyped-def]
    fail = night.runner.ledger.fail
    return lambda *args, **more: fail(*args, **(more | {"permanent": True}))


def test_a_sync_that_a_worker_of_an_earlier_version_listed_goes_on_to_its_end(
    night: Night, monkeypatch: pytest.MonkeyPatch
) -> None:
    night.write(SPOOLED_AT // 2)
    inputs: list[Json] = []

    def list_as_before(nothing: NoInput, ports: Ports) -> Outcome:
        result = as_json(survey.list_documents(nothing, ports).result)
        surveys = pages_of(night.services.blobs, result.pop("surveys")["reference"])
        return Outcome(result=result | {"pages": [item.input["page"] for page in surveys for item in page]})

    def compare(listed: CompareInput, ports: Ports) -> Outcome:
        inputs.append(as_json(listed))
        return SYNC.steps["ingest.compare"].run(listed, ports)

    steps = {
        **SYNC.steps,
        "ingest.list": replace(SYNC.steps["ingest.list"], run=list_as_before, result=None),
        "ingest.compare": replace(SYNC.steps["ingest.compare"], run=compare),
    }
    monkeypatch.setitem(registry.FLOWS, "sync", replace(SYNC, steps=steps))
    ended = night.sync()
    assert (ended.state, ended.outcome and ended.outcome["documents"]) == (JobState.DONE, {"done": 25})
    assert len(inputs[0]["surveyed"]) == 25, "what a compare of an earlier version was given"
    night.write(3 * SPOOLED_AT)
    ended = night.sync()
    assert (ended.state, ended.outcome and ended.outcome["documents"]) == (JobState.DONE, {"done": 125})
    assert "surveyed" not in inputs[1]
