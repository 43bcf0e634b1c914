"""Questions of two parts of which the documents hold one: that one is cited, the other is named."""

from __future__ import annotations

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest
from fleet.checks import assert_quotes_stand_in_files
from fleet.crew import Crew

from workers.core.answers.answer import Answer

NUMBER = 20
AT_ONCE = 5
ENDS = ("Alder", "Birch", "Cedar", "Dorn", "Esk", "Fenn", "Garth", "Holm", "Isel", "Kell")
FIRST = ("Ada", "Bruno", "Clara", "Dirk", "Elsa", "Felix", "Greta", "Hugo", "Iris", "Jonas")
# What is asked of a bridge, how a document says it, and the word that tells the two from others.
MATTERS = (
    ("When was {it} opened", "{name} was opened in {year}.", "opened"),
    ("Who designed {it}", "{name} was designed by {person}.", "designed"),
    ("Who painted {it}", "{name} was painted by {person}.", "painted"),
    ("When was {it} closed", "{name} was closed in {year}.", "closed"),
)


@dataclass(frozen=True)
class TwoParts:
    """A question of two parts; the documents hold one of them."""

    question: str
    answer: str  # what the documents say
    lacking: str  # a word of the part that they do not hold


def _draw(folder: Path) -> Iterator[TwoParts]:
    """Write a document for each question, and yield the questions."""
    chance = random.Random(15)
    for number in range(NUMBER):
        name = f"{ENDS[number % 10]}{'mouth' if number < 10 else 'ford'} Bridge"
        year = str(chance.randint(1700, 1999))
        person = f"{FIRST[number % 10]} {chance.choice(ENDS)}son"
        (clause, sentence, _), (other, _, lacking) = chance.sample(MATTERS, 2)
        text = sentence.format(name=f"The {name}", year=year, person=person)
        (folder / f"{number}.md").write_text(f"# {name}\n\n{text} It stands on four piers.\n", "utf-8")
        parts = [clause.format(it=f"the {name}"), other.format(it="it")]
        if chance.random() < 0.5:
            parts = [other.format(it=f"the {name}"), clause.format(it="it")]
        question = f"{parts[0]}, and {parts[1][0].lower()}{parts[1][1:]}?"
        yield TwoParts(question, year if "{year}" in sentence else person, lacking)


@pytest.fixture(scope="module")
def questions(standing_crew: Crew, tmp_path_factory: pytest.TempPathFactory) -> list[TwoParts]:
    standing_crew.model.set()
    folder = tmp_path_factory.mktemp("parts")
    drawn = list(_draw(folder))
    standing_crew.ingest(folder, "missing-parts")
    return drawn


def mistakes(question: TwoParts, answer: Answer) -> list[str]:
    wrong = []
    if answer.status != "partial":
        wrong.append(f"ended {answer.status}")
    if question.answer not in answer.text or not answer.citations:
        wrong.append(f"the part that is known is not told: {answer.text}")
    if question.lacking in answer.text:
        wrong.append(f"it claims what no document says: {answer.text}")
    if question.lacking not in (answer.reason or ""):
        wrong.append(f"the part that is not known is not named: {answer.reason}")
    if question.lacking not in " ".join(answer.missing):
        wrong.append(f"the part that is not known is no field: {answer.missing}")
    return [f"{question.question} {each}" for each in wrong]


@pytest.mark.parametrize("strategy", ["graph", "reader", "tools"])
def test_the_part_that_is_known_is_cited_and_the_other_is_named(
    crew: Crew, questions: list[TwoParts], strategy: str
) -> None:
    def ask(question: TwoParts) -> Answer:
        return crew.client.ask(question.question, "missing-parts", strategy=strategy)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        answers = list(pool.map(ask, questions))
    for answer in answers:
        assert_quotes_stand_in_files(answer)
    assert [
        each
        for question, answer in zip(questions, answers, strict=True)
        for each in mistakes(question, answer)
    ] == []
