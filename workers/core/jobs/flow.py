"""Defines a flow: a kind of job as data and pure functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, cast

from hopline.models.base import Frozen
from hopline.models.jobs import Budget, JobState, Json
from workers.core.jobs.params import read_input
from workers.core.jobs.work import ChildResult, Done, End, Job, Outcome, Phase
from workers.core.ports import Ports

PAGE = "flow.page"
Results = Mapping[int, Sequence[Done]]  # phase number -> its items, done


Input = TypeVar("Input")
Record = TypeVar("Record", bound=Frozen)


@dataclass(frozen=True)
class Step(Generic[Input]):
    """The definition of a step: how it is run."""

    run: Callable[[Input, Ports], Outcome]
    # What it is run with, and what it brings. Without them it takes plain JSON.
    input: type[Input] | None = None
    result: type[Frozen] | None = None
    # What it does, in English, as people see it while it runs: "walking the graph". `python -m
    # infra.step_texts` brings it to the command line and the page.
    activity: str = ""
    queue: str = "interactive"
    # Of what waits in a queue 0 comes first, then 3, 6, 9: what finishes a job before what adds to many.
    priority: int = 0
    # Seconds, beside those of its model calls, until the item is taken for stuck and its worker is replaced.
    time_limit: float = 120.0
    # Servers that bulk work waits for while their breakers are open: neo4j, vectors, disk, model, embedding.
    needs: frozenset[str] = frozenset()

    def do(self, step_input: Json, ports: Ports) -> Outcome:
        """Run the step with a stored input.

        Raises:
            InvalidInput: the input is not valid for the step.
            TypeError: the step returned another type than it declares.
        """
        outcome = self.run(self._read(step_input), ports)
        if self.result and not outcome.delegate and not isinstance(outcome.result, self.result):
            raise TypeError(f"{self.run.__name__} brought {type(outcome.result).__name__}")
        return outcome

    def _read(self, step_input: Json) -> Any:
        if self.input is None:
            return step_input
        return read_input(self.input, step_input)  # type: ignore[type-var]  # a Frozen, where it is named


class Line(Frozen):
    """The data of a finished item that is kept after its result has left Redis."""

    status: str  # under which it is counted
    data: Json
    again: bool  # a retry does it again


@dataclass(frozen=True)
class Flow:
    """A kind of job. Phase 0 is `first`; when phase n is finished, `advance(n, …)` returns the next one."""

    kind: str
    params: type[Frozen]
    steps: Mapping[str, Step[Any]]
    first: Callable[[Job], Phase]
    advance: Callable[[int, Results, Job], Phase | End]
    cut_short: Callable[[Results, Job, str], End]  # the end with what there is, and why
    # Of the job's parameters, as `params` checks them.
    budget: Callable[[Any], Budget] = field(default=lambda _params: Budget())
    timeout: Callable[[Any], float | None] = field(default=lambda _params: None)  # seconds
    # Number of the last phase, which a deadline does not close early; phases before it are.
    last: int = 0
    # Steps of the last phase, where rounds make its number vary.
    writes: frozenset[str] = frozenset()
    # Steps that Celery's chain delivers one after another, from the first item on. The id of such an item,
    # and of a chord's body, is the last word of its step: plan, seed, synthesize.
    chain: tuple[str, ...] = ()
    # (header's step, body's step) of a phase that is published as a chord.
    chord: tuple[str, str] | None = None
    # Of a job of very many items: what is kept of a done one. Pages of these stand in a phase's results as
    # Dones of the step PAGE whose results are a PageResult (result_pages.py).
    line: Callable[[Done], Line] | None = None
    listed_steps: tuple[str, ...] = ()  # the steps of these items; results of others stay where they are
    shows: str = "documents"  # the list in its outcome, into which goes what of the pages a retry does again
    # Whether a used up budget pauses it, its children included, until it is raised; else its phase is closed.
    pauses: bool = False
    # Whether the worker that begins a small job does all its phases, without messages between them.
    composed: bool = False
    # Which flow a phase belongs to, by the results before it, where a first phase chooses one.
    chosen: Callable[[Results, int, Job], Flow | None] = field(default=lambda _results, _phase, _job: None)

    def may_close(self, phase: int, job: Job, results: Callable[[], Results]) -> bool:
        """Return whether a phase may be closed early: all but the last, which builds the outcome.

        The results are fetched only if the number of the last phase varies: a large job has many.
        """
        if not self.writes or phase == 0:
            return phase < self.last or bool(self.writes)
        before = {number: done for number, done in results().items() if number < phase}
        opened = self.advance(phase - 1, before, job)
        return isinstance(opened, End) or not any(item.step in self.writes for item in opened.items)

    def priority_of(self, step: str) -> int:
        """Return a step's priority; the flow's own advance has the highest, 0."""
        definition = self.steps.get(step)
        return definition.priority if definition else 0

    def queue_of(self, step: str) -> str:
        """Return a step's queue; the flow's own advance uses the queue of its first step."""
        definition = self.steps.get(step) or next(iter(self.steps.values()))
        return definition.queue


def why_failed(done: Done) -> str | None:
    """Return why an item (or the job it was delegated to) has no result; None if it has one."""
    child = ChildResult.read_stored(done.result)
    if done.error or child.state in (None, JobState.DONE):
        return done.error
    return str(child.outcome.get("error") or child.outcome.get("reason") or f"its job ended {child.state}")


def only_item(step: str) -> str:
    """Return the id of a step's only item in a job that Celery runs as a chain or chord."""
    return step.rpartition(".")[2]


def result_of(done: Done, kind: type[Record]) -> Record | None:
    """Return the result of a finished item; None if it failed permanently.

    Raises:
        ValidationError: the result is not of this kind.
    """
    if done.error:
        return None
    model = done.models.get(kind)
    if model is None:
        model = done.models[kind] = kind.read_stored(done.result)
    return cast("Record", model)


def done_of(results: Results, step: str) -> list[Done]:
    """Return the finished items of a step, over all phases, in order of phase."""
    return [done for phase in sorted(results) for done in results[phase] if done.step == step]
