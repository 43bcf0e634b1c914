"""The client: what it submits, waits for and returns, over a ledger in memory."""

import asyncio
import inspect
from pathlib import Path

import pytest
from doubles.desk import ANSWER, WALKED, Desk, SentMessages, texts

import producer
from hopline.errors import DependencyAway, InvalidInput, NotFound, Permanent
from hopline.models.documents import Document
from hopline.models.jobs import JobState
from hopline.traces import in_trace
from producer import AsyncHopline, Hopline
from producer.client.watch import JobWatch
from producer.service.jobs import LedgerFeed
from workers.core.graph.kept_versions import KeptKey
from workers.core.jobs.work import Event
from workers.ingest.profile.profile import Profile, load_profile


@pytest.fixture
def client(desk: Desk) -> Hopline:
    return Hopline(services=desk, publisher=SentMessages())


def test_a_question_comes_back_as_its_answer_and_the_same_key_gives_the_same_job(desk, client):
    running = client.ask("When?", wait=False)
    assert (running.status, running.reason) == ("running", "the job has not ended yet")
    assert [message.job_id for message in client.publisher.sent][:1] == [running.job_id]
    desk.ledger.play["query"] = (WALKED, JobState.DONE, ANSWER)
    answer = client.ask("When was the bridge opened?", "bridges", max_depth=2)
    assert (answer.status, answer.text) == ("done", ANSWER["text"])
    assert answer.citations[0].document.title == "The [red] Bridge"
    assert (answer.usage.model_calls, answer.timings) == (3, {"traverse.plan": 0.5})
    job = client.job(answer.job_id).job
    assert (job.collection, job.params["max_depth"]) == ("bridges", 2)
    assert client.submit_question("When?", key="k") == client.submit_question("When?", key="k")
    assert client.submit_question("When?") != client.submit_question("When?")


@pytest.mark.parametrize(("params", "field"), [
    ({"max_depth": 0}, "max_depth"), ({"depth": 2}, "depth"), ({"priority": "now"}, "priority"),
    ({"question": "  "}, "question"), ({"collection": "a/b"}, "collection"),
])  # fmt: skip
def test_bad_input_is_named_before_anything_is_written(desk, client, params, field):
    with pytest.raises(InvalidInput) as caught:
        client.submit_question(**{"question": "When?", **params})
    assert caught.value.field == field
    assert desk.ledger.records == {}


def test_a_question_is_waited_for_cancelled_and_retried_as_a_new_job(desk: Desk, client: Hopline) -> None:
    old = client.submit_question("When?", max_depth=2)
    with pytest.raises(TimeoutError, match=old):
        client.wait(old, timeout=0)
    assert client.job(old).state == "running"
    assert client.cancel(old).state == "cancelled"
    answer = client.wait(old)
    assert (answer.status, answer.text, answer.reason) == ("cancelled", "", "cancelled by the user")
    desk.ledger.records[old] = desk.ledger.records[old].model_copy(update={"state": JobState.FAILED})
    new = client.retry(old)
    assert new.job.id != old
    assert new.job.params["max_depth"] == 2


def test_documents_are_one_batch_and_others_are_reported(desk: Desk, client: Hopline, tmp_path: Path) -> None:
    texts(tmp_path, "forth.txt", "severn.md", "photo.png")
    done = {"uri": "forth.txt", "document_id": "d1", "status": "done", "chunks": 1, "facts": 2, "events": 3}
    broken = done | {"status": "failed", "error": "empty", "failed_chunks": []}
    desk.ledger.play["batch"] = ([], JobState.PARTIAL, {"documents": [done, broken], "counts": {}})
    report = client.ingest([tmp_path], "bridges")
    assert [item.input["format"] for item in desk.ledger.phases[report.job_id].items] == ["txt", "md"]
    assert [document.status for document in report.documents] == ["done", "failed", "failed"]
    assert report.documents[0].events == 3
    empty, unknown = (str(document.error) for document in report.failed)
    assert empty == "empty"
    assert "unknown suffix" in unknown


def test_a_profile_goes_with_each_document_by_reference(desk: Desk, client: Hopline, tmp_path: Path) -> None:
    folder = texts(tmp_path, "a.txt", "b.txt")
    submitted = client.submit_documents(folder, profile="narrative")
    items = desk.ledger.phases[submitted.job_id].items
    [reference] = {item.input["profile"] for item in items}
    assert Profile.model_validate_json(desk.stored[reference]) == load_profile("narrative")
    plain = client.submit_documents(folder)
    assert [item.input["profile"] for item in desk.ledger.phases[plain.job_id].items] == ["", ""]
    own = tmp_path / "own.toml"
    own.write_text('[entities]\nParty = "who signs"\n', encoding="utf-8")
    submitted = client.submit_documents(folder[:1], profile=own)
    [item] = desk.ledger.phases[submitted.job_id].items
    assert b"who signs" in desk.stored[item.input["profile"]], "it is read where the client is"
    before = len(desk.ledger.records)
    with pytest.raises(InvalidInput, match=r"there is no profile 'naratif'; did you mean narrative\?"):
        client.submit_documents(folder, profile="naratif")
    assert len(desk.ledger.records) == before


def test_a_batch_of_texts_is_called_after_them_and_says_where_it_was_cut(desk: Desk, client: Hopline) -> None:
    entries = [{"name": f"{n} {'x' * 150}", "text": "A."} for n in range(2)]
    label = desk.ledger.records[client.submit_texts(entries).job_id].job.params["label"]
    assert (len(label), label[:2], label[-1]) == (200, "0 ", "…")


def test_with_a_configured_store_files_go_there_first(tmp_path: Path) -> None:
    desk = Desk()
    desk.settings = desk.settings.model_copy(update={"blob_url": "s3://shared/blobs"})
    client = Hopline(services=desk, publisher=SentMessages())
    submitted = client.submit_documents(texts(tmp_path, "forth.txt"))
    (item,) = desk.ledger.phases[submitted.job_id].items
    assert item.input["source"].startswith("blob:")
    assert desk.stored[item.input["source"].removeprefix("blob:")] == b"forth is a bridge."


@pytest.mark.parametrize("kept", [False, True])
def test_a_document_is_deleted_by_a_job_and_what_is_kept_of_one_is_erased(desk, client, monkeypatch, kept):
    if kept:  # it was deleted before
        monkeypatch.setattr(desk.graph.kept, "named", lambda **_named: [KeptKey("v1", "bridges")])
    else:
        desk.graph.held["d1"] = Document(id="d1", collection="bridges", uri="u", title="t", content_hash="")
    desk.ledger.play["delete"] = ([], JobState.DONE, {"document_id": "d1"})
    deleted = client.delete_document("d1", erase=kept)
    assert (deleted is None) is kept
    (record,) = desk.ledger.records.values()
    params = {"document_id": "d1"} | ({"erase": True} if kept else {})
    assert (record.job.collection, record.job.params) == ("bridges", params)


def test_what_is_not_there_is_not_found_and_a_reindex_that_fails_says_why(client, tmp_path, desk):
    for call in (client.job, client.cancel, client.retry, client.wait):
        with pytest.raises(NotFound, match="no job jx"):
            call("jx")
    for erase in (False, True):
        with pytest.raises(NotFound, match="no document d2"):
            client.delete_document("d2", erase=erase)
    with pytest.raises(InvalidInput, match=r"^nothing to ingest: .*nothing there"):
        client.submit_documents([tmp_path / "none"])
    desk.ledger.play["reindex"] = ([], JobState.FAILED, {"error": "no embedder"})
    with pytest.raises(Permanent, match="no embedder"):
        client.reindex("bridges")


def test_documents_are_listed_over_pages_until_the_connections_are_closed(desk: Desk) -> None:
    for number in range(450):
        name = f"d{number:03}"
        desk.graph.held[name] = Document(id=name, collection="c", uri=name, title="", content_hash="")
    with Hopline(services=desk) as client:
        assert [document.id for document in client.documents("c")] == sorted(desk.graph.nodes.held)
    assert desk.closed


def test_a_watch_yields_every_event_once_also_across_an_outage_of_redis(desk: Desk, client: Hopline) -> None:
    desk.ledger.play["query"] = (WALKED, JobState.DONE, ANSWER)
    job_id = client.submit_question("When?")
    watch = iter(JobWatch(LedgerFeed(desk.ledger, job_id), job_id, backoff=0.0))
    first = next(watch)
    desk.ledger.outages = 3
    names = [first.name, *(event.name for event in watch)]
    assert names == ["job.submitted", *(event.name for event in WALKED), "job.ended"]
    assert names == [event.name for event in client.watch(job_id)]
    desk.ledger.outages = 10_000
    with pytest.raises(DependencyAway):
        list(JobWatch(LedgerFeed(desk.ledger, job_id), job_id, patience=0.0, backoff=0.0))


def test_a_watch_of_a_retried_job_goes_on_after_its_older_end(desk: Desk, client: Hopline) -> None:
    desk.ledger.play["query"] = ([], JobState.FAILED, {})
    job_id = client.submit_question("When?")
    desk.ledger.reopen(job_id)
    watch = client.follow(job_id)
    assert [event.name for event in watch.poll()] == ["job.submitted", "job.ended", "job.retried"]
    watch.poll()
    assert not watch.ended
    desk.ledger.end(job_id, None, JobState.DONE, {})
    assert [event.name for event in watch] == ["job.ended"]


def test_the_async_client_asks_many_questions_at_a_time_in_the_trace_of_who_awaits_them(desk: Desk) -> None:
    desk.ledger.play["query"] = (WALKED, JobState.DONE, ANSWER)
    caller = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    async def ask_all() -> list[str]:
        async with AsyncHopline(services=desk, publisher=SentMessages()) as hopline:
            with in_trace(caller):
                answers = await asyncio.gather(*(hopline.ask(f"Question {n}?") for n in range(20)))
            events: list[Event] = [event async for event in hopline.watch(answers[0].job_id)]
            assert events[-1].name == "job.ended"
            return [answer.text for answer in answers]

    assert asyncio.run(ask_all()) == [ANSWER["text"]] * 20
    assert {record.job.trace for record in desk.ledger.records.values()} == {caller}


def test_what_callers_of_the_client_rely_on_is_there() -> None:
    names = {"AccessDenied", "AsyncHopline", "Budget", "Hopline", "NotTheApi", "TextDocument", "TooManyJobs"}
    assert set(producer.__all__) == names | {"read_event"}
    assert {getattr(producer, name).__name__ for name in producer.__all__} == set(producer.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        _ = producer.Nothing


@pytest.mark.parametrize("call", ["ingest", "submit_documents", "ingest_texts", "submit_texts"])
def test_a_mistyped_option_is_refused_by_the_name_of_the_call(client: Hopline, call: str) -> None:
    with pytest.raises(TypeError, match=rf"{call}\(\) got an unexpected keyword argument 'chunk_token'"):
        getattr(client, call)(["x"], chunk_token=80)


def test_both_clients_say_the_same_of_their_calls_and_what_they_return() -> None:
    offered, awaited = (
        {name: call for name, call in inspect.getmembers(kind, inspect.isfunction) if name[0] != "_"}
        for kind in (Hopline, AsyncHopline)
    )
    assert offered.keys() - {"follow"} == awaited.keys(), "only the one is polled"
    assert len(awaited) > 40
    for name, other in awaited.items():
        call = offered[name]
        assert inspect.signature(call).parameters == inspect.signature(other).parameters, name
        assert (call.__qualname__, other.__qualname__) == (f"Hopline.{name}", f"AsyncHopline.{name}")
        if name in {"watch", "close"}:
            continue
        assert call.__doc__ == other.__doc__
        returns = call.__annotations__["return"]
        assert "Pending" not in returns
        assert other.__annotations__["return"] == returns.replace("Iterator", "list")
        assert inspect.iscoroutinefunction(other)


def test_a_wait_of_the_async_client_leaves_its_thread_to_other_calls(desk: Desk) -> None:
    async def look_meanwhile() -> JobState:
        async with AsyncHopline(services=desk, publisher=SentMessages(), threads=1) as hopline:
            job_id = await hopline.submit_question("When?")
            wait = asyncio.create_task(hopline.wait(job_id))
            await asyncio.sleep(0)
            state = (await asyncio.wait_for(hopline.job(job_id), 120)).state
            assert not wait.done()
            await hopline.cancel(job_id)
            await asyncio.wait_for(wait, 120)
            return state

    assert asyncio.run(look_meanwhile()) is JobState.RUNNING


@pytest.mark.parametrize("name", ["terms", "params", "nonsense"])
def test_a_field_that_a_sync_or_a_batch_lacks_is_refused(desk: Desk, client: Hopline, name: str) -> None:
    remote = Hopline("http://api.invalid")
    for clients in (client, remote):
        with pytest.raises(InvalidInput, match=r"one of: .*most_removed"):
            clients.submit_sync(["x"], "c", **{name: 1})
        with pytest.raises(InvalidInput, match=r"one of: .*follow_links"):
            clients.submit_batch("n", ["x"], **{name: 1})
    with pytest.raises(InvalidInput, match=name):
        remote.sync(["x"], **{name: 1})
    assert desk.ledger.records == {}
