"""The adapter takes a turn for every call, and tells what came of it."""

from typing import Any

import pytest
from doubles.endpoint import Start, refused, said
from doubles.meter import Purse, model_at

from hopline.errors import Deferred, DependencyAway, HoplineError, Permanent
from workers.adapters.openai.model import OpenAIModel
from workers.core.errors import BudgetExceeded, DependencyRefuses
from workers.core.models.permits import Came, Cost, Line, Permit
from workers.core.prompts import Prompt
from workers.critic.schema import FactScore

PROMPT = Prompt(name="test", text="Read the input.")
GOOD = '{"relevance": 0.5, "source_description": "x"}'


class Told:
    """Lets all pass and writes down what it is told."""

    waited = 0.0

    def __init__(self) -> None:
        self.taken: list[tuple[Line, Cost]] = []
        self.given: list[tuple[Came, Cost | None, float | None]] = []

    def take(self, line: Line, cost: Cost) -> Permit:
        self.taken.append((line, cost))
        return Permit(line=line, cost=cost)

    def give(
        self,
        _turn: Permit,
        came: Came,
        used: Cost | None = None,
        retry_after: float | None = None,
        away: Exception | None = None,  # noqa: ARG002 - of the port
    ) -> None:
        self.given.append((came, used, retry_after))


def score(url: str, permits: Told, purse: Purse | None = None, **settings: Any) -> OpenAIModel:
    model = model_at(url, **settings).metered(purse or Purse(), permits)
    model.ask(PROMPT, {"fact": "x"}, FactScore, max_tokens=100)
    return model


def test_a_call_books_its_bound_and_tells_what_it_took(endpoint: Start) -> None:
    url, _seen = endpoint(lambda _body: _with_usage(GOOD))
    permits = Told()
    score(url, permits)
    ((line, cost),) = permits.taken
    assert (line.kind, line.model, line.endpoint) == ("model", "offline", url)
    assert cost.completion == 100
    assert cost.prompt > 30
    assert permits.given == [("done", Cost(prompt=50, completion=9), None)]


def test_an_endpoint_that_tells_no_usage_corrects_nothing(endpoint: Start) -> None:
    url, _seen = endpoint(lambda _body: said(GOOD))
    permits = Told()
    score(url, permits)
    assert permits.given == [("done", None, None)]


@pytest.mark.parametrize(("reply", "came"), [
    (refused(429, "slow down"), "busy"),
    (refused(503, "slow down"), "busy"),
    (refused(500, "oops"), "broken"),
    ((200, {"answer": "?"}), "broken"),
])  # fmt: skip
def test_every_try_takes_a_turn_of_its_own_and_what_came_of_it_is_told(endpoint, reply, came):
    replies = iter([reply, _with_usage(GOOD)])
    url, _seen = endpoint(lambda _body: next(replies))
    permits = Told()
    score(url, permits)
    assert [told for told, _, _ in permits.given] == [came, "done"]
    assert len(permits.taken) == 2


def test_a_request_that_is_refused_says_nothing_of_its_endpoint(endpoint: Start) -> None:
    url, _seen = endpoint(lambda _body: refused(413, "too long"))
    permits = Told()
    with pytest.raises(Permanent):
        score(url, permits)
    assert [came for came, _, _ in permits.given] == ["failed"]


def test_a_call_that_the_budget_refuses_gives_its_turn_back_unsent(endpoint: Start) -> None:
    url, seen = endpoint(lambda _body: said(GOOD))
    permits = Told()
    with pytest.raises(BudgetExceeded):
        score(url, permits, Purse(tokens=1))
    assert permits.given == [("unsent", None, None)]
    assert not seen


@pytest.mark.parametrize(("status", "code", "kind"), [
    (401, None, DependencyRefuses),
    (404, None, DependencyRefuses),
    (429, "insufficient_quota", DependencyAway),
    (503, None, DependencyAway),
])  # fmt: skip
def test_what_is_away_or_an_operator_must_mend_names_the_breaker(endpoint, status, code, kind):
    url, _seen = endpoint(lambda _body: refused(status, "no", code))
    with pytest.raises(kind) as caught:
        score(url, Told())
    assert caught.value.dependency == "model"
    with pytest.raises(kind) as caught:
        model_at(url).metered(Purse(), Told()).embed(["a bridge"])
    assert caught.value.dependency == "embedding"


def test_a_busy_endpoint_opens_no_breaker(endpoint: Start) -> None:
    url, _seen = endpoint(lambda _body: refused(429, "slow down"))
    with pytest.raises(HoplineError) as caught:
        score(url, Told())
    assert isinstance(caught.value, Deferred)
    assert not isinstance(caught.value, DependencyAway)


def _with_usage(content: str) -> tuple[int, dict[str, Any]]:
    status, reply = said(content)
    assert isinstance(reply, dict)
    return status, reply | {"usage": {"prompt_tokens": 50, "completion_tokens": 9}}
