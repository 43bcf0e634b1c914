"""Processor time of one visit and of one critic, by part: what each costs its worker, and its server."""

from __future__ import annotations

import time
from collections.abc import Callable

import psutil
from tree import HALLS, QUESTION
from world import World

from workers.core import ids
from workers.core.params import QueryParams
from workers.core.work import Item, Job, Json, Outcome, Phase, Usage
from workers.critic.score import score_fact
from workers.ledger.budget import JobMeter
from workers.ledger.ledger import Claim, Ledger
from workers.services import Services
from workers.traverse.visit import visit_node

_TIMES = 150
_BROKER = "broker (Celery, kombu, events)"


def processor_parts(world: World, services: Services, collection: str, worker_ms: float) -> list[Json]:
    """Return {part, visit_ms, critic_ms, server_ms} each, in processor milliseconds per item.

    Args:
        world: whose servers are measured.
        services: adapters for this process.
        collection: a loaded tree.
        worker_ms: what an item took all workers in the query's run; what no part explains is the broker's.
    """
    world.model(chat={"latency": 0.0})
    job = Job(
        id=ids.job_id(),
        kind="query",
        collection=collection,
        params=QueryParams(question=QUESTION).model_dump(mode="json"),
        root="",
    )
    services.ledger.submit(job, Phase(items=tuple(_item(n) for n in range(2 * _TIMES + 20))))
    meter = JobMeter(services.ledger.scripts, job.id)
    ports = services.ports(job, meter)
    visit, critic = _visit_input(collection), _critic_input()
    node = visit["node_id"]
    ledger = _measured(world, "redis", _items_done(services.ledger, job))
    graph = _measured(
        world, "neo4j", lambda: ports.graph.read_node(collection, node, max_facts=80, max_neighbours=40)
    )
    whole_visit = _measured(world, "model", lambda: visit_node(visit, ports))
    whole_critic = _measured(world, "model", lambda: score_fact(critic, ports))
    metering = _measured(world, "redis", lambda: _booked(meter))
    visit_model = whole_visit[0] - graph[0] - metering[0]
    critic_model = whole_critic[0] - metering[0]
    known = (ledger[0] + metering[0] + graph[0] / 2 + (visit_model + critic_model) / 2) if worker_ms else 0.0
    broker = max(0.0, worker_ms - known)
    return [
        _row(
            "ledger (items and budget)",
            ledger[0] + metering[0],
            ledger[0] + metering[0],
            ledger[1] + metering[1],
        ),
        _row("Neo4j", graph[0], 0.0, graph[1]),
        _row("vectors", 0.0, 0.0, 0.0),
        _row("model client and step", visit_model, critic_model, (whole_visit[1] + whole_critic[1]) / 2),
        _row(_BROKER, broker, broker, None),
    ]


def _row(part: str, visit: float, critic: float, server: float | None) -> Json:
    return {
        "part": part,
        "visit_ms": round(visit, 2),
        "critic_ms": round(critic, 2),
        "server_ms": None if server is None else round(server, 2),
    }


def _measured(world: World, server: str, call: Callable[[], object]) -> tuple[float, float]:
    """Return (this process's, the server's) processor milliseconds of one call, after a few to warm up."""
    for _ in range(10):
        call()
    process = psutil.Process(world.running[server].pid)
    mine, theirs = time.process_time(), sum(process.cpu_times()[:2])
    for _ in range(_TIMES):
        call()
    spent = time.process_time() - mine, sum(process.cpu_times()[:2]) - theirs
    return 1000 * spent[0] / _TIMES, 1000 * spent[1] / _TIMES


def _item(number: int) -> Item:
    return Item(id=f"visit:{number}", step="traverse.visit", input={"n": number})


def _items_done(ledger: Ledger, job: Job) -> Callable[[], object]:
    numbers = iter(range(2 * _TIMES))

    def one() -> object:
        claim = Claim(job_id=job.id, epoch=1, item_id=f"visit:{next(numbers)}", token="bench")  # noqa: S106
        ledger.begin(claim, want_job=False)
        return ledger.finish(claim, Outcome(result={"facts": ["x" * 300]}), 0.2, Usage(model_calls=1))

    return one


def _booked(meter: JobMeter) -> object:
    call = ids.job_id()
    meter.reserve(call, 1000)
    return meter.settle(call, Usage(model_calls=1, prompt_tokens=500, completion_tokens=50))


def _visit_input(collection: str) -> Json:
    name = HALLS[0].casefold()
    return {
        "node_id": ids.element_id(collection, name),
        "name": name,
        "depth": 0,
        "parent": None,
        "path": [],
        "question": QUESTION,
        "sub_questions": [],
        "near": [],
        "read": [],
    }


def _critic_input() -> Json:
    fact = f"A brass lamp hangs in {HALLS[0]}."
    return {"question": QUESTION, "sub_questions": [], "fact": fact, "title": "Halls", "quote": fact}
