"""What may be said without a tool."""

from __future__ import annotations

import pytest
from doubles.toolset import SCHEMA

from workers.core.answers.turn import Turn
from workers.traverse.tools.courtesy import untold
from workers.traverse.tools.records import RouteInput

EARLIER = Turn(question="Who directed The Matrix?", answer="Lana Wachowski directed The Matrix in 1999 [1].")


def asked(question="Hello!", history=(), answers=()):
    return RouteInput(
        question=question, whole=question, history=tuple(history), answers=tuple(answers), round=1
    )


@pytest.mark.parametrize(
    "text",
    [
        "Hello! What do you want to know?",
        "Yes, sure! Feel free to ask about movies and persons.",
        "Gern geschehen!",
        "Bonjour !",
        "你好！我能帮你什么？",
        "This graph is about movies and the persons who directed them.",
    ],
)
def test_courtesies_and_what_the_graph_is_about_may_be_said(text):
    assert untold(text, asked(), SCHEMA) is None


def test_an_earlier_answer_may_be_said_again():
    assert untold("Lana Wachowski directed The Matrix in 1999.", asked(history=[EARLIER]), SCHEMA) is None
    assert "2003" in (untold("Lana Wachowski directed it in 2003.", asked(history=[EARLIER]), SCHEMA) or "")


def test_two_earlier_answers_are_not_put_together_to_a_third():
    other = Turn(question="Who acted in Cast Away?", answer="Tom Hanks acted in Cast Away [1].")
    why = untold("Tom Hanks directed The Matrix.", asked(history=[EARLIER, other]), SCHEMA)
    assert why is not None


@pytest.mark.parametrize(
    "text",
    [
        "It is the largest planet.",
        "The Wachowskis did, in 1999.",
        "北京是中国的首都。",
        "Hello! By the way, Paris lies in France.",
    ],
)
def test_what_a_model_knows_by_itself_is_not_said(text):
    why = untold(text, asked(), SCHEMA)
    assert why is not None
    assert why.startswith("the conversation does not hold")


def test_what_the_question_claims_is_not_confirmed_but_may_be_declined():
    claim = asked("Was Napoleon poisoned by his jailer on Saint Helena in 1821?")
    assert untold("Napoleon was poisoned by his jailer on Saint Helena in 1821.", claim, SCHEMA) is not None
    assert (
        untold("I cannot tell whether Napoleon was poisoned: this graph is about movies.", claim, SCHEMA)
        is None
    )
