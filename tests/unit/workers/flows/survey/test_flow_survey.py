"""The survey strategy over a library in memory: what it looks at, what it cites, and how it ends."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from doubles.flow_run import QueryRun
from doubles.library import Library
from doubles.topics import MemoryTopics

from workers.core.errors import ModelRefusedSchema
from workers.core.graph.topics import LiveFacts
from workers.core.jobs.work import JobState
from workers.critic.schema import DraftSentence, FactScore
from workers.critic.score import ScoreInput
from workers.critic.survey.schema import DraftClaim, SurveyDraft, TopicClaims
from workers.flows.registry import flow_of
from workers.flows.survey.flow import SURVEY
from workers.traverse.survey.schema import SurveyPlan

QUESTION = "What do guests complain about?"
THEMES = ("coffee", "noise", "beds")


def complaint(theme: str, n: int) -> str:
    return f"Guest{n} complained about {theme} in room{n}."


def walk(n: int) -> str:
    return f"Guest{n} walked to lake{n}."


@pytest.fixture
def library() -> Library:
    held = Library()
    for theme in THEMES:
        for n in range(8):
            held.add(
                f"{theme}-{n}",
                (complaint(theme, n), [theme, f"Guest{n}", "guests complain"]),
                (walk(n), ["lake", f"Guest{n}"]),
            )
    return held


def path(text: str) -> tuple[str, ...]:
    theme = next((theme for theme in THEMES if theme in text), "walks")
    return ("stay" if theme in THEMES else "area", theme, theme)


def plan(material: Any) -> SurveyPlan:
    return SurveyPlan(
        question=material["question"], sub_questions=[f"Who complained about {theme}?" for theme in THEMES]
    )


def score(material: Any) -> FactScore:
    return FactScore(relevance=0.9 if "complained" in material["fact"] else 0.0)


def claim(material: Any) -> TopicClaims:
    by_theme: dict[str, list[int]] = {}
    for fact in material["facts"]:
        by_theme.setdefault(path(fact["fact"])[1], []).append(fact["n"])
    return TopicClaims(
        claims=[
            DraftClaim(text=f"Guests complained about {theme}.", facts=some)
            for theme, some in by_theme.items()
        ]
    )


def write(material: Any) -> SurveyDraft:
    return SurveyDraft(
        answerable=True,
        sentences=[
            DraftSentence(text=f"In {entry['documents']} documents: {entry['fact']}", citations=[entry["n"]])
            for entry in material["evidence"]
        ],
    )


class Run(QueryRun):
    query = SURVEY
    asks = {"question": QUESTION, "strategy": "survey"}
    replies = {SurveyPlan: plan, FactScore: score, TopicClaims: claim, SurveyDraft: write}

    def __init__(self, library: Library, *args: Any, **params: Any) -> None:
        library.topics = MemoryTopics(library, path)
        super().__init__(library, *args, **params)


def test_each_theme_is_named_with_its_documents_and_every_sentence_is_cited(library: Library) -> None:
    end = Run(library).to_end()
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


def test_a_rare_theme_is_named_that_one_smaller_question_is_about() -> None:
    held = Library()
    for n in range(300):
        held.add(f"coffee-{n}", (complaint("coffee", n), ["coffee", f"Guest{n}", "guests complain"]))
    held.add("rare", ("Guest300 complained about the shuttle.", ["shuttle", "Guest300", "guests complain"]))
    sub_questions = ["Who complained about coffee?", "Who complained about the shuttle?"]
    run = Run(held, {SurveyPlan: SurveyPlan(question=QUESTION, sub_questions=sub_questions)})
    held.topics = MemoryTopics(held, lambda text: ("stay", text.split(" in ")[0], text))
    end = run.to_end()
    cited = {citation["document"]["title"] for citation in end.outcome["citations"]}
    assert "rare" in cited


@pytest.mark.parametrize("params", [{}, {"max_model_calls": 12}, {"max_facts": 400, "max_topics": 1}])
def test_a_theme_is_counted_in_all_documents_in_which_it_helped(params: dict[str, int]) -> None:
    held = Library()
    for n in range(60):
        held.add(f"review-{n}", (complaint("coffee", n), ["coffee", f"Guest{n}", "guests complain"]))
    end = Run(held, **params).to_end()
    hits = end.outcome["details"]["coverage"]["hits"]
    assert hits > 40
    assert f"In {hits} documents: Guests complained about coffee" in end.outcome["text"]
    assert len(end.outcome["citations"]) == hits


def test_what_facts_of_two_topics_say_is_said_and_counted_together() -> None:
    held = Library()
    for n in range(16):
        held.add(f"review-{n}", (complaint("coffee", n), ["coffee", f"Guest{n}", "guests complain"]))
    run = Run(held)
    halves = {complaint("coffee", n): ("stay", "early" if n < 8 else "late", "coffee") for n in range(16)}
    held.topics = MemoryTopics(held, halves.__getitem__)
    text = run.to_end().outcome["text"]
    assert text.count("Guests complained about coffee") == 1
    assert "In 16 documents: Guests complained about coffee" in text


def test_a_fact_of_very_many_documents_is_cited_in_as_many_as_it_counts() -> None:
    held = Library()
    for n in range(230):
        held.add(f"review-{n}", ("Guests complained about coffee.", ["coffee", "guests complain"]))
    end = Run(held).to_end()
    cited = {citation["document"]["id"] for citation in end.outcome["citations"]}
    assert len(cited) > 100
    assert f"In {len(cited)} documents: Guests complained about coffee" in end.outcome["text"]


def test_facts_to_score_name_their_coarsest_topic_for_those_who_watch(library: Library) -> None:
    run = Run(library)
    run.to_end()
    scored = [item.input for phase in run.phases for item in phase.items if item.id.startswith("score:")]
    facts = [ScoreInput.read_stored(scoring) if isinstance(scoring, dict) else scoring for scoring in scored]
    assert {fact.topic for scoring in facts for fact in (scoring, *scoring.others)} == {"stay", "area"}


def test_the_phases_are_what_chain_and_chord_deliver(library: Library) -> None:
    run = Run(library)
    run.to_end()
    first, topics, *rounds, claims, answer = run.phases
    assert [item.id for item in (*first.items, *topics.items, *answer.items)] == [
        "survey_plan",
        "survey_topics",
        "survey_answer",
    ]
    assert [item.id for item in rounds[0].items] == ["score:1:1", "score:1:2"]
    assert [item.id for item in claims.items] == ["claims:1", "claims:2", "claims:3"]
    assert (SURVEY.chain, SURVEY.chord) == (
        ("traverse.survey_plan", "traverse.survey_topics"),
        ("critic.survey_claims", "critic.survey_answer"),
    )
    assert flow_of("query", {"strategy": "survey"}) is SURVEY


def test_no_more_model_calls_than_twenty_with_the_defaults(library: Library) -> None:
    for theme in "abcdefghijkl":
        for n in range(12):
            library.add(
                f"{theme}-{n}", (f"Guest{n} complained about {theme}{theme}.", [theme, "guests complain"])
            )
    run = Run(library)
    assert run.to_end().state is JobState.DONE
    assert len(run.model.asked) + len(run.model.embedded) <= 20


@pytest.mark.parametrize("most", [5, 6, 8, 12])
def test_calls_are_kept_to_what_is_allowed(library: Library, most: int) -> None:
    run = Run(library, max_model_calls=most)
    end = run.to_end()
    assert end.state is JobState.DONE
    assert len(run.model.asked) + len(run.model.embedded) <= most


@pytest.mark.parametrize("seed", range(4))
def test_the_answer_does_not_depend_on_the_order_in_which_items_end(library: Library, seed: int) -> None:
    assert Run(library, seed=seed).to_end().outcome == Run(library).to_end().outcome


@pytest.mark.parametrize(
    ("how", "step"),
    [
        ("given_up", "traverse.survey_plan"),
        ("given_up", "critic.survey_claims"),
        ("dropped", "critic.survey_claims"),
    ],
)
def test_a_lost_step_does_not_cost_the_answer(library: Library, how: str, step: str) -> None:
    end = Run(library, **{how: [step]}).to_end()
    assert end.state is JobState.DONE
    assert all(theme in end.outcome["text"] for theme in THEMES)


def test_where_no_critic_scored_any_what_searches_found_nearest_is_written_from(library: Library) -> None:
    end = Run(library, dropped=["critic.score_fact"]).to_end()
    assert end.state is JobState.DONE
    assert end.outcome["details"]["coverage"]["facts"] == 0
    assert end.outcome["details"]["rounds"] == 1


def test_what_no_critic_scored_is_not_held_against_the_threshold(library: Library) -> None:
    run = Run(library, dropped=["critic.score_fact"], score_threshold=0.9)
    assert run.to_end().state is JobState.DONE
    [written] = [item.input for item in run.phases[-1].items]
    assert {fact["scored_by"] for fact in written["facts"]} == {"unscored"}
    scores = [fact["score"] for fact in written["facts"]]
    assert max(scores) == 1.0
    assert min(scores) > 0.0


def test_nothing_relevant_in_a_part_of_what_was_chosen_is_partial(library: Library) -> None:
    class Cut(Run):
        def drained(self, items: Any, caps: Any = None) -> Any:
            return super().drained([item for item in items if item.id != "score:1:2"], caps)

    end = Cut(library, {FactScore: FactScore(relevance=0.0)}).to_end()
    assert end.state is JobState.PARTIAL
    coverage = end.outcome["details"]["coverage"]
    assert f"Only {coverage['facts']} of" in end.outcome["reason"]


def test_lost_topics_end_the_job(library: Library) -> None:
    assert Run(library, given_up=["traverse.survey_topics"]).to_end().state is JobState.FAILED
    assert Run(library, dropped=["traverse.survey_topics"]).to_end().state is JobState.PARTIAL


def test_a_writer_that_fails_leaves_the_evidence_and_the_coverage(library: Library) -> None:
    end = Run(library, {SurveyDraft: ModelRefusedSchema("no")}).to_end()
    assert end.state is JobState.PARTIAL
    assert len(end.outcome["citations"]) == 24
    assert end.outcome["reason"].endswith(end.outcome["details"]["coverage"]["line"])


def test_nothing_relevant_is_said_with_what_was_looked_at(library: Library) -> None:
    end = Run(library, {FactScore: FactScore(relevance=0.0)}).to_end()
    assert end.state is JobState.ABSTAINED
    assert end.outcome["text"] == ""
    assert "Looked at" in end.outcome["reason"]


def test_an_empty_collection_is_told() -> None:
    assert Run(Library()).to_end().state is JobState.ABSTAINED


def test_facts_that_came_after_the_topics_are_looked_at_too(library: Library) -> None:
    library.add("late", ("Guest99 complained about stairs.", ["stairs", "guests complain"]))

    def until_then(text: str) -> tuple[str, ...]:
        return () if "stairs" in text else path(text)

    run = Run(library)
    library.topics = MemoryTopics(library, until_then)
    cited = run.to_end().outcome["citations"]
    assert "late" in {citation["document"]["title"] for citation in cited}


def test_the_largest_topics_are_looked_at_or_named_wherever_searches_lead() -> None:
    held = Library()
    for n in range(40):
        held.add(f"coffee-{n}", (complaint("coffee", n), ["coffee", f"Guest{n}", "guests complain"]))
        for far in ("moss", "tin", "salt", "rope"):
            held.add(f"{far}-{n}", (f"Ship{n} carried {far} to port{n}.", [far, f"Ship{n}"]))

    def cargo(text: str) -> tuple[str, ...]:
        words = text.split()
        return (words[2],) * 3 if words[1] == "carried" else ("stay", "coffee", "coffee")

    run = Run(held, max_facts=45)
    held.topics = MemoryTopics(held, cargo)
    coverage = run.to_end().outcome["details"]["coverage"]
    looked, left = ({topic["name"] for topic in coverage[name]} for name in ("looked_at", "not_looked_at"))
    assert coverage["of_topics"] == 5
    assert "stay" in looked
    assert looked | left == {"stay", "moss", "tin", "salt", "rope"}


def test_of_a_chinese_question_the_coverage_is_told_in_chinese(library: Library) -> None:
    end = Run(library, question="客人抱怨什么？").to_end()
    line = end.outcome["details"]["coverage"]["line"]
    assert line.startswith("查看了 24 篇文档中的 24 篇、32 条事实中的 32 条，涉及 2 个主题中的 2 个。")
    assert line in (end.outcome["text"] or end.outcome["reason"])


@pytest.fixture
def building(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let a build of topics take in all facts; return the collections that were built."""
    built: list[str] = []

    def build_topics(store: MemoryTopics, collection: str, **_more: object) -> object:
        built.append(collection)
        store.paths = path
        return store.epoch(collection)

    monkeypatch.setattr("workers.topics.build.build_topics", build_topics)
    return built


class NoTopics(MemoryTopics):
    """Topics that nobody built yet."""

    stated = 0  # facts that the collection is said to have

    def __init__(self, library: Library) -> None:
        super().__init__(library, lambda _text: ())

    def epoch(self, collection: str) -> Any:
        return super().epoch(collection) if self.paths is path else None

    def live_size(self, collection: str) -> LiveFacts:
        return super().live_size(collection)._replace(facts=self.stated or 1)


def test_the_first_survey_builds_the_topics(library: Library, building: list[str]) -> None:
    run = Run(library)
    library.topics = NoTopics(library)
    end = run.to_end()
    assert building == ["default"]
    assert end.outcome["details"]["coverage"]["of_topics"] == 2


def test_a_large_collection_without_topics_is_surveyed_by_what_searches_find(
    library: Library, building: list[str]
) -> None:
    run = Run(library)
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
    return () if "balcony" in text else path(text)


@pytest.mark.parametrize(("late", "builds"), [(4, False), (50, True)])
def test_much_that_came_after_the_topics_has_them_built_again(
    library: Library, building: list[str], late: int, builds: object
) -> None:
    for n in range(late):
        text = f"Guest{n} complained about the balcony of room{n}."
        library.add(f"balcony-{n}", (text, ["balcony", "guests complain"]))
    run = Run(library)
    library.topics = MemoryTopics(library, early)
    coverage = run.to_end().outcome["details"]["coverage"]
    assert bool(building) is builds
    assert coverage["of_documents"] == 24 + late
    assert coverage["of_facts"] >= 32 + late
    assert (f"At least {late} documents came after" in coverage["line"]) is not builds


def test_deleted_documents_are_not_counted(library: Library) -> None:
    run = Run(library)
    known = library.topics.epoch("default")
    for key in [key for key, (source, _elements) in library.held.items() if source.title.startswith("noise")]:
        del library.held[key]
    library.topics.epoch = lambda _collection: known
    assert run.to_end().outcome["details"]["coverage"]["of_documents"] == 16


@pytest.mark.parametrize(
    ("sentence", "kept"),
    [
        ("In 8 documents: {fact}", True),
        ("In 8 of 24 documents: {fact}", True),
        ("In 9 documents: {fact}", False),
        ("In 8 of 30 documents: {fact}", False),
        ("8 times: {fact}", False),
        ("8 out of 24 documents: {fact}", True),
        ("Most documents: {fact}", False),
    ],
)
def test_a_number_stands_in_a_quote_or_is_the_count_of_documents(
    library: Library, sentence: str, kept: object
) -> None:
    def counting(material: Any) -> SurveyDraft:
        first = next(entry for entry in material["evidence"] if "coffee" in entry["fact"])
        sentences = [
            DraftSentence(text=first["fact"], citations=[first["n"]]),
            DraftSentence(text=sentence.format(fact=first["fact"]), citations=[first["n"]]),
        ]
        return SurveyDraft(answerable=True, sentences=sentences)

    end = Run(library, {SurveyDraft: counting}).to_end()
    assert ("documents:" in end.outcome["text"] or "times:" in end.outcome["text"]) is kept


def test_a_claim_that_no_place_carries_is_dropped(library: Library) -> None:
    def inventing(material: Any) -> TopicClaims:
        true = claim(material).claims
        lies = [DraftClaim(text="Guests saw Atlantis.", facts=[1]), DraftClaim(text="Yes.", facts=[99])]
        return TopicClaims(claims=[*lies, *true])

    end = Run(library, {TopicClaims: inventing}).to_end()
    assert "Atlantis" not in end.outcome["text"]
    assert end.outcome["details"]["claims_dropped"] == 6


def test_where_no_claim_is_kept_the_facts_are_the_claims(library: Library) -> None:
    lie = TopicClaims(claims=[DraftClaim(text="Guests saw Atlantis.", facts=[1])])
    end = Run(library, {TopicClaims: lie}).to_end()
    assert end.state is JobState.DONE
    assert complaint("coffee", 0)[:-1] in end.outcome["text"]


def test_a_claim_that_what_is_left_does_not_carry_is_counted(library: Library) -> None:
    def naming(material: Any) -> TopicClaims:
        made = claim(material).claims
        name = "Guest0"
        named = [fact["n"] for fact in material["facts"] if f"{name} " in fact["fact"]]
        made.append(DraftClaim(text=f"{name} complained.", facts=[*named, *made[0].facts]))
        for key in [key for key, (source, _elements) in library.held.items() if f"{name} " in source.fact]:
            del library.held[key]
        return TopicClaims(claims=made)

    end = Run(library, {TopicClaims: naming}).to_end()
    assert end.state is JobState.DONE
    assert "Guest0" not in end.outcome["text"]
    assert end.outcome["details"]["claims_uncarried"] >= 1


def test_a_fact_that_is_gone_when_the_answer_is_written_is_not_cited(library: Library) -> None:
    def forgetting(material: Any) -> TopicClaims:
        made = claim(material)
        for key in [key for key, (source, _elements) in library.held.items() if source.title == "coffee-0"]:
            del library.held[key]
        return made

    end = Run(library, {TopicClaims: forgetting}).to_end()
    assert end.state is JobState.DONE
    assert "coffee-0" not in {citation["document"]["title"] for citation in end.outcome["citations"]}
    assert "claims_uncarried" not in end.outcome["details"]
    assert "In 7 documents: Guests complained about coffee" in end.outcome["text"]


@pytest.mark.parametrize("limits", [{"principals": ("user:ann",)}, {"documents": ["some"]}, {}])
def test_the_coverage_is_no_part_of_an_answer_of_some_documents_only(
    library: Library, limits: dict[str, Any]
) -> None:
    for reply in ({}, {FactScore: FactScore(relevance=0.0)}, {SurveyDraft: ModelRefusedSchema("no")}):
        run = Run(library, reply, **{name: value for name, value in limits.items() if name == "documents"})
        run.job = run.job.model_copy(update={"principals": limits.get("principals")})
        outcome = run.to_end().outcome
        assert outcome["details"]["coverage"]["line"].startswith("Looked at")
        shown = f"{outcome['text']} {outcome['reason']}"
        assert ("Looked at" in shown) is (not limits)
        assert "rests_on" in outcome


@pytest.mark.parametrize("principals", [("user:ann",), None])
def test_for_some_principals_a_claim_goes_with_any_fact_that_may_not_be_read_any_more(
    library: Library, principals: tuple[str, ...] | None
) -> None:
    def forgetting(material: Any) -> TopicClaims:
        made = claim(material)
        for key in [key for key, (source, _elements) in library.held.items() if source.title == "coffee-0"]:
            del library.held[key]
        return made

    run = Run(library, {TopicClaims: forgetting})
    run.job = run.job.model_copy(update={"principals": principals})
    run.ports = replace(run.ports, job=run.job)
    outcome = run.to_end().outcome
    assert "complained about noise" in outcome["text"]
    assert ("complained about coffee" in outcome["text"]) is (principals is None)


def test_what_is_written_of_claims_rests_on_all_documents_of_their_facts(library: Library) -> None:
    outcome = Run(library).to_end().outcome
    complaining = {document.id for document, chunk in library.documents.values() if "complain" in chunk.text}
    assert set(outcome["rests_on"]) == complaining
