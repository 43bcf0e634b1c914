"""respond: an answer that needs nothing of the graph."""

from __future__ import annotations

from pydantic import Field

from hopline.models.base import Frozen
from hopline.models.tools import ToolResult
from workers.tools.tool import Tool, ToolPorts


class RespondArguments(Frozen):
    """What to say."""

    answer: str = Field(min_length=1, max_length=4000, description="the answer, as the user is to read it")


def _respond(arguments: RespondArguments, _ports: ToolPorts) -> ToolResult:
    return ToolResult(tool=RESPOND.name, arguments=arguments.model_dump(), markdown=arguments.answer.strip())


RESPOND = Tool(
    name="respond",
    purpose="Say something that needs nothing of the graph: the answer stands in the conversation already, "
    "the user only greets or thanks, or it is outside what the graph is about and has to be declined.",
    arguments=RespondArguments,
    work=_respond,
)
