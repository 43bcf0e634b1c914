"""A profile goes with the documents by reference; a wrong one is refused before anything is submitted."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from doubles.desk import Desk, SentMessages, texts

from producer import AsyncHopline, Hopline
from workers.core.errors import InvalidInput
from workers.core.jobs.work import JobState
from workers.ingest.profile.profile import Profile, load_profile


def test_a_profile_travels_with_each_document_by_its_reference(
    desk: Desk, client: Hopline, tmp_path: Path
) -> None:
    folder = texts(tmp_path, "a.txt", "b.txt")
    submitted = client.submit_documents(folder, profile="narrative")
    items = desk.ledger.phases[submitted.job_id].items
    [reference] = {item.input["profile"] for item in items}
    assert Profile.model_validate_json(desk.stored[reference]) == load_profile("narrative")
    plain = client.submit_documents(folder)
    assert [item.input["profile"] for item in desk.ledger.phases[plain.job_id].items] == ["", ""]


def test_a_file_of_ones_own_is_read_where_the_client_is(desk: Desk, client: Hopline, tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text('[entities]\nParty = "who signs"\n', encoding="utf-8")
    submitted = client.submit_documents(texts(tmp_path, "a.txt"), profile=own)
    [item] = desk.ledger.phases[submitted.job_id].items
    assert b"who signs" in desk.stored[item.input["profile"]]


def test_a_wrong_profile_submits_nothing(desk: Desk, client: Hopline, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"there is no profile 'naratif'; did you mean narrative\?"):
        client.submit_documents(texts(tmp_path, "a.txt"), profile="naratif")
    assert not desk.ledger.records


def test_what_a_profile_found_is_in_the_report(desk: Desk, tmp_path: Path) -> None:
    entry = {"uri": "a.txt", "document_id": "d1", "status": "done", "chunks": 1, "facts": 2}
    counts = {"entities": 3, "relations": 2, "events": 1}
    desk.ledger.play["batch"] = ([], JobState.DONE, {"documents": [entry | counts]})

    async def ingest() -> None:
        async with AsyncHopline(services=desk, publisher=SentMessages()) as hopline:
            report = await hopline.ingest(texts(tmp_path, "a.txt"), profile="narrative")
            [document] = report.documents
            assert (document.entities, document.relations, document.events) == (3, 2, 1)

    asyncio.run(ingest())


def test_a_batch_of_texts_is_called_after_them_and_says_where_the_names_are_cut(
    desk: Desk, client: Hopline
) -> None:
    entries = [{"name": f"{n} {'x' * 150}", "text": "A."} for n in range(2)]
    label = desk.ledger.records[client.submit_texts(entries).job_id].job.params["label"]
    assert (len(label), label[:2], label[-1]) == (200, "0 ", "…")
