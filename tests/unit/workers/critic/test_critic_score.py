from __future__ import annotations

import pytest
from doubles.library import Library, ScriptedModel, ports_for
from doubles.vectors import MemoryVectors

from workers.core.errors import BudgetExceeded, DependencyAway, ModelRefused, ModelRefusedSchema
from workers.critic.schema import FactScore, FactScores, NumberedScore
from workers.critic.score import FactRelevance, ScorableFact, ScoreInput, ScoreResult, score_fact

GIVEN = ScoreInput(question="q?", sub_questions=(), fact="Ada wrote.", title="Ada", quote="Ada wrote.")


def score_with(reply):
    model = ScriptedModel({FactScore: reply})
    ports = ports_for(Library(), model, MemoryVectors(), default_score=0.3)
    return score_fact(GIVEN, ports).result, model


def test_a_fact_gets_the_critics_score_from_one_call():
    result, model = score_with(FactScore(relevance=0.7, source_description="a  life\nof Ada"))
    assert result == ScoreResult(score=0.7, source_description="a life of Ada", scored_by="critic")
    assert [(name, tier) for name, tier, _ in model.asked] == [("score", "fast")]
    assert model.asked[0][2]["sources"] == [{"title": "Ada", "quote": "Ada wrote."}]


@pytest.mark.parametrize("error", [ModelRefusedSchema("bad"), ModelRefused("no")])
def test_a_critic_that_fails_for_good_gives_the_default_score_and_says_so(error):
    result, _ = score_with(error)
    assert (result.score, result.scored_by, result.failed) == (0.3, "default", str(error))
    assert result.source_description == "Ada"


def test_a_spent_budget_leaves_the_fact_unscored():
    result, _ = score_with(BudgetExceeded("spent"))
    assert (result.score, result.scored_by) == (None, "unscored")


def test_events_name_the_topic_of_a_surveyed_fact_and_the_critic_is_not_told_it():
    model = ScriptedModel({FactScore: FactScore(relevance=0.7, source_description="")})
    ports = ports_for(Library(), model, MemoryVectors(), default_score=0.3)
    [event] = score_fact(GIVEN.model_copy(update={"topic": "harbour"}), ports).events
    assert event.data["topic"] == "harbour"
    assert "topic" not in score_fact(GIVEN, ports).events[0].data
    assert model.asked[0][2] == model.asked[1][2]


def test_an_outage_is_left_to_the_runner():
    with pytest.raises(DependencyAway):
        score_with(DependencyAway("down"))


OTHERS = (
    ScorableFact(fact="Ada slept.", title="Ada", quote="Ada slept."),
    ScorableFact(fact="Rows: 3", title="", quote=""),
)


def score_three_with(reply):
    model = ScriptedModel({FactScores: reply})
    ports = ports_for(Library(), model, MemoryVectors(), default_score=0.3)
    return score_fact(GIVEN.model_copy(update={"others": OTHERS}), ports), model


def scored(*numbers, relevance=0.5):
    return FactScores(scores=[NumberedScore(n=n, relevance=min(relevance * n / 3, 1)) for n in numbers])


def test_several_facts_are_scored_with_one_call_each_by_itself():
    outcome, model = score_three_with(scored(3, 1, 2, relevance=0.9))
    result = outcome.result
    assert [relevance.score for relevance in (result, *result.others)] == pytest.approx([0.3, 0.6, 0.9])
    assert result.failed is None
    assert [(event.data["fact"], event.data["score"]) for event in outcome.events] == [
        ("Ada wrote.", pytest.approx(0.3)),
        ("Ada slept.", pytest.approx(0.6)),
        ("Rows: 3", pytest.approx(0.9)),
    ]
    [(name, tier, material)] = model.asked
    assert (name, tier) == ("score_each", "fast")
    assert [(fact["n"], fact["fact"], len(fact["sources"])) for fact in material["facts"]] == [
        (1, "Ada wrote.", 1),
        (2, "Ada slept.", 1),
        (3, "Rows: 3", 0),
    ]


def test_a_fact_that_the_reply_leaves_out_has_the_default_score_and_is_marked():
    result = score_three_with(scored(1, 3, 0, 4, 17))[0].result
    assert [relevance.scored_by for relevance in (result, *result.others)] == ["critic", "default", "critic"]
    assert (result.others[0].score, result.others[0].source_description) == (0.3, "Ada")
    assert "no score" in result.failed


def test_of_two_scores_for_one_fact_the_first_counts():
    reply = FactScores(
        scores=[
            NumberedScore(n=1, relevance=0.2),
            NumberedScore(n=1, relevance=1),
            NumberedScore(n=2, relevance=0.4),
            NumberedScore(n=3, relevance=0.6),
        ]
    )
    assert score_three_with(reply)[0].result.score == 0.2


def test_where_the_call_fails_every_fact_is_without_a_critic():
    refused = score_three_with(ModelRefused("no"))[0].result
    assert [(relevance.score, relevance.scored_by) for relevance in (refused, *refused.others)] == [
        (0.3, "default")
    ] * 3
    assert refused.failed == "no"
    spent = score_three_with(BudgetExceeded("spent"))[0].result
    assert (spent.score, spent.others) == (
        None,
        tuple(FactRelevance(score=None, source_description=f.title, scored_by="unscored") for f in OTHERS),
    )
