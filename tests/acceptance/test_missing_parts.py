"""Documents that hold one part of a question, or contradict one another: what is cited, and what is named."""

from concurrent.futures import ThreadPoolExecutor
from datetime import date
from typing import NamedTuple

import pytest
from doubles.offline import rows
from fleet.checks import assert_quotes_stand_in_files
from fleet.crew import Crew

from hopline.models.answers import Answer

AT_ONCE = 4


class TwoParts(NamedTuple):
    """A question of two parts, and a document that holds one of them."""

    said: str  # by the document, of the bridge
    question: str
    answer: str  # what the document says
    lacking: str  # a word of the part that it does not hold


TABLE = """
    Aldermouth | was opened in 1812. \
        | When was the Aldermouth Bridge opened, and who designed it? | 1812          | designed
    Birchford  | was designed by Clara Fennson. \
        | When was the Birchford Bridge closed, and who designed it?  | Clara Fennson | closed
    Cedarmouth | was painted by Hugo Eskson. \
        | Who painted the Cedarmouth Bridge, and when was it opened?  | Hugo Eskson   | opened
    Dornford   | was closed in 1931. \
        | Who painted the Dornford Bridge, and when was it closed?    | 1931          | painted
"""
QUESTIONS = {name: TwoParts(*row) for name, *row in rows(TABLE)}


@pytest.fixture(scope="module")
def bridges_of_parts(standing_crew: Crew, tmp_path_factory: pytest.TempPathFactory) -> str:
    standing_crew.model.set()
    folder = tmp_path_factory.mktemp("parts")
    for name, (said, *_) in QUESTIONS.items():
        text = f"# {name} Bridge\n\nThe {name} Bridge {said} It stands on four piers.\n"
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    standing_crew.ingest(folder, "missing-parts")
    return "missing-parts"


def mistakes(question: TwoParts, answer: Answer) -> list[str]:
    known = question.answer in answer.text and bool(answer.citations)
    right = {
        f"ended {answer.status}": answer.status == "partial",
        f"the part that is known is not told: {answer.text}": known,
        f"it claims what no document says: {answer.text}": question.lacking not in answer.text,
        f"the other part is not named: {answer.reason}": question.lacking in (answer.reason or ""),
        f"it is no field: {answer.missing}": question.lacking in " ".join(answer.missing),
    }
    return [f"{question.question} {wrong}" for wrong, is_right in right.items() if not is_right]


@pytest.mark.parametrize("strategy", ["graph", "reader", "tools"])
def test_the_known_part_is_cited_and_the_other_named(crew, bridges_of_parts, strategy):
    def ask(question: TwoParts) -> Answer:
        return crew.client.ask(question.question, collection=bridges_of_parts, strategy=strategy)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        answers = list(pool.map(ask, QUESTIONS.values()))
    for answer in answers:
        assert_quotes_stand_in_files(answer)
    assert [
        each
        for question, answer in zip(QUESTIONS.values(), answers, strict=True)
        for each in mistakes(question, answer)
    ] == []


COLLECTION = "contradicting"
# The statement of 2019, that of 2021, and what is asked.
PAIRS = (
    (
        "The notice period of the Marlow lease is 180 days.",
        "The notice period of the Marlow lease was extended to 270 days.",
        "What is the notice period of the Marlow lease?",
        ("180", "270"),
    ),
    (
        "The Tarn Bridge was opened on 1 June 1878.", "The Tarn Bridge was opened on 3 May 1877.",
        "When was the Tarn Bridge opened?", ("1878", "1877"),
    ),
    ("海蓝公司的通知期为180天。", "海蓝公司的通知期为270天。", "海蓝公司的通知期是多少天？", ("180", "270")),
)  # fmt: skip
# The offline model finds no tool for a question in Chinese.
ASKED = [("graph", PAIRS[0]), ("reader", PAIRS[2]), ("tools", PAIRS[1])]


@pytest.fixture(scope="module")
def ingested(standing_crew: Crew, tmp_path_factory: pytest.TempPathFactory) -> None:
    standing_crew.model.set()
    folder = tmp_path_factory.mktemp("contradicting")
    for year, place in ((2019, 0), (2021, 1)):
        for n, pair in enumerate(PAIRS):
            (folder / f"{n}-of-{year}.txt").write_text(f"{pair[place]}\n", "utf-8")
        files = sorted(folder.glob(f"*-of-{year}.txt"))
        standing_crew.ingest(files, COLLECTION, metadata={"date": date(year, 3, 1)})


@pytest.mark.usefixtures("ingested")
@pytest.mark.parametrize(("strategy", "pair"), ASKED)
def test_both_documents_are_cited_newest_first_and_the_newer_is_named(crew, pair, strategy):
    _old, _new, question, values = pair
    answer = crew.client.ask(question, collection=COLLECTION, strategy=strategy)
    assert answer.status == "done", answer
    assert all(value in answer.text for value in values), answer.text
    years = [citation.document.uri.rpartition("-of-")[2][:4] for citation in answer.citations]
    assert years[:2] == ["2021", "2019"], answer.text
    assert "newer" in answer.text or "较新" in answer.text
    assert answer.details["contradictions"] == 1
    assert_quotes_stand_in_files(answer)
