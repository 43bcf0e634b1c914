"""Request and reply schemas of the reader strategy; the docstrings describe each call's input.

Steps, their items and their calls:

| step (= task)             | item        | reply          |
|---------------------------|-------------|----------------|
| traverse.rational_plan    | rational_plan | RationalPlan |
| traverse.choose_starts    | choose_starts | StartScores  |
| traverse.check_facts      | path:P:A    | FactNotes      |
| traverse.read_chunk       | path:P:A    | ChunkNotes     |
| traverse.select_neighbour | path:P:A    | NeighbourChoice |
| critic.score_fact         | score:…+…   | FactScores, as in every query |
| critic.reason             | reason      | ReasonedAnswer, in critic.schema, strong tier |

P is the path's number from 1 on, A the action's within it from 1 on. Prompts bear the names rational_plan,
score_starts, check_facts, read_chunk, select_neighbour, reason.

Four keys stand in the input of every action of a path: plan {asked, steps, key_information},
notebook [{id: "e1", text}] (what this path has noted so far), others [{id: "o1", text}] (what the other paths
have noted, five at most; first what rests on facts and chunks that this one would have read) and
actions [text] (what it did so far, oldest first), beside question, sub_questions, calls_left (this call
included) and error ("" but where the choice before did not exist: it says what was wrong and what there is;
the second such choice ends the path).
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from hopline.models.base import Frozen
from hopline.visible import visible
from workers.traverse.schema import Plan, Translated

_REASON = 160  # characters; nothing is asked for again because of a longer one


def _in_a_line(reason: Any) -> str:
    """Return a reason in one line, cut to the maximum length; "" if it is not a string."""
    return " ".join(visible(reason).split())[:_REASON].rstrip() if isinstance(reason, str) else ""


# Why an action was decided so, for people. Nothing is decided by it, and it is told last for that.
Reason = Annotated[str, BeforeValidator(_in_a_line), Field(max_length=_REASON)]


class RationalPlan(Plan):
    """How a person would go about the question. Input: {question, history: [{question, answer}]}."""

    asked: str = Field(default="", max_length=600)  # what is asked for, in one sentence
    steps: list[str] = Field(default=[], max_length=10)  # in the order in which they can be taken
    key_information: list[str] = Field(default=[], max_length=20)  # what must be known for the answer
    entities: list[str] = Field(default=[], max_length=20)  # named by the question, as it writes them
    sub_questions: list[str] = Field(default=[], max_length=10)


class TranslatedRationalPlan(Translated, RationalPlan):
    """The same with what to search for in other languages."""


class StartScore(Frozen):
    """How well a path may begin at a node."""

    name: str = Field(max_length=1000)  # as offered
    score: float = Field(ge=0, le=100)


class StartScores(Frozen):
    """Which key elements to start from.

    Input: {question, plan: {asked, steps, key_information}, candidates: [{name, context}]}; context is a fact
    that holds the candidate, or empty.
    """

    scores: list[StartScore] = Field(default=[], max_length=100)


class Note(Frozen):
    """A new entry of the notebook, with the handles that it rests on."""

    text: str = Field(min_length=1, max_length=2000)
    rests_on: list[str] = Field(
        default=[], max_length=20
    )  # f1 or s1 as shown in this call, e1 of the notebook, o1 of other paths


class FactNotes(Frozen):
    """The atomic fact check: what the facts of a node tell, and which chunks to read.

    Input: {question, sub_questions, plan, notebook, others, actions, calls_left, error, nodes: [name],
    chunks: [{id: "c1", title, facts: [{id: "f1", text}]}]}: the facts of one node, grouped by the chunk that
    carries them, best first, 40 at most: a node that has more is offered again among its neighbours.
    Handles count over the whole call: f1, f2 … over all chunks. neighbours as in NeighbourChoice, ranked by
    the question, context by its handle where it is shown: where one is chosen, no further call chooses it.
    """

    notes: list[Note] = Field(default=[], max_length=40)  # rest on f, e or o
    action: Literal["read_chunk", "stop_and_read_neighbor", "termination"]
    chunks: list[str] = Field(default=[], max_length=40)  # c1 …, for read_chunk, best first
    need: str = Field(default="", max_length=600)  # what is still to be found: neighbours are ranked by it
    name: str = Field(default="", max_length=1000)  # of a neighbour, for stop_and_read_neighbor; "": search
    complete: bool = False  # with termination: the notebook holds the complete answer
    reason: Reason = ""


class ChunkNotes(Frozen):
    """One chunk read.

    Input: {question, sub_questions, plan, notebook, others, actions, calls_left, error, chunk: {title,
    previous, subsequent, sentences: [{id: "s1", text}]}, queued, neighbours: [{name, shared, context}]}:
    previous and subsequent are true where there is such a chunk that was not read yet, queued counts the
    chunks that search_more would go on to; neighbours stand there where it counts none.
    """

    notes: list[Note] = Field(default=[], max_length=40)  # rest on s, e or o
    action: Literal["search_more", "read_previous_chunk", "read_subsequent_chunk", "termination"]
    need: str = Field(default="", max_length=600)  # what is still to be found
    name: str = Field(default="", max_length=1000)  # of a neighbour, for search_more; "": search
    complete: bool = False  # with termination: the notebook holds the complete answer
    reason: Reason = ""


class NeighbourChoice(Frozen):
    """Where to go on.

    Input: {question, sub_questions, plan, notebook, others, actions, calls_left, error, nodes: [name], need,
    neighbours: [{name, shared, context}]}: nodes is the one that the path has just read, neighbours share
    that many facts with it, context is one of these; 0 shared for one that the need was searched for and
    found. The node itself is among them where facts of it were not shown; context is the best of these.
    """

    action: Literal["read_neighbor_node", "termination"]
    name: str = Field(default="", max_length=1000)  # as offered, for read_neighbor_node
    complete: bool = False  # with termination: the notebook holds the complete answer
    reason: Reason = ""
