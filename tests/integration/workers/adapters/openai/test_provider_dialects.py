"""What providers answer on the wire, by their documentation and users' reports, and what becomes of it.

OpenAI: API reference, guide to reasoning models. Azure OpenAI: "API version lifecycle", "Content filtering".
DeepSeek: "Error Codes", "Thinking Mode", "Create Chat Completion". SiliconFlow: "Create chat completion",
reports of its limit of embeddings. Ollama: "OpenAI compatibility", "Context length". vLLM: "OpenAI-Compatible
Server", "Reasoning Outputs".
"""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from doubles.endpoint import Reply, refused, said, streamed
from doubles.meter import Purse

from infra.local.probes import embedder_in_use, probe_all, server_probes
from workers.adapters.openai.model import OpenAIModel
from workers.core.errors import DependencyAway, DependencyRefuses, ModelRefused, Permanent, Transient
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


@contextmanager
def redirecting(target: str) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """Serve redirects to another address; yields where, and the headers of the requests."""
    seen: list[dict[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            seen.append({name.lower(): value for name, value in self.headers.items()})
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(307)
            self.send_header("Location", target)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Stay quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", seen
        server.shutdown()


def vectors(body: dict[str, Any]) -> Reply:
    return 200, {"data": [{"index": n, "embedding": [1.0, 0.0]} for n, _text in enumerate(body["input"])]}


# OpenAI ---------------------------------------------------------------------------------------------------


def openai_reasoning(body: dict[str, Any]) -> Reply:
    if "max_tokens" in body:
        why = (
            "Unsupported parameter: 'max_tokens' is not supported with this model. "
            "Use 'max_completion_tokens' instead."
        )
        return refused(400, why, "unsupported_parameter")
    if "temperature" in body:
        why = "Unsupported value: 'temperature' does not support 0 with this model."
        return refused(400, why, "unsupported_value")
    if body["max_completion_tokens"] < 1000:  # all of it went into thinking
        return said("", finish_reason="length")
    return said(GOOD)


def test_a_reasoning_model_of_openai_is_asked_in_its_form_with_room_to_think(endpoint):
    url, seen = endpoint(openai_reasoning)
    model = model_of(url, model_thinking_tokens=2000, model_body={"reasoning_effort": "low"})
    assert score(model).relevance == 0.5
    last = seen[-1]
    assert (last["max_completion_tokens"], last["reasoning_effort"]) == (2100, "low")
    assert last["response_format"]["type"] == "json_schema"
    assert seen.headers[0]["authorization"] == "Bearer secret-key"


def test_room_to_think_is_booked(endpoint):
    url, _seen = endpoint(lambda _body: said(GOOD))
    small, large = Purse(), Purse()
    score(model_of(url).metered(small))
    score(model_of(url, model_thinking_tokens=2000).metered(large))
    [few], [many] = small.reserved.values(), large.reserved.values()
    assert many[0] - few[0] == 2000


# Azure OpenAI ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "path"),
    [
        ("/openai?api-version=2024-10-21", "/openai/deployments/m/chat/completions?api-version=2024-10-21"),
        (
            "/openai/deployments/d?api-version=2024-10-21",
            "/openai/deployments/d/chat/completions?api-version=2024-10-21",
        ),
        ("/openai/v1?api-version=preview", "/openai/v1/chat/completions?api-version=preview"),
    ],
)
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
    with redirecting(other) as (url, seen):
        score(model_of(f"{url}/openai?api-version=2024-10-21"))
    assert [headers.get("api-key") for headers in seen] == ["secret-key"]
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


def test_a_prompt_that_the_filter_of_azure_stops_is_a_refusal_and_asked_once(endpoint):
    why = "The response was filtered due to the prompt triggering Azure OpenAI's content management policy."
    url, seen = endpoint(lambda _body: refused(400, why, "content_filter"))
    with pytest.raises(ModelRefused, match="content management policy"):
        score(model_of(url))
    assert len(seen) == 1


def test_the_pieces_of_azure_begin_with_what_its_filter_says(endpoint):
    filtered = {"choices": [], "prompt_filter_results": [{"prompt_index": 0, "content_filter_results": {}}]}
    pieces = [
        filtered,
        {"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}]},
        {"choices": [{"index": 0, "delta": {"content": GOOD}, "finish_reason": None}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop", "content_filter_results": {}}]},
        {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}},
    ]
    url, _seen = endpoint(lambda _body: streamed(events=pieces))
    grown: list[Any] = []
    assert score(model_of(url), partial=grown.append).relevance == 0.5
    assert grown[-1]["relevance"] == 0.5


# DeepSeek -------------------------------------------------------------------------------------------------


def deepseek(body: dict[str, Any]) -> Reply:
    if body.get("response_format", {}).get("type") == "json_schema":
        return refused(400, "This response_format type is unavailable now", "invalid_request_error")
    if "json" not in json.dumps(body["messages"]).casefold():
        return refused(400, "Prompt must contain the word 'json' in some form")
    message = {"role": "assistant", "content": GOOD, "reasoning_content": "Let me see {what} this is."}
    usage = {"prompt_tokens": 9, "completion_tokens": 5, "prompt_cache_hit_tokens": 0}
    return 200, {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": usage}


def test_deepseek_is_asked_for_an_object_and_told_not_to_think(endpoint):
    url, seen = endpoint(deepseek)
    model = model_of(url, model_body={"thinking": {"type": "disabled"}})
    for _ in range(2):
        assert score(model).relevance == 0.5
    assert [body["response_format"]["type"] for body in seen] == ["json_schema", "json_object", "json_object"]
    assert {json.dumps(body["thinking"]) for body in seen} == {'{"type": "disabled"}'}


def test_thoughts_that_come_in_pieces_are_no_reply(endpoint):
    thought = {"content": None, "reasoning_content": 'They want {"relevance": 9}'}
    pieces = [
        {"choices": [{"index": 0, "delta": thought, "finish_reason": None}]},
        {"choices": [{"index": 0, "delta": {"content": GOOD, "reasoning_content": None}}]},
        {"choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "stop"}]},
    ]
    url, _seen = endpoint(lambda _body: streamed(events=pieces))
    assert score(model_of(url), partial=lambda _seen: None).relevance == 0.5


def test_an_account_without_balance_pauses_the_work(endpoint):
    url, seen = endpoint(lambda _body: refused(402, "Insufficient Balance", "invalid_request_error"))
    with pytest.raises(DependencyAway, match="out of credit"):
        score(model_of(url))
    assert len(seen) == 1


def test_a_reply_that_deepseek_broke_off_is_asked_for_again(endpoint):
    broken = said('{"relev', finish_reason="insufficient_system_resource")
    url, seen = endpoint(lambda _body: broken)
    with pytest.raises(Transient, match="insufficient_system_resource"):
        score(model_of(url))
    assert len(seen[0]["messages"]) == 2


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


@pytest.mark.parametrize(
    ("status", "why"),
    [
        (400, "Too many inputs. The max number of inputs is 16."),  # Azure OpenAI
        (400, "at most 100 requests can be in one batch"),  # Gemini
        (413, "Batch size exceeds the maximum"),
        (400, "Invalid 'input': Array too long."),
    ],
)
def test_a_smaller_batch_is_tried_in_whatever_words_it_is_asked_for(endpoint, status, why):
    url, seen = endpoint(lambda body: refused(status, why) if len(body["input"]) > 16 else vectors(body))
    assert len(model_of(url).embed([f"text {n}" for n in range(30)])) == 30
    first, *parts = [len(body["input"]) for body in seen]
    assert first == 30
    assert len(parts) == 2


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


def test_an_error_without_a_frame_is_told_in_its_words(endpoint):
    url, _seen = endpoint(lambda _body: (401, {"code": 20001, "message": "Invalid token", "data": None}))
    with pytest.raises(DependencyRefuses, match="Invalid token"):
        score(model_of(url))


# Ollama ---------------------------------------------------------------------------------------------------


def test_a_thought_before_the_object_is_passed_over(endpoint):
    content = f'<think>\nPerhaps {{"relevance": 9}}? No.\n</think>\n\n{GOOD}'
    url, _seen = endpoint(lambda _body: said(content))
    assert score(model_of(url)).relevance == 0.5
    url, _seen = endpoint(lambda _body: streamed(content[:20], content[20:60], content[60:]))
    grown: list[Any] = []
    assert score(model_of(url), partial=grown.append).relevance == 0.5
    assert {part["relevance"] for part in grown if "relevance" in part} == {0.5}


@pytest.mark.parametrize("before", ["", "Here it is: ", "```json\n"])
def test_the_mark_of_a_thought_within_the_object_is_a_part_of_it(endpoint, before):
    quoted = '{"relevance": 0.5, "source_description": "ends in </think>, {as some do"}'
    url, _seen = endpoint(lambda _body: said(before + quoted))
    assert score(model_of(url)).source_description == "ends in </think>, {as some do"


# vLLM -----------------------------------------------------------------------------------------------------


def test_a_prompt_that_is_too_long_for_vllm_is_asked_once(endpoint):
    why = "This model's maximum context length is 4096 tokens. However, you requested 4200 tokens."
    reply = {"object": "error", "message": why, "type": "BadRequestError", "param": None, "code": 400}
    url, seen = endpoint(lambda _body: (400, reply))
    with pytest.raises(Permanent, match="maximum context length"):
        score(model_of(url))
    assert len(seen) == 1


@pytest.mark.parametrize(
    ("why", "tried"),
    [
        # OpenAI, DeepSeek, vLLM
        ("max_tokens is too large: {0}. This model supports at most 5000 completion tokens.", [5000]),
        ("Invalid max_tokens value, the valid range of max_tokens is [1, 5000]", [5000]),
        ("'max_tokens' is too large: {0}. This model's maximum context length is 5500 tokens.", [8192, 4096]),
    ],
)
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


def test_an_error_that_is_null_is_none(endpoint):
    status, reply = said(GOOD)
    assert isinstance(reply, dict)
    url, _seen = endpoint(lambda _body: (status, reply | {"error": None}))
    assert score(model_of(url)).relevance == 0.5
