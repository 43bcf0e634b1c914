"""Quirks of real endpoints, each rebuilt over HTTP: what becomes of a call, in how many requests.

Each was reported by users of other projects, named beside it. A good client succeeds after two refusals at
most and then in one request, or fails once with the endpoint's own words.
"""

import base64
import gzip
import itertools
import json
import struct
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from email.utils import formatdate
from time import time
from typing import Any

import pytest
from doubles.endpoint import Reply, Start, refused, said, streamed
from doubles.meter import Purse
from pydantic import BaseModel

from hopline.errors import Deferred, DependencyAway, Permanent, Transient
from workers.adapters.openai.model import OpenAIModel
from workers.core.errors import DependencyRefuses, ModelRefused
from workers.core.models.learnt import Learnt
from workers.core.models.tool_calls import ToolCall
from workers.core.prompts import Prompt
from workers.settings import Settings

PROMPT = Prompt(name="test", text="Read the input.")
MATERIAL = {"text": "Tower Bridge was opened in 1894."}
GOOD = '{"facts": ["Tower Bridge was opened in 1894."]}'
FACTS = ["Tower Bridge was opened in 1894."]
LOOK = {
    "type": "function",
    "function": {
        "name": "look",
        "parameters": {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]},
    },
}

Script = Callable[[dict[str, Any]], Reply]


class Facts(BaseModel):
    facts: list[str]


def model_of(url: str, learnt: Learnt | None = None, **settings: Any) -> OpenAIModel:
    fields = {"model_url": url, "model_key": "secret-key", "model": "m", "embedding_model": "e", **settings}
    return OpenAIModel.from_settings(Settings(_env_file=None, **fields), learnt)


def ask(model: OpenAIModel, seen: list[Any] | None = None) -> list[str]:
    """Ask; with a list, as somebody who sees the reply grow."""
    partial = None if seen is None else seen.append
    return model.ask(PROMPT, MATERIAL, Facts, max_tokens=100, partial=partial).value.facts


def parts_of(*texts: str, thoughts: str = "") -> list[dict[str, Any]]:
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": thoughts}]}
    return [*([thinking] if thoughts else []), *({"type": "text", "text": text} for text in texts)]


# What a reply looks like -----------------------------------------------------------------------------------

HARMONY = (
    '<|channel|>analysis<|message|>Need the form {"facts": …}.<|end|>'
    "<|start|>assistant<|channel|>final<|message|>" + GOOD
)


@pytest.mark.parametrize("content", [
    parts_of(GOOD),  # Magistral, some gateways
    parts_of(GOOD[:9], GOOD[9:], thoughts='Perhaps {"facts": ["no"]}.'),
    GOOD + "\nLet me know if {anything} is missing.",
    f"Here it is:\n```json\n{GOOD}\n```\nThe braces {{}} are JSON's.",
    GOOD + "<|im_end|>",
    HARMONY,  # gpt-oss without a parser
    HARMONY + "<|return|>",
    f"I weigh this.\n</think>\n{GOOD}",
    f'I weigh {{"facts": ["no"]}}.\n</think>\n{GOOD}',
    f"<thinking>A {{brace}}</thinking>{GOOD}",
    f"[THINK]A {{brace}}[/THINK]{GOOD}",
    f'<think>One.</think>\n<think>{{"facts": ["no"]}}</think>\n{GOOD}',
    f"◁think▷A {{brace}}◁/think▷{GOOD}",
    f"The set {{a, b}} is used. {GOOD}",
    f'The form is {{"facts": …}}, so: {GOOD}',
    f"[{GOOD}]",
    "\ufeff" + GOOD,
    f'<think time="3">{{"facts": ["no"]}}</think >{GOOD}',
    f'&lt;think&gt;{{"facts": ["no"]}}&lt;/think&gt;{GOOD}',
    f'<|think|>{{"facts": ["no"]}}<|/think|>{GOOD}',
    f'<unused94>thought\n{{"facts": ["no"]}}<unused95>{GOOD}',  # MedGemma
    f'<|channel>thought\n{{"facts": ["no"]}}<channel|>{GOOD}',  # Gemma
    json.loads(GOOD),  # a gateway that decodes JSON
    json.dumps(GOOD),  # or encodes it twice
    [{"type": "text", "text": {"value": GOOD}}],
    f'{{"Facts": {GOOD}}}',
    f'{{"type": "object", "properties": {GOOD}}}',
])  # fmt: skip
def test_a_reply_is_read_whatever_is_around_it(endpoint: Start, content: Any) -> None:
    url, seen = endpoint(lambda _body: said(content))
    assert ask(model_of(url)) == FACTS
    assert len(seen) == 1


@pytest.mark.parametrize("content", [
    '{"facts": ["Tower Bridge was opened in 1894.", "It', '[{"facts": ["one"]}, {"facts": ["two"]}]', "{}",
])  # fmt: skip
def test_nothing_that_is_broken_is_repaired_by_guessing(endpoint: Start, content: str) -> None:
    url, seen = endpoint(lambda _body: said(content))
    with pytest.raises(Permanent, match="does not reply in the JSON"):
        ask(model_of(url))
    assert len(seen) == 3


def misplaced(**fields: Any) -> Reply:
    return 200, {"choices": [{"message": {"content": None} | fields, "finish_reason": "stop"}]}


def in_bytes(text: str, encoding: str = "utf-8", kind: str = "application/json", **headers: str) -> Reply:
    return 200, text.encode(encoding), {"Content-Type": kind, **headers}


WHOLE = json.dumps(said(GOOD)[1])


@pytest.mark.parametrize("reply", [
    misplaced(reasoning_content=GOOD),  # vLLM's parser of thoughts where the model did not think
    misplaced(reasoning=f"I weigh {{this}}.\n</think>\n{GOOD}"),
    misplaced(tool_calls=[{"id": "x", "function": {"name": "json", "arguments": GOOD}}]),  # LiteLLM
    (200, {"choices": [{"message": GOOD}]}),
    (200, {"code": 0, "data": said(GOOD)[1]}),
    (200, {"success": True, "errors": [], "result": said(GOOD)[1]}),
    in_bytes(json.dumps(WHOLE)),
    in_bytes(WHOLE, "utf-16", "application/json; charset=utf-16"),
    in_bytes(WHOLE, "utf-16"),
    in_bytes(json.dumps(said(GOOD + " é")[1], ensure_ascii=False), "latin-1", "text/json; charset=latin-1"),
    in_bytes(WHOLE[:-1] + ', "logprob": NaN}'),
    misplaced(tool_calls=[{"function": {"name": "json", "arguments": json.loads(GOOD) | {"type": "x"}}}]),
    (200, {"choices": [{"message": {"content": GOOD, "refusal": {}}}]}),
    (200, said(GOOD)[1] | {"error": None}),
    in_bytes(WHOLE, **{"Content-Length": str(len(WHOLE) + 9)}),  # the connection ends too early
    (200, gzip.compress(WHOLE.encode()), {"Content-Encoding": "gzip"}),
])  # fmt: skip
def test_a_reply_is_found_in_whatever_body_and_field_it_stands(endpoint: Start, reply: Reply) -> None:
    url, seen = endpoint(lambda _body: reply)
    assert ask(model_of(url)) == FACTS
    assert len(seen) == 1


def test_utf_8_is_read_whatever_the_header_says(endpoint: Start) -> None:
    text = json.dumps(said(GOOD.replace("Tower", "Kölner"))[1], ensure_ascii=False)
    url, _seen = endpoint(lambda _body: in_bytes(text, kind="application/json; charset=ISO-8859-1"))
    assert ask(model_of(url)) == ["Kölner Bridge was opened in 1894."]


def test_what_is_only_thought_is_no_reply(endpoint: Start) -> None:
    url, _seen = endpoint(lambda _body: misplaced(reasoning=f"Perhaps {GOOD}?"))
    with pytest.raises(Permanent, match="does not reply in the JSON"):
        ask(model_of(url))


def pieces(*deltas: Any, name: str = "delta") -> Reply:
    events = [{"choices": [{"index": 0, name: {"content": delta}}]} for delta in deltas]
    return streamed(events=[*events, {"choices": [{"index": 0, name: {}, "finish_reason": "stop"}]}])


def piece(text: str, **more: Any) -> str:
    return json.dumps({"choices": [{"index": 0, "delta": {"content": text}} | more]})


HALVES = (piece(GOOD[:9]), piece(GOOD[9:], finish_reason="stop"))
EVENTS = "".join(f"data: {half}\n\n" for half in HALVES)
INDENTED = "".join(
    "".join(f"data: {line}\n" for line in json.dumps(json.loads(half), indent=1).splitlines()) + "\n"
    for half in HALVES
)
THOUGHT = json.dumps({"choices": [{"delta": {"content": None, "reasoning_content": '{"facts": ["no"]}'}}]})
OPEN = "".join(f"data: {piece(part)}\n\n" for part in (GOOD[:9], GOOD[9:]))


@pytest.mark.parametrize("reply", [
    in_bytes("\ufeff" + EVENTS, kind="text/event-stream"),
    in_bytes(EVENTS.replace("\n", "\r\n"), kind="text/event-stream"),
    (200, INDENTED),
    in_bytes(EVENTS),
    in_bytes(EVENTS, kind="application/octet-stream"),
    in_bytes("\n".join(HALVES), kind="application/x-ndjson"),
    (200, EVENTS.replace('"delta"', '\ndata: "delta"')),
    (200, 'event: ping\ndata: {"type": "ping"}\n\ndata: null\n\n' + EVENTS),
    (200, 'data: {"choices": [], "prompt_filter_results": [{"prompt_index": 0}]}\n\n' + EVENTS),  # Azure
    (200, f"data: {THOUGHT}\n\n" + EVENTS),
    (200, OPEN + "data: [DONE]"),
    (200, OPEN + "data: DONE\n\n"),
    (200, OPEN + 'data: "[DONE]"\n\n'),
    (200, OPEN + 'data: {"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 1}}\n\n'),
    (200, OPEN),  # all has come, and nothing says so
    (200, f"data: {piece(GOOD, index='0', finish_reason='stop')}\n\n"),
    (200, f"data: {json.dumps({'choices': [{'text': GOOD, 'finish_reason': 'stop'}]})}\n\n"),
    in_bytes(WHOLE, kind="text/event-stream"),
])  # fmt: skip
def test_a_stream_is_read_whether_or_not_it_was_asked_for(endpoint: Start, reply: Reply) -> None:
    url, seen = endpoint(lambda _body: reply)
    assert ask(model_of(url), []) == ask(model_of(url)) == FACTS
    assert len(seen) == 2


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_repeats_the_request_with_its_body(endpoint: Start, status: int) -> None:
    home, seen = endpoint(lambda _body: said(GOOD))
    url, _seen = endpoint(lambda _body: (status, "", {"Location": f"{home}/chat/completions"}))
    assert ask(model_of(url)) == FACTS
    assert seen[0]["model"] == "m"


@pytest.mark.parametrize(
    "reply",
    [
        pieces(parts_of(GOOD[:9]), parts_of(GOOD[9:])),
        pieces(parts_of(thoughts='{"facts": ["no"]}'), GOOD[:9], GOOD[9:]),
        pieces(GOOD, name="message"),  # small gateways
        pieces(*HARMONY),
        pieces('<think>Perhaps {"fac', 'ts": ["no"]}? No.\n</think>\n', *GOOD),
        pieces("Sure:\n```json\n", GOOD[:9], GOOD[9:], "\n```\nDone."),
        (200, said(GOOD)[1], {"Content-Type": "text/plain"}),
        (200, {"choices": [{"index": 0, "delta": {"content": GOOD}, "finish_reason": "stop"}]}),
    ],
    ids=[
        "parts",
        "thoughts in parts",
        "message",
        "harmony",
        "thought",
        "words",
        "JSON as text",
        "delta in one",
    ],
)
def test_a_reply_in_pieces_is_read_as_what_it_is(endpoint: Start, reply: Reply) -> None:
    url, seen = endpoint(lambda _body: reply)
    grown: list[Any] = []
    assert ask(model_of(url), grown) == FACTS
    assert len(seen) == 1
    assert not grown or grown[-1] == {"facts": FACTS}
    assert "no" not in str(grown)


def test_pieces_that_nobody_asked_for_are_read(endpoint: Start) -> None:
    url, seen = endpoint(lambda _body: pieces(GOOD[:9], GOOD[9:]))
    assert ask(model_of(url)) == FACTS
    assert len(seen) == 1


@pytest.mark.parametrize("finish", ["error", "network_error", "abort", "insufficient_system_resource"])
def test_a_reply_that_its_server_broke_off_is_asked_for_again(endpoint: Start, finish: str) -> None:
    replies = iter([said("", finish_reason=finish), said("", finish_reason=finish), said(GOOD)])
    url, seen = endpoint(lambda _body: next(replies))
    assert ask(model_of(url)) == FACTS
    assert len(seen) == 3


@pytest.mark.parametrize("finish", ["content_filter", "SAFETY", "sensitive"])
def test_a_filter_is_a_refusal_under_each_of_its_names(endpoint: Start, finish: str) -> None:
    url, seen = endpoint(lambda _body: said(None, finish_reason=finish))
    with pytest.raises(ModelRefused, match=r"filter stopped the reply \(use other words, or"):
        ask(model_of(url))
    assert len(seen) == 1


# What a request may look like ------------------------------------------------------------------------------


def format_of(body: dict[str, Any]) -> str:
    return str(body.get("response_format", {}).get("type", "prompt"))


def schema_ignored(body: dict[str, Any]) -> Reply:  # llama.cpp, TGI, OpenRouter
    return said(GOOD if "JSON schema" in body["messages"][0]["content"] else '{"answer": "1894"}')


def schema_breaks(body: dict[str, Any]) -> Reply:  # ik_llama.cpp
    if format_of(body) == "json_schema":
        return refused(500, 'response_format type must be one of "text" and "json_object"')
    return said(GOOD)


def schema_breaks_silently(body: dict[str, Any]) -> Reply:
    return refused(500, "internal error") if format_of(body) != "prompt" else said(GOOD)


def format_not_implemented(body: dict[str, Any]) -> Reply:
    return refused(501, "not implemented") if "response_format" in body else said(GOOD)


def no_endpoints(body: dict[str, Any]) -> Reply:  # OpenRouter
    if format_of(body) == "json_schema":
        return refused(404, "No endpoints found that can handle the requested parameters.")
    return said(GOOD)


def no_object(body: dict[str, Any]) -> Reply:  # LM Studio
    if format_of(body) == "json_object":
        return 400, {"error": "'response_format.type' must be 'json_schema' or 'text'"}
    return said(GOOD)


def reasoning_model(frame: Callable[[str], Any]) -> Script:
    """OpenAI's o-series behind gateways that frame its complaints in their own way."""

    def script(body: dict[str, Any]) -> Reply:
        if "max_tokens" in body:
            why = "'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
            return 400, frame(why)
        if "temperature" in body:
            return 400, frame("Unsupported value: 'Temperature' does not support 0 with this model.")
        return said(GOOD)

    return script


def zhipu(body: dict[str, Any]) -> Reply:
    if body.get("temperature") == 0:
        return refused(400, "API 调用参数有误，请检查文档。", "1210")
    return said(GOOD)


def no_system(body: dict[str, Any]) -> Reply:  # templates of Gemma and Mistral behind vLLM
    if body["messages"][0]["role"] == "system":
        return refused(400, "System role not supported")
    return said(GOOD)


def unless(is_taken: Callable[[dict[str, Any]], Any], status: int, why: str) -> Script:
    return lambda body: said(GOOD) if is_taken(body) else refused(status, why)


def bare(body: dict[str, Any]) -> bool:
    return "response_format" not in body


def without_system(body: dict[str, Any]) -> bool:
    return body["messages"][0]["role"] == "user"


def says_json(body: dict[str, Any]) -> bool:
    return format_of(body) != "json_schema" and "json" in json.dumps(body["messages"]).casefold()


OTHER_REFUSALS = [
    unless(says_json, 400, "This response_format type is unavailable now"),  # DeepSeek
    unless(bare, 403, "response_format is not available on your plan"),
    unless(bare, 406, "response_format: json_schema is unsupported"),
    unless(without_system, 400, "Conversation roles must alternate user/assistant/user/assistant/..."),
    unless(without_system, 400, "Developer instruction is not enabled for models/gemma"),
    unless(without_system, 400, "Only user and assistant roles are supported!"),
    unless(lambda body: body["max_tokens"] >= 1024, 400, "max_tokens must be at least 1024"),
    unless(
        lambda body: body["max_tokens"] >= 2000,
        400,
        "Invalid 'max_tokens': integer below minimum value. Expected a value >= 2000, but got 100 instead.",
    ),
    lambda body: (
        said(GOOD)
        if "max_tokens" not in body
        else (200, {"error": {"message": "use max_completion_tokens", "type": "invalid_request_error"}})
    ),
    unless(
        lambda body: "max_tokens" not in body,
        400,
        "Unsupported parameter: 'max_tokens'; see our content policy",
    ),
    lambda body: said(GOOD if bare(body) else ""),  # a form at which a model falls silent
    lambda body: said(GOOD) if bare(body) else said("\n \n", finish_reason="length"),  # or never ends
]


def least_of_all(body: dict[str, Any]) -> Reply:
    odd = {"response_format", "temperature", "stream", "stream_options"} & body.keys()
    return refused(422, "Unprocessable Entity") if odd else said(GOOD)


FRAMES: dict[str, Callable[[str], Any]] = {
    "OpenAI": lambda why: {"error": {"message": why, "code": "unsupported_parameter"}},
    "LM Studio": lambda why: {"error": why},
    "FastAPI": lambda why: {"detail": why},
    "Mistral": lambda why: {"detail": [{"loc": ["body", "max_tokens"], "msg": why}]},
    "Gemini": lambda why: [{"error": {"code": 400, "message": why, "status": "INVALID_ARGUMENT"}}],
    "Baidu": lambda why: {"error_code": 336003, "error_msg": why},
    "SiliconFlow": lambda why: {"code": 20042, "message": why, "data": None},
    "vLLM": lambda why: {"object": "error", "message": why, "type": "BadRequestError", "code": 400},
    "a proxy's page": lambda why: f"<html><head><title>400</title></head><body>{why}</body></html>",
    "words": lambda why: why,
    "wrapped": lambda why: {"error": {"message": json.dumps({"error": {"message": why}}), "code": 400}},
}


@pytest.mark.parametrize("script", [
    pytest.param(schema_ignored, id="schema ignored"),
    schema_breaks,
    format_not_implemented,
    no_endpoints,
    no_object,
    zhipu,
    no_system,
    least_of_all,
    *OTHER_REFUSALS,
    *(pytest.param(reasoning_model(frame), id=name) for name, frame in FRAMES.items()),
])  # fmt: skip
def test_a_form_that_is_taken_is_found_after_two_refusals_at_most_and_remembered(endpoint, script):
    url, seen = endpoint(script)
    model = model_of(url)
    assert ask(model) == FACTS
    assert len(seen) <= 3
    before = len(seen)
    assert ask(model) == FACTS
    assert len(seen) == before + 1


class Shared:
    """What the processes of a fleet have learnt."""

    def __init__(self) -> None:
        self.forms: dict[tuple[str, str], Any] = {}

    def recall(self, endpoint: str, model: str) -> Any:
        return self.forms.get((endpoint, model), {})

    def keep(self, endpoint: str, model: str, form: Any) -> None:
        self.forms[endpoint, model] = form


def test_what_one_process_has_learnt_the_others_know(endpoint: Start) -> None:
    url, seen = endpoint(lambda body: most(2, tei)(body) if "input" in body else least_of_all(body))
    shared = Shared()
    model_of(url, shared).embed(["a", "b", "c"])
    ask(model_of(url, shared))
    before = len(seen)
    other = model_of(url, shared, model_thinking_tokens=7)
    assert ask(other) == FACTS
    assert seen[-1]["max_tokens"] == 107
    assert len(other.embed(["a", "b"])) == 2
    assert len(seen) == before + 3
    assert shared.forms[url, "m"] == {"format": "prompt", "temperature": False}
    assert shared.forms[url, "e (embeddings)"] == {"most": 1}


def test_a_form_at_which_a_server_breaks_is_given_up_for_a_while_and_others_are_not_told(endpoint):
    url, seen = endpoint(schema_breaks_silently)
    shared = Shared()
    model = model_of(url, shared)
    assert ask(model) == FACTS
    before = len(seen)
    assert ask(model) == FACTS
    assert len(seen) == before + 1
    assert shared.forms == {}, "it may have been chance"


def test_a_server_that_fails_in_words_about_the_form_whatever_is_asked_is_tried_again_later(endpoint):
    url, _seen = endpoint(lambda _body: refused(500, "response_format: worker crashed"))
    with pytest.raises(Transient, match="worker crashed"):
        ask(model_of(url))


def no_stream(body: dict[str, Any]) -> Reply:
    return refused(501, "stream is not implemented") if body.get("stream") else said(GOOD)


def no_stream_in_other_words(body: dict[str, Any]) -> Reply:
    return refused(501, "not implemented") if body.get("stream") else said(GOOD)


def no_stream_in_any_form(body: dict[str, Any]) -> Reply:
    taken = "stream" not in body and format_of(body) == "json_schema"
    return said(GOOD) if taken else refused(400, "Streaming is off here.")


def no_stream_options(body: dict[str, Any]) -> Reply:
    if "stream_options" in body:
        return 422, {"detail": [{"loc": ["body", "stream_options"], "msg": "Extra inputs are not permitted"}]}
    return pieces(GOOD) if body.get("stream") else said(GOOD)


@pytest.mark.parametrize("script", [
    no_stream, no_stream_in_other_words, no_stream_in_any_form, no_stream_options, least_of_all, zhipu,
])  # fmt: skip
def test_a_reply_in_pieces_is_given_up_where_it_is_refused(endpoint: Start, script: Script) -> None:
    url, seen = endpoint(script)
    model = model_of(url)
    assert ask(model, []) == FACTS
    assert len(seen) <= 3
    before = len(seen)
    assert ask(model, []) == FACTS
    assert len(seen) == before + 1


def test_many_who_ask_at_once_learn_together(endpoint: Start) -> None:
    url, _seen = endpoint(least_of_all)
    model = model_of(url, Shared())
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, [model] * 16)) == [FACTS] * 16


@pytest.mark.parametrize("reply", [
    refused(400, "API key not valid. Please pass a valid API key."),  # Gemini
    refused(401, "no"),
    (200, {"error": {"type": "authentication_error", "message": "no"}}),
])  # fmt: skip
def test_a_wrong_key_is_told_after_one_request(endpoint: Start, reply: Reply) -> None:
    url, seen = endpoint(lambda _body: reply)
    with pytest.raises(DependencyRefuses, match="HOPLINE_MODEL_KEY"):
        ask(model_of(url))
    assert len(seen) == 1


@pytest.mark.parametrize(("status", "why", "error"), [
    (400, "Your credit balance is too low to access the API.", DependencyAway),  # Anthropic
    (403, "Insufficient account balance", DependencyAway),  # SiliconFlow
    (402, "Insufficient Balance", DependencyAway),  # DeepSeek
    (413, "no", Permanent),
    (400, "Filtered: the prompt triggers Azure OpenAI's content management policy.", ModelRefused),
    (400, "This model's maximum context length is 4096 tokens. You requested 4200 tokens.", Permanent),
    (400, "The model `m` does not exist", DependencyRefuses),
    (400, "Input data may contain inappropriate content.", ModelRefused),  # Qwen
    (400, "Your request was blocked by our content policy.", ModelRefused),
    (400, "the request exceeds the available context size", Permanent),  # llama.cpp
    (400, "prompt is too long: 210000 tokens > 200000 maximum", Permanent),  # Anthropic
    # Gemini
    (400, "The input token count (5000) exceeds the maximum number of tokens allowed.", Permanent),
    (429, "Request too large for m: Limit 1000, Requested 2000.", Permanent),  # OpenAI
])  # fmt: skip
def test_what_no_other_form_mends_is_told_after_one_request(endpoint, status, why, error):
    url, seen = endpoint(lambda _body: refused(status, why))
    with pytest.raises(error, match="out of credit" if error is DependencyAway else ""):
        ask(model_of(url))
    assert len(seen) == 1


def test_words_of_a_refusal_are_told_in_every_frame(endpoint: Start) -> None:
    for name, frame in FRAMES.items():
        url, seen = endpoint(lambda _body, frame=frame: (400, frame("The moon is full.")))
        with pytest.raises(Permanent, match=r"The moon is full\."):
            ask(model_of(url))
        assert len(seen) <= 4, name


# Waiting ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("headers", "seconds"), [
    ({"Retry-After": "30"}, 30),
    ({"Retry-After": "@in 30 s"}, 30),
    ({"x-ratelimit-reset-requests": "7.5s"}, 7.5),
    (
        {
            "x-ratelimit-remaining-requests": "12",
            "x-ratelimit-reset-requests": "120ms",
            "x-ratelimit-remaining-tokens": "0",
            "x-ratelimit-reset-tokens": "1m3s",
        },
        63,
    ),
    ({"Retry-After": "12s"}, 12),
    ({"Retry-After": "1e30"}, 86_400),
    ({"RateLimit": '"default";r=0;t=33'}, 33),
    ({"x-ratelimit-reset": "@moment in 30 s"}, 30),
])  # fmt: skip
def test_a_wait_that_headers_ask_for_is_told_after_one_request(endpoint, headers, seconds):
    began = time()
    sent = {
        key: datetime.fromtimestamp(time() + 30, UTC).isoformat()
        if "@moment" in value
        else formatdate(time() + 30, usegmt=True)
        if "@" in value
        else value
        for key, value in headers.items()
    }
    url, seen = endpoint(lambda _body: (429, {"error": {"message": "slow down"}}, sent))
    with pytest.raises(Deferred) as caught:
        ask(model_of(url))
    passed = time() - began  # of a wait until a moment this much is over
    assert seconds - passed - 2 <= (caught.value.retry_after or 0) <= seconds + 2
    assert len(seen) == 1


@pytest.mark.parametrize(("body", "seconds"), [
    ({"error": {"message": "Rate limit reached. Please try again in 1m3.5s. Visit …"}}, 63.5),
    ({"error": {"message": "Please retry after 12 seconds."}}, 12),  # Azure
    ({"error": {"message": "slow down", "retry_after": 12}}, 12),
    # Gemini
    ([{"error": {"message": "Quota", "details": [{"@type": "RetryInfo", "retryDelay": "27s"}]}}], 27),
])  # fmt: skip
def test_a_wait_that_words_ask_for_is_told_after_one_request(endpoint, body, seconds):
    url, seen = endpoint(lambda _body: (429, body))
    with pytest.raises(Deferred) as caught:
        ask(model_of(url))
    assert caught.value.retry_after == seconds
    assert len(seen) == 1


def test_a_short_wait_is_made_within_the_attempt(endpoint: Start) -> None:
    replies = iter([(429, {"error": "slow down"}, {"retry-after-ms": "20"}), said(GOOD)])
    url, seen = endpoint(lambda _body: next(replies))
    assert ask(model_of(url)) == FACTS
    assert len(seen) == 2


WITHIN: list[Callable[[Any], Any]] = [
    lambda error: {"error": error},
    lambda error: {**error, "data": None},
    lambda error: {"choices": [{"error": error, "message": {"content": ""}, "finish_reason": "error"}]},
]


@pytest.mark.parametrize("frame", WITHIN)
@pytest.mark.parametrize("code", [429, "503", "rate_limit_exceeded", "overloaded_error"])
def test_an_error_within_a_200_waits_like_a_true_one_and_costs_nothing(endpoint, code, frame):
    body = frame({"code": code, "message": "Rate limit exceeded: free-models-per-min."})
    url, _seen = endpoint(lambda _body: (200, body, {"Retry-After": "20"}))
    purse = Purse()
    with pytest.raises(Deferred, match="free-models-per-min") as caught:
        ask(model_of(url).metered(purse))
    assert caught.value.retry_after == 20
    assert [used.model_calls for used in purse.settled.values()] == [0]


# Addresses -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reply", [
    (200, "<!DOCTYPE html><html><head><title>Open WebUI</title></head></html>"),
    (200, {"error": "Unexpected endpoint or method. (POST /chat/completions)"}),
    (404, "404 page not found"),
    (404, {"detail": "Not Found"}),
    (405, {"detail": "Method Not Allowed"}),
])  # fmt: skip
@pytest.mark.parametrize("seen_growing", [None, []], ids=["whole", "in pieces"])
def test_an_address_without_an_api_is_told_after_one_request(endpoint, reply, seen_growing):
    url, seen = endpoint(lambda _body: reply)
    with pytest.raises(DependencyRefuses, match="check HOPLINE_MODEL_URL"):
        ask(model_of(url), seen_growing)
    assert len(seen) == 1


# Usage -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "usage", [None, [], {"prompt_tokens": -1}, {"prompt_tokens": "many"}, {"prompt_tokens": 3.0}, "3"]
)
def test_a_report_of_usage_that_is_none_does_no_harm(endpoint: Start, usage: Any) -> None:
    url, _seen = endpoint(lambda _body: (200, said(GOOD)[1] | {"usage": usage}))
    assert ask(model_of(url)) == FACTS


# Tools -----------------------------------------------------------------------------------------------------


def calling(name: str, arguments: Any) -> Reply:
    call = {"id": "c1", "type": "function", "function": {"name": name, "arguments": arguments}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    return 200, {"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}


LOOKED = '{"q": "Tower Bridge"}'


@pytest.mark.parametrize("reply", [
    calling("look", LOOKED),
    calling("look", json.dumps(LOOKED)),
    calling("look", json.dumps({"arguments": json.loads(LOOKED)})),
    calling("look", json.loads(LOOKED)),
    calling("look", "{}" + LOOKED),
    calling("functions.look", LOOKED),
    calling("look<|channel|>commentary", LOOKED),
    said(f'<tool_call>{{"name": "look", "arguments": {LOOKED}}}</tool_call>'),  # Hermes, Qwen
    said(f'[TOOL_CALLS][{{"name": "look", "arguments": {LOOKED}}}]'),  # Mistral
    said(f"[TOOL_CALLS]look[ARGS]{LOOKED}"),
    said(f'<|python_tag|>{{"name": "look", "parameters": {LOOKED}}}'),  # Llama
    said(f"<function=look>{LOOKED}</function>"),
    said("<tool_call><function=look><parameter=q>Tower Bridge</parameter></function></tool_call>"),
    said("<tool_call>look\n<arg_key>q</arg_key>\n<arg_value>Tower Bridge</arg_value></tool_call>"),  # GLM
    said(f"<|channel|>commentary to=functions.look <|constrain|>json<|message|>{LOOKED}<|call|>"),
    said(f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>look\n```json\n{LOOKED}\n```"),
    said(f'{{"name": "look", "arguments": {LOOKED}}}'),
    said(f'Sure: {{"calls": [{{"tool": "look", "arguments": {LOOKED}}}]}}'),
    (200, {"choices": [{"message": {"function_call": {"name": "look", "arguments": LOOKED}}}]}),
    *(
        calling(name, LOOKED)
        for name in ("functions.look:0", "mcp__books__look", "Look", "look()", '"look"')
    ),
    calling("look", [json.loads(LOOKED)]),
    calling("look", f"```json\n{LOOKED}\n```"),
    calling("look", LOOKED + "<|im_end|>"),
    *(calling("look", json.dumps({key: json.loads(LOOKED)})) for key in ("params", "properties", "look")),
    calling("look", json.dumps({"name": "look", "arguments": json.loads(LOOKED)})),
    misplaced(tool_calls=[{"name": "look", "arguments": LOOKED}]),
    misplaced(tool_calls=json.dumps([{"function": {"name": "look", "arguments": LOOKED}}])),
    misplaced(tool_calls={"function": {"name": "look", "arguments": LOOKED}}),
    misplaced(reasoning_content=f'<tool_call>{{"name": "look", "arguments": {LOOKED}}}</tool_call>'),
    said([{"type": "tool_use", "id": "t", "name": "look", "input": json.loads(LOOKED)}]),  # Anthropic
    said([{"functionCall": {"name": "look", "args": json.loads(LOOKED)}}]),  # Gemini
    misplaced(tool_calls=[{"function": "look", "functionCall": "x", "arguments": LOOKED}]),
    said(f'functools[{{"name": "look", "arguments": {LOOKED}}}]'),  # Phi
    # InternLM
    said(f'<|action_start|><|plugin|>{{"name": "look", "parameters": {LOOKED}}}<|action_end|>'),
    said(f'<|START_ACTION|>[{{"tool_name": "look", "parameters": {LOOKED}}}]<|END_ACTION|>'),  # Cohere
    said('<invoke name="look">\n<parameter name="q">Tower Bridge</parameter>\n</invoke>'),  # MiniMax
    said(f"Thought: I look.\nAction: look\nAction Input: {LOOKED}"),
])  # fmt: skip
def test_a_call_is_read_in_whatever_form_it_is_written(endpoint: Start, reply: Reply) -> None:
    url, seen = endpoint(lambda _body: reply)
    fault = {True: None, False: "no such tool"}
    chosen = model_of(url).choose_tools(
        PROMPT, MATERIAL, [LOOK], lambda call: fault[call.name == "look"], max_tokens=100
    )
    assert chosen.value.calls == (ToolCall(name="look", arguments={"q": "Tower Bridge"}),)
    assert len(seen) == 1


@pytest.mark.parametrize("content", ["I would call look.", f"The tool look takes {LOOKED}.", "{}"])
def test_words_about_a_tool_are_no_call(endpoint: Start, content: str) -> None:
    url, _seen = endpoint(lambda _body: said(content))
    chosen = model_of(url).choose_tools(PROMPT, MATERIAL, [LOOK], lambda _call: None, max_tokens=100)
    assert chosen.value.calls == ()


# Embeddings ------------------------------------------------------------------------------------------------


def rows_of(body: dict[str, Any], **more: Any) -> dict[str, Any]:
    texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
    return {
        "data": [{"index": n, "embedding": [float(len(text)), 1.0]} for n, text in enumerate(texts)],
        **more,
    }


def no_first_index(body: dict[str, Any]) -> Reply:  # Gemini
    reply = rows_of(body)
    del reply["data"][0]["index"]
    return 200, reply


VECTOR_FRAMES: list[Callable[[list[list[float]]], Any]] = [
    lambda vectors: {"embeddings": vectors},
    lambda vectors: {"embeddings": {"float": vectors}},
    lambda vectors: vectors,
    lambda vectors: {"data": vectors},
    lambda vectors: {"code": 0, "data": {"data": [{"embedding": vector} for vector in vectors]}},
    lambda vectors: [{"index": at, "embedding": [vector]} for at, vector in enumerate(vectors)],
    lambda vectors: {"data": [{"vector": vector} for vector in vectors]},
    lambda vectors: {"data": [{"embedding": {"values": vector}} for vector in vectors]},
    lambda vectors: {"data": [{"embedding": json.dumps(vector)} for vector in vectors]},
    lambda vectors: {"data": [{"embedding": list(map(str, vector))} for vector in vectors]},
    lambda vectors: {"data": [{"embedding": url_safe(vector)} for vector in vectors]},
]


def url_safe(vector: list[float]) -> str:
    return base64.urlsafe_b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode().rstrip("=")


def numbers_only(reply: Reply) -> Script:
    def script(body: dict[str, Any]) -> Reply:
        return reply if body.get("encoding_format") == "base64" else (200, rows_of(body))

    return script


def most(count: int, reply: Callable[[int], Reply]) -> Script:
    return lambda body: reply(len(body["input"])) if len(body["input"]) > count else (200, rows_of(body))


def only_text(reply: Script) -> Script:
    return lambda body: (
        refused(400, "input must be a string") if isinstance(body["input"], list) else reply(body)
    )


def tei(count: int) -> Reply:
    why = f"batch size {count} > maximum allowed batch size 32"
    return 413, {"error": why, "error_type": "Validation"}


def gemini(_count: int) -> Reply:
    why = "* BatchEmbedContentsRequest.requests: at most 50 requests can be in one batch"
    return 400, [{"error": {"code": 400, "message": why, "status": "INVALID_ARGUMENT"}}]


@pytest.mark.parametrize("script", [
    no_first_index,
    lambda body: (200, rows_of(body) | {"data": rows_of(body)["data"][::-1]}),
    lambda body: (200, {"data": [row | {"index": 0} for row in rows_of(body)["data"]]}),
    lambda body: (200, {"data": [row | {"index": str(row["index"])} for row in rows_of(body)["data"]]}),
    lambda body: (200, {"data": [row | {"index": row["index"] + 1} for row in rows_of(body)["data"]]}),
    lambda body: (200, {"data": [row | {"embedding": [row["embedding"]]} for row in rows_of(body)["data"]]}),
    numbers_only(
        (400, {"object": "error", "message": "base64 encoding is not currently supported", "code": 400})
    ),
    numbers_only((200, {"data": []})),
    numbers_only((500, {"error": "internal error"})),
    numbers_only((400, {"detail": "Bad Request"})),
    *(
        lambda body, frame=frame: (200, frame([row["embedding"] for row in rows_of(body)["data"]]))
        for frame in VECTOR_FRAMES
    ),
    lambda body: (
        (200, rows_of(body))
        if isinstance(body["input"], str)
        else (422, {"detail": [{"loc": ["body", "input"], "msg": "str type expected"}]})
    ),
    most(16, lambda count: refused(429, f"Request too large: Limit 16, requested {count}")),
    most(32, tei),
    most(50, gemini),
    most(64, lambda _count: refused(400, "input数组最大不得超过64条", "1214")),  # Zhipu
    most(20, lambda _count: refused(400, "Too many inputs. The max number of inputs is 20.")),  # Azure
    most(20, lambda _count: refused(413, "Batch size exceeds the maximum")),
    most(20, lambda _count: refused(400, "Invalid 'input': Array too long.")),
    most(1, lambda _count: refused(400, "input must be a string")),
    only_text(lambda body: (200, rows_of(body | {"input": [body["input"]]}))),
    only_text(lambda body: (200, rows_of(body | {"input": [body["input"]]})["data"][0]["embedding"])),
])  # fmt: skip
def test_vectors_come_in_the_order_of_the_texts_and_what_was_learnt_stays(endpoint, script):
    served: list[bool] = []

    def judged(body: dict[str, Any]) -> Reply:
        reply = script(body)
        served.append(reply[0] == 200 and reply[1] != {"data": []})
        return reply

    url, _seen = endpoint(judged)
    model = model_of(url)
    texts = ["x" * n for n in range(1, 71)]
    assert [vector[0] for vector in model.embed(texts)] == [float(n) for n in range(1, 71)]
    assert served.count(False) <= 2
    served.clear()
    model.embed(["one"])
    assert served == [True]


def nan_breaks(body: dict[str, Any]) -> Reply:  # Ollama
    if "odd" in body["input"]:
        return 500, {"error": "failed to encode response: json: unsupported value: NaN"}
    return 200, rows_of(body)


@pytest.mark.parametrize(("script", "words"), [
    (nan_breaks, "NaN"),
    (lambda body: in_bytes(json.dumps(rows_of(body)).replace("1.0]", "NaN]")), "NaN"),
    (lambda body: in_bytes(json.dumps(rows_of(body)).replace("1.0]", "null]")), "NaN"),
    (lambda body: (200, {"data": [row | {"embedding": []} for row in rows_of(body)["data"]]}), "empty"),
])  # fmt: skip
def test_a_text_without_a_vector_is_told_in_the_embedders_words(endpoint, script, words):
    url, _seen = endpoint(script)
    with pytest.raises((Permanent, Transient), match=words):
        model_of(url).embed(["odd", *itertools.repeat("even", 7)])
