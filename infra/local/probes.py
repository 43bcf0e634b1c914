"""Ask each server and worker whether it is there, and of which version."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from http import HTTPStatus
from importlib.metadata import version as installed
from typing import Any, Literal

import httpx
import neo4j
import redis
from pydantic import SecretStr

from infra.local.work import WORKERS
from workers.adapters.neo4j_errors import is_login_refused
from workers.core.model import Frozen
from workers.core.redis_address import without_secrets
from workers.redis_client import probing_client
from workers.settings import Settings

_SECONDS = 3.0  # for each server to answer
REFUSED = "refuses the user or password"
LOCKED = "lets nobody in"  # how what the API says of itself begins where it does


class PartStatus(Frozen):
    """One server, queue of workers, or view."""

    name: str
    state: Literal["up", "down"]
    address: str = ""  # without password
    version: str = ""
    detail: str = ""  # what it says of itself, or why it is down

    def __str__(self) -> str:
        return f"{self.name}: {self.state}, {self.address} {self.version} {self.detail}".rstrip()


Answer = tuple[str, str]  # version, detail


def probe_all(settings: Settings) -> list[PartStatus]:
    """Probe every part that the settings name; one that is away takes a few seconds."""
    addresses = {
        "redis": without_secrets(settings.redis_url.get_secret_value()),
        "neo4j": settings.neo4j_url,
        "vectors": settings.qdrant_url,
        "model": settings.model_url,
    }
    found = [_probe(name, addresses[name], ask) for name, ask in server_probes(settings).items()]
    found += [_probe(name, address, ask) for name, address, ask in _further_probes(settings)]
    found += _workers(broker_up=found[0].state == "up")
    if settings.api_url:
        found.append(_probe("api", settings.api_url, lambda: _api(settings)))
    if settings.flower_url:
        found.append(_probe("flower", settings.flower_url, lambda: _flower(settings)))
    return found


def server_probes(settings: Settings) -> dict[str, Callable[[], Answer]]:
    """Return what asks each server that work needs: for version and detail; raises where it is away."""
    redis_url = settings.redis_url.get_secret_value()
    return {
        "redis": lambda: probe_redis(redis_url),
        "neo4j": lambda: _neo4j(
            settings.neo4j_url, settings.neo4j_user, settings.neo4j_password.get_secret_value()
        ),
        "vectors": lambda: _vectors(settings),
        "model": lambda: _models(settings.model_url, settings.model_key),
    }


def _further_probes(settings: Settings) -> Iterator[tuple[str, str, Callable[[], Answer]]]:
    """Yield (name, address, what asks it) of servers without which some work still goes on."""
    if settings.tools_neo4j_url:
        yield "tools", settings.tools_neo4j_url, lambda: _neo4j(*settings.tools_login)
    if settings.embedding_url and settings.embedding_url != settings.model_url:
        key = settings.embedding_key or settings.model_key
        yield "embeddings", settings.embedding_url, lambda: _models(settings.embedding_url, key)


def _probe(name: str, address: str, ask: Callable[[], Answer]) -> PartStatus:
    try:
        version, detail = ask()
    except Exception as error:  # noqa: BLE001 - whatever a client raises, the part does not answer
        return PartStatus(
            name=name,
            state="down",
            address=address,
            detail=REFUSED if is_refused(error) else _first_line(error),
        )
    return PartStatus(name=name, state="up", address=address, version=version, detail=detail)


def is_refused(error: BaseException) -> bool:
    """Tell whether a server refused the login."""
    redis_refused = (redis.AuthenticationError, redis.exceptions.AuthorizationError)
    return isinstance(error, redis_refused) or is_login_refused(error)


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return (lines[0] if lines else type(error).__name__)[:200]


def probe_redis(url: str) -> Answer:
    """Return version and detail of a Redis; raise where it is away."""
    with probing_client(url, _SECONDS) as client:
        info = client.info()
    _check_takes(info)
    durable = "append-only file on" if info.get("aof_enabled") else "append-only file OFF"
    return str(info["redis_version"]), f"{info['used_memory_human']} used, {durable}"


def _check_takes(info: dict[str, Any]) -> None:
    """Raise where a Redis answers and takes nothing in: its memory or its disk is full."""
    if 0 < int(info.get("maxmemory", 0)) <= int(info.get("used_memory", 0)):
        raise redis.OutOfMemoryError(f"its memory is full: {info['used_memory_human']} used")
    if info.get("aof_last_write_status", "ok") != "ok":
        raise redis.ResponseError("it cannot write its append-only file: is the disk full?")


def _neo4j(url: str, user: str, password: str) -> Answer:
    login = (user, password)
    with neo4j.GraphDatabase.driver(url, auth=login, connection_timeout=_SECONDS) as driver:
        driver.verify_authentication(login)
        return driver.get_server_info().agent.removeprefix("Neo4j/"), ""


def _get(url: str, **headers: str) -> httpx.Response:
    answer = httpx.get(url, headers=headers, timeout=_SECONDS, follow_redirects=True)
    return answer.raise_for_status()


def _vectors(settings: Settings) -> Answer:
    key = settings.qdrant_api_key
    said = _get(settings.qdrant_url, **({"api-key": key.get_secret_value()} if key else {})).json()
    return str(said.get("version", "")), str(said.get("title", ""))


def _models(url: str, key: SecretStr) -> Answer:
    said = _get(f"{url.rstrip('/')}/models", Authorization=f"Bearer {key.get_secret_value()}").json()
    names = [str(model.get("id")) for model in said.get("data", [])]
    return "", ", ".join(names[:5])


def _api(settings: Settings) -> Answer:
    url = settings.api_url.rstrip("/")
    _get(f"{url}/health/live")
    return installed("hopline"), _entrance(httpx.get(f"{url}/v1/about", timeout=_SECONDS))


def _entrance(answer: httpx.Response) -> str:
    """Say who may enter the API, by what it answers to who shows no key."""
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
    _get(f"{settings.flower_url.rstrip('/')}/healthcheck")
    return installed("flower"), f"user {settings.flower_user}"


def _workers(*, broker_up: bool) -> list[PartStatus]:
    serving: dict[str, list[str]] = {name: [] for name in WORKERS}
    try:
        for node, queue in _consumers() if broker_up else ():
            serving.setdefault(queue, []).append(node)
    except Exception as error:  # noqa: BLE001 - Celery passes on whatever its broker's client raises
        return [
            PartStatus(name=f"worker {name}", state="down", detail=_first_line(error)) for name in WORKERS
        ]
    return [_serving(name, sorted(nodes)) for name, nodes in serving.items()]


def _consumers() -> list[tuple[str, str]]:
    """Return (node name, queue) of every worker that answers."""
    from workers.app import app  # noqa: PLC0415 - reads the settings when it is imported

    replies = app.control.broadcast("active_queues", reply=True, timeout=1.0) or []
    return [(node, queue["name"]) for reply in replies for node, queues in reply.items() for queue in queues]


def _serving(queue: str, nodes: list[str]) -> PartStatus:
    name = f"worker {queue}"
    if not nodes:
        return PartStatus(name=name, state="down", detail="no worker takes from this queue")
    return PartStatus(name=name, state="up", version=installed("hopline"), detail=", ".join(nodes))
