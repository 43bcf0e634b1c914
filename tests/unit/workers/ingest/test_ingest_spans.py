"""The sentences that facts are tied to."""

import csv
import json
from pathlib import Path

import pytest

from workers.core.answers.check import missing_names
from workers.ingest.spans import SentenceIndex

TEXT = (
    "Anna Keller was an engineer from Bern. She opened the bridge over the Aare in 1843. "
    "The bridge was replaced in 1883. Dr. Meier disagreed with her plans."
)


def located(fact, text=TEXT):
    match = SentenceIndex(text).locate(fact)
    return text[match.start : match.end], match.score


def test_a_fact_is_tied_to_the_sentence_that_says_it_and_to_the_one_that_a_pronoun_means():
    assert located("The bridge was replaced in 1883.") == ("The bridge was replaced in 1883.", 1)
    quote, score = located("Anna Keller opened the bridge over the Aare in 1843.")
    assert quote == "Anna Keller was an engineer from Bern. She opened the bridge over the Aare in 1843."
    assert score == pytest.approx(1)


def test_what_the_text_does_not_say_scores_low_and_a_wrong_year_lower_than_a_wrong_word():
    assert located("The bridge was replaced in 1884.")[1] < located("The viaduct was replaced in 1883.")[1]
    assert located("Napoleon crossed Russia during winter 1812.")[1] < 0.3
    assert located("...")[1] == 0
    assert located("Anna's engineers")[1] > 0.4


def test_texts_without_spaces_are_compared_by_pairs_of_characters():
    text = "東京は日本の首都です。大阪は大きな都市です。"
    assert located("大阪は大きな都市である", text)[0] == "大阪は大きな都市です。"
    assert located("東京は日本の首都である", text)[0] == "東京は日本の首都です。"
    burmese = "ရန်ကုန်သည်မြို့ကြီးဖြစ်သည်။\n\nနေပြည်တော်သည်မြို့တော်ဖြစ်သည်။"
    assert located("မြို့တော်မှာနေပြည်တော်ဖြစ်သည်။", burmese)[0] == "နေပြည်တော်သည်မြို့တော်ဖြစ်သည်။"


ROOT = Path(__file__).resolve().parents[4]
REPLIES = ROOT.parent / "shared" / "eval" / "llm_replies_musique.jsonl"
# For each of the 430 facts of the 40 recorded extractions, which sentence states it: the passage, the fact's
# place in the reply, the sentence's, all from 0, and its start and end in the text; none is 1 where no
# sentence does. They were labelled by reading, before the rules were changed.
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


def test_the_titles_names_do_not_choose_the_sentence():
    for fact, quote in [
        ("Edsa Shangri-La, Manila has two lounges.", "The hotel has 632 rooms"),
        ("Edsa Shangri-La, Manila is considered a city resort.", "The hotel has 632 rooms"),
        ("Edsa Shangri-La, Manila opened in 1992.", "It opened in 1992."),
    ]:
        match = SentenceIndex(HOTEL, "Edsa Shangri-La, Manila").locate(fact)
        assert HOTEL[match.start : match.end].startswith(quote), fact
        assert match.score > 0.9, fact


def test_the_sentence_that_names_who_is_meant_is_taken_in_without_capitals_too():
    text = "送信的人是风筝匠柳青禾。她的哥哥柳知秋替她搓线。线很长。"
    match = SentenceIndex(text, "第一章").locate("柳知秋是柳青禾的哥哥")
    assert text[match.start : match.end] == "送信的人是风筝匠柳青禾。她的哥哥柳知秋替她搓线。"
