"""Who may do what over HTTP: every route without a key, with the wrong scope, with another key's job."""

import io
import zipfile
from collections.abc import Iterator

import httpx
import pytest
from doubles.broker import Broker
from doubles.documents import made_document, write
from fleet.api import ServedApi, served_api, taken
from fleet.crew import wait_until

from hopline.models.documents import Document
from hopline.models.jobs import JobState
from hopline.transport import ACT_AS_HEADER
from producer.service.keys import STORED, ApiKeys
from workers.core.jobs.records import Wanted
from workers.services import Services

PUBLIC = {("GET", "/health"), ("GET", "/health/live"), ("GET", "/health/ready")}
MINE, OTHER = "access-mine", "access-other"
LIVE = MINE
SETTINGS = {
    "api_sources": "s3://reports/open, https://files.example.org/texts/", "api_body_bytes": 300_000,
    "api_documents": 5, "api_jobs_in_flight": 3,
}  # fmt: skip
BODIES = {
    "/v1/queries": {"question": "Who built it?", "collection": MINE},
    "/v1/chat/completions": {"model": MINE, "messages": [{"role": "user", "content": "Who built it?"}]},
    "/v1/queries/check": {"question": "Who built it?", "collection": MINE},
    "/v1/documents": {"collection": MINE, "texts": [{"name": "a.txt", "text": "A bridge."}]},
    "PATCH /v1/documents": {"collection": MINE, "where": "exists(author)", "unset": ["author"]},
    "/v1/collections/{name}/schema": {"fields": {}},
    "/v1/tools/{name}": {"collection": MINE, "arguments": {}},
    "/v1/collections/{name}/merge": {},
    "/v1/pauses": {"kind": "queue", "name": "bulk"},
    "/v1/keys": {"name": "ann"},
    "/v1/keys/{key_id}": {"principals": None},
    "/v1/weights": {"kind": "collection", "name": MINE, "weight": 2},
    "/v1/jobs/act": {"verb": "cancel", "filter": {"collection": MINE}},
    "/v1/concepts/relations/{relation_id}": {"collection": MINE, "reason": "x", "strength": 1},
    "/v1/concepts/relations/{relation_id}/undo": {"collection": MINE},
    "/v1/concepts": {"concept": "entropy", "collection": MINE},
}
QUERY = {
    "collection": MINE, "question": "Who?", "name": "bridge", "concept": "entropy", "other": "diffusion",
    "reason": "x",
}  # fmt: skip


@pytest.fixture(scope="module")
def document(services: Services) -> str:
    """A document in the collection that keys are for."""
    made = Document(id="d-access", collection=MINE, uri="a.txt", title="a", content_hash="0" * 64)
    services.graph.store.open_version(made)
    return made.id


@pytest.fixture(autouse=True)
def _no_job_in_flight(services: Services) -> Iterator[None]:
    yield
    for record in services.ledger.page(Wanted(), limit=100)[0]:
        services.ledger.end(record.job.id, None, JobState.CANCELLED, {})


def _send(client, method, path, *, job="j0", document="d0"):
    names = {"job_id": job, "document_id": document, "merge_id": "m0", "name": MINE}
    names |= {"relation_id": "r0", "topic": "t0", "key_id": "k0", "page": "1"}
    names |= {"message_id": "0" * 16, "session_id": "0" * 16, "conversation_id": "0" * 32}
    body = BODIES.get(f"{method} {path}", BODIES.get(path, {}))
    query = taken(client, f"{method} {path}", QUERY)
    if (method, path) == ("DELETE", "/v1/documents"):
        query["where"] = 'author = "Ann"'
    return client.request(method, path.format(**names), params=query, json=body)


def _submitted(api: ServedApi, key: str) -> str:
    with api.client(key) as client:
        answer = client.post("/v1/queries", json=BODIES["/v1/queries"])
    assert answer.status_code == 202, answer.text
    return str(answer.json()["id"])


# keys -------------------------------------------------------------------------------------------------


def test_every_route_refuses_who_shows_no_key_that_opens_it(api: ServedApi) -> None:
    with api.client() as nobody, api.client("hop_0123456789ab_" + "A" * 43) as stranger:
        for method, path in api.operations():
            if (method, path) not in PUBLIC:
                answer = _send(nobody, method, path)
                assert (answer.status_code, path) == (401, path)
                assert answer.headers["www-authenticate"].startswith("Bearer")
                assert answer.headers["content-type"] == "application/problem+json"
                assert (_send(stranger, method, path).status_code, path) == (401, path)


def test_what_is_no_key_of_now_opens_nothing_and_only_hashes_are_kept(api: ServedApi) -> None:
    first, second, revoked = api.key("admin"), api.key("admin"), api.key("read")
    with api.client(revoked) as client:
        assert client.get("/v1/jobs").status_code == 200
        ApiKeys(api.services.redis).revoke(revoked.split("_")[1])
        assert client.get("/v1/jobs").status_code == 401
    for shown in ("nonsense", "hop__", "hop_é_é", first[:17] + second[17:]):
        headers = {"Authorization": f"Bearer {shown}".encode()}
        with httpx.Client(base_url=api.url, headers=headers, timeout=60, trust_env=False) as client:
            assert client.get("/v1/jobs").status_code == 401, shown
    secret = api.key("read").split("_", 2)[2]
    assert not any(secret in stored for stored in api.services.redis.hvals(STORED))


def test_a_server_that_others_reach_has_no_local_caller(services: Services) -> None:
    held = services.redis.hgetall(STORED)
    services.redis.delete(STORED)
    try:
        with served_api(services, Broker(), loopback=False) as open_to_all, open_to_all.client() as client:
            assert client.get("/v1/jobs").status_code == 401
        with served_api(services, Broker(), loopback=True) as here, here.client() as client:
            assert client.get("/v1/about").json()["access"] == "local"
    finally:
        if held:
            services.redis.hset(STORED, mapping=held)


# scopes -----------------------------------------------------------------------------------------------


def test_a_key_that_may_read_changes_nothing_and_asks_no_model(api: ServedApi, document: str) -> None:
    key, job = api.key("read"), _submitted(api, api.key("submit"))
    changing = [(m, p) for m, p in api.operations() if m != "GET"]
    reading = {"/v1/tools/{name}"}
    with api.client(key) as client:
        for method, path in changing:
            if path not in reading:
                answer = _send(client, method, path, job=job, document=document)
                assert (answer.status_code, path) == (403, path)
                assert "scope" in answer.json()["detail"]
    body = {"collection": MINE, "arguments": {"question": "How many are there?"}}
    with api.client(api.key("read")) as client:
        assert client.post("/v1/tools/text2cypher", json=body).status_code == 403
    with api.client(api.key("submit")) as client:
        answer = client.post("/v1/tools/text2cypher", json=body)
    # has a type
    assert (answer.status_code, "none of its documents" in answer.json()["detail"]) == (422, True)


def test_metrics_are_for_administrators_of_everything(api: ServedApi) -> None:
    limited = api.key("admin", collections=(MINE,))
    for key, status in ((None, 401), (api.key("submit"), 403), (limited, 403), (api.key("admin"), 200)):
        with api.client(key) as client:
            assert client.get("/metrics").status_code == status
            assert client.get("/health/live").status_code == 200


def test_a_question_to_an_empty_collection_is_refused_at_once(api: ServedApi, services: Services) -> None:
    limited = api.key("submit", collections=(MINE, "nope"))
    whole = api.key("submit", collections=(MINE, OTHER, "nope"))
    write(services.graph, OTHER, "live.txt", [("A bridge stands.", ["bridge"])])
    body = {"question": "Who?", "collection": "nope"}
    before = len(services.ledger.page(Wanted(), limit=100)[0])
    for key, names in ((limited, {MINE}), (whole, {MINE, OTHER})):
        with api.client(key) as client:
            answers = [client.post("/v1/queries", json=body), client.get("/v1/collections/nope")]
        for answer in answers:
            assert answer.status_code == 404
            known = answer.json()["detail"].partition("; there are: ")[2].split(", ")
            assert names <= set(known)
            assert (OTHER in known) is (OTHER in names)
    assert len(services.ledger.page(Wanted(), limit=100)[0]) == before
    with api.client(whole) as client:
        wrong = {"question": "  "}, {"webhook": "ftp://example.invalid"}, {"parameters": {"max_depth": 99}}
        assert {client.post("/v1/queries", json=body | fields).status_code for fields in wrong} == {422}
        assert client.get(f"/v1/collections/{MINE}").json()["live"]["documents"] == 1


def test_a_taken_question_is_taken_again_without_its_documents(api: ServedApi, services: Services) -> None:
    fact = ("A bridge stands.", ["bridge"])
    write(services.graph, "passing", "a.txt", [fact])
    document, _chunks = made_document("passing", "a.txt", [fact])
    body, headers = {"question": "Who?", "collection": "passing"}, {"Idempotency-Key": "passing-1"}
    with api.client(api.key("submit")) as client:
        first = client.post("/v1/queries", json=body, headers=headers)
        services.graph.store.delete_document(document.id)
        again = client.post("/v1/queries", json=body, headers=headers)
        # That a collection has documents is known for a second.
        wait_until(lambda: client.post("/v1/queries", json=body).status_code == 404, "they are gone")
    assert (first.status_code, again.status_code) == (202, 202)
    assert first.json()["id"] == again.json()["id"]


def test_a_key_for_some_collections_sees_no_other_nor_its_tools(api: ServedApi, document: str) -> None:
    key, job = api.key("submit", collections=(OTHER,)), _submitted(api, api.key("submit"))
    seen = {"/v1/about", "/v1/tools", "/v1/jobs/{job_id}/events", "/metrics"}
    lists = {"/v1/collections", "/v1/models", "/v1/sessions", "/openapi.json"}
    with api.client(key) as client:
        for method, path in api.operations():
            if (method, path) in PUBLIC or path in seen:
                continue
            answer = _send(client, method, path, job=job, document=document)
            allowed = {200} if path in lists else {403, 404}
            assert (answer.status_code in allowed, path) == (True, path), answer.text
        assert MINE not in client.get("/v1/collections").text
    with api.client(api.key("read", collections=(OTHER,))) as client:
        packs = client.get("/v1/tools/packs").json()["packs"]
        assert {pack["name"]: pack["on"] for pack in packs} == {"movies": False, "narrative": False}
        named = {tool["function"]["name"] for tool in client.get("/v1/tools").json()["tools"]}
        assert ("lookup_knowledge" in named, "movie_info_by_title" in named) == (True, False)
        for path in ("/v1/tools", "/v1/tools/packs"):
            assert client.get(path, params={"collection": MINE}).status_code == 403


# jobs of others ---------------------------------------------------------------------------------------


def test_a_job_is_there_for_its_key_and_for_administrators_alone(api: ServedApi) -> None:
    owner, other, admin = api.key("submit"), api.key("submit"), api.key("admin")
    job = _submitted(api, owner)
    mine = [(m, p) for m, p in api.operations() if "{job_id}" in p and not p.endswith("/events")]
    assert len(mine) >= 4
    with api.client(other) as client:
        for method, path in [*mine, ("GET", "/v1/jobs/{job_id}/events")]:
            answer = _send(client, method, path, job=job)
            status = 403 if path.startswith("/v1/syncs/") else 404  # syncs are for administrators
            assert (answer.status_code, path) == (status, path)
        assert job not in client.get("/v1/jobs").text
    for key in (owner, admin):
        with api.client(key) as client:
            assert client.get(f"/v1/jobs/{job}").json()["state"] == "queued"
            assert job in client.get("/v1/jobs").text


def test_an_idempotency_key_is_plain_and_its_callers_own(api: ServedApi) -> None:
    first, second = api.key("submit"), api.key("submit")
    ids = []
    for key in (first, first, second):
        with api.client(key) as client:
            body = {**BODIES["/v1/queries"], "question": f"Who? {first[-5:]}"}
            ids.append(client.post("/v1/queries", json=body, headers={"Idempotency-Key": "k"}).json()["id"])
    assert ids[0] == ids[1] != ids[2]
    with api.client(api.key("submit")) as client:
        for key in ("a\tb", "x" * 201, "with space"):
            headers = {"Idempotency-Key": key}
            answer = client.post("/v1/queries", json=BODIES["/v1/queries"], headers=headers)
            assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "Idempotency-Key")


# limits -----------------------------------------------------------------------------------------------


def test_what_is_too_large_or_too_much_is_refused_with_the_bound(api: ServedApi) -> None:
    with api.client(api.key("submit")) as client:
        large = client.post("/v1/queries", json={"question": "x" * 400_000})
        assert (large.status_code, "300000 bytes" in large.json()["detail"]) == (413, True)
        unsized = client.post(
            "/v1/documents", content=iter([b"x" * 100_000] * 4), headers={"content-type": "application/json"}
        )
        assert unsized.status_code == 413
        texts = [{"name": f"{n}.txt", "text": "A bridge."} for n in range(6)]
        many = client.post("/v1/documents", json={"texts": texts})
        assert (many.status_code, many.json()["errors"][0]["field"]) == (422, "documents")
        long = client.post("/v1/queries", json={"question": "x" * 4001})
        assert (long.status_code, long.json()["errors"][0]["field"]) == (422, "question")


# what comes in ----------------------------------------------------------------------------------------


def test_an_uploads_name_leads_nowhere(api: ServedApi) -> None:
    with api.client(api.key("submit")) as client:
        for name in (
            "../../etc/passwd.txt", "/etc/passwd.txt", "a\\..\\b.txt", "C:/b.txt", "a//b.txt", "a\x7fb",
        ):  # fmt: skip
            files, texts = {"files": (name, b"A bridge.")}, [{"name": name, "text": "A"}]
            answer = client.post("/v1/documents", files=files, data={"collection": MINE})
            as_text = client.post("/v1/documents", json={"collection": MINE, "texts": texts})
            assert [answer.status_code, as_text.status_code] == [422, 422], name
            assert answer.json()["errors"][0]["field"] == "files"


def test_an_address_is_taken_within_the_named_stores_only(api: ServedApi) -> None:
    refused = [
        "/etc/passwd.txt", "http://169.254.169.254/latest/meta-data.txt",
        "s3://reports/open/%2e%2e/closed/a.txt", "s3://reports/openly/a.txt",
        "simplecache::s3://reports/open/a.txt", "https://files.example.org@evil.example/texts/a.txt",
        "blob:0000",
    ]  # fmt: skip
    with api.client(api.key("submit")) as client:
        for uri in refused:
            answer = client.post("/v1/documents", json={"collection": MINE, "uris": [uri]})
            assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "uris"), uri
        inside = {"collection": MINE, "uris": ["s3://reports/open/deep/a.txt"]}
        assert client.post("/v1/documents", json=inside).status_code == 202


def _packed(size: int) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("word/document.xml", b"\0" * size)
    return made.getvalue()


def test_a_zip_bomb_is_refused_before_it_is_unpacked(api: ServedApi) -> None:
    bomb = _packed(201_000_000)
    assert len(bomb) < 300_000
    with api.client(api.key("submit")) as client:
        files = [("files", ("bomb.docx", bomb)), ("files", ("good.txt", b"A bridge."))]
        answer = client.post("/v1/documents", files=files, data={"collection": MINE})
    assert answer.status_code == 202
    report = answer.json()
    assert [document["uri"] for document in report["documents"]] == ["good.txt"]
    assert "unpacks to 201000000 bytes" in report["refused"][0]["error"]


# headers ----------------------------------------------------------------------------------------------


def test_a_request_id_goes_into_its_job_and_problems_and_what_is_none_is_replaced(api: ServedApi) -> None:
    with api.client(api.key("submit"), **{"X-Request-ID": "req-17"}) as client:
        job = client.post("/v1/queries", json=BODIES["/v1/queries"]).json()
        assert job["request_id"] == "req-17"
        assert client.get("/v1/jobs/none").json()["request_id"] == "req-17"
    assert api.services.ledger.job(job["id"]).job.request_id == "req-17"  # type: ignore[union-attr]
    for request_id in ("a b", "x" * 101, "é", "<script>", ""):
        headers = {"X-Request-ID": request_id.encode()}
        with httpx.Client(base_url=api.url, headers=headers, timeout=60, trust_env=False) as client:
            replaced = client.get("/health/live").headers["x-request-id"]
        assert (replaced != request_id, len(replaced)) == (True, 16)


# browsers ---------------------------------------------------------------------------------------------


def test_a_page_of_another_origin_may_not_call_and_ours_lets_nothing_else_in(api: ServedApi) -> None:
    with api.client(api.key("admin"), Origin="https://evil.example") as client:
        answer = client.get("/v1/jobs")
    assert answer.status_code == 403
    assert "access-control-allow-origin" not in answer.headers
    with api.client() as client:
        page, script, nothing = client.get("/"), client.get("/web/app.js"), client.get("/web/../app.py")
    assert "default-src 'self'" in page.headers["content-security-policy"]
    assert page.headers["x-content-type-options"] == "nosniff"
    assert (page.status_code, script.status_code, nothing.status_code) == (200, 200, 404)


def test_a_named_origin_may_call(services: Services) -> None:
    settings = services.settings.model_copy(update={"api_origins": "https://desk.example.org"})
    named = Services(settings)
    with served_api(named, Broker(), loopback=False) as api:
        with api.client(api.key("read"), Origin="https://desk.example.org") as client:
            answer = client.get("/v1/jobs")
        with api.client(
            **{"Origin": "https://desk.example.org", "Access-Control-Request-Method": "POST"}
        ) as client:
            preflight = client.options("/v1/queries")
            headers = {"Access-Control-Request-Headers": ACT_AS_HEADER}
            in_the_name_of_others = client.options("/v1/queries", headers=headers)
            patch = {"Access-Control-Request-Method": "PATCH"}
            edits = client.options("/v1/documents", headers=patch)
    named.close()
    assert answer.headers["access-control-allow-origin"] == "https://desk.example.org"
    assert preflight.status_code == 200
    assert in_the_name_of_others.status_code == 200
    assert ACT_AS_HEADER in in_the_name_of_others.headers["access-control-allow-headers"]
    assert (edits.status_code, "PATCH" in edits.headers["access-control-allow-methods"]) == (200, True)
