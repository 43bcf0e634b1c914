"""The sentences that facts of a real language model are tied to, against those that a reader chose.

`tests/data/fact_sentences.csv` says for the 430 facts of the 40 recorded extractions, in their order, which
sentence states them: the passage, from 0, how many facts, and the sentence's start and end in the text. They
were labelled by reading, before the rules were changed.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from workers.core.answers.check import missing_names
from workers.ingest.spans import SentenceIndex

ROOT = Path(__file__).resolve().parents[4]
REPLIES = ROOT.parent / "shared" / "eval" / "llm_replies_musique.jsonl"
LABELS = ROOT / "tests" / "data" / "fact_sentences.csv"
MARKS = 3  # characters: quotation marks may stand at either side of a border


@pytest.fixture(scope="module")
def extractions():
    if not REPLIES.is_file():
        pytest.skip("the evaluation data is not beside the project")
    lines = map(json.loads, REPLIES.read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line["schema"] == "ExtractedFacts"]


def test_quotes_are_the_sentences_that_state_their_facts(extractions):
    facts = [(number, fact) for number, each in enumerate(extractions) for fact in each["reply"]["facts"]]
    with LABELS.open(encoding="utf-8") as file:
        rows = [{name: int(text) for name, text in row.items()} for row in csv.DictReader(file)]
    labels = [row for row in rows for _ in range(row["facts"])]
    right = exact = 0
    for (number, fact), label in zip(facts, labels, strict=True):
        assert number == label["passage"]
        passage = extractions[number]["input"]
        match = SentenceIndex(passage["text"], passage["title"]).locate(fact["text"])
        before, behind = label["start"] - match.start, match.end - label["end"]
        right += before >= -MARKS and behind >= -MARKS
        exact += abs(before) <= MARKS and abs(behind) <= MARKS
    assert right >= 0.97 * len(labels)
    assert exact >= 0.9 * len(labels)


def test_no_fact_of_theirs_is_taken_for_made_up(extractions):
    for extraction in extractions:
        stands = f"{extraction['input']['title']}\n{extraction['input']['text']}"
        assert not any(missing_names(fact["text"], stands) for fact in extraction["reply"]["facts"])


HOTEL = (
    "Edsa Shangri-La, Manila is a hotel at Ortigas Center, one of three in Metro Manila. "
    "It opened in 1992. The hotel has 632 rooms and two lounges, and is considered a city resort."
)


@pytest.mark.parametrize(
    ("fact", "quote"),
    [
        ("Edsa Shangri-La, Manila has two lounges.", "The hotel has 632 rooms"),
        ("Edsa Shangri-La, Manila is considered a city resort.", "The hotel has 632 rooms"),
        ("Edsa Shangri-La, Manila opened in 1992.", "It opened in 1992."),
    ],
)
def test_the_titles_names_do_not_choose_the_sentence(fact, quote):
    match = SentenceIndex(HOTEL, "Edsa Shangri-La, Manila").locate(fact)
    assert HOTEL[match.start : match.end].startswith(quote)
    assert match.score > 0.9


def test_the_sentence_that_names_who_is_meant_is_taken_in_without_capitals_too():
    text = "送信的人是风筝匠柳青禾。她的哥哥柳知秋替她搓线。线很长。"
    match = SentenceIndex(text, "第一章").locate("柳知秋是柳青禾的哥哥")
    assert text[match.start : match.end] == "送信的人是风筝匠柳青禾。她的哥哥柳知秋替她搓线。"
