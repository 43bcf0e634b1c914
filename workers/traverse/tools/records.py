"""Inputs and results of the tools strategy's steps, as jobs store them."""

from __future__ import annotations

from hopline.models.base import Frozen
from hopline.models.jobs import Json
from workers.core.answers.turn import Turn
from workers.core.models.tool_calls import RefusedCall
from workers.core.models.tools import FoundBy
from workers.core.records import QuotedFact


class NormaliseResult(Frozen):
    """A question in parts."""

    question: str  # standing alone
    sub_questions: tuple[str, ...]  # the question itself where it is atomic
    history: tuple[Turn, ...]  # as the choice of tools sees it, oldest first
    failed: str | None = None  # why the model gave no parts


class RouteInput(Frozen):
    """A sub-question that tools are chosen for."""

    question: str
    whole: str  # that it is part of
    history: tuple[Turn, ...]  # of the session
    answers: tuple[Turn, ...]  # what earlier rounds asked and found
    round: int  # from 1 on


class ChosenCall(Frozen):
    """A tool call, with the item that runs it."""

    id: str
    tool: str
    arguments: Json


class RouteResult(Frozen):
    """The tools called for a sub-question."""

    question: str
    round: int
    calls: tuple[ChosenCall, ...]
    refused: tuple[RefusedCall, ...]
    said: str | None = None  # the model's own reply, where it needs no tool
    searched_instead: bool = False  # nothing was chosen, so the documents are searched
    failed: str | None = None  # why the model chose nothing


class CallInput(ChosenCall):
    """A call to run."""

    question: str  # that it is done for


class CallResult(Frozen):
    """The findings of a call."""

    question: str
    by: FoundBy
    facts: tuple[QuotedFact, ...]  # in the tool's order
    left_out: int  # facts beyond those
    markdown: str  # for a model that decides whether it is enough; bounded
    note: str  # nothing found and why; which of several nodes a name was taken for
    failed: str | None = None  # why the graph refused it, or that it took too long
    exact: bool = False  # a look-up of just this: its facts need no critic
