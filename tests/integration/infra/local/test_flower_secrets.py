"""Flower tells how a worker is configured, and on no page a password of Redis' Sentinels."""

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
from workers.app import application_for
from workers.settings import Settings

pytestmark = pytest.mark.long  # a Redis with a replica; of one Redis test_flower.py shows it

LOGIN = ("hopline", "a-password-for-tests")


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    group = SentinelGroup(tmp_path / "group")
    wait_until(lambda: group.ready, "the Sentinel knows both")
    yield group.url
    group.stop()


@pytest.fixture
def flower(url: str, tmp_path: Path) -> Iterator[str]:
    """The address of a Flower that watches one worker."""
    environment = os.environ | {"HOPLINE_REDIS_URL": url, "HOPLINE_FLOWER_PASSWORD": LOGIN[1]}
    port = free_port()
    running = [
        Running(bare_worker(application_for(Settings(redis_url=url))), tmp_path / "worker.log", environment),
        Running(flower_program(tmp_path, port, *LOGIN), tmp_path / "flower.log", environment),
    ]
    for process in running:
        process.wait_ready(START_SECONDS)
    yield flower_address(port)
    for process in running:
        process.kill()


def test_no_page_tells_a_password_of_sentinels(flower: str) -> None:
    with httpx.Client(base_url=flower, auth=LOGIN, trust_env=False, timeout=60) as client:

        def names() -> dict[str, object]:
            answers: dict[str, object] = client.get("/api/workers?refresh=true").json()
            return answers if any("conf" in answer for answer in answers.values()) else {}

        workers = wait_until(names, "Flower has asked the worker")
        paths = ["/", "/workers", "/api/workers", *(f"/worker/{name}" for name in workers)]
        pages = {path: client.get(path).raise_for_status().text for path in paths}
    assert "redbeat_redis_url" in pages["/api/workers"]
    secrets = {PASSWORD, SENTINEL_PASSWORD}
    assert [path for path, text in pages.items() if any(secret in text for secret in secrets)] == []
