"""Probes each server and worker for its state and version."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from http import HTTPStatus
from importlib.metadata import version as installed
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal

import redis

from hopline.certificates import distrust, tls_context
from hopline.errors import REFUSES_LOGIN
from hopline.models.answers import STAND_IN
from hopline.models.base import Frozen
from hopline.secrets import scrubbed
from workers.adapters.openai.address import ModelEndpoint, shown_address
from workers.adapters.qdrant.register import REGISTER, embedder_of, entry_id
from workers.adapters.redis.client import probing_client
from workers.core.graph.vectors import Embedder
from workers.core.redis_address import without_secrets
from workers.ledger.schedules import ScheduleBook
from workers.settings import Settings
from workers.telemetry.presence import had_worker, workers_there
from workers.telemetry.queues import OCR, QUEUES, SUBMISSIONS, messages_waiting

if TYPE_CHECKING:
    import httpx

_SECONDS = 3.0  # for each server to answer
_LOADING = Lock()  # of the driver: threads that import its modules side by side may meet one half loaded
NO_WORKER = "no worker takes from this queue"
OPTIONAL = (OCR, SUBMISSIONS)  # queues that not every deployment needs a worker for
LOCKED = "lets nobody in"  # how what the API says of itself begins where it does


class NotThereError(Exception):
    """No running process provides a service that is needed."""


class PartStatus(Frozen):
    """The status of one server, queue of workers, or view."""

    name: str
    state: Literal["up", "down"]
    address: str = ""  # without password and keys
    version: str = ""
    detail: str = ""  # what it says of itself, or why it is down

    def __str__(self) -> str:
        return f"{self.name}: {self.state}, {self.address} {self.version} {self.detail}".rstrip()


Answer = tuple[str, str]  # version, detail


def probe_all(settings: Settings) -> list[PartStatus]:
    """Probe every part that the settings name, in parallel, because absent parts take seconds."""
    servers = list(_server_parts(settings))
    views = list(_views(settings))
    with ThreadPoolExecutor(len(servers) + len(views) + 2) as pool:
        probes = [pool.submit(_probe, *server) for server in servers]
        workers, beat = pool.submit(_workers, settings), pool.submit(_beat, settings)
        shown = [pool.submit(_probe, *view) for view in views]
    working = [*workers.result(), beat.result()]
    return [*(probe.result() for probe in probes), *working, *(probe.result() for probe in shown)]


def _server_parts(settings: Settings) -> Iterator[tuple[str, str, Callable[[], Answer]]]:
    addresses = {
        "redis": without_secrets(settings.redis_url.get_secret_value()),
        "neo4j": settings.neo4j_url,
        "vectors": settings.qdrant_url,
        "model": shown_address(settings.model_url),
    }
    for name, ask in server_probes(settings).items():
        yield name, addresses[name], ask
    yield from _further_probes(settings)


def _views(settings: Settings) -> Iterator[tuple[str, str, Callable[[], Answer]]]:
    if settings.api_url:
        yield "api", settings.api_url, lambda: _api(settings)
    if settings.flower_url:
        yield "flower", settings.flower_url, lambda: _flower(settings)


def server_probes(settings: Settings) -> dict[str, Callable[[], Answer]]:
    """Return a probe of version and detail for each server that work needs; it raises if it is away."""
    redis_url = settings.redis_url.get_secret_value()
    return {
        "redis": lambda: probe_redis(redis_url),
        "neo4j": lambda: _neo4j(*settings.own_login, settings.ca_file),
        "vectors": lambda: _vectors(settings),
        "model": lambda: _chat_models(settings),
    }


def _further_probes(settings: Settings) -> Iterator[tuple[str, str, Callable[[], Answer]]]:
    """Yield (name, address, probe) of optional servers."""
    if settings.broker_address != settings.redis_url.get_secret_value():
        broker = settings.broker_address
        yield "broker", without_secrets(broker), lambda: probe_redis(broker)
    if settings.tools_neo4j_url:
        yield "tools", settings.tools_neo4j_url, lambda: _neo4j(*settings.tools_login, settings.ca_file)
    if settings.embedding_url and settings.embedding_url != settings.model_url:
        key = settings.embedding_key or settings.model_key
        address = shown_address(settings.embedding_url)
        where = ModelEndpoint(
            url=settings.embedding_url, key=key.get_secret_value(), ca_file=settings.ca_file
        )
        yield "embeddings", address, lambda: _models(where)


def _probe(name: str, address: str, ask: Callable[[], Answer]) -> PartStatus:
    try:
        version, detail = ask()
    except Exception as error:  # noqa: BLE001 - whatever a client raises, the part does not answer
        return PartStatus(
            name=name,
            state="down",
            address=address,
            detail=refused_login(error) or _first_line(error),
        )
    return PartStatus(name=name, state="up", address=address, version=version, detail=detail)


def refused_login(error: BaseException) -> str:
    """Return how a server refused the login; "" if the error is a different one."""
    with _LOADING:
        from workers.adapters.neo4j.errors import refused_login as by_neo4j  # noqa: PLC0415 - loads the driver

    if isinstance(error, redis.AuthenticationError | redis.exceptions.AuthorizationError):
        return REFUSES_LOGIN
    return by_neo4j(error)


def _first_line(error: Exception) -> str:
    lines = scrubbed(distrust(error) or str(error)).strip().splitlines()
    return (lines[0] if lines else type(error).__name__)[:200]


def probe_redis(url: str) -> Answer:
    """Return version and detail of a Redis; raise an error if it is away."""
    with probing_client(url, _SECONDS) as client:
        info = client.info()
    check_takes(info)
    durable = "append-only file on" if info.get("aof_enabled") else "append-only file OFF"
    version = info.get("valkey_version", info["redis_version"])  # Valkey's redis_version is not its own
    return str(version), f"{info['used_memory_human']} used, {durable}"


def check_takes(info: dict[str, Any]) -> None:
    """Raise an error if a Redis answers but cannot write because its memory or disk is full."""
    if 0 < int(info.get("maxmemory", 0)) <= int(info.get("used_memory", 0)):
        raise redis.OutOfMemoryError(f"its memory is full: {info['used_memory_human']} used")
    if info.get("aof_last_write_status", "ok") != "ok":
        raise redis.ResponseError("it cannot write its append-only file: is the disk full?")


def _neo4j(url: str, user: str, password: str, ca_file: Path | None) -> Answer:
    with _LOADING:  # the import takes a quarter of a second, while other probes run
        from workers.adapters.neo4j.connection import open_driver  # noqa: PLC0415

    limits = {"connection_timeout": _SECONDS, "connection_acquisition_timeout": _SECONDS}
    with open_driver(url, user, password, ca_file, **limits) as driver:
        driver.verify_authentication((user, password))
        return driver.get_server_info().agent.removeprefix("Neo4j/"), ""


@cache
def _http(ca_file: Path | None) -> httpx.Client:
    """Return the HTTP client that all probes share, because reading certificates takes long."""
    import httpx  # noqa: PLC0415 - as the driver

    limits = httpx.Limits(max_keepalive_connections=0)
    trust = tls_context(ca_file)
    return httpx.Client(timeout=_SECONDS, follow_redirects=True, limits=limits, verify=trust)


def _get(settings: Settings, url: str, **headers: str) -> httpx.Response:
    return _http(settings.ca_file).get(url, headers=headers).raise_for_status()


def _vectors(settings: Settings) -> Answer:
    key = settings.qdrant_api_key
    body = _get(settings, settings.qdrant_url, **({"api-key": key.get_secret_value()} if key else {})).json()
    return str(body.get("version", "")), str(body.get("title", ""))


def _chat_models(settings: Settings) -> Answer:
    key = settings.model_key.get_secret_value()
    where = ModelEndpoint(url=settings.model_url, key=key, ca_file=settings.ca_file)
    version, names = _models(where)
    used = f"answers are written by {settings.strong_model}"
    if settings.strong_model == STAND_IN:
        used += ", the built-in stand-in, which only copies sentences"
    return version, f"{used}; there are: {names}"


def _models(where: ModelEndpoint) -> Answer:
    # Azure lists what there is beside its deployments, not below one.
    base = where.base.partition("/deployments/")[0]
    answer = _http(where.ca_file).get(f"{base}/models", params=where.query, headers=where.headers)
    body = _accepted(answer).json()
    names = [str(model.get("id")) for model in body.get("data", [])]
    return "", ", ".join(names[:5])


def _accepted(answer: httpx.Response) -> httpx.Response:
    """Return the response; raise its status error without the secrets in its address."""
    if answer.is_success:
        return answer
    import httpx  # noqa: PLC0415 - loads slowly

    where = shown_address(str(answer.url))
    raise httpx.HTTPStatusError(
        f"{answer.status_code} {answer.reason_phrase} for {where}", request=answer.request, response=answer
    )


def _api(settings: Settings) -> Answer:
    url = settings.api_url.rstrip("/")
    _get(settings, f"{url}/health/live")
    return installed("hopline"), _entrance(_http(settings.ca_file).get(f"{url}/v1/about"))


def _entrance(answer: httpx.Response) -> str:
    """Say who may use the API, judging by its response to a request without a key."""
    if answer.is_success:
        return "with the page at /; no key is needed"
    if answer.status_code == HTTPStatus.UNAUTHORIZED and "none any more" not in answer.text:
        return "with the page at /; asks for an API key"
    try:
        why = str(answer.json()["detail"])
    except (ValueError, LookupError, TypeError):
        why = f"status {answer.status_code}"
    return f"{LOCKED}: {why}"


def _flower(settings: Settings) -> Answer:
    login = f"{settings.flower_user}:{settings.flower_password.get_secret_value()}"
    shown = {"Authorization": f"Basic {b64encode(login.encode()).decode()}"}
    _get(settings, f"{settings.flower_url.rstrip('/')}/healthcheck", **shown)
    return installed("flower"), f"user {settings.flower_user}"


def embedder_in_use(settings: Settings) -> Embedder:
    """Return the embedder's name and dimension, by embedding one word.

    Raises:
        httpx.HTTPError: its endpoint does not answer as it should.
        ValueError, LookupError, TypeError: its response contains no vector.
    """
    key = (settings.embedding_key or settings.model_key).get_secret_value()
    where = ModelEndpoint(url=settings.embedding_url or settings.model_url, key=key)
    answer = _http(settings.ca_file).post(
        where.base + where.path("/embeddings", settings.embedding_model),
        params=where.query,
        headers=where.headers,
        json={**settings.embedding_body, "model": settings.embedding_model, "input": ["word"]},
    )
    vector = _accepted(answer).json()["data"][0]["embedding"]
    return Embedder(name=settings.embedding_model, dimension=len(vector))


def embedders_of(settings: Settings, collections: Sequence[str]) -> dict[str, Embedder]:
    """Return the embedder of each collection that has vectors.

    Raises:
        httpx.HTTPError: the vector store does not answer as it should.
        ValueError, LookupError, TypeError: its response has an unexpected form.
    """
    key = settings.qdrant_api_key
    answer = _http(settings.ca_file).post(
        f"{settings.qdrant_url.rstrip('/')}/collections/{REGISTER}/points",
        headers={"api-key": key.get_secret_value()} if key else {},
        json={"ids": [entry_id(name) for name in collections], "with_payload": True},
    )
    if answer.status_code == HTTPStatus.NOT_FOUND:
        return {}
    payloads = [point["payload"] for point in answer.raise_for_status().json()["result"]]
    return {payload["collection"]: embedder_of(payload) for payload in payloads}


def _workers(settings: Settings) -> list[PartStatus]:
    try:
        serving = _present_workers(settings)
    except Exception as error:  # noqa: BLE001 - Celery passes on whatever its broker's client raises
        names = (*QUEUES, SUBMISSIONS)
        return [PartStatus(name=f"worker {name}", state="down", detail=_first_line(error)) for name in names]
    return [_serving(settings, name, sorted(nodes)) for name, nodes in serving.items()]


def _present_workers(settings: Settings) -> dict[str, list[str]]:
    """Return the workers of each queue, as they report themselves, or else as Celery finds them."""
    with probing_client(settings.redis_url.get_secret_value(), _SECONDS) as client:
        there = workers_there(client)
    if all(there.values()):
        return there
    nodes: dict[str, list[str]] = {}
    for node, queue in _consumers():
        nodes.setdefault(queue, []).append(node)
    return {queue: names or nodes.get(queue, []) for queue, names in there.items()}


def _consumers() -> list[tuple[str, str]]:
    """Return (node name, queue) of every worker that responds."""
    from workers.app import app  # noqa: PLC0415 - reads the settings when it is imported

    replies = app.control.broadcast("active_queues", reply=True, timeout=1.0) or []
    return [(node, queue["name"]) for reply in replies for node, queues in reply.items() for queue in queues]


def _serving(settings: Settings, queue: str, nodes: list[str]) -> PartStatus:
    name = f"worker {queue}"
    if nodes:
        return PartStatus(name=name, state="up", version=installed("hopline"), detail=", ".join(nodes))
    if queue not in OPTIONAL:
        return PartStatus(name=name, state="down", detail=NO_WORKER)
    ledger, broker = settings.redis_url.get_secret_value(), settings.broker_address
    with probing_client(ledger, _SECONDS) as theirs, probing_client(broker, _SECONDS) as client:
        return _probe(name, "", lambda: ("", queue_idle(theirs, client, queue)))


def _beat(settings: Settings) -> PartStatus:
    with probing_client(settings.redis_url.get_secret_value(), _SECONDS) as client:
        return _probe("beat", "", lambda: ("", beat_at_work(client)))


def beat_at_work(client: redis.Redis) -> str:
    """Return in words that a beat process runs, or that none is needed.

    Raises:
        NotThereError: none runs, although there are schedules.
    """
    book = ScheduleBook(client)
    if book.watched():
        return "begins what is due"
    waiting = sum(not schedule.paused for schedule in book.all())
    if waiting:
        raise NotThereError(f"no beat process runs, so {waiting} schedules begin nothing")
    return "none runs, and there is no schedule to begin"


def queue_idle(ledger: redis.Redis, broker: redis.Redis, queue: str) -> str:
    """Return in words that one of the `OPTIONAL` queues has no worker and needs none.

    Raises:
        NotThereError: messages are waiting, or a worker ran within the last day.
    """
    waiting = messages_waiting(broker, queue)
    if waiting:
        raise NotThereError(f"{NO_WORKER}, and {waiting} messages wait")
    if had_worker(ledger, queue):
        raise NotThereError(f"{NO_WORKER}; there was one within the last day")
    return "none takes from this queue, and nothing waits in it"
