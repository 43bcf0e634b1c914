"""Every way in which an endpoint fails has one documented class, through the real client over real HTTP."""

import pytest
from doubles.meter import Offline, Purse, model_at

from hopline.errors import Deferred, Transient
from workers.core.errors import BudgetExceeded, ModelRefused, ModelRefusedSchema
from workers.core.prompts import Prompt
from workers.critic.schema import FactScore
from workers.ingest.schema import ExtractedFacts

PROMPT = Prompt(name="test", text="Read the input.")
FACT = "Tower Bridge was opened on 30 June 1894."
QUESTION = "When was Tower Bridge opened?"
MATERIALS = {
    FactScore: {"question": QUESTION, "sub_questions": [], "fact": FACT, "sources": []},
    ExtractedFacts: {"title": "Tower Bridge", "text": FACT},
}


def score(offline: Offline, purse: Purse, **settings: float):
    return (
        model_at(offline.url, **settings)
        .metered(purse)
        .ask(PROMPT, MATERIALS[FactScore], FactScore, max_tokens=100)
    )


@pytest.mark.parametrize("reply", MATERIALS, ids=lambda reply: reply.__name__)
def test_every_kind_of_request_gets_a_reply_of_its_schema(offline: Offline, reply):
    answered = model_at(offline.url).ask(PROMPT, MATERIALS[reply], reply, tier="strong")
    assert isinstance(answered.value, reply)
    assert answered.usage.model_calls == 1
    assert answered.usage.prompt_tokens > 0
    assert offline.requests(reply.__name__) == 1


@pytest.mark.parametrize(("failure", "paid"), [("429", 1), ("500", 1), ("drop", 2), ("malformed", 2)])
def test_one_failure_is_overcome_within_the_attempt(offline: Offline, failure, paid):
    offline.set(chat={"fail_next": [failure]}, retry_after=0.01)
    purse = Purse()
    assert score(offline, purse).value.relevance == 1.0
    assert len(purse.reserved) == 2
    assert purse.open == 0
    assert sum(used.model_calls for used in purse.settled.values()) == paid
    assert purse.models["offline"].model_calls == paid


@pytest.mark.parametrize(("failure", "made"), [("429", 1), ("malformed", 0)])
def test_a_bound_of_calls_counts_repairs_and_not_what_was_refused(offline: Offline, failure, made):
    offline.set(chat={"fail_next": [failure]}, retry_after=0.01)
    purse = Purse()
    model, bound = model_at(offline.url).metered(purse).bounded(1)
    for nth in range(2):
        if nth < made:
            assert model.ask(PROMPT, MATERIALS[FactScore], FactScore, max_tokens=100).value.relevance == 1.0
            continue
        with pytest.raises(BudgetExceeded, match="limit of 1 model calls"):
            model.ask(PROMPT, MATERIALS[FactScore], FactScore, max_tokens=100)
    assert sum(used.model_calls for used in purse.settled.values()) == 1
    assert (bound.made, bound.left, purse.open) == (1, 0, 0)


@pytest.mark.parametrize("failure", ["429", "500", "drop"])
def test_an_endpoint_that_goes_on_failing_is_transient(offline: Offline, failure):
    offline.set(chat={"fail": {failure: 1}}, retry_after=0.01)
    purse = Purse()
    with pytest.raises(Transient) as caught:
        score(offline, purse)
    assert isinstance(caught.value, Deferred) == (failure == "429")  # a wait uses up no attempts
    # What fails of itself may do so at a form alone: it is tried once more in the plainest.
    assert len(purse.reserved) == (4 if failure == "500" else 3)
    assert caught.value.retry_after == (0.01 if failure == "429" else None)


@pytest.mark.parametrize("failure", ["malformed", "schema", "empty"])
def test_a_reply_that_does_not_fit_is_repaired_then_told_its_schema_and_all_is_paid(offline, failure):
    offline.set(chat={"fail_next": [failure]})
    answered = score(offline, Purse())
    assert (answered.value.relevance, answered.usage.model_calls) == (1.0, 2)
    offline.set(chat={"fail": {failure: 1}})
    purse = Purse()
    with pytest.raises(ModelRefusedSchema, match="FactScore"):
        score(offline, purse)
    assert len(purse.settled) == 3
    assert all(used.prompt_tokens for used in purse.settled.values())


def test_a_refusal_is_final(offline: Offline):
    offline.set(chat={"fail": {"refusal": 1}})
    purse = Purse()
    with pytest.raises(ModelRefused, match="cannot help"):
        score(offline, purse)
    assert len(purse.reserved) == 1


def test_a_slow_model_is_transient_and_its_prompt_counts_as_taken(offline: Offline):
    offline.set(chat={"hold": True})
    purse = Purse()
    with pytest.raises(Transient, match="in time"):
        score(offline, purse, timeout=5.0)
    ((reserved, _cost),) = purse.reserved.values()
    (used,) = purse.settled.values()
    assert (used.model_calls, used.completion_tokens) == (1, 0)
    assert 0 < used.prompt_tokens < reserved
