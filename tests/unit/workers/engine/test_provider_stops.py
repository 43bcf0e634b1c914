"""What an ended job has at the provider is stopped and read, and its files go unless a retry needs them."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

import orjson
import pytest
from doubles.blobs import MemoryBlobs
from doubles.graph import MemoryGraph
from doubles.memory_redis import memory_redis, services_over
from doubles.model import ExtractingModel, ingest_ports
from doubles.provider import BOUND, MemoryProvider
from doubles.replies import MemoryReplies
from doubles.single_worker import NoParams, SingleWorker, cut_short, end_with_errors
from doubles.vectors import MemoryVectors

from hopline.errors import Permanent
from hopline.models.jobs import JobState
from workers.core.ids import child_job_id, content_hash, provider_cancel_job_id
from workers.core.jobs.flow import Flow
from workers.core.jobs.records import JobRecord
from workers.core.jobs.work import Item, Phase
from workers.core.models.provider import ProviderBatch, ProviderFile
from workers.engine.outbox import work_off
from workers.engine.submit import cancel_job, retry_job
from workers.flows import registry
from workers.ingest.provider.group import HandOverInput
from workers.ingest.provider.lines import Group, Line, put_group, put_lines
from workers.ingest.provider.prefill import PREFILL
from workers.services import Services

LINE = Line(content_hash("1"), content_hash("key 1"), "ExtractedFacts", BOUND, b'{"n":1}')
FACTS = {"facts": [{"text": "Anna Keller lives in Bern.", "key_elements": ["Anna Keller"]}]}
REPLY = {"custom_id": LINE.key, "response": {"status_code": 200, "body": FACTS}}


@dataclass
class Provider(MemoryProvider):
    """Answers a batch once it is created; `meanwhile` happens before an upload or a creation comes back."""

    meanwhile: dict[str, Callable[[], None]] = field(default_factory=dict)

    def upload(self, name: str, lines: Iterable[bytes]) -> ProviderFile:
        file = super().upload(name, lines)
        kept = self.files.pop(file.id)
        self._pass("upload")
        self.files[file.id] = kept  # nobody sees it before it is whole
        return file

    def create(self, intent: str, file: ProviderFile) -> ProviderBatch:
        if file.id not in self.files:
            raise Permanent("the file is lost")
        self._pass("refused")
        made = super().create(intent, file)
        self.files["out"] = ("", [orjson.dumps(REPLY)])
        self.put(made.id, output="out")
        self._pass("create")
        self.put(made.id, standing="ended")
        return self.batches[made.id]

    def _pass(self, moment: str) -> None:
        self.meanwhile.pop(moment, lambda: None)()


@dataclass
class Handed(SingleWorker):
    """A job that hands one group over to the provider."""

    provider: Provider = field(default_factory=Provider)
    replies: MemoryReplies = field(default_factory=MemoryReplies)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.job = self.submit("groups")

    @property
    def child(self) -> JobRecord:
        return self.record(child_job_id(self.job, "group:0"))

    @property
    def stop(self) -> str:
        return provider_cancel_job_id(self.child.job.id, self.child.epoch)


@pytest.fixture
def handed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Handed:
    blobs = MemoryBlobs()
    parts = tuple(part.reference for part in put_lines(blobs, [LINE]))
    groups = [put_group(blobs, Group(parts=parts, lines=1, since=time.time()))]
    hand_over = HandOverInput(groups=blobs.put(orjson.dumps(groups), ".json"), at=0)
    flow = Flow(
        kind="groups",
        params=NoParams,
        steps={"ingest.hand_over": PREFILL.steps["ingest.hand_over"]},
        first=lambda _job: Phase(items=(Item(id="group:0", step="ingest.hand_over", input=hand_over),)),
        advance=end_with_errors,
        cut_short=cut_short,
    )
    monkeypatch.setitem(registry.FLOWS, "groups", flow)
    made = Handed(services_over(memory_redis(), blob_url=str(tmp_path)))
    ports = ingest_ports(MemoryGraph(), MemoryVectors(), ExtractingModel(), blobs, replies=made.replies)
    ports = replace(ports, provider=made.provider)
    monkeypatch.setattr(Services, "ports", lambda _self, job, *_: replace(ports, job=job))
    return made


def check_retried(handed: Handed) -> None:
    """Check that nothing is left at the provider, and that a retry begins again."""
    assert handed.provider.files == {}
    handed.provider.gone = False
    handed.replies.purge(list(handed.replies.contents))
    retry_job(handed.services, handed.broker, handed.job)
    assert handed.play(handed.job).state is JobState.DONE
    assert (handed.provider.files, handed.replies.contents) == ({}, {LINE.content})


@pytest.mark.parametrize("dies", [False, True])
@pytest.mark.parametrize(("moment", "answered"), [("upload", set()), ("create", {LINE.content})])
def test_a_job_that_is_cancelled_meanwhile_leaves_nothing_at_the_provider(handed, moment, answered, *, dies):
    def cancel() -> None:
        handed.ledger.end(handed.job, None, JobState.CANCELLED, {})
        handed.provider.gone = True
        if not dies:  # else before its child is told, which the worker does that finds its booking refused
            work_off(handed.services, handed.job)
            assert handed.play(handed.stop).state is JobState.DONE

    handed.provider.meanwhile[moment] = cancel
    handed.broker.deliver(handed.runner)
    assert (handed.child.state, handed.child.dead) == (JobState.CANCELLED, 0)
    assert handed.play(handed.stop).state is JobState.DONE
    assert handed.replies.contents == answered
    check_retried(handed)


def test_a_batch_that_was_given_up_and_is_cancelled_leaves_nothing_either(handed: Handed) -> None:
    handed.provider.meanwhile["refused"] = refuse
    handed.broker.deliver(handed.runner, most=3)
    cancel_job(handed.services, handed.job)  # before it stops the batch itself
    assert (handed.child.state, handed.child.dead) == (JobState.CANCELLED, 1)
    assert handed.play(handed.stop).state is JobState.DONE
    check_retried(handed)


def refuse() -> None:
    raise Permanent("no such model")


def test_a_batch_that_was_refused_leaves_its_file_for_a_retry(handed: Handed) -> None:
    handed.provider.meanwhile["refused"] = refuse
    handed.play(handed.job)
    assert (handed.child.state, handed.child.dead) == (JobState.FAILED, 1)
    assert handed.ledger.job(handed.stop) is None
    (file,) = handed.provider.files
    retry_job(handed.services, handed.broker, handed.job)
    assert handed.play(handed.job).state is JobState.DONE
    assert [batch.input for batch in handed.provider.batches.values()] == [file]
    assert (handed.provider.files, handed.replies.contents) == ({}, {LINE.content})
