"""The client over the application in this process, whose servers are played in memory."""

import asyncio
from pathlib import Path

import pytest
from doubles.desk import ANSWER, WALKED, Desk, SentMessages, texts
from doubles.desk_streams import ServiceInMemory

from hopline import AsyncHopline, Hopline
from hopline.errors import InvalidInput, NotFound, StateConflict
from hopline.local import URL
from hopline.models.answers import Answer
from hopline.models.documents import Document
from hopline.models.jobs import JobState
from hopline.traces import in_trace
from producer.local_application import LocalApplication
from producer.service.service import Service
from workers.core.graph.kept_versions import KeptKey
from workers.ingest.profile.profile import Profile, load_profile

CALLER = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


def test_a_question_is_waited_for_cancelled_and_retried_as_a_new_job(desk: Desk, client: Hopline) -> None:
    old = client.queries.submit("When?", parameters={"max_depth": 2}).id
    with pytest.raises(TimeoutError, match=old):
        client.jobs.wait(old, timeout=0.05)
    assert client.jobs.get(old).state == "queued"
    assert client.jobs.cancel(old).state == "cancelled"
    answer = Answer.of(client.jobs.wait(old))
    assert (answer.status, answer.text, answer.reason) == ("cancelled", "", "cancelled by the user")
    for state in (JobState.DONE, JobState.ABSTAINED):
        desk.ledger.records[old] = desk.ledger.records[old].model_copy(update={"state": state})
        with pytest.raises(StateConflict, match=f"nothing to retry: .*`hopline jobs replay {old}`"):
            client.jobs.retry(old)
    desk.ledger.records[old] = desk.ledger.records[old].model_copy(update={"state": JobState.FAILED})
    new = client.jobs.retry(old)
    assert new.id != old
    assert new.params["max_depth"] == 2


def test_a_profile_goes_with_each_document_by_reference(desk: Desk, client: Hopline, tmp_path: Path) -> None:
    folder = texts(tmp_path, "a.txt", "b.txt")
    submitted = client.hand_over(folder, profile="narrative")
    [reference] = {item.input["profile"] for item in desk.ledger.phases[submitted.job_id].items}
    assert Profile.model_validate_json(desk.stored[reference]) == load_profile("narrative")
    plain = client.hand_over(folder)
    assert [item.input["profile"] for item in desk.ledger.phases[plain.job_id].items] == ["", ""]
    own = client.hand_over(folder[:1], profile='[entities]\nParty = "who signs"\n')
    [item] = desk.ledger.phases[own.job_id].items
    assert b"who signs" in desk.stored[item.input["profile"]]
    before = len(desk.ledger.records)
    with pytest.raises(InvalidInput, match="there is no profile 'naratif'; did you mean narrative"):
        client.hand_over(folder, profile="naratif")
    assert len(desk.ledger.records) == before


def test_a_batch_of_texts_is_called_after_them_and_says_where_it_was_cut(desk: Desk, client: Hopline) -> None:
    named = [{"name": f"{n} {'x' * 150}", "text": "A."} for n in range(2)]
    label = desk.ledger.records[client.hand_over(named).job_id].job.params["label"]
    assert (len(label), label[:2], label[-1]) == (200, "0 ", "…")


def test_with_a_configured_store_files_go_there_first(desk: Desk, client: Hopline, tmp_path: Path) -> None:
    desk.settings = desk.settings.model_copy(update={"blob_url": "s3://shared/blobs"})
    submitted = client.hand_over(texts(tmp_path, "forth.txt"))
    (item,) = desk.ledger.phases[submitted.job_id].items
    assert item.input["source"].startswith("blob:")
    assert desk.stored[item.input["source"].removeprefix("blob:")] == b"forth is a bridge."


def test_a_closed_client_closes_what_its_application_opened(desk: Desk) -> None:
    application = LocalApplication(service=Service(services=desk))
    with Hopline(URL, api_key="", transport=application.transport()) as client:
        client.collections.list()
    assert desk.closed


def test_the_async_client_asks_many_questions_at_a_time_in_the_trace_of_who_awaits_them(desk: Desk) -> None:
    desk.ledger.play["query"] = (WALKED, JobState.DONE, ANSWER)
    application = LocalApplication(service=ServiceInMemory(desk, SentMessages()))

    async def ask_all() -> list[str]:
        async with AsyncHopline(URL, api_key="", transport=application.async_transport()) as hopline:
            with in_trace(CALLER):
                answers = await asyncio.gather(*(hopline.ask(f"Question {n}?") for n in range(20)))
            events = [event async for event in hopline.jobs.events(answers[0].job_id)]
            assert events[-1].name == "job.ended"
            return [answer.text for answer in answers]

    assert asyncio.run(ask_all()) == [ANSWER["text"]] * 20
    assert {record.job.trace for record in desk.ledger.records.values()} == {CALLER}


def test_a_question_comes_back_as_its_answer_and_the_same_key_gives_the_same_job(desk, client):
    desk.ledger.play["query"] = (WALKED, JobState.DONE, ANSWER)
    answer = client.ask("When was the bridge opened?", collection="bridges", max_depth=2)
    assert (answer.status, answer.text) == ("done", ANSWER["text"])
    assert answer.citations[0].document.title == "The [red] Bridge"
    assert (answer.usage.model_calls, answer.timings) == (3, {"traverse.plan": 0.5})
    job = desk.ledger.records[answer.job_id].job
    assert (job.collection, job.params["max_depth"]) == ("bridges", 2)
    submit = client.queries.submit
    assert (
        submit("When?", collection="bridges", key="k").id == submit("When?", collection="bridges", key="k").id
    )
    assert submit("When?", collection="bridges").id != submit("When?", collection="bridges").id


@pytest.mark.parametrize(("params", "field"), [
    ({"parameters": {"max_depth": 0}}, "max_depth"), ({"parameters": {"depth": 2}}, "depth"),
    ({"priority": "now"}, "priority"), ({"question": "  "}, "question"),
    ({"collection": "a/b"}, "collection"),
])  # fmt: skip
def test_bad_input_is_named_before_anything_is_written(desk, client, params, field):
    with pytest.raises(InvalidInput) as caught:
        client.queries.submit(**{"question": "When?", "collection": "bridges", **params})
    assert caught.value.field.rpartition(".")[2] == field
    assert desk.ledger.records == {}


def test_documents_are_one_batch_and_others_are_reported(desk: Desk, client: Hopline, tmp_path: Path) -> None:
    texts(tmp_path, "forth.txt", "severn.md", "photo.gif")
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


@pytest.mark.parametrize("kept", [False, True])
def test_a_document_is_deleted_by_a_job_and_what_is_kept_of_one_is_erased(desk, client, monkeypatch, kept):
    if kept:  # it was deleted before
        monkeypatch.setattr(desk.graph.kept, "named", lambda **_named: [KeptKey("v1", "bridges")])
    else:
        desk.graph.held["d1"] = Document(id="d1", collection="bridges", uri="u", title="t", content_hash="")
    client.documents.delete("d1", erase=kept)
    (record,) = desk.ledger.records.values()
    params = {"document_id": "d1"} | ({"erase": True} if kept else {})
    assert (record.job.collection, record.job.params) == ("bridges", params)


def test_what_is_not_there_is_not_found(client: Hopline, tmp_path: Path) -> None:
    for call in (client.jobs.get, client.jobs.cancel, client.jobs.retry, client.jobs.wait):
        with pytest.raises(NotFound, match="no job jx"):
            call("jx")
    for erase in (False, True):
        with pytest.raises(NotFound, match="no document d2"):
            client.documents.delete("d2", erase=erase)
    with pytest.raises(InvalidInput, match=r"^nothing to ingest: .*nothing there"):
        client.hand_over([tmp_path / "none"])


def test_documents_are_listed_over_pages(desk: Desk, client: Hopline) -> None:
    for number in range(450):
        name = f"d{number:03}"
        desk.graph.held[name] = Document(id=name, collection="c", uri=name, title="", content_hash="")
    listed = client.documents.iterate(collection="c")
    assert [document.id for document in listed] == sorted(desk.graph.held)


def test_events_of_a_retried_job_go_on_after_its_older_end(desk: Desk, client: Hopline) -> None:
    desk.ledger.play["query"] = ([], JobState.FAILED, {})
    job_id = client.queries.submit("When?", collection="bridges").id
    desk.ledger.reopen(job_id)
    seen = []
    for event in client.jobs.events(job_id):
        seen.append(event.name)
        if event.name == "job.retried":
            desk.ledger.end(job_id, None, JobState.DONE, {})
    assert seen == ["job.submitted", "job.ended", "job.retried", "job.ended"]
