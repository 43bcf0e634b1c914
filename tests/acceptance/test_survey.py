"""The survey strategy by real workers, over reviews with known themes: names, citations, counts, coverage."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from fleet.checks import assert_citations_stored, assert_recorded_once
from fleet.crew import Crew, wait_until
from themes import QUESTION, Corpus, named, reviews, theme_of

from workers.core.answers.answer import Answer

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
    return standing_crew.client.ask(QUESTION, hotel, strategy="survey")


def test_every_theme_is_named_the_rare_one_too(corpus: Corpus, answer: Answer) -> None:
    assert answer.status == "done", repr(answer.reason)
    assert named(corpus, answer.text) == set(corpus.themes)


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


def test_the_coverage_is_right(answer: Answer) -> None:
    coverage = answer.details["coverage"]
    assert coverage["of_documents"] == REVIEWS
    assert 0 < coverage["documents"] <= REVIEWS
    assert 0 < coverage["facts"] <= 100
    assert coverage["hits"] <= coverage["facts"] <= coverage["of_facts"]
    assert coverage["topics"] == len(coverage["looked_at"]) <= coverage["of_topics"]
    assert sum(topic["facts"] for topic in coverage["looked_at"]) <= coverage["facts"]


def test_no_more_than_twenty_calls(answer: Answer) -> None:
    assert answer.usage.model_calls <= 20


def test_auto_chooses_it_for_a_question_about_the_whole(crew: Crew, hotel: str) -> None:
    answer = crew.client.ask("What are the main themes of these reviews?", hotel, strategy="auto")
    assert answer.details["chosen"]["strategy"] == "survey"


def test_a_question_about_some_documents_is_surveyed_within_them(crew: Crew, hotel: str) -> None:
    some = [document.id for document in crew.client.services.graph.store.documents(hotel, limit=12)]
    answer = crew.client.ask(QUESTION, hotel, strategy="survey", documents=some)
    assert answer.status in ("done", "partial"), repr(answer.reason)
    assert {citation.document.id for citation in answer.citations} <= set(some)
    assert answer.details["coverage"]["documents"] <= len(some)


def test_a_budget_of_few_calls_leaves_an_answer(crew: Crew, hotel: str) -> None:
    answer = crew.client.ask(QUESTION, hotel, strategy="survey", max_model_calls=6)
    assert answer.citations
    assert answer.usage.model_calls <= 6


def test_a_document_deleted_before_the_writing_is_not_cited(
    crew: Crew, collection: str, corpus: Corpus, tmp_path: Path
) -> None:
    crew.ingest(corpus.write(tmp_path), collection)
    crew.model.set(schemas={"TopicClaims": {"hold": True}})
    job_id = crew.client.submit_question(QUESTION, collection, strategy="survey")
    wait_until(lambda: crew.model.requests().get("TopicClaims", 0), "claims to be made")
    gone = next(iter(corpus.themes.values()))[0]
    [document] = [
        document
        for document in crew.client.services.graph.store.documents(collection)
        if document.title == gone
    ]
    crew.client.delete_document(document.id)
    crew.model.set()
    answer = crew.client.wait(job_id, 180)
    assert isinstance(answer, Answer)
    assert answer.citations
    assert gone not in {citation.document.title for citation in answer.citations}


@pytest.mark.long
def test_topics_built_on_older_ones_lead_to_the_same_documents_as_those_built_anew(crew: Crew) -> None:
    corpus, changed = reviews(60, seed=3), reviews(60, seed=4)
    some = {title: changed.texts[title] for title in list(corpus.texts)[:3]}
    # Ids are made of the names of collections and texts, and decide between equals, as does the order of the
    # documents: what holds is the share over several collections.
    names = ("one", "two", "three", "four", "five")
    pairs = [_cited(crew, f"reviews-{name}", corpus.texts, some) for name in names]
    for side in (0, 1):
        kept = [document_id in pair[1 - side] for pair in pairs for document_id in pair[side]]
        assert sum(kept) >= 0.8 * len(kept), (sum(kept), len(kept))


def _cited(
    crew: Crew, collection: str, texts: Mapping[str, str], changed: Mapping[str, str]
) -> tuple[list[str], list[str]]:
    """Return the documents cited over topics that went on from those before a change, and over others."""
    _ingest(crew, collection, texts)
    crew.client.build_topics(collection)
    _ingest(crew, collection, changed)
    cited = []
    for anew in (False, True):
        crew.client.build_topics(collection, anew=anew)
        answer = crew.client.ask(QUESTION, collection, strategy="survey")
        assert answer.status == "done", repr(answer.reason)
        cited.append([citation.document.id for citation in answer.citations])
    return cited[0], cited[1]


def _ingest(crew: Crew, collection: str, texts: Mapping[str, str]) -> None:
    records = [{"name": name, "text": text} for name, text in texts.items()]
    report = crew.client.ingest_texts(records, collection)
    assert not report.failed, report.failed
