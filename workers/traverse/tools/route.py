"""Chooses the tools for a sub-question; each call becomes a separate item."""

from __future__ import annotations

from collections.abc import Sequence

from hopline.errors import Permanent
from hopline.events.questions import ToolsChosen
from hopline.models.jobs import Json
from workers.core.ids import content_hash
from workers.core.jobs.work import Item, Outcome
from workers.core.models.tool_calls import ToolCall, ToolCalls
from workers.core.ports import Ports
from workers.core.prompts import load_prompt
from workers.traverse.plan import TRANSLATION_TOKENS, other_languages
from workers.traverse.tools.courtesy import courtesies, untold
from workers.traverse.tools.records import CallInput, ChosenCall, RouteInput, RouteResult

RUN_TOOL = "traverse.run_tool"
RESPOND = "respond"
_SEARCH = ToolCall(name="search_memory", arguments={})  # what is left where nothing was chosen
_REPLY_TOKENS = 800
_ITEM = "tool:"


def choose_tools(question: RouteInput, ports: Ports) -> Outcome:
    """Choose the tools for a sub-question; each call becomes a child item.

    The model is told once about unknown tools and invalid arguments. Calls that are still wrong are dropped,
    and if no call is left, the documents are searched. The model's own reply (`respond`) may say nothing that
    is not in the conversation or the schema (`courtesy`); in reply to a greeting, its allowed part is used.

    Args:
        question: the sub-question, with the whole question and the findings of earlier rounds.
        ports: the fast model chooses; the tools of the graph.
    """
    offered: Sequence[Json] = ()
    failed = None
    polite: list[str] = []
    try:
        offered = ports.tools.offered()
        chosen = _chosen(question, offered, ports, polite)
    except Permanent as error:
        chosen = ToolCalls()
        failed = str(error)[:300]
    replies = [str(call.arguments["answer"]).strip() for call in chosen.calls if call.name == RESPOND]
    calls = [call for call in chosen.calls if call.name != RESPOND]
    replies = replies or ([] if calls else polite[-1:])
    instead = not calls and not replies
    if instead:
        calls = _search_instead(question.question, offered)
    inputs = {call.id: call for call in (_input(call, question) for call in calls)}
    result = RouteResult(
        question=question.question,
        round=question.round,
        calls=tuple(
            ChosenCall(id=call.id, tool=call.tool, arguments=call.arguments) for call in inputs.values()
        ),
        refused=chosen.refused,
        said=" ".join(replies) if replies and not calls else None,
        searched_instead=instead,
        failed=failed,
    )
    event = ToolsChosen(question=question.question, tools=tuple(call.name for call in chosen.calls or calls))
    return Outcome(
        result=result,
        children=tuple(Item(id=name, step=RUN_TOOL, input=call) for name, call in inputs.items()),
        events=(event,),
    )


def _chosen(question: RouteInput, offered: Sequence[Json], ports: Ports, polite: list[str]) -> ToolCalls:
    """Return the model's choice; usable sentences of refused replies are added to `polite`."""
    schema = ports.tools.schema()  # all of it may be said in a reply
    material = {
        "question": question.question,
        "whole": question.whole,
        "history": [turn.model_dump() for turn in question.history],
        "answers": [turn.model_dump() for turn in question.answers],
        "schema": ports.tools.schema(f"{question.question}\n{question.whole}"),
    }

    def fault(call: ToolCall) -> str | None:
        why = ports.tools.fault(call)
        if why or call.name != RESPOND:
            return why
        answer = str(call.arguments["answer"])
        why = untold(answer, question, schema)
        if why and (rest := courtesies(answer, question, schema)):
            polite.append(rest)
        return why

    inputs = {tool["function"]["name"] for tool in offered}
    languages = other_languages(question.question, ports) if _SEARCH.name in inputs else ()
    if languages:
        inputs.add("languages")
        material["languages"] = languages
    prompt = load_prompt("workers.traverse.tools", "choose_tools").for_tools(inputs)
    most = _REPLY_TOKENS + TRANSLATION_TOKENS * len(languages)
    return ports.model.choose_tools(prompt, material, offered, fault, max_tokens=most).value


def _search_instead(question: str, offered: Sequence[Json]) -> list[ToolCall]:
    names = {tool["function"]["name"] for tool in offered}
    search = _SEARCH.model_copy(update={"arguments": {"question": question}})
    return [search] if _SEARCH.name in names else []


def _input(call: ToolCall, question: RouteInput) -> CallInput:
    """Return the input of a call; the same call has the same id, so that it runs once in a job."""
    name = _ITEM + content_hash(f"{call.name} {sorted(call.arguments.items())}")[:24]
    return CallInput(id=name, question=question.question, tool=call.name, arguments=call.arguments)
