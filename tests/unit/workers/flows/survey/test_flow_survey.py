"""The survey strategy over a library in memory: what it looks at, what it cites, and how it ends."""

from dataclasses import replace
from typing import Any

import pytest
from doubles.drafts import sentences
from doubles.library import Library
from doubles.strategies import THEMES, SurveyRun, claim_themes, complaint, path_of
from doubles.topics import MemoryTopics

from hopline.models.jobs import JobState
from workers.core.errors import ModelRefusedSchema
from workers.core.graph.topics import LiveFacts
from workers.critic.schema import FactScore
from workers.critic.score import ScoreInput
from workers.flows.registry import flow_of
from workers.traverse.survey.flow import SURVEY
from workers.traverse.survey.schema import DraftClaim, SurveyDraft, SurveyPlan, TopicClaims


@pytest.fixture
def library() -> Library:
    return SurveyRun.held()


def reviews(count: int) -> Library:
    """Return so many documents that complain about coffee."""
    held = Library()
    for n in range(count):
        held.add(f"coffee-{n}", (complaint("coffee", n), ["coffee", f"Guest{n}", "guests complain"]))
    return held


def drop(library: Library, *titles: str) -> None:
    """Delete the facts of the documents whose title begins so."""
    for key in [key for key, (source, _elements) in library.held.items() if source.title.startswith(titles)]:
        del library.held[key]


def test_each_theme_is_named_with_its_documents_and_every_sentence_is_cited(library: Library) -> None:
    end = SurveyRun(library).to_end()
    assert end.state is JobState.DONE, end.outcome
    text, _, line = end.outcome["text"].partition("\n\n")
    for theme in THEMES:
        assert f"In 8 documents: Guests complained about {theme} [" in text
    assert text.count("]. ") + text.count("].") >= len(THEMES)
    coverage = end.outcome["details"]["coverage"]
    assert coverage["line"] == line
    assert (coverage["of_documents"], coverage["of_facts"], coverage["of_topics"]) == (24, 32, 2)
    assert coverage["hits"] == 24
    assert end.outcome["details"]["kind"] == "themes"
    assert len(end.outcome["citations"]) == 24
    complaining = {document.id for document, chunk in library.documents.values() if "complain" in chunk.text}
    assert set(end.outcome["rests_on"]) == complaining


def test_a_rare_theme_is_named_that_one_smaller_question_is_about() -> None:
    held = reviews(300)
    held.add("rare", ("Guest300 complained about the shuttle.", ["shuttle", "Guest300", "guests complain"]))
    sub_questions = ["Who complained about coffee?", "Who complained about the shuttle?"]
    asked = SurveyPlan(question=SurveyRun.asks["question"], sub_questions=sub_questions)
    run = SurveyRun(held, {SurveyPlan: asked})
    held.topics = MemoryTopics(held, lambda text: ("stay", text.split(" in ")[0], text))
    end = run.to_end()
    cited = {citation["document"]["title"] for citation in end.outcome["citations"]}
    assert "rare" in cited


@pytest.mark.parametrize("params", [{}, {"max_facts": 400, "max_topics": 1}])
def test_a_theme_is_counted_in_all_documents_in_which_it_helped(params: dict[str, int]) -> None:
    end = SurveyRun(reviews(60), **params).to_end()
    hits = end.outcome["details"]["coverage"]["hits"]
    assert hits > 40
    assert f"In {hits} documents: Guests complained about coffee" in end.outcome["text"]
    assert len(end.outcome["citations"]) == hits


def test_what_facts_of_two_topics_say_is_said_and_counted_together() -> None:
    held = reviews(16)
    run = SurveyRun(held)
    halves = {complaint("coffee", n): ("stay", "early" if n < 8 else "late", "coffee") for n in range(16)}
    held.topics = MemoryTopics(held, halves.__getitem__)
    text = run.to_end().outcome["text"]
    assert text.count("Guests complained about coffee") == 1
    assert "In 16 documents: Guests complained about coffee" in text


def test_a_fact_of_very_many_documents_is_cited_in_as_many_as_it_counts() -> None:
    held = Library()
    for n in range(230):
        held.add(f"review-{n}", ("Guests complained about coffee.", ["coffee", "guests complain"]))
    end = SurveyRun(held).to_end()
    cited = {citation["document"]["id"] for citation in end.outcome["citations"]}
    assert len(cited) > 100
    assert f"In {len(cited)} documents: Guests complained about coffee" in end.outcome["text"]


def test_the_phases_are_what_chain_and_chord_deliver(library: Library) -> None:
    run = SurveyRun(library)
    run.to_end()
    first, topics, *rounds, claims, answer = run.phases
    expected = ["survey_plan", "survey_topics", "survey_answer"]
    assert [item.id for item in (*first.items, *topics.items, *answer.items)] == expected
    assert [item.id for item in rounds[0].items] == ["score:1:1", "score:1:2"]
    facts = [ScoreInput.read_stored(item.input) for item in rounds[0].items]
    topics = {fact.topic for scoring in facts for fact in (scoring, *scoring.others)}
    assert topics == {"stay", "area"}, "for those who watch: the coarsest"
    assert [item.id for item in claims.items] == ["claims:1", "claims:2", "claims:3"]
    assert SURVEY.chain == ("traverse.survey_plan", "traverse.survey_topics")
    assert SURVEY.chord == ("critic.survey_claims", "critic.survey_answer")
    assert flow_of("query", {"strategy": "survey"}) is SURVEY


def test_what_no_critic_scored_is_not_held_against_the_threshold(library: Library) -> None:
    run = SurveyRun(library, dropped=["critic.score_fact"], score_threshold=0.9)
    end = run.to_end()
    assert (end.state, end.outcome["details"]["rounds"]) == (JobState.DONE, 1)
    assert end.outcome["details"]["coverage"]["facts"] == 0
    [written] = [item.input for item in run.phases[-1].items]
    assert {fact["scored_by"] for fact in written["facts"]} == {"unscored"}
    scores = [fact["score"] for fact in written["facts"]]
    assert max(scores) == 1.0
    assert min(scores) > 0.0


def test_nothing_relevant_in_a_part_of_what_was_chosen_is_partial(library: Library) -> None:
    class Cut(SurveyRun):
        def drained(self, items: Any, caps: Any = None) -> Any:
            return super().drained([item for item in items if item.id != "score:1:2"], caps)

    end = Cut(library, {FactScore: FactScore(relevance=0.0)}).to_end()
    assert end.state is JobState.PARTIAL
    coverage = end.outcome["details"]["coverage"]
    assert f"Only {coverage['facts']} of" in end.outcome["reason"]


def test_the_largest_topics_are_looked_at_or_named_wherever_searches_lead() -> None:
    held = reviews(40)
    for n in range(40):
        for far in ("moss", "tin", "salt", "rope"):
            held.add(f"{far}-{n}", (f"Ship{n} carried {far} to port{n}.", [far, f"Ship{n}"]))

    def cargo(text: str) -> tuple[str, ...]:
        words = text.split()
        return (words[2],) * 3 if words[1] == "carried" else ("stay", "coffee", "coffee")

    run = SurveyRun(held, max_facts=45)
    held.topics = MemoryTopics(held, cargo)
    coverage = run.to_end().outcome["details"]["coverage"]
    looked, left = ({topic["name"] for topic in coverage[name]} for name in ("looked_at", "not_looked_at"))
    assert coverage["of_topics"] == 5
    assert "stay" in looked
    assert looked | left == {"stay", "moss", "tin", "salt", "rope"}


def test_of_a_chinese_question_the_coverage_is_told_in_chinese(library: Library) -> None:
    end = SurveyRun(library, question="客人抱怨什么？").to_end()
    line = end.outcome["details"]["coverage"]["line"]
    assert line.startswith("查看了 24 篇文档中的 24 篇、32 条事实中的 32 条，涉及 2 个主题中的 2 个。")
    assert line in (end.outcome["text"] or end.outcome["reason"])


@pytest.fixture
def building(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let a build of topics take in all facts; return the collections that were built."""
    built: list[str] = []

    def build_topics(store: MemoryTopics, collection: str, **_more: object) -> object:
        built.append(collection)
        store.paths = path_of
        return store.epoch(collection)

    monkeypatch.setattr("workers.topics.build.build_topics", build_topics)
    return built


class NoTopics(MemoryTopics):
    """Topics that nobody built yet."""

    stated = 0  # facts that the collection is said to have

    def __init__(self, library: Library) -> None:
        super().__init__(library, lambda _text: ())

    def epoch(self, collection: str) -> Any:
        return super().epoch(collection) if self.paths is path_of else None

    def live_size(self, collection: str) -> LiveFacts:
        return super().live_size(collection)._replace(facts=self.stated or 1)


def test_a_large_collection_without_topics_is_surveyed_by_what_searches_find(library, building):
    run = SurveyRun(library)
    library.topics = NoTopics(library)
    library.topics.stated = 1_000_000
    end = run.to_end()
    assert building == []
    assert end.state is JobState.DONE
    assert "Guests complained about noise" in end.outcome["text"]
    assert "of 1,000,000 facts" in end.outcome["text"]
    assert "the collection has no topics yet" in end.outcome["text"]


def early(text: str) -> tuple[str, ...]:
    """Return the topics of what was there when they were built."""
    return () if "balcony" in text else path_of(text)


def test_the_first_survey_builds_the_topics(library: Library, building: list[str]) -> None:
    run = SurveyRun(library)
    library.topics = NoTopics(library)
    assert run.to_end().outcome["details"]["coverage"]["of_topics"] == 2
    assert building == ["default"]


@pytest.mark.parametrize(("late", "builds"), [(4, False), (50, True)])
def test_much_that_came_after_the_topics_has_them_built_again(library, building, late, builds):
    for n in range(late):
        text = f"Guest{n} complained about the balcony of room{n}."
        library.add(f"balcony-{n}", (text, ["balcony", "guests complain"]))
    run = SurveyRun(library)
    library.topics = MemoryTopics(library, early)
    outcome = run.to_end().outcome
    assert any("balcony" in citation["document"]["title"] for citation in outcome["citations"])
    coverage = outcome["details"]["coverage"]
    assert bool(building) is builds
    assert coverage["of_documents"] == 24 + late
    assert coverage["of_facts"] >= 32 + late
    assert (f"At least {late} documents came after" in coverage["line"]) is not builds


def test_deleted_documents_are_not_counted(library: Library) -> None:
    run = SurveyRun(library)
    known = library.topics.epoch("default")
    drop(library, "noise")
    library.topics.epoch = lambda _collection: known
    assert run.to_end().outcome["details"]["coverage"]["of_documents"] == 16


def test_a_number_stands_in_a_quote_or_is_the_count_of_documents(library: Library) -> None:
    texts = ("In 8 of 24 documents: {}", "In 9 documents: {}", "8 times: {}", "Most documents: {}")

    def counting(material: Any) -> SurveyDraft:
        first = next(entry for entry in material["evidence"] if "coffee" in entry["fact"])
        said = [text.format(first["fact"]) for text in ("{}", *texts)]
        return SurveyDraft(answerable=True, sentences=sentences(*((text, first["n"]) for text in said)))

    text = SurveyRun(library, {SurveyDraft: counting}).to_end().outcome["text"]
    assert [said for said in texts if said.partition(":")[0] in text] == [texts[0]]


def test_the_writer_sees_quotes_of_every_claim_as_far_as_there_is_room(library: Library) -> None:
    shown: list[Any] = []

    def noting(material: Any) -> SurveyDraft:
        shown.append([entry["quote"].splitlines() for entry in material["evidence"]])
        return SurveyDraft(answerable=False)

    for tokens in (4000, 150):
        SurveyRun(library, {SurveyDraft: noting}, evidence_tokens=tokens).to_end()
    every, some = shown
    assert all(len(quotes) == 5 for quotes in every)
    assert all("complained" in quote for quotes in every for quote in quotes)
    assert sum(map(len, some)) < sum(map(len, every))
    assert max(map(len, some)) - min(map(len, some)) <= 1


def test_claims_that_no_place_carries_are_dropped_and_where_none_is_kept_the_facts_are_the_claims(library):
    lie = DraftClaim(text="Guests saw Atlantis.", facts=[1])
    no_fact = DraftClaim(text="Yes.", facts=[99])

    def inventing(material: Any) -> TopicClaims:
        return TopicClaims(claims=[lie, no_fact, *claim_themes(material).claims])

    end = SurveyRun(library, {TopicClaims: inventing}).to_end()
    assert "Atlantis" not in end.outcome["text"]
    assert end.outcome["details"]["claims_dropped"] == 6
    end = SurveyRun(library, {TopicClaims: TopicClaims(claims=[lie])}).to_end()
    assert end.state is JobState.DONE
    assert complaint("coffee", 0)[:-1] in end.outcome["text"]


def test_a_claim_that_what_is_left_does_not_carry_is_counted(library: Library) -> None:
    def naming(material: Any) -> TopicClaims:
        made = claim_themes(material).claims
        name = "Guest0"
        named = [fact["n"] for fact in material["facts"] if f"{name} " in fact["fact"]]
        made.append(DraftClaim(text=f"{name} complained.", facts=[*named, *made[0].facts]))
        drop(library, *(f"{theme}-0" for theme in THEMES))
        return TopicClaims(claims=made)

    end = SurveyRun(library, {TopicClaims: naming}).to_end()
    assert end.state is JobState.DONE
    assert "Guest0" not in end.outcome["text"]
    assert end.outcome["details"]["claims_uncarried"] >= 1


@pytest.mark.parametrize("principals", [("user:ann",), None])
def test_a_fact_that_is_gone_when_the_answer_is_written_is_not_cited(library, principals):
    def forgetting(material: Any) -> TopicClaims:
        made = claim_themes(material)
        drop(library, "coffee-0")
        return made

    run = SurveyRun(library, {TopicClaims: forgetting})
    run.job = run.job.model_copy(update={"principals": principals})
    run.ports = replace(run.ports, job=run.job)
    end = run.to_end()
    assert end.state is JobState.DONE
    assert "complained about noise" in end.outcome["text"]
    if principals:
        assert "complained about coffee" not in end.outcome["text"], "it may tell of what may not be read"
        return
    assert "coffee-0" not in {citation["document"]["title"] for citation in end.outcome["citations"]}
    assert "claims_uncarried" not in end.outcome["details"]
    assert "In 7 documents: Guests complained about coffee" in end.outcome["text"]


@pytest.mark.parametrize("limits", [{"principals": ("user:ann",)}, {"documents": ["some"]}, {}])
def test_the_coverage_is_no_part_of_an_answer_of_some_documents_only(library, limits):
    for reply, state in (
        ({}, JobState.DONE),
        ({FactScore: FactScore(relevance=0.0)}, JobState.ABSTAINED),
        ({SurveyDraft: ModelRefusedSchema("no")}, JobState.PARTIAL),  # with the evidence
    ):
        named = {name: value for name, value in limits.items() if name == "documents"}
        run = SurveyRun(library, reply, **named)
        run.job = run.job.model_copy(update={"principals": limits.get("principals")})
        end = run.to_end()
        outcome = end.outcome
        assert (end.state, len(outcome["citations"])) == (state, 0 if state is JobState.ABSTAINED else 24)
        assert outcome["details"]["coverage"]["line"].startswith("Looked at")
        shown = f"{outcome['text']} {outcome['reason']}"
        assert ("Looked at" in shown) is (not limits)
        assert "rests_on" in outcome
