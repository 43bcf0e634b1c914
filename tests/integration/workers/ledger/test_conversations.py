"""Conversations in Redis: what is kept once, bounded, erased with documents, and expires."""

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
import redis
from doubles.ledger_play import Play

from hopline.models.jobs import JobState
from workers.core.answers.kept import KeptAnswer, KeptConversation, KeptQuestion
from workers.core.jobs.work import Job
from workers.core.redis_keys import conversation_answers_key, conversation_key
from workers.ledger.archive import is_kept
from workers.ledger.conversations import MOST_TURNS, Conversations

pytestmark = pytest.mark.memory_too

DAYS = 90.0


class Talk:
    """A conversation of an owner of its own."""

    def __init__(self, client: redis.Redis) -> None:
        self.client = client
        self.book = Conversations(client, DAYS)
        self.now = float(client.time()[0])
        self.owner = f"key{random.getrandbits(64):016x}"
        self.id = self.begin()

    def begin(self, title: str = "") -> str:
        name = f"{random.getrandbits(128):032x}"
        self.book.begin(KeptConversation(id=name, owner=self.owner, title=title, created=self.now))
        return name

    def question(self, job: str, question: str = "Who?", ago: float = 0.0) -> KeptQuestion:
        return KeptQuestion(job_id=job, question=question, collections=("c",), asked=self.now - ago)

    def answer(self, name: str, document: str = "", **more: Any) -> KeptAnswer:
        """Return how a question ended: with an answer that cites a document."""
        cited = [{"n": 1, "quote": "q", "document": {"id": document}}] if document else []
        outcome = {"text": "So it is [1].", "citations": cited, "rests_on": [], **more}
        job = Job(id=name, kind="query", collection="c", params={"question": "Who?"})
        texts = dict.fromkeys([document] if document else [], "1 hash")
        ended = {"state": JobState.DONE, "created": self.now, "ended": self.now + 1}
        return KeptAnswer(job=job, outcome=outcome, texts=texts, **ended)

    def keep(self, job: str, document: str = "", talk: str = "", **more: Any) -> bool:
        return self.book.answer(talk or self.id, self.question(job), self.answer(job, document, **more))

    def texts(self) -> dict[str, str]:
        """Return the texts of the answers by job."""
        kept = self.book.answers(self.id)
        return {job: answer.outcome["text"] for job, answer in kept.items() if answer.job.id}


@pytest.fixture
def talk(client: redis.Redis, play: Play) -> Iterator[Talk]:  # noqa: ARG001 - an empty database of its own
    return Talk(client)


def test_a_conversation_is_begun_once_and_its_questions_and_answers_are_kept_once(talk: Talk) -> None:
    other = KeptConversation(id=talk.id, owner="another", created=0.0)
    assert talk.book.begin(other).owner == talk.owner
    talk.book.ask(talk.id, talk.question("j1"))
    assert talk.book.answers(talk.id) == {}
    assert talk.keep("j1", "d1")
    assert talk.keep("j1", "d1", text="Another answer [1].")
    talk.keep("j2", "d1")
    found = talk.book.read(talk.id)
    assert found is not None
    assert [each.job_id for each in found[1]] == ["j1", "j2"]
    assert talk.texts() == {"j1": "So it is [1].", "j2": "So it is [1]."}
    assert talk.book.answers(talk.id)["j1"] == talk.answer("j1", "d1")


def test_quotes_of_a_deleted_document_are_taken_out_and_do_not_come_back(talk: Talk) -> None:
    talk.keep("j1", "d1")
    talk.keep("j2", "d2")
    talk.book.take_out("another collection", "d1")
    assert talk.texts()["j1"] == "So it is [1]."
    talk.book.take_out("c", "d1")
    assert talk.texts() == {"j1": "", "j2": "So it is [1]."}
    assert "quote" not in json.dumps(talk.book.answers(talk.id)["j1"].outcome)
    talk.keep("j1", "d1")  # as a job does whose end is worked off twice
    assert talk.texts()["j1"] == ""


def test_an_answer_that_ends_after_its_conversation_was_deleted_is_not_kept(talk: Talk) -> None:
    talk.book.ask(talk.id, talk.question("j1"))
    talk.book.delete(talk.id)
    assert not talk.keep("j1", "d1")
    assert talk.book.read(talk.id) is None
    assert list(talk.book.of_owner(talk.owner)) == []
    assert not talk.client.exists(conversation_key(talk.id), conversation_answers_key(talk.id))


def test_the_oldest_questions_go_where_there_are_too_many_or_their_time_is_over(talk: Talk) -> None:
    talk.book.answer(talk.id, talk.question("old", ago=DAYS * 86400 - 60), talk.answer("old", "d1"))
    assert [each.job_id for each in (talk.book.read(talk.id) or ("", []))[1]] == ["old"]
    talk.now += 120
    talk.keep("new")
    assert set(talk.texts()) == {"new"}
    for number in range(MOST_TURNS):
        talk.book.ask(talk.id, talk.question(f"j{number:03}", ago=MOST_TURNS - number))
    found = talk.book.read(talk.id)
    assert found is not None
    assert len(found[1]) == MOST_TURNS
    assert set(talk.texts()) == {"new"}
    (removed,) = (each for job, each in talk.book.answers(talk.id).items() if job != "new")
    assert (removed.outcome, removed.texts) == ({"rests_on": ["d1"]}, {"d1": "1 hash"})


def test_of_removed_answers_it_is_kept_what_they_rested_on_until_that_cannot_be_told(talk: Talk) -> None:
    long_ago = DAYS * 86400 - 60
    for number, (document, more) in enumerate([("d1", {}), ("d2", {}), ("d1", {"citations": [{"n": 1}]})]):
        question = talk.question(f"old{number}", ago=long_ago)
        talk.book.answer(talk.id, question, talk.answer(f"old{number}", document, **more))
        talk.now += 120
        talk.book.ask(talk.id, talk.question(f"new{number}"))
        removed = talk.book.answers(talk.id)["removed"].outcome.get("rests_on")
        assert removed == [["d1"], ["d1", "d2"], None][number]
    talk.now += 1
    talk.book.erase_collection("another")
    about, _ = talk.book.read(talk.id) or (None, [])
    assert about is not None
    assert about.hidden_from is None
    elsewhere = talk.question("j9").model_copy(update={"collections": ("d",)})
    talk.book.ask(talk.id, elsewhere)
    talk.book.erase_collection("c")
    about, questions = talk.book.read(talk.id) or (None, [])
    assert about is not None
    assert (about.hidden_from, questions, talk.book.answers(talk.id)) == (0.0, [elsewhere], {})


def test_all_keys_expire_with_the_last_answer_and_are_in_a_backup(talk: Talk) -> None:
    before = set(talk.client.scan_iter())
    talk.id = talk.begin()
    begun = set(talk.client.scan_iter()) - before
    assert all(0 < talk.client.ttl(key) <= 86400 for key in begun), "no question was asked yet"
    talk.keep("j1", "d1")
    made = set(talk.client.scan_iter()) - before
    assert conversation_key(talk.id) in made
    assert conversation_answers_key(talk.id) in made
    assert all(DAYS * 86400 - 60 < talk.client.ttl(key) <= DAYS * 86400 for key in made)
    assert all(is_kept(key.encode()) for key in made)


def test_an_owner_keeps_the_newest_conversations(talk: Talk) -> None:
    talk.book.ask(talk.id, talk.question("j0", ago=9))
    newer = [talk.begin() for _ in range(2)]
    for number, name in enumerate(newer):
        talk.book.ask(name, talk.question(f"j{number}", ago=5 - number))
    assert [about.id for about, _ in talk.book.of_owner(talk.owner)] == [newer[1], newer[0], talk.id]
    talk.book.delete_oldest(talk.owner, most=2)
    assert [about.id for about, _ in talk.book.of_owner(talk.owner)] == [newer[1], newer[0]]


def test_erasing_a_name_or_a_collection_removes_what_holds_it(talk: Talk) -> None:
    talk.keep("j1", "d1", text='Mara "Ölund" owns it [1].')
    talk.book.erase_name('Mara "Ø')
    assert set(talk.texts()) == {"j1"}
    talk.now += 60
    talk.keep("quoted", "d1", text='Bo "Ölund" owns it [1].')
    talk.book.erase_name('Bo "Ölund')
    assert set(talk.texts()) == {"j1"}
    talk.now += 60
    talk.book.ask(talk.id, talk.question("j2", "Where does Mara live?"))
    talk.keep("j3", "d1")
    named = talk.begin(title="About Mara")
    talk.book.ask(named, talk.question("j4"))
    talk.book.erase_name("Mara")
    found = {about.id: (about.title, [each.job_id for each in asked]) for about, asked in
             talk.book.of_owner(talk.owner)}  # fmt: skip
    assert found == {talk.id: ("", ["j3"]), named: ("", ["j4"])}
    assert set(talk.texts()) == {"j3"}
    talk.book.erase_collection("another")
    assert set(talk.texts()) == {"j3"}
    talk.book.erase_collection("c")
    assert list(talk.book.of_owner(talk.owner)) == []
    assert talk.book.find(talk.id) is None


def test_erasing_a_collection_takes_the_title_of_a_conversation_that_goes_on_without_it(talk: Talk) -> None:
    talk.book.change(talk.id, {"title": "Plans of c"})
    talk.keep("j1", "d1")
    elsewhere = talk.question("j2").model_copy(update={"collections": ("d",)})
    talk.book.ask(talk.id, elsewhere)
    talk.book.erase_collection("another")
    assert (talk.book.find(talk.id) or KeptConversation(id="", owner="", created=0)).title == "Plans of c"
    talk.book.erase_collection("c")
    found = talk.book.read(talk.id)
    assert found is not None
    assert (found[0].title, found[1]) == ("", [elsewhere])


def test_a_question_that_runs_during_an_erasure_does_not_come_back(talk: Talk) -> None:
    elsewhere = talk.question("j2").model_copy(update={"collections": ("d",)})
    talk.book.ask(talk.id, talk.question("j1"))
    talk.book.ask(talk.id, elsewhere)
    talk.book.erase_collection("c")
    assert talk.keep("j1", "d1")
    found = talk.book.read(talk.id)
    assert found is not None
    assert (found[1], talk.texts()) == ([elsewhere], {})
    talk.book.erase_name("Mara")
    answer = talk.answer("j2", text="Mara lives there [1].")
    assert talk.book.answer(talk.id, elsewhere, answer)
    assert talk.texts() == {}
    talk.now += 60
    talk.keep("j3", "d1")
    assert talk.texts() == {"j3": "So it is [1]."}


def test_of_an_answer_that_is_too_large_the_walk_and_the_details_are_not_kept(talk: Talk) -> None:
    noise = random.Random(7).randbytes(100_000).hex()
    talk.keep("j1", "d1", walk=[{"name": noise}], details={"a": 1, "coverage": {"line": "All."}})
    talk.keep("j2", "d1", walk=[{"name": "Ada"}], details={"a": 1})
    kept = talk.book.answers(talk.id)
    outcome = kept["j1"].outcome
    assert ("walk" in outcome, outcome["details"]) == (False, {"coverage": {"line": "All."}})
    assert outcome["text"] == "So it is [1]."
    assert kept["j2"].outcome["walk"] == [{"name": "Ada"}]
