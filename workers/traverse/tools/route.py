"""Chooses the tools for a sub-question; each call becomes an item of its own."""

from __future__ import annotations

from collections.abc import Sequence

from workers.core.errors import Permanent
from workers.core.ids import content_hash
from workers.core.jobs.work import Event, Item, Json, Outcome
from workers.core.models.tool_calls import ToolCall, ToolCalls
from workers.core.ports import Ports
from workers.core.prompts import load_prompt
from workers.traverse.tools.courtesy import untold

RUN_TOOL = "traverse.run_tool"
RESPOND = "respond"
_SEARCH = ToolCall(name="search_memory", arguments={})  # what is left where nothing was chosen
_REPLY_TOKENS = 800
_ITEM = "tool:"


def choose_tools(given: Json, ports: Ports) -> Outcome:
    """Return {question, round, calls: [{id, tool, arguments}], refused, said?, failed?} and a child per call.

    Unknown tools, and arguments that a tool does not take, are told to the model once. What it then still
    gets wrong is dropped, and where no call is left the documents are searched. What it says itself
    (`respond`) may tell nothing that neither conversation nor schema holds (`courtesy`).

    Args:
        given: {question, whole, history, answers: [{question, answer}], round}: one sub-question, what it is
            part of, and what earlier rounds found.
        ports: the fast model chooses; the tools of the graph.
    """
    result: Json = {"question": given["question"], "round": given["round"]}
    offered: Sequence[Json] = ()
    try:
        offered = ports.tools.offered()
        chosen = _chosen(given, offered, ports)
    except Permanent as error:
        chosen = ToolCalls()
        result["failed"] = str(error)[:300]
    said = [str(call.arguments["answer"]).strip() for call in chosen.calls if call.name == RESPOND]
    calls = [call for call in chosen.calls if call.name != RESPOND]
    if not calls and not said:
        calls, result["searched_instead"] = _search_instead(given["question"], offered), True
    children = {item.id: item for item in (_item(call, given) for call in calls)}
    result["calls"] = [
        {"id": item.id, "tool": item.input["tool"], "arguments": item.input["arguments"]}
        for item in children.values()
    ]
    result["refused"] = [one.model_dump() for one in chosen.refused]
    result |= {"said": " ".join(said)} if said and not calls else {}
    shown = {"question": given["question"], "tools": [call.name for call in chosen.calls or calls]}
    return Outcome(
        result=result,
        children=tuple(children.values()),
        events=(Event(name="tools.chosen", data=shown),),
    )


def _chosen(given: Json, offered: Sequence[Json], ports: Ports) -> ToolCalls:
    schema = ports.tools.schema()
    material = {
        "question": given["question"],
        "whole": given["whole"],
        "history": given["history"],
        "answers": given["answers"],
        "schema": schema,
    }

    def fault(call: ToolCall) -> str | None:
        why = ports.tools.fault(call)
        return why or (untold(str(call.arguments["answer"]), material) if call.name == RESPOND else None)

    prompt = load_prompt("workers.traverse.tools", "choose_tools")
    return ports.model.choose_tools(prompt, material, offered, fault, max_tokens=_REPLY_TOKENS).value


def _search_instead(question: str, offered: Sequence[Json]) -> list[ToolCall]:
    names = {one["function"]["name"] for one in offered}
    found = _SEARCH.model_copy(update={"arguments": {"question": question}})
    return [found] if _SEARCH.name in names else []


def _item(call: ToolCall, given: Json) -> Item:
    """Return the item of a call; the same call runs once in a job."""
    name = _ITEM + content_hash(f"{call.name} {sorted(call.arguments.items())}")[:24]
    asked = {"id": name, "question": given["question"], "tool": call.name, "arguments": call.arguments}
    return Item(id=name, step=RUN_TOOL, input=asked)
