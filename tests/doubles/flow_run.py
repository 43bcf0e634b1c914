"""Drives a flow as the runner does, without a server: items in any order, some dropped, some given up."""

import random
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

from pydantic import BaseModel

from doubles.library import Library, Script, ScriptedModel, ports_for
from doubles.vectors import MemoryVectors
from hopline.models.answers import Answer
from hopline.models.jobs import JobState
from workers.core.answers.answer import with_calls
from workers.core.graph.paths import OwnReads
from workers.core.jobs.flow import Flow
from workers.core.jobs.work import Done, End, Event, Item, Phase, as_json
from workers.core.ports import Ports


class FlowRun:
    """One job from its first phase to its end.

    Args:
        flow: of the ports' job.
        ports: what its steps may use.
        seed: of the order in which items are done.
        given_up: steps whose items end as dead letters.
        dropped: steps whose items a closed phase drops.
    """

    def __init__(
        self,
        flow: Flow,
        ports: Ports,
        *,
        seed: int = 0,
        given_up: Collection[str] = (),
        dropped: Collection[str] = (),
    ) -> None:
        self.flow, self.ports, self.job = flow, ports, ports.job
        self.random, self.given_up, self.dropped = random.Random(seed), given_up, dropped
        self.results: dict[int, list[Done]] = {}
        self.phases: list[Phase] = []
        self.events: list[Event] = []
        self.closed: list[str] = []  # why phases ended early
        self.seen: set[str] = set()

    def to_end(self) -> End:
        """Drive it from its first phase, each time again but for what was read."""
        self.results, self.phases, self.seen = {}, [], set()
        following: Phase | End = self.flow.first(self.job)
        while isinstance(following, Phase):
            assert len(self.phases) < 40, "the flow goes round in circles"
            number = len(self.phases)
            self.phases.append(following)
            self.results[number] = self.drained(following.items, following.caps)
            following = self.flow.advance(number, self.results, self.job)
        return self.read(following)

    def read(self, end: End) -> End:
        outcome = with_calls(end.outcome)
        shown = {name: value for name, value in outcome.items() if name != "rests_on"}
        Answer.model_validate({"job_id": "j1", "status": end.state, **shown})
        return end.model_copy(update={"outcome": outcome})

    def drained(self, items: Sequence[Item], caps: Mapping[str, int] | None = None) -> list[Done]:
        """Do the items and their children, at most so many of a step as its cap says."""
        room = Counter(caps or {})
        due: list[Item] = []
        done: list[Done] = []
        self._admit(items, due, room)
        while due:
            item = due.pop(self.random.randrange(len(due)))
            if item.step in self.dropped:
                continue
            if item.step in self.given_up:
                done.append(Done(item_id=item.id, step=item.step, result={}, error="given up"))
                continue
            outcome = self.flow.steps[item.step].do(item.input, self.ports)
            self.events += outcome.events
            done.append(Done(item_id=item.id, step=item.step, result=as_json(outcome.result)))
            if outcome.given_back:
                assert isinstance(self.ports.reads, OwnReads)
                self.ports.reads.give_back(outcome.given_back)
            if outcome.notes:
                assert isinstance(self.ports.reads, OwnReads)
                self.ports.reads.share(outcome.notes)
            if outcome.close:
                self.closed.append(outcome.close)
                due.clear()  # as if nobody worked on the others
            else:
                self._admit(outcome.children, due, room)
        return done

    def _admit(self, items: Sequence[Item], due: list[Item], room: Counter[str]) -> None:
        """Take in what the job has never seen and its step has room for, as the ledger does."""
        for item in items:
            if item.id in self.seen or (item.step in room and room[item.step] < 1):
                continue
            if item.step in room:
                room[item.step] -= 1
            self.seen.add(item.id)
            due.append(item)

    def steps_of(self, phase: int) -> list[str]:
        return sorted({item.step for item in self.phases[phase].items})

    def with_history(self, *turns: tuple[str, str]) -> Self:
        """Begin as a session does that has these turns of question and answer."""
        (first,) = self.flow.first(self.job).items
        history = [{"question": question, "answer": answer} for question, answer in turns]
        opened = Phase(items=(first.model_copy(update={"input": {**first.input, "history": history}}),))
        self.flow = replace(self.flow, first=lambda _job: opened)
        return self


class QueryRun(FlowRun):
    """One question over a library in memory, with a model that says what a script says.

    Args:
        library: what is searched; `held` unless given.
        script: what the model says here and not as in `replies`.
        seed: of the order in which items are done.
        given_up: steps whose items end as dead letters.
        dropped: steps whose items a closed phase drops.
        params: of the question, beside `asks`.
    """

    query: ClassVar[Flow]
    asks: ClassVar[Mapping[str, Any]]
    replies: ClassVar[Mapping[type[BaseModel], Script]]
    cites: ClassVar[bool] = True  # whether every answer cites something

    def __init__(
        self,
        library: Library | None = None,
        script: Mapping[type[BaseModel], Script] | None = None,
        *,
        seed: int = 0,
        given_up: Collection[str] = (),
        dropped: Collection[str] = (),
        **params: Any,
    ) -> None:
        fields = self.query.params.model_validate({**self.asks, **params}).model_dump()
        self.model = ScriptedModel({**self.replies, **(script or {})})
        held = self.held() if library is None else library
        ports = ports_for(held, self.model, MemoryVectors(), **fields)
        super().__init__(self.query, ports, seed=seed, given_up=given_up, dropped=dropped)

    @classmethod
    def held(cls) -> Library:
        """Return what is searched unless a library is given."""
        return Library()

    def to_end(self) -> End:
        end = super().to_end()
        assert not (self.cites and end.state is JobState.DONE and not end.outcome["citations"])
        return end

    def asked(self, name: str) -> list[Any]:
        """Return what the model was given with a prompt, call by call."""
        return [material for prompt, _tier, material in self.model.asked if prompt == name]
