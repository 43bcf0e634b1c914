"""The named reference of a query: its steps called one after another in this process, without a ledger."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

from hopline.models.jobs import Json
from workers.adapters.openai.calls import Unmetered
from workers.core.graph.paths import OwnReads
from workers.core.jobs.flow import Flow
from workers.core.jobs.work import Done, End, Item, Job, Phase, as_json
from workers.services import Services


def seconds_in_sequence(services: Services, flow: Flow, collection: str, fields: Json) -> float:
    """Return the seconds that a flow's steps take when one is called after another."""
    params = flow.params.model_validate(fields).model_dump(mode="json")
    job = Job(id="sequence", kind=flow.kind, collection=collection, params=params, root="sequence")
    reads = OwnReads()
    started = time.perf_counter()
    results: dict[int, list[Done]] = {}
    phase = 0
    following: Phase | End = flow.first(job)
    while not isinstance(following, End):
        results[phase] = list(_phase(services, flow, job, list(following.items), reads))
        following = flow.advance(phase, results, job)
        phase += 1
    return time.perf_counter() - started


def _phase(services: Services, flow: Flow, job: Job, waiting: list[Item], reads: OwnReads) -> Iterator[Done]:
    seen = set()
    while waiting:
        item = waiting.pop(0)
        if item.id in seen:
            continue
        seen.add(item.id)
        ports = replace(services.ports(job, Unmetered()), reads=reads)
        outcome = flow.steps[item.step].do(item.input, ports)
        waiting += outcome.children
        yield Done(item_id=item.id, step=item.step, result=as_json(outcome.result))
