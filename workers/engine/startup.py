"""Prepares a process for its work: migrates the graph, settles memory, warms query plans in a thread."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable
from contextlib import suppress

import structlog
from redis.exceptions import RedisError

from hopline.errors import DependencyAway, HoplineError, LoginRefused
from workers.core.errors import ModelRefusedSchema
from workers.core.graph.cypher import ReadLimits
from workers.core.models.tokens import count_tokens
from workers.core.prompts import load_prompt
from workers.core.redis_keys import WARM_UP
from workers.services import Services
from workers.traverse.schema import QuestionPlan

log = structlog.get_logger()

_AWAY_SECONDS = 2.0  # between two looks for a graph that is away
# Objects until the collector looks at the young ones, and how often it does so until it looks at older ones.
_YOUNG, _YOUNGER, _OLDER = 10_000, 20, 50
_GREETING = {"question": "Who built the bridge?", "history": []}  # of the first, small call of the model
_GREETING_TOKENS = 300
_NOWHERE = "default"  # a collection; what is asked of it is thrown away


def wait_for_graph(services: Services, seconds: float, pause: float = _AWAY_SECONDS) -> None:
    """Update the graph's constraints before the first item; wait if the graph is unavailable.

    Args:
        services: services of the starting process.
        seconds: maximum time to wait.
        pause: seconds between two attempts.

    Raises:
        DependencyAway: the graph did not become available in time, or refused the login for that long; the
            supervisor of this process starts another one.
    """
    deadline = time.monotonic() + seconds
    while True:
        try:
            services.graph.migrate()
        except DependencyAway as error:
            if time.monotonic() + pause > deadline and isinstance(error, LoginRefused):
                raise
            if time.monotonic() + pause > deadline:
                raise DependencyAway(f"Neo4j did not answer for {seconds:g} seconds: {error}") from error
            log.warning("graph.away", error=str(error))
            time.sleep(pause)
        else:
            return


def try_model(services: Services) -> None:
    """Make one small call to the model, and log whether the endpoint answers.

    The model's breaker opens or closes accordingly, so that status, page and command line show it too.
    """
    name = services.settings.fast_model
    prompt = load_prompt("workers.traverse", "plan").for_tools(())
    try:
        services.unpaid_model.ask(prompt, _GREETING, QuestionPlan, max_tokens=_GREETING_TOKENS)
    except ModelRefusedSchema as error:  # it is there, and may do better with another question
        log.warning("model.unfit", model=name, why=str(error))
    except HoplineError as error:
        log.warning("model.refused", model=name, why=str(error))
    else:
        log.info("model.answered", model=name)


def settle(services: Services) -> None:
    """Load what the first items need in the process itself, and settle its memory for serving.

    Args:
        services: services of the starting process.
    """
    _touch(lambda: count_tokens("warm"), lambda: services.model, lambda: services.vectors)
    _spare_collector()


def warm_up_beside(services: Services, *, questions: bool = True) -> threading.Thread:
    """Warm up in a thread while the process serves; return the thread. See `warm_up`."""
    thread = threading.Thread(
        target=warm_up, args=(services,), kwargs={"questions": questions}, daemon=True, name="warm-up"
    )
    thread.start()
    return thread


def warm_up(services: Services, *, questions: bool = True, turn_seconds: float = 120.0) -> None:
    """Query the servers as the first items do; processes take turns.

    All of them at once would keep a server that has just started from answering anybody. Errors are ignored:
    the work itself meets them again.

    Args:
        services: services of the starting process.
        questions: also have Neo4j plan all queries of questions. Just after Neo4j's own start this takes
            longer than everything else, so only processes that answer people do it.
        turn_seconds: time after which the next process continues if the previous one gives no sign of life.
    """
    started = time.monotonic()
    turn = services.redis.lock(WARM_UP, timeout=turn_seconds, thread_local=False)
    try:
        turn.acquire()
    except RedisError as error:
        log.warning("warm_up.left", error=str(error))
        return
    try:
        for touch in _touches(services, questions=questions):
            _touch(touch)
            turn.reacquire()
    except RedisError as error:  # its turn went to another, or nobody can have one now
        log.warning("warm_up.left", error=str(error))
        return
    with suppress(RedisError):
        turn.release()
    log.info("process.warm", seconds=round(time.monotonic() - started, 1))


def _touches(services: Services, *, questions: bool) -> tuple[Callable[[], object], ...]:
    graph, model, vectors = services.graph, services.model, services.vectors

    def check() -> None:
        vectors.check(_NOWHERE, model.embedder)

    if not questions:
        return (check,)
    return (
        check,
        lambda: vectors.search(_NOWHERE, model.embed(["warm"]), "chunk", 1),
        lambda: graph.nodes.elements_named(_NOWHERE, ["warm"]),
        lambda: graph.nodes.elements(_NOWHERE, ["warm"]),
        lambda: graph.nodes.read_node(_NOWHERE, "warm", max_facts=1, max_neighbours=1),
        lambda: graph.paths.facts_of(_NOWHERE, ["warm"], limit=1),
        lambda: graph.paths.read_chunk(_NOWHERE, "warm"),
        lambda: graph.paths.neighbours_of(_NOWHERE, ["warm"], limit=1),
        lambda: graph.paths.facts_held(_NOWHERE, ["warm"], limit=1),
        lambda: graph.nodes.chunks(_NOWHERE, ["warm"]),
        lambda: graph.nodes.fact_sources(_NOWHERE, ["warm"]),
        lambda: graph.store.documents_of(["warm"]),
        lambda: graph.around.size(_NOWHERE),
        lambda: graph.around.languages(_NOWHERE),
        lambda: graph.around.elements_found(_NOWHERE, ["warm"]),
        lambda: graph.around.facts_around(_NOWHERE, ["warm"], 1),
        lambda: graph.around.chunks_like(_NOWHERE, ["warm"], 1),
        lambda: graph.around.chunks_said(_NOWHERE, ["warm"], 1),
        lambda: services.toolbox.over(services.tool_ports(_NOWHERE)).descriptions(),
        lambda: services.reader.read("RETURN 1 AS warm", {}, ReadLimits(seconds=5.0)),
    )


def _touch(*touches: Callable[[], object]) -> None:
    for touch in touches:
        try:
            touch()
        except LoginRefused as error:
            log.warning("login.refused", error=str(error))
        except Exception as error:  # noqa: BLE001 - the work will say it where it matters
            log.debug("warm_up.failed", error=str(error))


def _spare_collector() -> None:
    """Keep the garbage collector from looking at what stays for good, and let it look less often.

    As Python sets it, it took an eighth of the processor time of searches: it looked at young objects four
    times a search, and once in a hundred searches for more than 0.1 s at all modules and drivers.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_YOUNG, _YOUNGER, _OLDER)
