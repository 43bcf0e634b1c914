"""Questions of two parts of which the documents hold one: that one is cited, the other is named."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest
from fleet.checks import assert_quotes_stand_in_files
from fleet.crew import Crew

from workers.core.answers.answer import Answer

AT_ONCE = 4


@dataclass(frozen=True)
class TwoParts:
    """A question of two parts, and a document that holds one of them."""

    document: str
    question: str
    answer: str  # what the document says
    lacking: str  # a word of the part that it does not hold


QUESTIONS = (
    TwoParts(
        "# Aldermouth Bridge\n\nThe Aldermouth Bridge was opened in 1812. It stands on four piers.\n",
        "When was the Aldermouth Bridge opened, and who designed it?",
        "1812",
        "designed",
    ),
    TwoParts(
        "# Birchford Bridge\n\nThe Birchford Bridge was designed by Clara Fennson. It stands on two piers.\n",
        "When was the Birchford Bridge closed, and who designed it?",
        "Clara Fennson",
        "closed",
    ),
    TwoParts(
        "# Cedarmouth Bridge\n\nThe Cedarmouth Bridge was painted by Hugo Eskson. It stands on a pier.\n",
        "Who painted the Cedarmouth Bridge, and when was it opened?",
        "Hugo Eskson",
        "opened",
    ),
    TwoParts(
        "# Dornford Bridge\n\nThe Dornford Bridge was closed in 1931. It stood on nine piers.\n",
        "Who painted the Dornford Bridge, and when was it closed?",
        "1931",
        "painted",
    ),
)


@pytest.fixture(scope="module")
def bridges_of_parts(standing_crew: Crew, tmp_path_factory: pytest.TempPathFactory) -> str:
    standing_crew.model.set()
    folder = tmp_path_factory.mktemp("parts")
    for number, question in enumerate(QUESTIONS):
        (folder / f"{number}.md").write_text(question.document, encoding="utf-8")
    standing_crew.ingest(folder, "missing-parts")
    return "missing-parts"


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
def test_the_known_part_is_cited_and_the_other_named(crew, bridges_of_parts, strategy):
    def ask(question: TwoParts) -> Answer:
        return crew.client.ask(question.question, bridges_of_parts, strategy=strategy)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        answers = list(pool.map(ask, QUESTIONS))
    for answer in answers:
        assert_quotes_stand_in_files(answer)
    assert [
        each
        for question, answer in zip(QUESTIONS, answers, strict=True)
        for each in mistakes(question, answer)
    ] == []
