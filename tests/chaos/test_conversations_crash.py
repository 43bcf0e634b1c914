"""Whoever is lost while an answer is kept or a document deleted: it is kept once, and loses the quotes."""

import secrets
import signal
from uuid import uuid4

import pytest
from fleet.checks import assert_nothing_left
from fleet.crew import Crew, wait_until

from hopline.models.answers import Answer
from hopline.models.documents import TextDocument

BOOK = "workers.ledger.conversations:Conversations"
GRAPH = "workers.adapters.neo4j.documents:DocumentStore"
KEPT = [f"before {BOOK}.answer TALK", f"after {BOOK}.answer TALK"]
DELETED = [f"after {GRAPH}.delete_document ", f"before {BOOK}.take_out ", f"after {BOOK}.take_out "]
TEXT = "Anna Keller built the bridge of Vestby in 1843."
ASKED = "Who built the bridge of Vestby?"


def ingested(crew: Crew) -> str:
    """Return a collection of one document."""
    collection = f"talks-{secrets.token_hex(4)}"
    crew.model.set()
    crew.have(bulk="bulk", interactive="interactive")
    crew.ingest([TextDocument(name="bridge.txt", text=TEXT)], collection)
    return collection


def lose(crew: Crew) -> None:
    """Wait until the worker is lost, and start others."""
    wait_until(lambda: crew.workers["lost"].popen.poll() == -signal.SIGKILL, "the worker is lost")
    crew.kill("lost")
    crew.have(bulk="bulk", interactive="interactive", quarantine="quarantine")


def kept(crew: Crew, talk: str) -> Answer:
    """Return the one answer of a conversation once it is kept."""
    wait_until(lambda: crew.services.conversations.answers(talk), "the answer is kept")
    (turn,) = crew.client.conversations.get(talk).turns
    assert isinstance(turn.outcome, Answer)
    return turn.outcome


@pytest.mark.parametrize("place", KEPT)
def test_an_answer_is_kept_once(crew: Crew, place: str) -> None:
    collection, talk = ingested(crew), uuid4().hex
    crew.have(bulk="bulk")
    crew.start("lost", "interactive", lost_at=place.replace("TALK", talk))
    job = crew.client.queries.submit(ASKED, collection=collection, conversation=talk).id
    lose(crew)
    answer = crew.answer(job)
    assert "Anna Keller" in answer.text
    assert kept(crew, talk) == answer
    assert_nothing_left(crew)


@pytest.mark.parametrize("place", DELETED)
def test_quotes_of_a_deleted_document_are_gone(crew: Crew, place: str) -> None:
    collection, talk = ingested(crew), uuid4().hex
    crew.client.queries.submit(ASKED, collection=collection, conversation=talk)
    assert "Anna Keller" in kept(crew, talk).text
    crew.have(interactive="interactive")
    crew.start("lost", "bulk", lost_at=place)
    (document,) = crew.client.documents.list(collection=collection).documents
    deletion = crew.client.documents.delete(document.id)
    lose(crew)
    crew.client.jobs.wait(deletion.id)
    answer = kept(crew, talk)
    assert (answer.text, answer.citations) == ("", ())
    assert "deleted" in (answer.reason or "")
    assert_nothing_left(crew)
