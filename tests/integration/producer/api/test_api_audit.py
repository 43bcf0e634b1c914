"""The audit over HTTP: every route that changes something leaves one event, which says who it was."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from doubles.audited import Places, Silent, furnished, noted
from doubles.desk import EveryScope
from fleet.api import ServedApi, served_api, taken
from fleet.messages import sign

from hopline import Hopline
from hopline.errors import AccessDenied
from hopline.models.audit import AuditEvent
from hopline.models.schemas import MetadataSchema
from hopline.transport import ACT_AS_HEADER
from producer.messages.desk import open_desk
from producer.service.service import Service
from workers.services import Services
from workers.settings import Settings

MINE = "default"
PLACE = f"file://{Path(__file__).resolve().parents[4] / 'producer' / 'demo' / 'documents'}"
READS = "reads, and takes what to read in a body"
# Routes without an event, and why.
WITHOUT = dict.fromkeys(("POST /v1/tools/{name}", "POST /v1/estimates", "POST /v1/queries/check"), READS)
WITHOUT |= dict.fromkeys(("POST /v1/uploads", "PUT /v1/uploads/files"), "a batch of what is uploaded is told")
BUILT = {"role": "user", "content": "Who built it?"}
REASON = {"reason": "x", "collection": MINE}
# The body of each other route, and the act, kind and outcome of its event.
CHANGING: dict[str, tuple[Any, tuple[str, str, str]]] = {
    "POST /v1/queries": ({"question": "Who built it?"}, ("submit", "query", "done")),
    "POST /v1/chat/completions": ({"model": MINE, "stream": True, "messages": [BUILT]},
                                  ("submit", "query", "done")),
    "POST /v1/documents": ({"texts": [{"name": "b.txt", "text": "A river."}]}, ("submit", "batch", "done")),
    "PATCH /v1/documents": ({"collection": MINE, "where": "not exists(x)", "unset": ["author"]},
                            ("change", "metadata", "done")),
    "DELETE /v1/documents": (None, ("submit", "delete_documents", "done")),
    "PATCH /v1/collections/{name}": ({"title": "Rivers"}, ("set", "collection", "done")),
    "DELETE /v1/collections/{name}": (None, ("submit", "delete_collection", "done")),
    "DELETE /v1/documents/{document_id}": (None, ("submit", "delete", "done")),
    "POST /v1/jobs/act": ({"verb": "cancel", "filter": {"kind": "query"}}, ("cancel", "query", "done")),
    "DELETE /v1/jobs/{job_id}": (None, ("cancel", "query", "done")),
    "POST /v1/jobs/{job_id}/retry": (None, ("retry", "query", "done")),
    "POST /v1/jobs/{job_id}/replay": ({"params": {"max_depth": 2}}, ("replay", "query", "done")),
    "POST /v1/merges/{merge_id}/undo": (None, ("submit", "merge", "done")),
    "PUT /v1/collections/{name}/schema": ({"fields": {}}, ("set", "schema", "done")),
    "DELETE /v1/collections/{name}/schema": (None, ("clear", "schema", "done")),
    "POST /v1/collections/{name}/reindex": (None, ("submit", "reindex", "done")),
    "POST /v1/collections/{name}/topics": ({}, ("submit", "topics", "done")),
    "POST /v1/collections/{name}/merge": ({}, ("submit", "merge", "done")),
    "POST /v1/batches": ({"name": "b", "sources": [PLACE]}, ("submit", "batch", "done")),
    "POST /v1/syncs/{job_id}/resume": ({}, ("resume", "sync", "refused")),
    "POST /v1/syncs": ({"sources": [PLACE], "dry_run": True}, ("submit", "sync", "done")),
    "PUT /v1/schedules/{name}": ({"sources": [PLACE], "every": "0 2 * * *"}, ("add", "schedule", "done")),
    "POST /v1/schedules/{name}/pause": (None, ("pause", "schedule", "done")),
    "POST /v1/schedules/{name}/resume": (None, ("resume", "schedule", "done")),
    "DELETE /v1/schedules/{name}": (None, ("remove", "schedule", "done")),
    "POST /v1/batches/{name}/pause": (None, ("pause", "batch", "done")),
    "POST /v1/batches/{name}/resume": ({}, ("resume", "batch", "done")),
    "POST /v1/batches/{name}/retry": (None, ("retry", "batch", "refused")),
    "POST /v1/pauses": ({"kind": "queue", "name": "bulk"}, ("pause", "queue", "done")),
    "DELETE /v1/pauses": (None, ("resume", "queue", "done")),
    "POST /v1/dead-messages/{message_id}/send": (None, ("retry", "message", "done")),
    "DELETE /v1/dead-messages/{message_id}": (None, ("remove", "message", "done")),
    "PATCH /v1/conversations/{conversation_id}": ({"title": "x"}, ("change", "conversation", "done")),
    "DELETE /v1/conversations/{conversation_id}": (None, ("erase", "conversation", "done")),
    "DELETE /v1/sessions/{session_id}": (None, ("erase", "session", "done")),
    "DELETE /v1/history": (None, ("erase", "history", "done")),
    "PUT /v1/weights": ({"kind": "collection", "name": MINE, "weight": 3}, ("set", "weight", "done")),
    "POST /v1/keys": ({"name": "ann"}, ("create", "key", "done")),
    "PATCH /v1/keys/{key_id}": ({"principals": ["user:ann"]}, ("change", "key", "done")),
    "DELETE /v1/keys/{key_id}": (None, ("revoke", "key", "done")),
    "DELETE /v1/batches/{name}": (None, ("cancel", "batch", "done")),
    "DELETE /v1/concepts/relations/{relation_id}": (None, ("edit", "relation", "refused")),
    "PATCH /v1/concepts/relations/{relation_id}": (REASON | {"strength": 1}, ("edit", "relation", "refused")),
    "POST /v1/concepts/relations/{relation_id}/undo": ({"collection": MINE}, ("edit", "relation", "refused")),
    "POST /v1/concepts": ({"concept": "entropy"}, ("submit", "concept", "done")),
}  # fmt: skip
WITHOUT["POST /v1/jobs/{job_id}/replay/check"] = READS


@pytest.fixture
def services(empty_redis: str, tmp_path: Path) -> Iterator[Services]:
    own = {"redis_url": empty_redis, "blob_url": str(tmp_path / "blobs"), "api_sources": PLACE}
    own |= {"api_stream": 0.1}  # no worker answers
    made = Services(Settings(_env_file=None, **own))
    made.redis.flushdb()
    furnished(made)
    yield made
    made.redis.close()


@pytest.fixture
def api(services: Services) -> Iterator[ServedApi]:
    with served_api(services, Silent(services), loopback=False) as served:
        yield served


def send(client: httpx.Client, operation: str, places: Places) -> httpx.Response:
    """Do what a route does, to something that is there; forget what that left."""
    method, path = operation.split(" ")
    names = {"name": MINE, "relation_id": "r0"}
    query = {**REASON, "wait": 0, "where": 'author = "Ann"'}
    if operation == "DELETE /v1/pauses":
        query |= {"kind": places.paused(), "name": "bulk"}
    if "/batches/" in path:
        names["name"] = places.batch()
    if operation.startswith(("DELETE /v1/schedules/", "POST /v1/schedules/")):
        names["name"] = places.schedule()
    if "job_id" in path or path == "/v1/jobs/act":
        ended = path.endswith(("retry", "replay"))
        names["job_id"] = places.failed() if ended else places.job()
    making: dict[str, Callable[[], str]] = {
        "document_id": places.document,
        "key_id": places.key,
        "message_id": places.message,
        "session_id": places.session,
        "conversation_id": lambda: places.conversation(client.headers["authorization"].split("_")[1]),
        "merge_id": places.merge,
    }
    names |= {name: make() for name, make in making.items() if name in path}
    places.forget()
    body = CHANGING[operation][0]
    query = taken(client, operation, query)
    return client.request(method, path.format(**names), params=query, json=body)


def test_every_route_that_changes_something_leaves_one_event_that_says_who(api, services, tmp_path):
    key = api.key("admin")
    with api.client(key, **{"X-Request-ID": "request-17"}) as client:
        changing = [" ".join(each) for each in api.operations() if each[0] != "GET"]
        assert sorted(changing) == sorted([*CHANGING, *WITHOUT])
        for nth, operation in enumerate(sorted(CHANGING)):
            folder = tmp_path / str(nth)
            folder.mkdir()
            answer = send(client, operation, Places(services, folder))
            events = noted(services)
            summaries = [(event.act, event.kind, event.outcome) for event in events]
            assert summaries == [CHANGING[operation][1]], (operation, answer.text)
            (event,) = events
            assert (event.via, event.key, event.name) == ("http", key.split("_")[1], "test"), operation
            assert (event.address, event.request_id) == ("127.0.0.1", "request-17"), operation
            assert "built" not in event.model_dump_json()
            assert (answer.status_code < 400) == (event.outcome == "done"), (operation, answer.text)


def test_who_may_not_leaves_no_event(api: ServedApi, services: Services, tmp_path: Path) -> None:
    with api.client(api.key("read")) as client:
        assert send(client, "POST /v1/queries", Places(services, tmp_path)).status_code == 403
    with api.client() as client:
        assert client.post("/v1/queries", json={"question": "Who?"}).status_code == 401
    assert noted(services) == []


def test_a_request_in_the_name_of_others_says_for_whom(api: ServedApi, services: Services) -> None:
    with api.client(api.key("submit", "act-as"), **{ACT_AS_HEADER: "user:ann,group:legal"}) as client:
        services.__dict__["scopes"] = EveryScope()
        answer = client.post("/v1/queries", json={"question": "Who?"})
    assert answer.status_code == 202, answer.text
    (event,) = noted(services)
    assert (event.act, event.acting, event.target) == (
        "submit",
        ("user:ann", "group:legal"),
        answer.json()["id"],
    )


def test_assistants_and_messages_are_told_apart(api: ServedApi, services: Services) -> None:
    key = api.key("submit")
    with open_desk(Service(services=services, publisher=Silent(services))) as desk:
        message = {"kind": "query", "collection": MINE, "params": {"question": "Who?"}}
        desk.submit(*sign(key, "hopline.submit", "t1", message), "t1")
    (event,) = noted(services)
    assert (event.via, event.key) == ("queue", key.split("_")[1])


def test_only_administrators_read_the_audit_of_their_collections(api: ServedApi, services: Services) -> None:
    with Hopline(api.url, api_key=api.key("submit")) as hopline:
        job = hopline.queries.submit("Who?").id
        with pytest.raises(AccessDenied):
            hopline.audit.list()
    with Hopline(api.url, api_key=api.key("admin")) as hopline:
        hopline.collections.set_schema("other", MetadataSchema())
        services.audit_keeper.take_turn(1, 0.0)
        assert _targets(hopline.audit.list().events) == ["other", job]
        mine = hopline.audit.list(act="submit", who="test", collection=MINE, via="http")
        assert _targets(mine.events) == [job]
        page = hopline.audit.list(limit=1)
        assert _targets(hopline.audit.list(cursor=page.next).events) == [job]
    with Hopline(api.url, api_key=api.key("admin", collections=("other",))) as hopline:
        assert _targets(hopline.audit.list().events) == ["other"]
        with pytest.raises(AccessDenied):
            hopline.audit.list(collection=MINE)


def _targets(events: tuple[AuditEvent, ...]) -> list[str]:
    return [event.target for event in events]
