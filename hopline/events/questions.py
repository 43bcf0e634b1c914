"""Events of questions: the plan, the walk, and the answer."""

from __future__ import annotations

from typing import Literal

from hopline.models.events import EventData
from hopline.models.jobs import JobState, Json


class PlanFinished(EventData, event="plan.finished"):
    """The parts of the question to be answered."""

    entities: tuple[str, ...]
    sub_questions: tuple[str, ...]
    # Of the reader's plan only:
    asked: str | None = None
    steps: tuple[str, ...] | None = None
    key_information: tuple[str, ...] | None = None


class SeedFinished(EventData, event="seed.finished"):
    """Where the graph strategy starts."""

    seeds: tuple[str, ...]  # names of nodes


class VisitFinished(EventData, event="visit.finished"):
    """A node was read."""

    node_id: str
    node: str  # its name
    parent: str | None  # name of the node before it; None of a start node
    depth: int  # 0 of a start node
    facts: int  # relevant ones
    failed: str | None = None


class FactScored(EventData, event="fact.scored"):
    """A critic scored a fact, or none could."""

    fact: str  # its beginning
    score: float | None  # 0 to 1; None where it is unscored
    scored_by: Literal["critic", "default", "unscored"]
    topic: str = ""  # of a survey: name of the coarsest topic that it lies in


class AnswerSentence(EventData, event="answer.sentence"):
    """A sentence of the answer, checked; provisional until the job ends."""

    n: int  # 1 for the first
    text: str
    citations: tuple[Json, ...]  # those not sent before, in the form of the answer's
    calculations: tuple[Json, ...] = ()  # of its values, in the form of the answer's


class AnswerRestarted(EventData, event="answer.restarted"):
    """The sentences so far are void: the answer is written again."""


class AnswerWritten(EventData, event="answer.written"):
    """The answer is ready."""

    state: JobState
    sentences: int
    dropped: int  # sentences that failed the check
    citations: int
    facts: dict[str, int]  # how many were found, scored, shown …
    missing: tuple[str, ...] | None = None  # what was asked and not found
    reason: str | None = None  # why there is no answer
    analysis: str | None = None


class StartChosen(EventData, event=None):
    """Where a path of the reader starts."""

    path: int  # 1 for the first
    name: str
    score: float | None  # 0 to 100; None where the model gave none


class StartsChosen(EventData, event="starts.chosen"):
    """Where the reader starts."""

    starts: tuple[StartChosen, ...]
    offered: int
    refused: int


class PathMoved(EventData, event="path.moved"):
    """A path of the reader did something."""

    path: int
    action: int
    step: str
    at: str  # the nodes or the document that was read
    decision: str
    reason: str
    noted: tuple[str, ...]  # beginnings of the new notes
    notebook: int  # notes since the path began
    need: str  # what is still to be found
    calls: int  # model calls since the path began
    refused: int
    error: str


class PathEnded(EventData, event="path.ended"):
    """A path of the reader ended."""

    path: int
    action: int
    why: str
    notebook: int
    calls: int
    reason: str | None = None


class TopicsFound(EventData, event="topics.found"):
    """Where the survey looks."""

    topics: tuple[str, ...]  # names of the best
    facts: int  # that may be looked at
    of_topics: int  # in all, of the coarsest level


class ClaimsMade(EventData, event="claims.made"):
    """Claims that the survey makes from the facts of a topic."""

    claims: tuple[str, ...]  # beginnings
    facts: int  # that they were made of
    dropped: int  # claims that failed the check
    failed: str | None = None


class StrategyChosen(EventData, event="strategy.chosen"):
    """The strategy chosen for the question."""

    strategy: str
    why: str


class QuestionNormalised(EventData, event="question.normalised"):
    """The question was taken apart."""

    question: str
    sub_questions: tuple[str, ...]


class ToolsChosen(EventData, event="tools.chosen"):
    """Which tools are to be called for a question."""

    question: str
    tools: tuple[str, ...]


class ToolFinished(EventData, event="tool.finished"):
    """A tool was called."""

    tool: str
    arguments: Json
    facts: int
    note: str  # why it found nothing, or too much


class AnswerChecked(EventData, event="answer.checked"):
    """Whether what was found answers the question."""

    complete: bool
    missing: tuple[str, ...]  # what is still to be asked
    why: str
    failed: str | None = None
    given_up: tuple[str, ...] = ()  # parts that are open and not asked again
