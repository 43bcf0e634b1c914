"""Flower tells how a worker is configured, and on no page a password of Redis or of its Sentinels."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from doubles.redis_group import PASSWORD, SENTINEL_PASSWORD, SentinelGroup, bare_worker
from fleet.crew import wait_until
from fleet.servers import START_SECONDS

from infra.local.process import Running, free_port
from infra.local.work import flower_address, flower_program
from workers.app import CeleryPublisher, application_for
from workers.core.jobs.messages import Message
from workers.settings import Settings

LOGIN = ("hopline", "a-password-for-tests")


@pytest.fixture(scope="module")
def group(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SentinelGroup]:
    group = SentinelGroup(tmp_path_factory.mktemp("group"))
    wait_until(lambda: group.ready, "the Sentinel knows both")
    yield group
    group.stop()


@pytest.fixture(params=["one server", pytest.param("sentinel", marks=pytest.mark.long)])
def flower(request: pytest.FixtureRequest, redis_url: str, tmp_path: Path) -> Iterator[tuple[str, str]]:
    """The address of a Flower that watches one worker, and that of their Redis."""
    url = redis_url if request.param == "one server" else request.getfixturevalue("group").url
    app = application_for(Settings(redis_url=url))
    environment = os.environ | {"HOPLINE_REDIS_URL": url}
    port = free_port()
    running = [
        Running(bare_worker(app), tmp_path / "worker.log", environment),
        Running(flower_program(tmp_path, port, *LOGIN), tmp_path / "flower.log", environment),
    ]
    for process in running:
        process.wait_ready(START_SECONDS)
    yield flower_address(port), url
    for process in running:
        process.kill()


def test_no_page_tells_a_password(flower: tuple[str, str]) -> None:
    address, url = flower
    publisher = CeleryPublisher(application_for(Settings(redis_url=url)))
    publisher.send([Message(step="x.y", job_id="j", epoch=1, item_id="i", queue="quarantine")])
    with httpx.Client(base_url=address, auth=LOGIN, trust_env=False, timeout=60) as client:

        def read(path: str) -> str:
            return client.get(path).raise_for_status().text

        def names() -> dict[str, object]:
            answers: dict[str, object] = client.get("/api/workers?refresh=true").json()
            return answers if any("conf" in answer for answer in answers.values()) else {}

        workers = wait_until(names, "Flower has asked the worker")
        paths = ["/", "/workers", "/workers?json=1", "/tasks", "/metrics"]
        paths += ["/api/workers", *(f"/worker/{name}" for name in workers)]
        pages = {path: read(path) for path in paths}
    page = pages["/api/workers"]
    assert "redbeat_redis_url" in page
    assert "visibility_timeout" in page
    secrets = {url.split(":")[2].split("@")[0], PASSWORD, SENTINEL_PASSWORD}
    assert {path for path, text in pages.items() if any(secret in text for secret in secrets)} == set()
