from __future__ import annotations

import pytest
from doubles.library import Library, ScriptedModel, ports_for
from doubles.vectors import MemoryVectors

from workers.core.errors import BudgetExceeded, DependencyAway, ModelRefused, ModelRefusedSchema
from workers.critic.schema import FactScore
from workers.critic.score import ScoreInput, ScoreResult, score_fact

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


def test_an_outage_is_left_to_the_runner():
    with pytest.raises(DependencyAway):
        score_with(DependencyAway("down"))
