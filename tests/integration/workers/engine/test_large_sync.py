"""A sync of very many documents: inputs and Redis do not grow with it; the runner over a real Redis."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import cast

import pytest
import redis
from doubles.graph_parts import Whole
from doubles.manifests import pages_of
from doubles.memory_redis import services_over
from doubles.model import ExtractingModel
from doubles.single_worker import SingleWorker, child_flow
from doubles.spooling import spool_at

from hopline.models.documents import Document
from hopline.models.jobs import JobState, Json
from workers.core import ids
from workers.core.graph.stored_document import StandingText
from workers.core.jobs.params import DeleteParams, DocumentParams
from workers.core.jobs.records import JobRecord
from workers.core.jobs.work import NoInput, Outcome, as_json
from workers.core.ports import Ports
from workers.core.redis_keys import job_key
from workers.engine.submit import retry_job, submit_job
from workers.flows import registry
from workers.ingest.sync import survey
from workers.ingest.sync.compare import CompareInput
from workers.ingest.sync.fingerprint import source_hash
from workers.ingest.sync.flow import SYNC
from workers.ledger.spool import Spool
from workers.services import Services

SPOOLED_AT = 50


class Shelf(dict[str, Document], Whole):
    """A graph that holds nothing but documents."""

    def document(self, document_id: str) -> Document | None:
        return self.get(document_id)

    def documents(self, _collection: str, *, after: str = "", limit: int = 100) -> list[Document]:
        return [self[name] for name in sorted(self) if name > after][:limit]

    def without_languages(self, _collection: str, _limit: int) -> list[StandingText]:
        return []


@dataclass
class Night(SingleWorker):
    """Documents and removals that fail where a test says so."""

    folder: Path = field(kw_only=True)
    shelf: Shelf = field(default_factory=Shelf)
    broken: set[str] = field(default_factory=set)  # names of files
    read: Counter[str] = field(default_factory=Counter)
    largest: Counter[str] = field(default_factory=Counter)  # bytes of a step's inputs
    held: int = 0  # items that Redis ever held of the job

    def write(self, count: int) -> None:
        self.folder.mkdir(exist_ok=True)
        for nth in range(count):
            (self.folder / f"{nth}.txt").write_text(f"Document {nth}.")

    def sync(self, **wanted: object) -> JobRecord:
        params = {"sources": [str(self.folder)], "most_removed": 1, **wanted}
        return self.play_on(submit_job(self.services, self.broker, "sync", "c", params).job.id)

    def retry(self, job: str) -> JobRecord:
        self.read.clear()
        retry_job(self.services, self.broker, job)
        return self.play_on(job)

    def play_on(self, job: str) -> JobRecord:
        for _ in range(2000):
            while self.broker.queued:
                if not len(self.broker.delivered) % 20 or len(self.broker.queued) == 1:
                    self.weigh(job)
                self.broker.deliver_one(self.runner, self.broker.queued.popleft())
            if (record := self.record(job)).state is not JobState.RUNNING:
                return record
            self.watchdog.look_once()
        raise AssertionError("it never ended")

    def weigh(self, job: str) -> None:
        items = cast("dict[str, str]", self.services.redis.hgetall(job_key(job, "items")))
        self.held = max(self.held, len(items))
        for value in items.values():
            _phase, step, item_input = value.split(" ", 2)
            self.largest[step] = max(self.largest[step], len(item_input))

    def do(self, flow: str, uri: str) -> bool:
        """Return whether a document or a removal can be done."""
        self.read[f"{flow} {Path(uri).name}"] += 1
        return Path(uri).name not in self.broken

    def read_document(self, _given: Json, ports: Ports) -> Outcome:
        params = DocumentParams.model_validate(ports.job.params)
        done = self.do("read", params.uri)
        if done:
            name = ids.document_id("c", params.uri)
            of = source_hash(sha256(Path(params.source).read_bytes()).hexdigest(), params, ports.limits)
            known = {"id": name, "collection": "c", "uri": params.uri, "title": "", "content_hash": "h"}
            self.shelf[name] = Document(**known, status="indexed", source_hash=of)
        return Outcome(result={"uri": params.uri, "status": "done" if done else "failed"})

    def remove_document(self, _given: Json, ports: Ports) -> Outcome:
        name = ports.job.params["document_id"]
        uri = self.shelf[name].uri if name in self.shelf else "/gone"
        done = self.do("remove", uri)
        if done:
            self.shelf.pop(name, None)
        return Outcome(result={"uri": uri, "status": "done" if done else "failed"})


def list_in_pages_of_one(nothing: NoInput, ports: Ports) -> Outcome:
    return survey.list_documents(nothing, ports, documents_per_page=1)


@pytest.fixture
def night(client: redis.Redis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Night]:
    services = services_over(
        client,
        blob_url=str(tmp_path / "blobs"),
        resend_seconds=0.05,
        topics_after_ingest="never",  # there is no graph to ask for topics
    )
    made = Night(services, folder=tmp_path / "source")
    adapters = {
        "graph": made.shelf, "concepts": None, "vectors": None, "model": ExtractingModel(lambda _text: []),
    }  # fmt: skip
    services.__dict__ |= adapters
    for kind, params, run in (
        ("document", DocumentParams, made.read_document),
        ("delete", DeleteParams, made.remove_document),
    ):
        monkeypatch.setitem(registry.FLOWS, kind, child_flow(kind, params, run))
    listing = replace(SYNC.steps["ingest.list"], run=list_in_pages_of_one)
    monkeypatch.setitem(registry.FLOWS, "sync", replace(SYNC, steps={**SYNC.steps, "ingest.list": listing}))
    spool_at(monkeypatch, SPOOLED_AT)
    yield made
    for name in adapters:
        del services.__dict__[name]
    services.close()


def test_inputs_do_not_grow_with_the_number_of_documents(night, monkeypatch):
    monkeypatch.setattr(Services, "spool", property(lambda of: Spool(of.ledger, SPOOLED_AT, named=3)))
    seen = []
    for count in (210, 500):
        night.write(count)
        night.largest.clear()
        night.held = 0
        ended = night.sync(dry_run=True)
        assert ended.outcome["counts"] == {"new": count, "doubtful": 0}
        seen.append(dict(night.largest))
        assert night.held < SPOOLED_AT + 3 * survey.WINDOW
    assert seen[1]["ingest.compare"] == seen[0]["ingest.compare"] < 1000
    assert max(seen[1].values()) < 1000


def test_a_retry_does_again_what_failed_in_the_phase_that_it_failed_in(night: Night) -> None:
    night.write(120)
    night.sync()
    for nth in range(60):
        (night.folder / f"{nth}.txt").unlink()
        (night.folder / f"new{nth}.txt").write_text(f"New {nth}.")
    night.broken = {"new7.txt", "9.txt"}
    ended = night.sync()
    assert ended.outcome["documents"] == {"done": 59, "failed": 1}
    assert ended.outcome["removals"] == {"removed": 59, "failed": 1}
    assert ended.dead == 2
    for part in ("items", "result"):
        assert night.services.redis.hlen(job_key(ended.job.id, part)) < 20, "results leave Redis"
    night.broken = {"9.txt"}
    again = night.retry(ended.job.id)
    assert again.outcome["counts"] == ended.outcome["counts"]
    assert again.outcome["documents"] == {"done": 60}
    assert again.outcome["removals"] == {"removed": 59, "failed": 1}
    assert (again.done["ingest.list"], again.done["ingest.document"], again.dead) == (1, 60, 1)
    assert {name for name in night.read if name.startswith("read")} == {"read new7.txt"}
    night.broken.clear()
    whole = night.retry(ended.job.id)
    assert (whole.state, whole.outcome and whole.outcome["removals"]) == (JobState.DONE, {"removed": 60})
    assert night.read == Counter({"remove 9.txt": 1})


def test_a_page_that_could_not_be_surveyed_stops_it_and_is_done_again_by_a_retry(night, monkeypatch):
    night.write(60)
    whole, fail = survey.document_digest, night.ledger.fail

    def broken(document: DocumentParams, ports: Ports) -> str:
        if document.source.endswith("/47.txt"):
            raise RuntimeError("a disk that is broken")
        return whole(document, ports)

    with monkeypatch.context() as broken_disk:
        broken_disk.setattr(survey, "document_digest", broken)
        broken_disk.setattr(
            night.ledger, "fail", lambda *args, **more: fail(*args, **(more | {"permanent": True}))
        )
        ended = night.sync()
    assert (ended.state, "a disk that is broken" in (ended.outcome or {})["error"]) == (JobState.FAILED, True)
    again = night.retry(ended.job.id)
    assert (again.state, again.outcome and again.outcome["documents"]) == (JobState.DONE, {"done": 60})


def test_a_sync_that_a_worker_of_an_earlier_version_listed_goes_on_to_its_end(night, monkeypatch):
    night.write(SPOOLED_AT // 2)
    inputs: list[Json] = []

    def list_as_before(nothing: NoInput, ports: Ports) -> Outcome:
        result = as_json(list_in_pages_of_one(nothing, ports).result)
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
