"""Tools are chosen at endpoints as they are met in the wild."""

import json
from typing import Any

import pytest
from doubles.endpoint import Reply, refused, said
from doubles.meter import Purse, model_at
from pydantic import BaseModel

from hopline.errors import Permanent, Transient
from workers.core.models.tool_calls import ToolCall
from workers.core.prompts import Prompt

PROMPT = Prompt(name="test", text="Choose tools.")
TOOL = {
    "type": "function",
    "function": {"name": "find", "description": "d", "parameters": {"type": "object"}},
}
GOOD = ToolCall(name="find", arguments={"name": "Ada"})
CHOSEN = '{"calls": [{"tool": "find", "arguments": {"name": "Ada"}}]}'


def fault(call: ToolCall) -> str | None:
    if call.name != "find":
        return f"there is no tool {call.name}"
    return None if isinstance(call.arguments.get("name"), str) else "name: a text is allowed"


def calling(*calls: tuple[str, Any], **more: Any) -> Reply:
    tool_calls = [
        {"id": f"c{place}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for place, (name, arguments) in enumerate(calls)
    ]
    message = {"role": "assistant", "content": None, "tool_calls": tool_calls}
    return 200, {"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"} | more]}


def good(name: str = "Ada") -> tuple[str, str]:
    return "find", json.dumps({"name": name})


def choose(url: str, **settings: Any):
    return model_at(url, **settings).metered(Purse()).choose_tools(PROMPT, {"q": "?"}, [TOOL], fault)


def forms(seen: list[dict[str, Any]]) -> list[Any]:
    return [
        (body["tool_choice"], body.get("parallel_tool_calls"))
        if "tools" in body
        else body.get("response_format", {}).get("type")
        for body in seen
    ]


def test_tools_are_offered_as_they_are_and_one_has_to_be_called(endpoint):
    url, seen = endpoint(lambda _body: calling(good()))
    assert choose(url).value.calls == (GOOD,)
    assert seen[0]["tools"] == [TOOL]
    assert forms(seen) == [("required", True)]
    assert "response_format" not in seen[0]


@pytest.mark.parametrize(("refuses", "complaint", "tried"), [
    (
        lambda body: "parallel_tool_calls" in body,
        "Unknown parameter: 'parallel_tool_calls'.",
        [("required", True), ("required", None)],
    ),
    (
        lambda body: body.get("tool_choice") == "required" or "parallel_tool_calls" in body,
        "bad request",
        [("required", True), ("auto", None)],
    ),
    (lambda body: "tools" in body, "this model does not support tools", [("required", True), "json_schema"]),
    (lambda body: "tools" in body, "bad request", [("required", True), ("auto", None), "json_schema"]),
    (
        lambda body: "tools" in body or "response_format" in body,
        "tools and formats are not supported",
        [("required", True), "json_schema", "json_object", None],
    ),
])  # fmt: skip
def test_the_form_that_an_endpoint_takes_is_found_and_remembered(endpoint, refuses, complaint, tried):
    def script(body: dict[str, Any]) -> Reply:
        if refuses(body):
            return refused(400, complaint)
        if "tools" in body:
            return calling(good())
        return said(CHOSEN)

    url, seen = endpoint(script)
    model = model_at(url)
    for _ in range(2):
        assert model.choose_tools(PROMPT, {}, [TOOL], fault).value.calls == (GOOD,)
    assert forms(seen) == [*tried, tried[-1]]


def test_a_request_that_is_refused_in_every_form_is_permanent(endpoint):
    url, seen = endpoint(lambda _body: refused(400, "bad content"))
    with pytest.raises(Permanent, match="bad content"):
        choose(url)
    assert len(seen) == 5


def test_tools_that_the_model_knows_nothing_of_are_chosen_in_json_from_then_on(endpoint):
    def script(body: dict[str, Any]) -> Reply:
        return said("I would look for Ada." if "tools" in body else CHOSEN)

    url, seen = endpoint(script)
    model = model_at(url)
    for _ in range(2):
        assert model.choose_tools(PROMPT, {}, [TOOL], fault).value.calls == (GOOD,)
    assert forms(seen) == [("required", True), "json_schema", "json_schema"]


def test_a_model_that_is_free_to_talk_and_once_does_is_offered_tools_again(endpoint):
    talks = iter([True, False, True, True])  # what it does with tools on offer

    def script(body: dict[str, Any]) -> Reply:
        if body.get("tool_choice") == "required":
            return refused(400, "tool_choice: only auto and none are supported")
        if "tools" not in body:
            return said(CHOSEN)
        return said("I would look for Ada.") if next(talks) else calling(good())

    url, seen = endpoint(script)
    model = model_at(url)
    for _ in range(5):
        assert model.choose_tools(PROMPT, {}, [TOOL], fault).value.calls == (GOOD,)
    auto, in_json = ("auto", True), "json_schema"
    assert forms(seen)[1:] == [auto, in_json, auto, auto, in_json, auto, in_json, in_json]


class Named(BaseModel):
    name: str


def test_what_another_thread_found_out_meanwhile_is_kept_when_tools_are_given_up(endpoint):
    strict: list[bool] = []

    def script(body: dict[str, Any]) -> Reply:
        if strict and "temperature" in body:
            return refused(400, "temperature is not supported")
        if "tools" in body:
            return said("I would look for Ada.")
        if not strict:
            strict.append(True)
            model.ask(PROMPT, {}, Named)  # as another thread may, while this reply is on its way
        return said('{"name": "Ada", "calls": [{"tool": "find", "arguments": {"name": "Ada"}}]}')

    url, seen = endpoint(script)
    model = model_at(url)
    for _ in range(2):
        assert model.choose_tools(PROMPT, {}, [TOOL], fault).value.calls == (GOOD,)
    assert ["temperature" in body for body in seen] == [True, True, True, False, False]


@pytest.mark.parametrize(("native", "as_text", "depth"), [
    (True, True, 900), (True, False, 300), (False, True, 230), (False, False, 900),
])  # fmt: skip
def test_arguments_that_are_nested_too_deeply_are_no_json(endpoint, native, as_text, depth):
    deep: Any = 1
    for _ in range(depth):
        deep = [deep]
    arguments: Any = {"name": "Ada", "more": deep}
    arguments = json.dumps(arguments) if as_text else arguments

    def script(body: dict[str, Any]) -> Reply:
        if "tools" not in body:
            return said(json.dumps({"calls": [{"tool": "find", "arguments": arguments}]}))
        return calling(("find", arguments)) if native else refused(400, "no tools")

    url, seen = endpoint(script)
    value = choose(url).value
    assert value.calls == ()
    assert len(seen) == 2 + (not native)
    assert all("JSON" in refusal.why or "recursion" in refusal.why for refusal in value.refused)
    assert value.refused


def test_only_what_is_wrong_is_asked_for_again_and_the_talk_is_one_that_endpoints_take(endpoint):
    replies = iter([calling(good(), ("a tool!", "{}"), ("find", '{"name": "B')), calling(good("Bo"))])
    url, seen = endpoint(lambda _body: next(replies))
    answered = choose(url)
    assert answered.value.calls == (GOOD, ToolCall(name="find", arguments={"name": "Bo"}))
    assert not answered.value.refused
    assistant, *results = seen[1]["messages"][2:]
    names = [call["function"]["name"] for call in assistant["tool_calls"]]
    assert names == ["find", "a_tool_", "find"]
    assert all(json.loads(call["function"]["arguments"]) is not None for call in assistant["tool_calls"])
    assert [result["tool_call_id"] for result in results] == [call["id"] for call in assistant["tool_calls"]]
    assert results[0]["content"] == "ok, accepted"
    assert "there is no tool a tool!" in results[1]["content"]
    assert '{"name": "B' in results[2]["content"]
    assert seen[1]["messages"][:2] == seen[0]["messages"]


def test_in_json_the_model_is_shown_its_calls_and_what_is_wrong_with_which(endpoint):
    replies = iter(
        [
            '{"calls": [{"tool": "find", "arguments": {"name": "Ada"}}, {"tool": "fly", "arguments": "{}"}]}',
            '{"calls": [{"tool": "find", "arguments": "{\\"name\\": \\"Bo\\"}"}]}',
        ]
    )

    def script(body: dict[str, Any]) -> Reply:
        return refused(400, "no tools") if "tools" in body else said(next(replies))

    url, seen = endpoint(script)
    assert [call.arguments["name"] for call in choose(url).value.calls] == ["Ada", "Bo"]
    assistant, user = seen[-1]["messages"][-2:]
    assert [call["tool"] for call in json.loads(assistant["content"])["calls"]] == ["find", "fly"]
    assert "fly: there is no tool fly" in user["content"]
    assert '"tools":' in seen[-1]["messages"][1]["content"]


def test_calls_said_again_count_once_and_there_are_eight_at_most(endpoint):
    url, seen = endpoint(lambda _body: calling(*(good(str(n // 2)) for n in range(40))))
    assert [call.arguments["name"] for call in choose(url).value.calls] == ["0", "1", "2", "3"]
    assert len(seen) == 1


def test_calls_without_ids_with_arguments_as_an_object_or_without_any_are_read(endpoint):
    def script(_body: dict[str, Any]) -> Reply:
        odd = [
            {"function": {"name": "find", "arguments": {"name": "Ada"}}},
            {"function": {"name": "find"}},
            7,
        ]
        message = {"role": "assistant", "tool_calls": odd}
        return 200, {"choices": [{"message": message}]}

    url, seen = endpoint(script)
    value = choose(url).value
    assert value.calls == (GOOD,)
    assert [refusal.name for refusal in value.refused] == ["find", ""]
    ids = [call["id"] for call in seen[1]["messages"][2]["tool_calls"]]
    assert len(set(ids)) == 3
    assert all(len(call_id) == 9 and call_id.isalnum() for call_id in ids)


def test_calls_that_were_cut_say_so(endpoint):
    url, seen = endpoint(lambda _body: calling(("find", '{"name": "A'), finish_reason="length"))
    assert "cut at the token limit" in choose(url).value.refused[0].why
    assert "be shorter" in seen[1]["messages"][-1]["content"]


def test_something_else_than_the_protocol_is_transient(endpoint):
    url, _seen = endpoint(lambda _body: (200, {"choices": [{"message": None}]}))
    with pytest.raises(Transient):
        choose(url)


def test_asking_and_choosing_share_what_is_known_of_an_endpoint(endpoint):
    def script(body: dict[str, Any]) -> Reply:
        return refused(400, "Use 'max_completion_tokens'.") if "max_tokens" in body else calling(good())

    url, seen = endpoint(script)
    model = model_at(url)
    model.choose_tools(PROMPT, {}, [TOOL], fault)
    model.choose_tools(PROMPT, {}, [TOOL], fault)
    assert ["max_tokens" in body for body in seen] == [True, False, False]
    assert forms(seen) == [("required", True)] * 3
