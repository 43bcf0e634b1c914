"""A model chooses tools, natively and by a reply in JSON: the real adapter, real HTTP, the offline model."""

from collections.abc import Iterator

import pytest
from doubles.meter import Offline, Purse, model_at

from hopline.errors import Deferred, Transient
from workers.core.errors import BudgetExceeded, ModelRefused
from workers.core.models.tool_calls import ToolCall, ToolCalls
from workers.core.prompts import Prompt

PROMPT = Prompt(name="test", text="Choose tools for the question.")
QUESTION = "Who designed the bridge of the story?"
FORM = {"type": "object", "properties": {"question": {"type": "string"}}, "required": ["question"]}
TOOL = {"name": "search_memory", "description": "Search what the documents say."}
TOOL |= {"parameters": FORM | {"additionalProperties": False}}
TOOLS = [{"type": "function", "function": TOOL}]
GOOD = ToolCall(name="search_memory", arguments={"question": QUESTION})


def fault(call: ToolCall) -> str | None:
    if call.name != "search_memory":
        return "there is no such tool"
    return None if set(call.arguments) == {"question"} else "it takes a question"


@pytest.fixture(params=("native", "json_schema", "prompt"))
def offline(model_url: str, request: pytest.FixtureRequest) -> Iterator[Offline]:
    offline = Offline(model_url)
    formats = [] if request.param == "prompt" else ["json_schema", "json_object"]
    offline.set(reset=True, tools=request.param == "native", formats=formats)
    yield offline
    offline.set(reset=True)


def choose(offline: Offline, purse: Purse | None = None, **settings: float):
    model = model_at(offline.url, **settings).metered(purse or Purse())
    return model.choose_tools(PROMPT, {"question": QUESTION}, TOOLS, fault, max_tokens=200)


def test_the_offered_tools_are_called(offline: Offline):
    purse = Purse()
    answered = choose(offline, purse, price=1.0)
    assert answered.value == ToolCalls(calls=(GOOD,))
    assert answered.usage.model_calls == offline.requests("ToolChoice") == 1
    assert purse.tokens == 1_000_000 - answered.usage.prompt_tokens - answered.usage.completion_tokens


def test_the_form_that_worked_is_remembered(offline: Offline):
    model = model_at(offline.url)
    for _ in range(3):
        model.choose_tools(PROMPT, {"question": QUESTION}, TOOLS, fault)
    shown = offline.shown()["requests"]
    assert shown["ToolChoice"] == 3
    assert shown.get("refused", 0) <= 3  # tools, json_schema, json_object: each once


def test_the_bound_that_is_booked_holds_also_for_what_is_asked_again(offline: Offline):
    choose(offline)
    offline.set(chat={"fail_next": ["invented"]})
    purse = Purse()
    choose(offline, purse)
    paid = {call: used for call, used in purse.settled.items() if used.prompt_tokens}
    assert len(paid) == 2
    for call, used in paid.items():
        assert purse.reserved[call][0] >= used.prompt_tokens + used.completion_tokens


@pytest.mark.parametrize("failure", ["malformed", "invented", "empty"])
def test_what_is_wrong_once_is_told_to_the_model_and_mended(offline: Offline, failure):
    offline.set(chat={"fail_next": [failure]})
    answered = choose(offline)
    assert answered.value == ToolCalls(calls=(GOOD,))
    assert answered.usage.model_calls == 2


def test_calls_that_stay_wrong_are_dropped_with_the_reason_and_good_ones_kept(offline: Offline):
    offline.set(chat={"fail": {"invented": 1}})
    purse = Purse()
    value = choose(offline, purse).value
    assert value.calls == (GOOD,)
    assert [(refusal.name, refusal.why) for refusal in value.refused] == [
        ("ask_an_oracle", "there is no such tool"),
        ("search_memory", "it takes a question"),
    ]
    assert len(purse.settled) - offline.requests("refused") == 2


def test_what_stays_unreadable_or_no_call_at_all_is_no_exception(offline: Offline):
    offline.set(chat={"fail": {"malformed": 1}})
    value = choose(offline).value
    assert not value.calls
    assert [bool(refusal.why) for refusal in value.refused] == [True]
    offline.set(chat={"fail": {"empty": 1}})
    assert choose(offline).value == ToolCalls()


@pytest.mark.parametrize(("failure", "error"), [
    ("refusal", ModelRefused), ("429", Deferred), ("500", Transient), ("drop", Transient),
])  # fmt: skip
def test_an_endpoint_that_goes_on_failing_fails_as_with_any_call(offline: Offline, failure, error):
    offline.set(chat={"fail": {failure: 1}}, retry_after=0.01)
    with pytest.raises(error) as caught:
        choose(offline)
    assert isinstance(caught.value, Deferred) == (failure == "429")


def test_a_choice_that_does_not_fit_the_budget_is_not_sent(offline: Offline):
    with pytest.raises(BudgetExceeded):
        choose(offline, Purse(tokens=50))
    assert offline.shown()["requests"] == {}
