import pytest
from doubles.library import Library, ScriptedModel, ports_for
from doubles.vectors import MemoryVectors

from hopline.errors import DependencyAway
from workers.core.errors import BudgetExceeded, ModelRefused, ModelRefusedSchema
from workers.critic.schema import FactScore, FactScores, NumberedScore
from workers.critic.score import ScorableFact, ScoreInput, ScoreResult, score_fact

GIVEN = ScoreInput(question="q?", sub_questions=(), fact="Ada wrote.", title="Ada", quote="Ada wrote.")


OTHERS = (
    ScorableFact(fact="Ada slept.", title="Ada", quote="Ada slept."),
    ScorableFact(fact="Rows: 3", title="", quote=""),
)


def score_with(reply, **more):
    """Return the step's outcome over one fact, or those that are given too, and the model."""
    model = ScriptedModel({FactScores if "others" in more else FactScore: reply})
    ports = ports_for(Library(), model, MemoryVectors(), default_score=0.3)
    return score_fact(GIVEN.model_copy(update=more), ports), model


def numbered(*scores):
    return FactScores(scores=[NumberedScore(n=n, relevance=relevance) for n, relevance in scores])


def judged(outcome):
    return [(each.score, each.scored_by) for each in (outcome.result, *outcome.result.others)]


def test_a_fact_gets_the_critics_score_from_one_call_and_events_alone_name_its_topic():
    reply = FactScore(relevance=0.7, source_description="a  life\nof Ada")
    outcome, model = score_with(reply)
    assert outcome.result == ScoreResult(score=0.7, source_description="a life of Ada", scored_by="critic")
    assert [(name, tier) for name, tier, _ in model.asked] == [("score", "fast")]
    assert model.asked[0][2]["sources"] == [{"title": "Ada", "quote": "Ada wrote."}]
    assert "topic" not in outcome.events[0].data
    surveyed, told = score_with(reply, topic="harbour")
    assert surveyed.events[0].data["topic"] == "harbour"
    assert told.asked == model.asked


@pytest.mark.parametrize("more", [{}, {"others": OTHERS}])
@pytest.mark.parametrize(("error", "score", "scored_by"), [
    (ModelRefusedSchema("bad"), 0.3, "default"),
    (ModelRefused("no"), 0.3, "default"),
    (BudgetExceeded("spent"), None, "unscored"),
])  # fmt: skip
def test_where_a_critic_fails_for_good_every_fact_is_without_one_and_says_so(error, score, scored_by, more):
    outcome, _ = score_with(error, **more)
    titles = [other.title for other in more.get("others", ())]
    assert judged(outcome) == [(score, scored_by)] * (1 + len(titles))
    assert outcome.result.failed == str(error)
    assert outcome.result.source_description == "Ada"
    assert [each.source_description for each in outcome.result.others] == titles
    with pytest.raises(DependencyAway):  # an outage is left to the runner
        score_with(DependencyAway("down"))


def test_several_facts_are_scored_with_one_call_each_by_itself():
    outcome, model = score_with(numbered((3, 0.9), (1, 0.3), (2, 0.6)), others=OTHERS)
    assert judged(outcome) == [(0.3, "critic"), (0.6, "critic"), (0.9, "critic")]
    assert outcome.result.failed is None
    expected = [("Ada wrote.", 0.3), ("Ada slept.", 0.6), ("Rows: 3", 0.9)]
    assert [(event.data["fact"], event.data["score"]) for event in outcome.events] == expected
    [(name, tier, material)] = model.asked
    assert (name, tier) == ("score_each", "fast")
    expected = [(1, "Ada wrote.", 1), (2, "Ada slept.", 1), (3, "Rows: 3", 0)]
    assert [(fact["n"], fact["fact"], len(fact["sources"])) for fact in material["facts"]] == expected


def test_a_fact_that_the_reply_leaves_out_has_the_default_score_and_of_two_scores_the_first_counts():
    reply = numbered((1, 0.2), (1, 1), (3, 0.6), (0, 0.5), (4, 0.5), (17, 0.5))
    outcome, _ = score_with(reply, others=OTHERS)
    assert judged(outcome) == [(0.2, "critic"), (0.3, "default"), (0.6, "critic")]
    assert outcome.result.others[0].source_description == "Ada"
    assert "no score" in outcome.result.failed
