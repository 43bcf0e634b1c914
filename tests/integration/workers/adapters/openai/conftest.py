"""Where the adapter sends its calls: the session's offline model, or endpoints that answer by a script."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from doubles.endpoint import Start, scripted_endpoints
from doubles.meter import Offline


@pytest.fixture
def offline(model_url: str) -> Iterator[Offline]:
    offline = Offline(model_url)
    offline.set(reset=True)
    yield offline
    offline.set(reset=True)


@pytest.fixture
def endpoint() -> Iterator[Start]:
    with scripted_endpoints() as start:
        yield start
