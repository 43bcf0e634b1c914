"""Documents that contradict one another, through real workers: both are cited, the newer one first."""

from __future__ import annotations

from datetime import date

import pytest
from fleet.checks import assert_quotes_stand_in_files
from fleet.crew import Crew

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
        "The Tarn Bridge was opened on 1 June 1878.",
        "The Tarn Bridge was opened on 3 May 1877.",
        "When was the Tarn Bridge opened?",
        ("1878", "1877"),
    ),
    ("海蓝公司的通知期为180天。", "海蓝公司的通知期为270天。", "海蓝公司的通知期是多少天？", ("180", "270")),
)
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
        report = standing_crew.client.ingest(files, COLLECTION, metadata={"date": date(year, 3, 1)})
        assert not report.failed, report.failed


@pytest.mark.usefixtures("ingested")
@pytest.mark.parametrize(("strategy", "pair"), ASKED)
def test_both_documents_are_cited_newest_first_and_the_newer_is_named(crew, pair, strategy):
    _old, _new, question, values = pair
    answer = crew.client.ask(question, COLLECTION, strategy=strategy)
    assert answer.status == "done", answer
    assert all(value in answer.text for value in values), answer.text
    years = [citation.document.uri.rpartition("-of-")[2][:4] for citation in answer.citations]
    assert years[:2] == ["2021", "2019"], answer.text
    assert "newer" in answer.text or "较新" in answer.text
    assert answer.details["contradictions"] == 1
    assert_quotes_stand_in_files(answer)
