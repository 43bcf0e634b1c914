"""Offers each graph tool, those of packs included, as an MCP tool."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from hopline.models.jobs import Json
from hopline.models.tools import ToolResult
from producer.mcp.offer import Call, Offer, Told, result_of, schema_of
from producer.mcp.questions import Around
from workers.tools.builtin.respond import RESPOND

# It hands a model's words through to the answer: an assistant has words of its own.
_NOT_OFFERED = {RESPOND.name}
_PREFIX = "graph_"
_WHERE = "collection"
_SHOWN = ("tool", "arguments", "columns", "items", "cypher", "note", "candidates", "cut")
_RESULT = result_of(ToolResult, _SHOWN)


def graph_offers(described: Sequence[Json], taken: Collection[str]) -> Iterator[Offer]:
    """Yield the tools of a toolbox.

    Args:
        described: as a chat request of the OpenAI form describes them.
        taken: names that other tools have; a graph tool of one of them gets a prefix.
    """
    for description in described:
        function = description["function"]
        if function["name"] not in _NOT_OFFERED:
            yield _offer(function, taken)


def _offer(function: Json, taken: Collection[str]) -> Offer:
    name, schema = function["name"], dict(function["parameters"])
    own = _WHERE in schema["properties"]  # then it is the tool's, and the default collection is meant
    if not own:
        schema["properties"] = {**schema["properties"], _WHERE: _collection()}

    async def run(call: Call, arguments: Json) -> Told:
        tool_arguments = (
            arguments if own else {key: value for key, value in arguments.items() if key != _WHERE}
        )
        where = "default" if own else str(arguments.get(_WHERE, "default"))
        result = await call.client.tools.run(name, tool_arguments, collection=where)
        return Told(
            text=result.markdown or result.note or "Nothing found.",
            data=result.model_dump(mode="json", include=set(_SHOWN)),
        )

    return Offer(
        name=f"{_PREFIX}{name}" if name in taken else name,
        title=name.replace("_", " ").capitalize(),
        purpose=function["description"],
        schema=schema,
        result=_RESULT,
        work=run,
    )


def _collection() -> Json:
    return dict(schema_of(Around)["properties"][_WHERE])
