"""In whose name: a table of ways in and of wrong values, each of which is refused in the form of its way.

A client, and the commands over it, refuse before anything is asked. What reaches a server is in its audit.
"""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from doubles.broker import Broker
from doubles.command_line import run_hopline
from fleet.messages import Post
from starlette.testclient import TestClient

from hopline import Hopline
from hopline.errors import InvalidInput
from hopline.transport import ACT_AS_HEADER
from producer.api.app import create_app
from producer.service.service import Service
from workers.core.audit import WantedAudit

NOBODY = "http://127.0.0.1:1"
WRONG: list[Any] = [
    ["user:bo", 5], "", " ", "\t", [], {}, {"user": "bo"}, 5, 0, True, False, 2**70, "bo", "user:",
    "user:ann,", "user:a\x01b", "user:a\nb", "user:a\x7f", "['user:bo']",
]  # fmt: skip
TEXTS = [value for value in WRONG if isinstance(value, str)]  # what a command line can hold


@pytest.fixture(scope="module")
def web(post: Post) -> Iterator[TestClient]:
    app = create_app(Service(services=post.services, publisher=Broker()), loopback=True)
    with TestClient(app, base_url="http://localhost") as client:
        yield client


def as_header(value: Any) -> dict[bytes, bytes]:
    text = value if isinstance(value, str) else json.dumps(value)
    return {ACT_AS_HEADER.encode(): text.encode()}


def over_http(_post: Post, web: TestClient, value: Any) -> str:
    return str(web.get("/v1/jobs", headers=as_header(value)).status_code)


def over_mcp(_post: Post, web: TestClient, value: Any) -> str:
    return str(web.post("/mcp", json={}, headers=as_header(value)).status_code)


def over_celery(post: Post, _web: TestClient, value: Any) -> str:
    submitted = post.submit({"hopline_act_as": value})["refused"]
    read = post.call("hopline.result", {"hopline_act_as": value}, job_id="j0")["refused"]
    assert submitted["status"] == read["status"]
    return str(submitted["status"])


def by_client(_post: Post, _web: TestClient, value: Any) -> str:
    with pytest.raises(InvalidInput, match="act_as"):
        Hopline(NOBODY, act_as=value)
    with Hopline(NOBODY) as client, pytest.raises(InvalidInput, match="act_as"):
        client.with_options(act_as=value)
    return ""


def by_command(_post: Post, _web: TestClient, value: Any) -> str:
    """An assistant over stdio; that `hopline ask` ends so, too, is in acceptance/test_access.py."""
    refused = run_hopline("mcp", "--url", NOBODY, "--as", value)
    assert refused.exit_code == 2, (refused.output, refused.exception)
    return ""


WAYS: list[tuple[Callable[[Post, TestClient, Any], str], str, int, list[Any]]] = [
    (over_http, "http", 1, WRONG), (over_mcp, "mcp", 1, WRONG), (over_celery, "queue", 2, WRONG),
    (by_client, "", 0, WRONG), (by_command, "", 0, TEXTS),
]  # fmt: skip


@pytest.mark.parametrize(
    ("way", "via", "times", "value"),
    [
        pytest.param(way, via, times, value, id=f"{way.__name__} {value!r}")
        for way, via, times, values in WAYS
        for value in values
    ],
)
def test_who_names_nobody_valid_is_refused_and_what_reached_the_server_audited(
    post: Post, web: TestClient, way: Any, via: str, times: int, value: Any
) -> None:
    wanted = WantedAudit(act="act-as", via=via, outcome="refused")
    before = len(post.services.audit_search.page(wanted, limit=500).events)
    assert way(post, web, value) == (via and "422")
    assert len(post.services.audit_search.page(wanted, limit=500).events) == before + times
