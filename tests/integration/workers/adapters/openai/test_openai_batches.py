"""The batch mode's adapter against the offline model's Batch API: real files, real batches, real faults."""

import json
import secrets
import time

import orjson
import pytest
from doubles.endpoint import refused, said, scripted_endpoints
from doubles.meter import Offline, Purse, model_at
from fleet.crew import wait_until

from hopline.errors import Deferred, Permanent
from hopline.models.jobs import Usage
from workers.adapters.openai.address import ModelEndpoint
from workers.adapters.openai.batches import OpenAIBatches
from workers.core.errors import BudgetExceeded
from workers.core.models.provider import ProviderBatch, ProviderBounds
from workers.core.prompts import Prompt
from workers.ingest.schema import ExtractedFacts

PROMPT = Prompt(name="test", text="Read the input.")
PRICE = 10.0  # per million tokens
YESTERDAY = time.time() - 86400


@pytest.fixture
def provider(offline: Offline) -> OpenAIBatches:
    return provider_at(offline.url)


def provider_at(url: str) -> OpenAIBatches:
    return OpenAIBatches(ModelEndpoint(url=url, key="k"), model_at(url, price=PRICE), ProviderBounds())


def lines_of(provider: OpenAIBatches, *texts: str) -> list[bytes]:
    return [
        orjson.dumps(
            {
                "custom_id": f"line-{at}", "method": "POST", "url": "/v1/chat/completions",
                "body": orjson.Fragment(request_of(provider, text).body),
            }
        )
        for at, text in enumerate(texts)
    ]  # fmt: skip


def request_of(provider: OpenAIBatches, text: str):
    return provider.request(PROMPT, {"title": "T", "text": text}, ExtractedFacts, max_tokens=500)


def begun(provider: OpenAIBatches, *texts: str) -> tuple[str, ProviderBatch]:
    intent = secrets.token_hex(6)
    file = provider.upload(intent, lines_of(provider, *texts))
    return intent, provider.create(intent, file)


def ended(provider: OpenAIBatches, batch: ProviderBatch) -> ProviderBatch:
    return wait_until(
        lambda: provider_batch if (provider_batch := provider.look(batch.id)).standing != "working" else None,
        "it has ended",
    )


def read(provider: OpenAIBatches, file: str):
    replies = [orjson.loads(line) for line in provider.lines(file)]
    return {
        reply["custom_id"]: provider.read(reply["response"]["body"], ExtractedFacts, Usage(model_calls=1))
        for reply in replies
    }


def test_a_file_of_requests_comes_back_as_validated_replies_at_half_the_price(provider: OpenAIBatches):
    _intent, batch = begun(provider, "Anna Keller lives in Bern.", "The Aare flows to Bern.")
    done = ended(provider, batch)
    assert (done.status, done.total, done.completed, done.failed) == ("completed", 2, 2, 0)
    replies = read(provider, done.output)
    facts, usage = replies["line-0"]
    assert [fact.text for fact in facts.facts] == ["Anna Keller lives in Bern."]
    tokens = usage.prompt_tokens + usage.completion_tokens
    assert usage.model_calls == 1
    assert usage.cost == pytest.approx(tokens * PRICE / 1e6 / 2)
    bound = request_of(provider, "Anna Keller lives in Bern.").bound
    assert bound.completion_tokens == 500
    assert bound.cost == pytest.approx((bound.prompt_tokens + 500) * PRICE / 1e6 / 2)


def test_what_an_intent_made_is_found_again_and_nothing_is_made_twice(provider, offline):
    offline.set(batches={"hold": "in_progress"})
    intent, batch = begun(provider, "Anna Keller lives in Bern.")
    for _ in range(25):
        begun(provider, "Bern lies on the Aare.")
    (file,) = provider.find_files(intent, YESTERDAY)
    assert file.id == batch.input
    assert provider.create(intent, file).id == batch.id
    assert offline.requests("POST files") == offline.requests("POST batches") == 26


def test_a_file_whose_answer_was_lost_is_found_by_its_name(provider: OpenAIBatches, offline: Offline):
    offline.set(batches={"fail_requests": ["drop"]})
    intent = secrets.token_hex(6)
    with pytest.raises(Deferred):
        provider.upload(intent, lines_of(provider, "Anna Keller lives in Bern."))
    (file,) = provider.find_files(intent, YESTERDAY)
    assert ended(provider, provider.create(intent, file)).completed == 1


def test_a_batch_whose_answer_was_lost_is_found_by_its_intent(provider: OpenAIBatches, offline: Offline):
    intent = secrets.token_hex(6)
    file = provider.upload(intent, lines_of(provider, "Anna Keller lives in Bern."))
    offline.set(batches={"fail_requests": ["", "drop"]})  # a look, then the creation: done, its answer cut
    with pytest.raises(Deferred):
        provider.create(intent, file)
    assert ended(provider, provider.create(intent, file)).completed == 1
    assert offline.requests("POST batches") == 1


def test_of_two_batches_of_one_intent_the_younger_is_cancelled(provider: OpenAIBatches, offline: Offline):
    offline.set(batches={"hold": "in_progress"})
    intent, batch = begun(provider, "Anna Keller lives in Bern.")
    doubled = provider._endpoint.create(intent, batch.input)
    (file,) = provider.find_files(intent, YESTERDAY)
    assert provider.create(intent, file).id == batch.id
    assert ended(provider, doubled).status == "cancelled"
    assert [provider_batch.id for provider_batch in provider.find(intent, YESTERDAY)] == [
        batch.id,
        doubled.id,
    ]
    assert provider.create(intent, file).id == batch.id


def test_a_limit_of_the_provider_asks_to_come_back(provider: OpenAIBatches, offline: Offline):
    offline.set(batches={"hold": "in_progress", "most": 1})
    begun(provider, "Anna Keller lives in Bern.")
    with pytest.raises(Deferred):
        begun(provider, "Bern lies on the Aare.")
    offline.set(batches={"most": None, "hold": "", "enqueued_tokens": 1})
    _intent, batch = begun(provider, "Bern lies on the Aare.")
    assert ended(provider, batch).standing == "full"


def test_a_refused_batch_says_why_and_is_not_found_again(provider: OpenAIBatches):
    intent = secrets.token_hex(6)
    file = provider.upload(intent, [b'{"custom_id": "x"}'])
    done = ended(provider, provider.create(intent, file))
    assert done.standing == "refused"
    assert "invalid_json_line" in done.why
    assert provider.find(intent, YESTERDAY) == []


def test_an_expired_batch_keeps_what_it_has_done(provider: OpenAIBatches, offline: Offline):
    offline.set(batches={"fail_next": ["expired"]})
    _intent, batch = begun(provider, *(f"Anna Keller lives in Bern{n}." for n in range(6)))
    done = ended(provider, batch)
    assert (done.standing, done.status, done.completed, done.failed) == ("ended", "expired", 3, 3)
    assert sorted(read(provider, done.output)) == ["line-0", "line-1", "line-2"]
    failed = [orjson.loads(line) for line in provider.lines(done.errors)]
    assert {line["error"]["code"] for line in failed} == {"batch_expired"}


def test_cancelling_keeps_what_is_done_and_may_be_repeated(provider: OpenAIBatches, offline: Offline):
    offline.set(batches={"hold": "finalizing"})
    _intent, batch = begun(provider, "Anna Keller lives in Bern.")
    wait_until(lambda: provider.look(batch.id).status == "finalizing", "its line is done")
    provider.cancel(batch.id)
    done = ended(provider, batch)
    assert (done.status, len(read(provider, done.output))) == ("cancelled", 1)
    provider.cancel(batch.id)


@pytest.mark.parametrize("failure", ["malformed", "refusal", "broken"])
def test_a_reply_that_does_not_validate_is_none_and_is_paid_for(provider, offline, failure):
    offline.set(batches={"fail": {failure: 1.0}})
    _intent, batch = begun(provider, "Anna Keller lives in Bern.")
    ((value, usage),) = read(provider, ended(provider, batch).output).values()
    assert value is None
    assert usage.model_calls == 1


def test_what_the_provider_has_lost_has_no_lines_and_is_no_error(provider: OpenAIBatches):
    assert list(provider.lines("file-unknown")) == []
    assert provider.look("batch_unknown").standing == "ended"
    provider.delete("file-unknown")
    provider.cancel("batch_unknown")
    intent, batch = begun(provider, "Anna Keller lives in Bern.")
    provider.delete(batch.input)
    assert provider.find_files(intent, YESTERDAY) == []


def test_an_endpoint_without_a_batch_mode_says_so(provider: OpenAIBatches, offline: Offline):
    provider.check()
    offline.set(batches={"served": False})
    with pytest.raises(Permanent, match="no batch mode"):
        provider.check()


def test_a_batch_is_booked_as_so_many_calls_before_it_is_made():
    purse = Purse(100)
    provider = provider_at("http://127.0.0.1:1/v1").metered(purse)
    bound = Usage(model_calls=3, prompt_tokens=10, completion_tokens=20, cost=0.5)
    provider.reserve("b", bound, 1)
    assert purse.reserved == {"b": (30, 0.5)}
    provider.settle("b", Usage(model_calls=2, prompt_tokens=5, completion_tokens=5), 1)
    assert purse.tokens == 90
    assert list(purse.models) == ["offline"]
    with pytest.raises(BudgetExceeded):
        provider.reserve("c", Usage(model_calls=1, prompt_tokens=91), 1)


def test_lines_are_asked_in_the_form_that_calls_have_found_out():
    def script(body):
        if "max_tokens" in body:
            return refused(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
        return said('{"facts": []}')

    with scripted_endpoints() as start:
        url, _seen = start(script)
        model = model_at(url)
        provider = OpenAIBatches(ModelEndpoint(url=url, key="k"), model, ProviderBounds())
        assert not provider.knows_form
        model.metered(Purse()).ask(PROMPT, {}, ExtractedFacts, max_tokens=100)
        assert provider.knows_form
        body = json.loads(request_of(provider, "Anna.").body)
        assert body["max_completion_tokens"] == 500
        assert "max_tokens" not in body
