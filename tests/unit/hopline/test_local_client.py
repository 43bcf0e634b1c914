"""The client over the application in this process, whose servers are played in memory."""

import asyncio
from pathlib import Path

import pytest
from doubles.desk import ANSWER, WALKED, Desk, SentMessages, texts
from doubles.desk_streams import ServiceInMemory

from hopline import AsyncHopline, Hopline
from hopline.errors import InvalidInput
from hopline.local import URL
from hopline.models.answers import Answer
from hopline.models.jobs import JobState
from hopline.traces import in_trace
from producer.local_application import LocalApplication
from producer.service.service import Service
from workers.ingest.profile.profile import Profile, load_profile

CALLER = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


def test_a_question_is_waited_for_cancelled_and_retried_as_a_new_job(desk: Desk, client: Hopline) -> None:
    old = client.queries.submit("When?", parameters={"max_depth": 2}).id
    with pytest.raises(TimeoutError):
        client.jobs.wait(old, timeout=0.05)
    assert client.jobs.get(old).state == "running"
    assert client.jobs.cancel(old).state == "cancelled"
    answer = Answer.of(client.jobs.wait(old))
    assert (answer.status, answer.text, answer.reason) == ("cancelled", "", "cancelled by the user")
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
    with pytest.raises(InvalidInput, match=r"'naratif', allowed is .* one of: narrative"):
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
