"""A question that no document answers alone: the answer, its citations, and how the work was done."""

import math
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from fleet.checks import events_of
from fleet.crew import Crew, private_crew, wait_until
from fleet.echo import Tap
from fleet.worlds import TREE_FACTS, TREE_QUESTION, TREE_VISITS, write_tree

from hopline.models.answers import Answer
from workers.app import application_for

PATIENT = {"HOPLINE_LEASE_SECONDS": "120", "HOPLINE_RESEND_SECONDS": "120"}  # so that nothing is sent twice


def test_a_pronoun_is_understood_from_the_question_before(crew: Crew, bridges: str) -> None:
    def ask(question: str, session: str) -> Answer:
        return crew.client.ask(question, collection=bridges, strategy="graph", session=session)

    session = secrets.token_hex(4)
    who = ask("Who designed the Alda Bridge?", session)
    assert who.text == "The Alda Bridge was designed by Maren Holt [1]."
    where = ask("Where was she born?", session)
    assert (where.status, "Vestby" in where.text) == ("done", True), where
    alone = ask("Where was she born?", secrets.token_hex(4))
    planned = crew.ledger.results(where.job_id)[0][0].result["question"]
    assert planned == "Where was Maren Holt born?"
    assert crew.ledger.results(alone.job_id)[0][0].result["question"] == "Where was she born?"


@contextmanager
def celery_events(crew: Crew) -> Iterator[list[dict]]:
    """Collect what Flower would: every event of every task."""
    seen: list[dict] = []
    app = application_for(crew.settings)
    with app.connection_for_read() as connection:
        receiver = app.events.Receiver(connection, handlers={"*": seen.append})
        thread = threading.Thread(target=lambda: receiver.capture(limit=None, timeout=None), daemon=True)
        thread.start()
        with app.events.default_dispatcher() as dispatcher:  # what is sent before the first is heard is lost
            wait_until(lambda: dispatcher.send("test-hello") or seen, "events are heard")
        yield seen
        receiver.should_stop = True
        thread.join(60)


@pytest.fixture
def patient_crew(stack_env: dict[str, str], tmp_path: Path) -> Iterator[Crew]:
    with private_crew(stack_env, tmp_path, **PATIENT) as crew:
        crew.have(interactive="interactive", bulk="bulk")
        yield crew


@pytest.mark.long
def test_the_trace_is_a_chain_a_fan_out_a_chord(patient_crew: Crew, collection: str, tmp_path: Path) -> None:
    crew = patient_crew
    crew.ingest(write_tree(tmp_path / "tree"), collection)
    critics = math.ceil(TREE_FACTS / 3)
    with Tap(crew.settings.redis_url.get_secret_value()) as tap, celery_events(crew) as seen:
        answer = crew.client.ask(
            TREE_QUESTION, collection=collection, strategy="graph", max_seeds=1, facts_per_critic=3
        )
        wait_until(lambda: len(names(seen, "task-succeeded")) >= TREE_VISITS + critics + 3, "all were heard")
        wait_until(lambda: tap.of("critic.synthesize"), "the last message was read")
    assert answer.status == "done"
    succeeded = names(seen, "task-succeeded")
    assert succeeded.count("traverse.visit") == TREE_VISITS == len(answer.walk)
    assert succeeded.count("critic.score_fact") == critics

    plan, seed = tap.of("traverse.plan"), tap.of("traverse.seed")
    assert [signature["task"] for signature in plan[0].canvas["chain"]] == ["traverse.seed"]
    assert [message.headers["parent_id"] for message in seed] == [plan[0].headers["id"]]

    visits = tap.of("traverse.visit")
    assert sorted(message.args[2] for message in visits) == sorted(
        f"visit:{step.node_id}" for step in answer.walk
    )

    scores = tap.of("critic.score_fact")
    assert len({message.args[2] for message in scores}) == len(scores) == critics
    assert len({message.headers["group"] for message in scores}) == 1
    assert {message.canvas["chord"]["task"] for message in scores} == {"critic.synthesize"}
    assert len(tap.of("critic.synthesize")) == 1

    done = [data["step"] for name, data in events_of(crew, answer.job_id) if name == "item.done"]
    assert (done.count("critic.score_fact"), done.count("critic.synthesize")) == (critics, 1)
    [phase] = [
        data
        for name, data in events_of(crew, answer.job_id)
        if name == "phase.opened" and data["step"] == "critic.score_fact"
    ]
    assert (phase["items"], phase["subjects"]) == (critics, TREE_FACTS)
    last_score = len(done) - 1 - done[::-1].index("critic.score_fact")
    assert last_score < done.index("critic.synthesize")


def names(seen: list[dict], kind: str) -> list[str]:
    """Return the task names of all events of a kind; only some kinds carry the name themselves."""
    named = {event["uuid"]: event["name"] for event in list(seen) if event["type"] == "task-received"}
    return [named.get(event["uuid"], "") for event in list(seen) if event["type"] == kind]
