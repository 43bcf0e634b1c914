"""A path of the reader strategy: a chain of actions, each an item with the path's state as input."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from hopline.errors import Permanent
from hopline.events.questions import PathEnded, PathMoved
from workers.core.answers.lexical_rank import terms
from workers.core.jobs.work import GivenBack, Item, Outcome
from workers.core.ports import Ports
from workers.core.prompts import load_prompt
from workers.traverse.reader.notebook import Entry, Noted, notes_of_others, shared, shown_notebook
from workers.traverse.reader.records import ActionResult, PathNode, PathState
from workers.traverse.reader.schema import ChunkNotes, FactNotes, NeighbourChoice

CHECK_FACTS: Final = "traverse.check_facts"
READ_CHUNK: Final = "traverse.read_chunk"
SELECT_NEIGHBOUR: Final = "traverse.select_neighbour"
_NAMES = {
    CHECK_FACTS: "check_facts",
    READ_CHUNK: "read_chunk",
    SELECT_NEIGHBOUR: "select_neighbour",
}
_REPLY_TOKENS = 1536
_NEED = 300  # characters
_LINE = 200  # characters of one action as later prompts tell it
_SHOWN = 120  # characters of a note in events
Reply = TypeVar("Reply", FactNotes, ChunkNotes, NeighbourChoice)


@dataclass
class Move:
    """The result of an action, for its events and later prompts."""

    step: str
    at: str  # the name of the node, or the title of the document, that it read
    decision: str = ""
    reason: str = ""  # the model's, for the decision; told and used for nothing
    noted: Noted = field(default_factory=Noted)
    need: str = ""
    asked: int = 0  # calls of the model
    embedded: int = 0  # calls of the embedder
    refused: int = 0  # what was chosen and not offered
    left: tuple[str, ...] = ()  # ids of facts and chunks that were to be read and another path reads
    others: tuple[Entry, ...] = ()  # notes of other paths that the model was shown
    node: PathNode | None = None  # read by this action
    chunk: str = ""  # read by this action
    taken: tuple[str, ...] = ()  # ids of all that nobody else reads now
    given_back: tuple[str, ...] = ()  # of these, what others may read after all
    error: str = ""
    failed: str = ""

    @property
    def name(self) -> str:
        """The step's name in prompts, events and results; also the name of its prompt."""
        return _NAMES[self.step]


def ask(
    state: PathState,
    move: Move,
    ports: Ports,
    reply: type[Reply],
    material: Mapping[str, Any],
    then: Callable[[Reply], Outcome],
) -> Outcome:
    """Call the fast model once and continue with its reply.

    If the model fails for good, only this path ends; what it was to be shown is released to other paths.
    """
    move.asked = 1
    wanted = state.wanted | terms(state.need)
    notes = ports.reads.notes(state.reader)
    move.others = notes_of_others(notes, state.path, state.notebook, wanted, move.left)
    full_material = {**state.material(), "others": shown_notebook(move.others, "o"), **material}
    prompt = load_prompt("workers.traverse.reader", move.name)
    try:
        answer = ports.model.ask(prompt, full_material, reply, max_tokens=_REPLY_TOKENS)
    except Permanent as error:
        move.failed = str(error)[:300]
        move.given_back = move.taken
        return leave(state, move, "failed")
    move.reason = answer.value.reason
    return then(answer.value)


def leave(state: PathState, move: Move, why: str) -> Outcome:
    """End the path; if it has found the complete answer, let the other paths finish."""
    if why == "complete" and not (state.notebook or move.noted.entries or move.others):
        why = "terminated"  # nothing noted answers nothing, whatever the model says
    ended = PathEnded(
        path=state.path,
        action=state.action,
        why=why,
        notebook=len(state.notebook) + len(move.noted.entries),
        calls=state.calls + move.asked,
        reason=move.failed or None,
    )
    return Outcome(
        result=_result(state, move, why),
        events=(_moved(state, move), ended),
        close=f"path {state.path} has found the complete answer" if why == "complete" else None,
        given_back=_build_given_back(state, move),
        notes=shared(state.path, move.noted.entries),
    )


def go_on(state: PathState, move: Move, step: str, **changes: Any) -> Outcome:
    """Return the action's result with the path's next action, unless its model calls are used up."""
    calls = state.calls + move.asked
    if calls >= state.max_calls:
        return leave(state, move, "calls")
    following = {
        "action": state.action + 1,
        "calls": calls,
        "notebook": (*state.notebook, *move.noted.entries),
        "actions": (
            *state.actions,
            f"{move.name}({move.at}): {move.decision}"[:_LINE],
            *(line[:_LINE] for line in move.noted.refused),
        ),
        "need": " ".join(move.need.split())[:_NEED] or state.need,
        "error": "",
        "again": "",
        **changes,
    }
    after = state.model_copy(update=following)
    return Outcome(
        result=_result(state, move),
        children=(Item(id=after.item_id, step=step, input=after),),
        events=(_moved(state, move),),
        given_back=_build_given_back(state, move),
        notes=shared(state.path, move.noted.entries),
    )


def go_to_neighbours(state: PathState, move: Move, ports: Ports, **changes: Any) -> Outcome:
    """Go on to the choice of a neighbour; end the path as exhausted if none may be read."""
    if not state.model_copy(update=changes).may_leave(ports.job):
        return leave(state, move, "exhausted")
    return go_on(state, move, SELECT_NEIGHBOUR, **changes)


def go_to_chunks(state: PathState, move: Move, ports: Ports, queue: Sequence[str], **changes: Any) -> Outcome:
    """Go on to the chunks that are still unread; if none is left, to the neighbours.

    Starting an action only to find this out would cost as much as three such queries.
    """
    read = ports.reads.by_others(state.reader, queue)
    left = tuple(chunk for chunk in queue if chunk not in read)
    if not left:
        move.decision += ": read already"
        return go_to_neighbours(state, move, ports, queue=(), **changes)
    return go_on(state, move, READ_CHUNK, queue=left, **changes)


def wrong(state: PathState, move: Move, error: str) -> Outcome:
    """Handle a choice that does not exist: the model is shown the error once, then the path ends."""
    move.error = error[:_NEED]
    if state.error:
        return leave(state, move, "wrong")
    return go_on(state, move, move.step, error=move.error, again=state.item_id)


def _build_given_back(state: PathState, move: Move) -> GivenBack | None:
    return GivenBack(reader=state.reader, names=move.given_back) if move.given_back else None


def _result(state: PathState, move: Move, why: str = "") -> ActionResult:
    return ActionResult(
        path=state.path,
        action=state.action,
        step=move.name,
        at=move.at,
        decision=move.decision,
        calls=move.asked,
        entries=move.noted.entries,
        facts=move.noted.facts,
        nodes=(move.node,) if move.node else (),
        embedded=move.embedded,
        refused=move.refused,
        dropped=move.noted.dropped,
        need=move.need[:_NEED],
        reason=move.reason,
        chunk=move.chunk,
        error=move.error,
        failed=move.failed,
        why=why,
    )


def _moved(state: PathState, move: Move) -> PathMoved:
    return PathMoved(
        path=state.path,
        action=state.action,
        step=move.name,
        at=move.at,
        decision=move.decision,
        reason=move.reason,
        noted=tuple(entry.text[:_SHOWN] for entry in move.noted.entries),
        notebook=len(state.notebook) + len(move.noted.entries),
        need=move.need[:_SHOWN],
        calls=state.calls + move.asked,
        refused=move.refused,
        error=move.error or move.failed,
    )
