"""Drives a flow as the runner does, without a server: items in any order, some dropped, some given up."""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence

from workers.core.answer import Answer, with_calls
from workers.core.ports import Ports
from workers.core.work import Done, End, Item, Phase
from workers.flows.flow import Flow


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
        self.events: list[str] = []
        self.seen: set[str] = set()

    def to_end(self) -> End:
        following: Phase | End = self.flow.first(self.job)
        while isinstance(following, Phase):
            assert len(self.phases) < 40, "the flow goes round in circles"
            number = len(self.phases)
            self.phases.append(following)
            self.results[number] = self.drained(following.items)
            following = self.flow.advance(number, self.results, self.job)
        told = with_calls(following.outcome)
        Answer.model_validate({"job_id": "j1", "status": following.state, **told})
        return following.model_copy(update={"outcome": told})

    def drained(self, items: Sequence[Item]) -> list[Done]:
        due: list[Item] = []
        done: list[Done] = []
        self._admit(items, due)
        while due:
            item = due.pop(self.random.randrange(len(due)))
            if item.step in self.dropped:
                continue
            if item.step in self.given_up:
                done.append(Done(item_id=item.id, step=item.step, result={}, error="given up"))
                continue
            outcome = self.flow.steps[item.step].run(item.input, self.ports)
            self.events += [event.name for event in outcome.events]
            done.append(Done(item_id=item.id, step=item.step, result=outcome.result))
            self._admit(outcome.children, due)
        return done

    def _admit(self, items: Sequence[Item], due: list[Item]) -> None:
        """Take in what the job has never seen, as the ledger does."""
        due += [item for item in items if item.id not in self.seen]
        self.seen.update(item.id for item in items)

    def steps_of(self, phase: int) -> list[str]:
        return sorted({item.step for item in self.phases[phase].items})
