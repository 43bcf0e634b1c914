"""Lines, groups and what comes back of them, without a provider."""

import time
from dataclasses import replace
from pathlib import Path

import orjson
import pytest
from doubles.blobs import MemoryBlobs
from doubles.documents import write_made
from doubles.graph import MemoryGraph
from doubles.model import ExtractingModel, ingest_ports
from doubles.provider import BOUND, MemoryProvider
from doubles.replies import MemoryReplies
from doubles.vectors import MemoryVectors

from hopline.errors import Conflict, Deferred, Permanent, Transient
from hopline.models.documents import Document, ReadRecord
from hopline.models.jobs import Usage
from workers.core.errors import BudgetExceeded
from workers.core.ids import content_hash, document_id
from workers.core.jobs.params import DocumentParams
from workers.core.jobs.work import NoInput, as_json
from workers.core.models.replies import NoReplies
from workers.core.ports import Limits, Ports
from workers.ingest.provider.fetch import ReadInput, ReadResult, WaitInput, read_batch, wait_for_batch
from workers.ingest.provider.flow import CleanInput, CleanResult, StopInput, StopResult, clean_up, stop_batch
from workers.ingest.provider.group import GroupInput, group_lines
from workers.ingest.provider.lines import Group, Line, lines_of, parts_of, put_group, put_lines
from workers.ingest.provider.prepare import prepare_document
from workers.ingest.provider.send import CreateInput, UploadResult, create_batch, intent_of, upload_lines
from workers.ingest.sync.fingerprint import placed_hash, version_hash

GOOD = {"facts": [{"text": "Anna Keller lives in Bern.", "key_elements": ["Anna Keller"]}]}
SMALL = Limits(chunk_tokens=12, chunk_overlap=0)


def line(number: int) -> Line:
    content = content_hash(str(number))
    return Line(content, content_hash(f"key {number}"), "ExtractedFacts", BOUND, b'{"n":%d}' % number)


def ports_of(lines: list[Line], provider: MemoryProvider | None = None) -> Ports:
    blobs = MemoryBlobs()
    parts = put_lines(blobs, lines)
    group = Group(parts=tuple(part.reference for part in parts), lines=len(lines), since=time.time())
    params = {"group": put_group(blobs, group), "turn": 1}
    ports = ingest_ports(
        MemoryGraph(), MemoryVectors(), ExtractingModel(), blobs, kind="provider_batch", params=params
    )
    return replace(ports, provider=provider or MemoryProvider(), replies=MemoryReplies())


def provider_of(ports: Ports) -> MemoryProvider:
    assert isinstance(ports.provider, MemoryProvider)
    return ports.provider


def answered(line: Line, payload: object = None, status: int = 200) -> bytes:
    response = {"status_code": status, "request_id": "r", "body": GOOD if payload is None else payload}
    return orjson.dumps({"id": "b", "custom_id": line.key, "response": response, "error": None})


def read(ports: Ports, lines: list[bytes], errors: list[bytes] | None = None) -> ReadResult:
    provider = provider_of(ports)
    provider.files |= {"out": ("", lines), "err": ("", errors or [])}
    result = read_batch(ReadInput(output="out", errors="err" if errors else ""), ports).result
    assert isinstance(result, ReadResult)
    return result


def uploaded_of(ports: Ports) -> CreateInput:
    return CreateInput.read_stored(as_json(upload_lines(NoInput(), ports).result))


def test_a_line_that_two_documents_have_is_asked_once():
    blobs = MemoryBlobs()
    parts = [*put_lines(blobs, [line(1), line(2)]), *put_lines(blobs, [line(2), line(3)])]
    group = Group(parts=tuple(part.reference for part in parts), lines=4, since=0)
    assert list(lines_of(blobs, group)) == [line(1), line(2), line(3)]


def test_where_replies_are_not_kept_nothing_is_sent():
    ports = replace(ports_of([]), replies=NoReplies())
    with pytest.raises(Permanent, match="reply_bytes"):
        group_lines(GroupInput(pages=(), prepared=()), ports)


class Source:
    """A document of some chunks, and what preparing it needs."""

    def __init__(self, folder: Path, text: str, provider: MemoryProvider | None = None) -> None:
        file = folder / "bern.txt"
        file.write_text(text, encoding="utf-8")
        self.params = DocumentParams(uri="bern.txt", source=str(file), format="txt")
        self.model, self.graph = ExtractingModel(), MemoryGraph()
        ports = ingest_ports(
            self.graph, MemoryVectors(), self.model, MemoryBlobs(), kind="prefill", limits=SMALL
        )
        self.ports = replace(ports, provider=provider or MemoryProvider(), replies=MemoryReplies())

    def lines(self) -> list[Line]:
        parts = parts_of(self.ports.blobs, prepare_document(self.params, self.ports).result)
        group = Group(parts=tuple(part.reference for part in parts), lines=0, since=0)
        return list(lines_of(self.ports.blobs, group))


TEXT = "Anna Keller lives in Bern today.\n\nThe Aare flows to Bern from the Alps.\n\n---"


def test_a_prepared_document_has_a_line_for_each_chunk_worth_asking_and_the_graph_is_untouched(tmp_path):
    source = Source(tmp_path, TEXT)
    lines = source.lines()
    requests = [orjson.loads(line.body)["asks"] for line in lines]
    expected = ["Anna Keller lives in Bern today.", "The Aare flows to Bern from the Alps."]
    assert [request["text"].strip("\n- ") for request in requests] == expected
    assert {request["title"] for request in requests} == {"bern"}
    assert source.model.asked == []
    assert source.graph.store.documents("default") == []


def test_what_is_kept_needs_no_line(tmp_path: Path):
    source = Source(tmp_path, TEXT)
    first, _second = source.lines()
    source.ports.replies.put(first.content, first.key, orjson.dumps(GOOD))
    assert [line.key for line in source.lines()] == [_second.key]


def test_a_version_that_is_there_for_its_places_is_not_prepared_again(tmp_path: Path):
    source = Source(tmp_path, TEXT)
    plain = version_hash(TEXT, source.params, source.ports.limits)
    reading = ReadRecord(reader="txt 0", places="where it stands")
    known = Document(
        id=document_id("default", "bern.txt"),
        collection="default",
        uri="bern.txt",
        title="bern",
        content_hash=placed_hash(plain, reading.reader, reading.places),
        status="loaded",
        reading=reading,
    )
    write_made(source.graph, known, [])
    assert source.lines() == []


def test_the_first_chunk_is_asked_at_once_where_no_call_has_shown_the_form_of_request(tmp_path: Path):
    source = Source(tmp_path, TEXT, MemoryProvider(knows_form=False))
    assert len(source.lines()) == 1
    assert len(source.model.asked) == 1


def test_a_document_that_cannot_be_read_is_left_to_its_own_job(tmp_path: Path):
    source = Source(tmp_path, "  ")
    prepared = prepare_document(source.params, source.ports).result
    assert prepared.parts == ()
    assert "empty" in prepared.why


def test_a_group_is_uploaded_once_and_what_is_kept_meanwhile_is_left_out():
    ports = ports_of([line(1), line(2), line(3)])
    ports.replies.put(line(2).content, line(2).key, b"{}")
    first = upload_lines(NoInput(), ports).result
    assert (first.lines, first.bound) == (2, BOUND + BOUND)
    requests = [orjson.loads(raw) for raw in provider_of(ports).files[first.file][1]]
    assert [request["custom_id"] for request in requests] == [line(1).key, line(3).key]
    assert {(request["method"], request["url"]) for request in requests} == {("POST", "/v1/chat/completions")}
    again = upload_lines(NoInput(), ports).result
    assert again.file == first.file
    assert again.lines == 3, "an earlier attempt may have sent more than is missing now"
    assert len(provider_of(ports).files) == 1
    kept = ports_of([line(1)])
    kept.replies.put(line(1).content, line(1).key, b"{}")
    assert upload_lines(NoInput(), kept).result == UploadResult(lines=0)
    assert provider_of(kept).files == {}


def test_a_batch_is_booked_before_it_is_created_and_created_once():
    ports = ports_of([line(1), line(2)])
    uploaded = uploaded_of(ports)
    assert create_batch(uploaded, ports).result == create_batch(uploaded, ports).result
    assert provider_of(ports).booked == {intent_of(ports): BOUND + BOUND}
    assert len(provider_of(ports).batches) == 1


def test_a_batch_that_does_not_fit_into_the_budget_is_not_created():
    class Poor(MemoryProvider):
        def reserve(self, _booking, _bound, _epoch):
            raise BudgetExceeded("used up")

    ports = ports_of([line(1)], Poor())
    with pytest.raises(BudgetExceeded):
        create_batch(uploaded_of(ports), ports)
    assert provider_of(ports).batches == {}


def test_a_batch_whose_job_ended_in_that_moment_is_cancelled():
    class Ending(MemoryProvider):
        def create(self, intent, file):
            self.gone = True
            return super().create(intent, file)

    ports = ports_of([line(1)], Ending())
    with pytest.raises(Conflict):
        create_batch(uploaded_of(ports), ports)
    assert [batch.status for batch in provider_of(ports).batches.values()] == ["cancelled"]


def test_a_creation_that_stood_still_until_its_batch_was_read_books_nothing_and_its_batch_is_left_alone():
    class Slow(MemoryProvider):
        def create(self, intent, file):
            batch = super().create(intent, file)
            self.put(batch.id, standing="ended", status="completed")
            read(ports, [answered(line(1))])  # by another worker, meanwhile
            return batch

    ports = ports_of([line(1)], Slow())
    uploaded = uploaded_of(ports)
    for _ in range(2):  # the second had not even begun when the batch was read
        with pytest.raises(Conflict):
            create_batch(uploaded, ports)
    assert provider_of(ports).settled[intent_of(ports)].model_calls == 1


@pytest.mark.parametrize("there", [False, True])
def test_a_batch_whose_creation_is_refused_stays_booked_only_where_one_is_there(*, there: bool):
    class Refusing(MemoryProvider):
        def create(self, intent, file):
            if there:  # by an attempt whose end nobody recorded
                super().create(intent, file)
            raise Permanent("its file is unknown")

    ports = ports_of([line(1)], Refusing())
    with pytest.raises(Permanent, match="unknown"):
        create_batch(uploaded_of(ports), ports)
    assert provider_of(ports).settled == ({} if there else {intent_of(ports): Usage()})


def test_one_that_the_provider_s_limit_kept_out_is_not_tried_before_its_time():
    ports = ports_of([line(1)])
    uploaded = uploaded_of(ports)
    with pytest.raises(Deferred) as early:
        create_batch(uploaded.model_copy(update={"not_before": time.time() + 5000}), ports)
    assert 0 < (early.value.retry_after or 0) <= 5000
    assert provider_of(ports).batches == {}


def test_waiting_gives_the_item_back_until_the_batch_has_ended():
    ports = ports_of([line(1)])
    provider_of(ports).put("b", total=4, completed=1)
    with pytest.raises(Deferred, match="1 of 4") as waiting:
        wait_for_batch(WaitInput(batch="b", round=1), ports)
    assert waiting.value.retry_after == 30.0
    provider_of(ports).put("b", standing="ended", status="expired", output="out")
    result = wait_for_batch(WaitInput(batch="b", round=1), ports).result
    assert (result.standing, result.status, result.output) == ("ended", "expired", "out")


def test_a_batch_long_past_its_window_is_stopped_and_read():
    ports = ports_of([line(1)])
    provider_of(ports).put("b", expires=time.time() - 7200, output="out")
    assert wait_for_batch(WaitInput(batch="b", round=1), ports).result.standing == "ended"
    assert provider_of(ports).look("b").status == "cancelled"


def test_a_limit_is_waited_for_longer_every_time():
    ports = ports_of([line(1)])
    provider_of(ports).put("b", standing="full", status="failed", why="token_limit_exceeded: full")
    for turn, seconds in ((1, 60), (3, 240), (12, 1800)):
        begun = time.time()
        not_before = wait_for_batch(WaitInput(batch="b", round=turn), ports).result.not_before
        assert begun + seconds <= not_before <= time.time() + seconds


def test_what_validates_is_kept_where_a_call_s_reply_would_be():
    ports = ports_of([line(1), line(2), line(3)])
    result = read(ports, [answered(line(2)), answered(line(1)), answered(line(3), {"unexpected": 1})])
    assert (result.kept, result.unusable, result.usage.model_calls) == (2, 1, 3)
    assert ports.replies.get(line(3).content, line(3).key) is None, "left to the normal way"
    kept = ports.replies.get(line(1).content, line(1).key)
    assert kept
    assert orjson.loads(kept)["facts"][0]["text"] == GOOD["facts"][0]["text"]
    assert provider_of(ports).settled[intent_of(ports)].model_calls == 3, "the unusable one is paid for"


def test_a_line_that_is_none_is_counted_and_harms_nothing():
    for raw in [
        b"not JSON",
        b"[]",
        b'{"custom_id": ["x"], "response": {}}',
        b'{"custom_id": "../../etc", "response": {"status_code": 200, "body": {}}}',
        answered(line(1), [1, 2]),
        answered(line(1), status=500),
        answered(line(9)),  # which was not asked
        answered(line(2)),  # a second time
    ]:
        ports = ports_of([line(1), line(2)])
        result = read(ports, [raw, answered(line(2))])
        assert (result.kept, result.unreadable) == (1, 1), raw
        assert ports.replies.get(line(9).content, line(9).key) is None, raw


def test_failed_lines_are_counted_by_their_reason():
    expired = orjson.dumps({"custom_id": "x", "response": None, "error": {"code": "batch_expired"}})
    refused = answered(line(1), {"error": {"message": "no such model", "code": None}}, 400)
    result = read(ports_of([line(1)]), [], [expired, expired, refused, b"?"])
    assert result.failed == 4
    assert result.reasons == {"batch_expired": 2, "no such model": 1, "unreadable": 1}


def test_files_go_when_they_are_read_those_of_lost_attempts_too():
    ports = ports_of([line(1)])
    provider = provider_of(ports)
    provider.files |= {"in": ("", []), "out": ("", []), "lost": (intent_of(ports), []), "other": ("x", [])}
    cleaned = clean_up(CleanInput(files=("in", "out", ""), refused=False), ports)
    assert cleaned.result == CleanResult(removed=3)
    assert list(provider.files) == ["other"]
    assert provider.settled == {}
    clean_up(CleanInput(files=(), refused=True), ports)
    assert provider.settled == {intent_of(ports): Usage()}, "a refused batch took nothing"


def test_a_cancelled_job_s_batch_is_stopped_and_one_without_leaves_no_file():
    ports = ports_of([line(1)])
    create_batch(uploaded_of(ports), ports)
    assert stop_batch(StopInput(), ports).result == StopResult(batch="batch-0")
    assert provider_of(ports).look("batch-0").status == "cancelled"
    for keep in (False, True):  # a job that was given up keeps its file for a retry
        other = ports_of([line(1)])
        upload_lines(NoInput(), other)
        assert stop_batch(StopInput(keep=keep), other).result == StopResult(batch="")
        assert len(provider_of(other).files) == keep
        assert provider_of(other).settled == {intent_of(other): Usage()}


def test_a_transient_fault_of_a_source_is_tried_again(tmp_path: Path):
    source = Source(tmp_path, TEXT)

    class Away(MemoryGraph):
        def document(self, _name):
            raise Transient("the graph is away")

    ports = replace(source.ports, graph=Away())
    with pytest.raises(Transient):
        prepare_document(source.params, ports)
