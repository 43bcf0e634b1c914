"""Processor time of one visit and of one critic, by part: what each costs its worker, and its server."""

from __future__ import annotations

import time
from collections.abc import Callable

from tree import HALLS, QUESTION
from world import World

from hopline.models.jobs import Json, Usage
from workers.core import ids
from workers.core.jobs.params import QueryParams
from workers.core.jobs.records import Claim
from workers.core.jobs.work import Item, Job, Outcome, Phase
from workers.core.ports import Graph
from workers.critic.score import ScorableFact, ScoreInput, score_fact
from workers.ledger.budget import JobMeter
from workers.ledger.ledger import Ledger
from workers.services import Services
from workers.traverse.graph.visit import VisitInput, visit_node

_TIMES, _WARM = 150, 10


def processor_parts(world: World, services: Services, collection: str, run: Json) -> list[Json]:
    """Return {part, visit_ms, critic_ms, server_ms} each, in processor milliseconds per item.

    Args:
        world: whose servers are measured.
        services: adapters for this process.
        collection: a loaded tree.
        run: the row of a query's run. What an item took the workers there, and no part explains, is the
            broker's; a server's share is what it took there. A visit makes no vector query (docs/adr/0011).
    """
    world.model(chat={"latency": 0.0})
    params = QueryParams(question=QUESTION).model_dump(mode="json")
    job = Job(id=ids.job_id(), kind="query", collection=collection, params=params, root="")
    services.ledger.submit(job, Phase(items=tuple(_item(n) for n in range(_TIMES + _WARM))))
    meter = JobMeter(services.ledger.scripts, job.id)
    ports = services.ports(job, meter)
    visit, critic = _visit_input(collection), _critic_input()
    booking = _measured(lambda: _book(meter))
    ledger = _measured(_items_done(services.ledger, job)) + booking
    graph = _measured(lambda: _read(ports.graph, collection, visit.node_id))
    visit_model = _measured(lambda: visit_node(visit, ports)) - graph - booking
    critic_model = _measured(lambda: score_fact(critic, ports)) - booking
    server = run["cpu_ms_per_item"]
    visits = run["visits"] / run["items"]
    workers = sum(ms for name, ms in server.items() if "worker" in name)
    broker = workers - ledger - visits * (graph + visit_model) - (1 - visits) * critic_model
    return [
        _row("ledger: items and budget", ledger, ledger, None),
        _row("Neo4j", graph, None, server["neo4j"]),
        _row("vectors", None, None, server["vectors"]),
        _row("model client and step", visit_model, critic_model, server["model"]),
        _row("broker: Celery, kombu, events", broker, broker, None),
        _row("Redis, for ledger and broker", None, None, server["redis"]),
    ]


def _row(part: str, visit: float | None, critic: float | None, server: float | None) -> Json:
    shown = {"visit_ms": visit, "critic_ms": critic, "server_ms": server}
    return {"part": part, **{name: None if ms is None else round(ms, 2) for name, ms in shown.items()}}


def _measured(call: Callable[[], object]) -> float:
    """Return this process's processor milliseconds of one call, after a few to warm up."""
    for _ in range(_WARM):
        call()
    before = time.process_time()
    for _ in range(_TIMES):
        call()
    return 1000 * (time.process_time() - before) / _TIMES


def _read(graph: Graph, collection: str, node: str) -> object:
    return graph.nodes.read_node(collection, node, max_facts=80, max_neighbours=40)


def _item(number: int) -> Item:
    return Item(id=f"visit:{number}", step="traverse.visit", input={"n": number})


def _items_done(ledger: Ledger, job: Job) -> Callable[[], object]:
    numbers = iter(range(_TIMES + _WARM))

    def finish_item() -> object:
        claim = Claim(job_id=job.id, epoch=1, item_id=f"visit:{next(numbers)}", token="bench")  # noqa: S106
        ledger.begin(claim, want_job=False)
        return ledger.finish(claim, Outcome(result={"facts": ["x" * 300]}), 0.2, Usage(model_calls=1))

    return finish_item


def _book(meter: JobMeter) -> None:
    call = ids.job_id()
    meter.reserve(call, 1000)
    meter.settle(call, Usage(model_calls=1, prompt_tokens=500, completion_tokens=50))


def _visit_input(collection: str) -> VisitInput:
    name = HALLS[0].casefold()
    return VisitInput(
        node_id=ids.element_id(collection, name),
        name=name,
        depth=0,
        parent=None,
        path=(),
        question=QUESTION,
        sub_questions=(),
        guide="",
        read=(),
    )


def _critic_input() -> ScoreInput:
    """Return as many facts as one task takes by default."""
    facts = [
        f"A brass lamp hangs in {hall}." for hall in HALLS[: QueryParams(question=QUESTION).facts_per_critic]
    ]
    first, *others = (ScorableFact(fact=fact, title="Halls", quote=fact) for fact in facts)
    return ScoreInput(question=QUESTION, sub_questions=(), others=tuple(others), **first.model_dump())
