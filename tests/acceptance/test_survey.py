"""The survey strategy by real workers, over reviews with known themes: names, citations, counts, coverage."""

import re

import pytest
from fleet.checks import assert_citations_stored, assert_recorded_once
from fleet.crew import Crew
from themes import QUESTION, Corpus, named, reviews, theme_of

from hopline.models.answers import Answer

REVIEWS = 30
_SENTENCE = re.compile(r"(?P<said>[^\[\]]+?)(?P<markers>(?: ?\[\d+\])+)\.")


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return reviews(REVIEWS, themes=5, seed=3)


@pytest.fixture(scope="module")
def hotel(standing_crew: Crew, corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> str:
    standing_crew.model.set()
    standing_crew.ingest(corpus.write(tmp_path_factory.mktemp("reviews")), "survey-hotel")
    return "survey-hotel"


@pytest.fixture(scope="module")
def answer(standing_crew: Crew, hotel: str) -> Answer:
    standing_crew.model.set()
    return standing_crew.client.ask(QUESTION, collection=hotel, strategy="survey")


def test_every_theme_is_named_the_rare_one_too_and_the_coverage_is_right(corpus, answer):
    assert answer.status == "done", repr(answer.reason)
    assert named(corpus, answer.text) == set(corpus.themes)
    coverage = answer.details["coverage"]
    assert coverage["of_documents"] == REVIEWS
    assert 0 < coverage["documents"] <= REVIEWS
    assert 0 < coverage["facts"] <= 100
    assert coverage["hits"] <= coverage["facts"] <= coverage["of_facts"]
    assert coverage["topics"] == len(coverage["looked_at"]) <= coverage["of_topics"]
    assert sum(topic["facts"] for topic in coverage["looked_at"]) <= coverage["facts"]
    assert answer.usage.model_calls <= 20


def test_every_sentence_is_cited_by_what_states_it(crew: Crew, hotel: str, answer: Answer) -> None:
    body, _, line = answer.text.partition("\n\n")
    assert line == answer.details["coverage"]["line"]
    quotes = {citation.n: citation.quote for citation in answer.citations}
    rest = _SENTENCE.sub("", body).strip()
    assert rest == ""
    for sentence in _SENTENCE.finditer(body):
        numbers = [int(n) for n in re.findall(r"\d+", sentence["markers"])]
        assert {theme_of(quotes[n]) for n in numbers} == {theme_of(sentence["said"])}
        if counted := re.match(r" ?In (\d+) documents", sentence["said"]):
            cited = {citation.document.id for citation in answer.citations if citation.n in numbers}
            assert int(counted[1]) == len(cited)
    assert_citations_stored(crew, hotel, answer)
    assert_recorded_once(crew, answer.job_id)


def test_auto_chooses_it_for_a_question_about_the_whole(crew: Crew, hotel: str) -> None:
    answer = crew.client.ask("What are the main themes of these reviews?", collection=hotel, strategy="auto")
    assert answer.details["chosen"]["strategy"] == "survey"


@pytest.mark.long
def test_a_question_about_some_documents_is_surveyed_within_them(crew: Crew, hotel: str) -> None:
    some = [document.id for document in crew.services.graph.store.documents(hotel, limit=12)]
    answer = crew.client.ask(QUESTION, collection=hotel, strategy="survey", documents=some)
    assert answer.status in ("done", "partial"), repr(answer.reason)
    assert {citation.document.id for citation in answer.citations} <= set(some)
    assert answer.details["coverage"]["documents"] <= len(some)
