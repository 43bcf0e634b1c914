"""The service as threads share it, and what a process that goes on for long builds at its start."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from producer.service.service import Service
from producer.service.startup import open_service
from workers.settings import Settings

_THREADS = 6


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the list of what is built, in order; each takes long enough for other threads to come by."""
    built: list[str] = []

    def build(name: str) -> object:
        time.sleep(0.01)
        built.append(name)
        return object()

    monkeypatch.setattr("workers.app.application_for", lambda _settings: None)
    monkeypatch.setattr("workers.transport.publishers.CeleryPublisher", lambda _app: build("publisher"))
    return built


def test_threads_share_one_publisher_and_one_set_of_adapters(built: list[str]) -> None:
    service = Service(Settings(_env_file=None))
    with ThreadPoolExecutor(_THREADS) as threads:
        publishers = list(threads.map(lambda _nth: service.publisher, range(_THREADS)))
        adapters = list(threads.map(lambda _nth: service.services, range(_THREADS)))
    assert built == ["publisher"]
    assert len({id(publisher) for publisher in publishers}) == 1
    assert len({id(services) for services in adapters}) == 1


def test_a_service_that_goes_on_for_long_has_its_publisher_from_the_start(built, monkeypatch):
    monkeypatch.setattr("workers.adapters.redis.client.check_redis", lambda *_addresses: None)
    service = open_service(Settings(_env_file=None))
    assert built == ["publisher"]
    service.close()
    Service(Settings(_env_file=None)).close()
    assert built == ["publisher"], "any other builds nothing before a call needs it"
