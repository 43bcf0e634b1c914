"""Inputs and results of the reader's steps, as jobs store them."""

from __future__ import annotations

from hopline.models.base import Frozen
from hopline.models.jobs import Json
from workers.core.answers.lexical_rank import question_terms
from workers.core.answers.plan import AnswerPlan
from workers.core.jobs.params import QueryParams
from workers.core.jobs.work import Job
from workers.core.records import QuotedFact
from workers.traverse.reader.notebook import Entry, shown_notebook


class RationalPlanResult(AnswerPlan):
    """A plan and its basis; the choice of start nodes takes it unchanged."""

    question: str  # standing alone: references to the conversation are resolved
    entities: tuple[str, ...]  # named by the question, as it writes them
    sub_questions: tuple[str, ...]
    translations: tuple[str, ...] = ()  # names and words of the question in other languages, a text each
    failed: str | None = None  # why the model gave no plan

    @property
    def outline(self) -> AnswerPlan:
        """The plan in the form used in prompts."""
        return AnswerPlan(asked=self.asked, steps=self.steps, key_information=self.key_information)


class Start(Frozen):
    """A node that a path starts from."""

    id: str
    name: str
    score: float | None  # 0 to 100, by the model; None where it gave none and the ranker chose
    spelled: str = ""  # its name as documents spell it, for people


class StartsResult(Frozen):
    """The start nodes, and the guide of the paths."""

    starts: tuple[Start, ...]  # best first
    near: tuple[str, ...]  # ids of the facts that the question leads to, best first
    ranked: tuple[str, ...]  # and ids of the elements
    offered: int  # candidates that the model saw
    refused: int  # names that it scored and was not offered
    failed: str | None = None  # why vectors or the model did not help


class PathNode(Frozen):
    """A node that a path reads."""

    id: str
    name: str
    depth: int  # hops from the path's start
    parent: str | None  # id of the node that led here
    spelled: str = ""  # its name as documents spell it, for people; "" where that is not known

    @property
    def shown(self) -> str:
        """Its name for people."""
        return self.spelled or self.name


class PathState(Frozen):
    """The input of an action: small, as Redis stores it. Texts of facts and chunks are read again by id."""

    path: int  # from 1 on
    action: int  # within the path, from 1 on
    calls: int  # model calls made on this path
    max_calls: int
    question: str
    sub_questions: tuple[str, ...]
    plan: AnswerPlan
    start: str  # its name
    near: tuple[str, ...]  # ids of the facts that the ranker found for the question, best first
    ranked: tuple[str, ...]  # and ids of the elements
    node: PathNode  # to be read, or just read
    behind: PathNode | None  # the one read before it
    more: str  # the best fact of the node that was not shown; "" where there is none
    queue: tuple[str, ...]  # ids of chunks to be read
    notebook: tuple[Entry, ...]
    actions: tuple[str, ...]  # what the path did so far, oldest first
    need: str  # what is still to be found, as the model stated it
    error: str  # what was wrong with the choice before
    again: str  # the item whose material is shown again because of that error
    passed_over: tuple[str, ...] = ()  # ids of the node's neighbours that were offered with it and not chosen

    @classmethod
    def first(
        cls, path: int, start: Start, *, plan: RationalPlanResult, starts: StartsResult, max_calls: int
    ) -> PathState:
        """Return the initial state of a path."""
        return cls(
            path=path,
            action=1,
            calls=0,
            max_calls=max_calls,
            question=plan.question,
            sub_questions=plan.sub_questions,
            plan=plan.outline,
            start=start.name,
            near=starts.near,
            ranked=starts.ranked,
            node=PathNode(id=start.id, name=start.name, depth=0, parent=None, spelled=start.spelled),
            behind=None,
            more="",
            queue=(),
            notebook=(),
            actions=(),
            need="",
            error="",
            again="",
        )

    @property
    def item_id(self) -> str:
        """The id of the action's item."""
        return path_id(self.path, self.action)

    @property
    def reader(self) -> str:
        """The name under which this action reads: a second look uses that of the first."""
        return self.again or self.item_id

    @property
    def wanted(self) -> frozenset[str]:
        """The content words that the path looks for."""
        return question_terms(self.question, (*self.sub_questions, *self.plan.key_information))

    def may_leave(self, job: Job) -> bool:
        """Return whether a neighbour of the node, or more of the node itself, may be read."""
        params = QueryParams.read_stored(job.params)
        return bool(self.more) or (self.node.depth + 1 < params.max_depth and params.max_neighbours > 0)

    def material(self) -> Json:
        """Return the material that every prompt of a path is given."""
        return {
            "question": self.question,
            "sub_questions": list(self.sub_questions),
            "plan": self.plan.model_dump(mode="json"),
            "notebook": shown_notebook(self.notebook),
            "actions": list(self.actions),
            "calls_left": self.max_calls - self.calls,
            "error": self.error,
        }


class ActionResult(Frozen):
    """The result of an action of a path."""

    path: int
    action: int
    step: str  # check_facts, read_chunk or select_neighbour
    at: str  # the name of the node, or the title of the document, that it read
    decision: str
    calls: int  # of the model
    entries: tuple[Entry, ...]  # new in the notebook
    facts: tuple[QuotedFact, ...]  # behind them
    nodes: tuple[PathNode, ...]  # read for the first time
    embedded: int = 0  # calls of the embedder
    refused: int = 0  # what was chosen and not offered
    dropped: int = 0  # notes that their sources do not support
    need: str = ""
    reason: str = ""  # the model's, for the decision
    chunk: str = ""  # id of the one read
    error: str = ""  # what was wrong with the choice
    failed: str = ""  # why the model gave no reply
    why: str = ""  # the path ended, as the event path.ended tells; "" where it goes on


def path_id(path: int, action: int) -> str:
    """Return the item id of an action."""
    return f"path:{path}:{action}"


def path_of(item_id: str) -> int:
    """Return the number of the path that an action belongs to."""
    return int(item_id.split(":")[1])
