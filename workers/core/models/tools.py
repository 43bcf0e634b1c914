"""Ports for tools: those that a step may offer to a model, and their results."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from pydantic import Field

from hopline.errors import Deferred, Permanent
from hopline.models.base import Frozen
from hopline.models.jobs import Json
from workers.core.errors import WorkPaused
from workers.core.models.tool_calls import ToolCall


class FoundBy(Frozen):
    """The call that found a row, so that it can be repeated."""

    tool: str
    arguments: Json
    cypher: str | None = None  # what was run; None where documents were searched
    parameters: Json = {}
    words: str = ""  # texts and numbers by which the call found it: "movies: 12" is of them


class ToolFact(Frozen):
    """One finding of a tool, as a sentence, with its position."""

    text: str = Field(min_length=1)
    said: str = ""  # what of it the graph itself says: not the question that comes with it
    row: Json = {}  # value by column, bounded
    nodes: tuple[str, ...] = ()  # element ids
    relationships: tuple[str, ...] = ()  # element ids
    fact_id: str | None = None  # the atomic fact that states it
    chunk_id: str | None = None
    title: str = ""  # of the document


class ToolAnswer(Frozen):
    """The result of one call."""

    by: FoundBy
    facts: tuple[ToolFact, ...] = ()  # in the tool's order
    left_out: int = 0  # facts beyond those
    markdown: str = ""  # for a model that decides whether it is enough; bounded
    note: str = ""  # nothing found and why; which of several nodes a name was taken for
    exact: bool = False  # a look-up of just this: all names were resolved, and there are few rows


class Tools(Protocol):
    """The tools over the graph of a job."""

    def offered(self) -> list[Json]:
        """Return the tools usable over this graph, as entries for `tools` in an OpenAI-style request.

        Raises:
            DependencyAway: the database cannot be reached.
        """

    def schema(self, about: str = "") -> str:
        """Return the graph's schema for a model, of bounded size.

        Args:
            about: a question; a long schema is cut to the part relevant to it. "" for the whole.

        Raises:
            DependencyAway: the database cannot be reached.
        """

    def fault(self, call: ToolCall) -> str | None:
        """Return why a call is invalid, in words that help to correct it; None if it is valid."""

    def run(self, call: ToolCall, question: str) -> ToolAnswer:
        """Run a call.

        Args:
            call: call of an offered tool.
            question: the question it is made for; it is shown with each row of a table.

        Raises:
            InvalidInput: an argument does not fit this graph.
            CypherTooLong: the statement exceeded its time limit.
            CypherRefused: the database refused the statement.
            DependencyAway: the database cannot be reached.
        """


class NoTools:
    """Stands in for tools if there is no graph."""

    def offered(self) -> list[Json]:
        """Return no tools."""
        return []

    def schema(self, _about: str = "") -> str:
        """Return an empty schema."""
        return ""

    def fault(self, call: ToolCall) -> str | None:
        """Refuse every call."""
        return f"there is no tool {call.name}"

    def run(self, call: ToolCall, question: str) -> ToolAnswer:
        """Raise Permanent."""
        raise Permanent(f"there is no tool {call.name} to ask: {question}")


class AtOnce:
    """Tools that fail immediately, instead of waiting, while their database is unavailable.

    Args:
        tools: the tools to use while it is available.
    """

    def __init__(self, tools: Tools) -> None:
        self._tools = tools

    def offered(self) -> list[Json]:
        """Return the usable tools; raise Permanent if the database is unavailable."""
        with _at_once():
            return self._tools.offered()

    def schema(self, about: str = "") -> str:
        """Return the schema; raise Permanent if the database is unavailable."""
        with _at_once():
            return self._tools.schema(about)

    def fault(self, call: ToolCall) -> str | None:
        """Return why a call is invalid; raise Permanent if the database is unavailable."""
        with _at_once():
            return self._tools.fault(call)

    def run(self, call: ToolCall, question: str) -> ToolAnswer:
        """Run a call; raise Permanent if the database is unavailable."""
        with _at_once():
            return self._tools.run(call, question)


@contextmanager
def _at_once() -> Iterator[None]:
    try:
        yield
    except WorkPaused:
        raise
    except Deferred as error:
        raise Permanent(str(error)) from error
