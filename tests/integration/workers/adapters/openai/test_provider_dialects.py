"""What providers answer on the wire, by their documentation and users' reports, and what becomes of it.

OpenAI: API reference, guide to reasoning models. Azure OpenAI: "API version lifecycle", "Content filtering".
DeepSeek: "Error Codes", "Thinking Mode", "Create Chat Completion". SiliconFlow: "Create chat completion",
reports of its limit of embeddings. Ollama: "OpenAI compatibility", "Context length". vLLM: "OpenAI-Compatible
Server", "Reasoning Outputs".
"""

from typing import Any

import pytest
from doubles.endpoint import Reply, refused, said
from doubles.meter import Purse

from hopline.errors import Permanent
from infra.local.probes import embedder_in_use, probe_all, server_probes
from workers.adapters.openai.model import OpenAIModel
from workers.core.prompts import Prompt
from workers.critic.schema import FactScore
from workers.settings import Settings

PROMPT = Prompt(name="test", text="Read the input.")
MATERIAL = {"question": "When was Tower Bridge opened?", "fact": "It was opened in 1894.", "sources": []}
GOOD = '{"relevance": 0.5, "source_description": "x"}'


def model_of(url: str, **settings: Any) -> OpenAIModel:
    fields = {"model_url": url, "model_key": "secret-key", "model": "m", "embedding_model": "e", **settings}
    return OpenAIModel.from_settings(Settings(_env_file=None, **fields))


def score(model: OpenAIModel, **more: Any) -> FactScore:
    return model.ask(PROMPT, MATERIAL, FactScore, max_tokens=100, **more).value


def vectors(body: dict[str, Any]) -> Reply:
    return 200, {"data": [{"index": n, "embedding": [1.0, 0.0]} for n, _text in enumerate(body["input"])]}


# OpenAI ---------------------------------------------------------------------------------------------------


def test_room_to_think_is_asked_for_and_booked(endpoint):
    url, seen = endpoint(lambda _body: said(GOOD))
    small, large = Purse(), Purse()
    score(model_of(url).metered(small))
    thinks = model_of(url, model_thinking_tokens=2000, model_body={"reasoning_effort": "low"})
    score(thinks.metered(large))
    assert (seen[-1]["max_tokens"], seen[-1]["reasoning_effort"]) == (2100, "low")
    assert seen.headers[0]["authorization"] == "Bearer secret-key"
    [few], [many] = small.reserved.values(), large.reserved.values()
    assert many[0] - few[0] == 2000


# Azure OpenAI ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("address", "path"), [
    ("/openai?api-version=2024-10-21", "/openai/deployments/m/chat/completions?api-version=2024-10-21"),
    (
        "/openai/deployments/d?api-version=2024-10-21",
        "/openai/deployments/d/chat/completions?api-version=2024-10-21",
    ),
    ("/openai/v1?api-version=preview", "/openai/v1/chat/completions?api-version=preview"),
])  # fmt: skip
def test_a_dated_version_of_azure_is_asked_with_its_header_and_the_deployment_in_the_path(
    endpoint, address, path
):
    url, seen = endpoint(lambda _body: said(GOOD))
    score(model_of(url.removesuffix("/v1") + address))
    assert seen.paths == [path]
    assert seen.headers[0]["api-key"] == "secret-key"
    assert "authorization" not in seen.headers[0]


def test_a_redirect_to_another_server_does_not_get_the_key_of_azure(endpoint):
    other, got = endpoint(lambda _body: said(GOOD))
    url, seen = endpoint(lambda _body: (307, "", {"Location": other}))
    score(model_of(url.replace("/v1", "/openai?api-version=2024-10-21")))
    assert [headers.get("api-key") for headers in seen.headers] == ["secret-key"]
    assert len(got) == 1
    assert "secret-key" not in str(got.headers)


def test_azure_embeds_with_the_embedders_deployment(endpoint):
    url, seen = endpoint(vectors)
    azure = url.removesuffix("/v1") + "/openai?api-version=2024-10-21"
    assert model_of(azure).embed(["one"]) == [[1.0, 0.0]]
    settings = Settings(_env_file=None, model_url=azure, model_key="secret-key", embedding_model="e")
    assert embedder_in_use(settings).dimension == 2
    assert seen.paths == ["/openai/deployments/e/embeddings?api-version=2024-10-21"] * 2
    assert [headers.get("api-key") for headers in seen.headers] == ["secret-key"] * 2


def test_the_probe_of_an_azure_endpoint_shows_its_header(endpoint):
    url, _seen = endpoint(vectors)
    azure = url.removesuffix("/v1") + "/openai?api-version=2024-10-21"
    with pytest.raises(Exception, match=r"/openai/models\?api-version=2024-10-21"):  # no GET is served here
        server_probes(Settings(_env_file=None, model_url=azure, model_key="secret-key"))["model"]()


def test_a_status_shows_no_secret_of_an_address(endpoint):
    url, _seen = endpoint(vectors)
    address = url.replace("//", "//u:hidden@") + "?subscription-key=SECRET"
    settings = Settings(_env_file=None, model_url=address, embedding_url=f"{address}&more=1")
    shown = {
        status.name: str(status) for status in probe_all(settings) if status.name in ("model", "embeddings")
    }
    assert set(shown) == {"model", "embeddings"}
    assert all("SECRET" not in text and "hidden" not in text for text in shown.values()), shown


# SiliconFlow ----------------------------------------------------------------------------------------------


def siliconflow(body: dict[str, Any]) -> Reply:
    count = len(body["input"])
    if count > 32:
        why = f"input batch size {count} > maximum allowed batch size 32"
        return 413, {"code": 20042, "message": why, "data": None}
    return vectors(body)


def test_a_smaller_batch_that_an_embedder_wants_is_found_and_remembered(endpoint):
    url, seen = endpoint(siliconflow)
    model = model_of(url, embedding_body={"dimensions": 2})
    assert len(model.embed([f"text {n}" for n in range(100)])) == 100
    assert [len(body["input"]) for body in seen] == [100, 32, 32, 32, 4]
    model.embed([f"text {n}" for n in range(50)])
    assert [len(body["input"]) for body in seen[5:]] == [32, 18]
    assert all(body["dimensions"] == 2 for body in seen)


def test_batches_are_as_large_as_before_after_a_text_that_is_refused_alone(endpoint):
    def script(body: dict[str, Any]) -> Reply:
        if "bad" in body["input"]:
            return refused(400, "`inputs` must have less than 512 tokens")
        return vectors(body)

    url, seen = endpoint(script)
    model = model_of(url)
    with pytest.raises(Permanent, match="512"):
        model.embed(["bad", "good"])
    model.embed(["good"] * 4)
    assert [len(body["input"]) for body in seen] == [2, 1, 1, 4]
    assert seen[-1]["encoding_format"] == "base64"


# Ollama ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("before", ["", "Here it is: ", "```json\n"])
def test_the_mark_of_a_thought_within_the_object_is_a_part_of_it(endpoint, before):
    quoted = '{"relevance": 0.5, "source_description": "ends in </think>, {as some do"}'
    url, _seen = endpoint(lambda _body: said(before + quoted))
    assert score(model_of(url)).source_description == "ends in </think>, {as some do"


# vLLM -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("why", "tried"), [
    # OpenAI, DeepSeek, vLLM
    ("max_tokens is too large: {0}. This model supports at most 5000 completion tokens.", [5000]),
    ("Invalid max_tokens value, the valid range of max_tokens is [1, 5000]", [5000]),
    ("'max_tokens' is too large: {0}. This model's maximum context length is 5500 tokens.", [8192, 4096]),
])  # fmt: skip
def test_a_reply_that_may_not_be_so_long_is_asked_for_shorter_and_that_is_remembered(endpoint, why, tried):
    def script(body: dict[str, Any]) -> Reply:
        wanted = body["max_tokens"]
        return refused(400, why.format(wanted)) if wanted > 5000 else said(GOOD)

    url, seen = endpoint(script)
    model, purse = model_of(url), Purse()
    for _ in range(2):
        assert model.metered(purse).ask(PROMPT, MATERIAL, FactScore, max_tokens=16_384).value.relevance == 0.5
    assert [body["max_tokens"] for body in seen] == [16_384, *tried, tried[-1]]
    assert seen[-1]["response_format"]["type"] == "json_schema"


def test_no_shorter_reply_than_was_always_asked_for_is_tried(endpoint):
    why = "This model's maximum context length is 4096 tokens, of which 4200 are for max_tokens and prompt."
    url, seen = endpoint(lambda _body: refused(400, why))
    with pytest.raises(Permanent, match="maximum context length"):
        model_of(url).ask(PROMPT, MATERIAL, FactScore, max_tokens=6000)
    assert [body["max_tokens"] for body in seen] == [6000, 4096]
