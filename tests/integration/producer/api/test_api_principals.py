"""Who sees what over HTTP: keys with principals, requests in the name of others, every route."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from doubles.broker import Broker
from doubles.documents import made_document, write
from fleet.api import ServedApi, served_api

from hopline.errors import Permanent
from hopline.events.questions import AnswerSentence, VisitFinished
from hopline.models.documents import Document
from hopline.models.jobs import JobState
from hopline.transport import ACT_AS_HEADER
from producer.api.principals.header import WITHIN_PRINCIPALS
from producer.service.keys import ApiKeys
from workers.core.jobs.records import Wanted
from workers.core.jobs.work import Event
from workers.core.metadata.changes import MetadataChange
from workers.core.redis_keys import job_key
from workers.engine.runner import Runner
from workers.services import Services

PUBLIC = {"/health", "/health/live", "/health/ready"}
MINE = "principals"
FACTS = {
    "open.txt": ("A bridge stands in Conwy.", ["bridge", "Conwy"], None),
    "legal.txt": ("The bridge belongs to Mara.", ["bridge", "Mara"], ("group:legal",)),
    "ann.txt": ("The bridge costs 7 pounds.", ["bridge", "7 pounds"], ("user:ann",)),
}
QUESTION = {"question": "Whose is the bridge?", "collection": MINE}


@pytest.fixture(autouse=True)
def _library(services: Services) -> Iterator[None]:
    for uri, (fact, names, allow) in FACTS.items():
        write(services.graph, MINE, uri, [(fact, names)])
        if allow:
            services.graph.store.change_metadata([_id(uri)], MetadataChange(values={"allow": allow}))
    yield
    for uri in FACTS:
        services.graph.store.delete_document(_id(uri))
    for record in services.ledger.page(Wanted(), limit=100)[0]:
        services.ledger.end(record.job.id, None, JobState.CANCELLED, {})


@pytest.fixture(scope="module")
def broker() -> Broker:
    return Broker()


@pytest.fixture(scope="module")
def api(services: Services, broker: Broker) -> Iterator[ServedApi]:
    with served_api(services, broker, loopback=False) as served:
        yield served


def _id(uri: str) -> str:
    return made_document(MINE, uri, [FACTS[uri][:2]])[0].id


def _uris(client: httpx.Client, **params: str) -> set[str]:
    documents = client.get("/v1/documents", params={"collection": MINE, **params}).json()["documents"]
    return {document["uri"] for document in documents}


def _asked(client: httpx.Client, **headers: str) -> dict[str, Any]:
    answer = client.post("/v1/queries", json=QUESTION, headers=headers)
    assert answer.status_code == 202, answer.text
    job: dict[str, Any] = answer.json()
    return job


def _end_with(api: ServedApi, job: str, *uris: str, **words: Any) -> None:
    """End a job with an answer that cites these documents."""
    cited = [
        {
            "kind": "text", "n": n, "fact_id": f"f{n}", "fact": "f", "score": 1,
            "final_decayed_score": 1, "depth": 0, "source_description": "s", "chunk_id": "c", "start": 0,
            "end": 1, "quote": "q", "document": {"id": _id(uri), "title": uri, "uri": uri},
        }
        for n, uri in enumerate(uris, 1)
    ]  # fmt: skip
    walk = [{"node_id": "n", "name": "Mara", "depth": 0}]
    outcome = {"text": "So it is [1].", "citations": cited, "walk": walk, "details": {"secret": 1}, **words}
    api.services.ledger.end(job, None, JobState.DONE, outcome)


# routes -----------------------------------------------------------------------------------------------


def test_every_route_is_refused_unless_it_reads_for_principals(api: ServedApi) -> None:
    operations = api.operations()
    assert {(m, p) for m, p in operations} >= WITHIN_PRINCIPALS
    names = {"job_id": "j0", "document_id": "d0", "merge_id": "m0", "name": MINE}
    names |= {"relation_id": "r0", "topic": "t0", "key_id": "k0", "message_id": "0" * 16}
    acting = {ACT_AS_HEADER: "user:ann"}
    callers = [(api.key("submit", principals=("user:ann",)), {}), (api.key("admin"), acting)]
    for key, headers in callers:
        with api.client(key, **headers) as client:
            for method, path in operations:
                if path in PUBLIC or (method, path) in WITHIN_PRINCIPALS:
                    continue
                answer = client.request(method, path.format(**names), json={})
                assert (answer.status_code, method, path) == (403, method, path), answer.text


def _flat(routes: Any) -> Iterator[Any]:
    """Yield routes, those of included routers too."""
    for route in routes:
        inner = getattr(route, "original_router", None)
        if inner is None:
            yield route
        else:
            yield from _flat(inner.routes)


def test_every_other_route_needs_no_caller_and_tells_of_no_document(api: ServedApi) -> None:
    with api.client(api.key("read", principals=("user:ann",))) as client:
        for path in (*PUBLIC, "/openapi.json", "/", "/docs"):
            text = client.get(path).text
            assert not [uri for uri in FACTS if uri in text]
    served = api.server.config.app.routes  # type: ignore[union-attr]
    known = {path for _method, path in api.operations()}
    others = {getattr(route, "path", "") for route in _flat(served)} - known
    # Pages and the description of the API, and MCP, whose tools call the routes above.
    assert others <= {"/openapi.json", "/", "/docs", "/web", "/mcp"}, others


# keys -------------------------------------------------------------------------------------------------


def test_a_key_sees_what_is_allowed_to_its_principals_and_to_everyone(api: ServedApi) -> None:
    for principals, seen in (
        (("user:ann",), {"open.txt", "ann.txt"}),
        (("*",), {"open.txt"}),
        (None, set(FACTS)),
    ):
        with api.client(api.key("read", principals=principals)) as client:
            assert _uris(client) == seen
            counted = client.get("/v1/documents/facets", params={"collection": MINE}).json()
            assert counted["documents"] == len(seen)
            sizes = {
                collection["name"]: collection["documents"]
                for collection in client.get("/v1/collections").json()["collections"]
            }
            assert sizes[MINE] == len(seen)
            for uri in FACTS:
                for path in (f"/v1/documents/{_id(uri)}", f"/v1/documents/{_id(uri)}/text"):
                    assert (client.get(path).status_code, uri) == (200 if uri in seen else 404, uri)
            search_result = client.get("/v1/search", params=QUESTION).json()
            assert {chunk["document"]["uri"] for chunk in search_result["chunks"]} == seen


def test_everything_shown_is_as_if_what_is_hidden_had_never_been_ingested(api: ServedApi) -> None:
    hidden = [uri for uri in FACTS if uri != "open.txt"]

    def shown() -> list[Any]:
        paths = [
            ("/v1/documents", {"collection": MINE, "sort": "title"}),
            ("/v1/documents", {"collection": MINE, "q": "txt"}),
            ("/v1/documents", {"collection": MINE, "where": "exists(allow)"}),
            ("/v1/documents", {"collection": MINE, "limit": "1"}),
            ("/v1/documents", {}),
            ("/v1/documents/facets", {"collection": MINE}),
            ("/v1/documents/facets", {"collection": "secret"}),
            ("/v1/collections", {}),
            ("/v1/search", QUESTION),
            ("/v1/search", {**QUESTION, "where": 'allow has "user:ann"'}),
            ("/v1/search", {**QUESTION, "documents": _id("ann.txt")}),
            ("/v1/search", {**QUESTION, "question": "Mara"}),
            ("/v1/search", {**QUESTION, "collection": "secret"}),
            *((f"/v1/documents/{_id(uri)}{part}", {}) for uri in FACTS for part in ("", "/text")),
        ]
        answers = []
        with api.client(api.key("submit", principals=("user:bo",))) as client:
            for path, params in paths:
                answer = client.get(path, params=params)
                answers.append((answer.status_code, _plain(answer.json())))
            for body in (
                QUESTION,
                {**QUESTION, "collection": "secret"},
                {**QUESTION, "documents": [_id("ann.txt")]},
            ):
                answer = client.post("/v1/queries", json=body)
                answers.append((answer.status_code, {} if answer.is_success else _plain(answer.json())))
        return answers

    document, _chunks = made_document("secret", "s.txt", [FACTS["ann.txt"][:2]])
    write(api.services.graph, "secret", "s.txt", [FACTS["ann.txt"][:2]])
    allow = MetadataChange(values={"allow": ("user:ann",)})
    api.services.graph.store.change_metadata([document.id], allow)
    before = shown()
    for name in (document.id, *map(_id, hidden)):
        api.services.graph.store.delete_document(name)
    assert before == shown()
    assert "ann" not in json.dumps(before).replace(_id("ann.txt"), "").replace("user:ann", "")


def _plain(value: Any) -> Any:
    """Leave out what differs from request to request, and other tests' collections."""
    if isinstance(value, dict) and "collections" in value:
        return [collection for collection in value["collections"] if collection["name"] in (MINE, "secret")]
    if isinstance(value, dict):
        return {
            name: _plain(member) for name, member in value.items() if name not in ("request_id", "seconds")
        }
    return [_plain(item) for item in value] if isinstance(value, list) else value


def test_a_document_without_live_text_is_hidden_for_nobody_knows_yet_for_whom_it_is(api: ServedApi) -> None:
    made = Document(id="d-coming", collection=MINE, uri="coming.txt", title="coming", content_hash="0" * 64)
    api.services.graph.store.open_version(made)
    try:
        with api.client(api.key("read", principals=("user:ann",))) as client:
            assert client.get("/v1/documents/d-coming").status_code == 404
            assert "coming.txt" not in _uris(client)
        with api.client(api.key("read")) as client:
            assert "coming.txt" in _uris(client)
    finally:
        api.services.graph.store.delete_document("d-coming")


def test_who_may_see_it_is_said_in_a_known_form(api: ServedApi) -> None:
    with api.client(api.key("submit")) as client:
        for allow in ([], ["ann"], ["user:"], ["user:a b"], None, ["user:ann", 3], {"a": 1}):
            refused = client.patch(
                "/v1/documents", json={"documents": [_id("open.txt")], "set": {"allow": allow}}
            )
            assert (refused.status_code, "allow" in refused.json()["errors"][0]["field"]) == (422, True), (
                allow
            )
            text = {"name": "a.txt", "text": "A bridge.", "metadata": {"allow": allow}}
            answer = client.post("/v1/documents", json={"collection": MINE, "texts": [text]})
            assert answer.status_code == 422, allow


# in the name of others --------------------------------------------------------------------------------


def test_who_acts_as_another_needs_the_scope_and_gets_no_more_than_the_key_has(api: ServedApi) -> None:
    as_ann = {ACT_AS_HEADER: "user:ann"}
    with api.client(api.key("submit")) as client:
        assert client.get("/v1/jobs", headers=as_ann).status_code == 403
        assert client.post("/v1/queries", json=QUESTION, headers=as_ann).status_code == 403
        assert client.post("/mcp", json={}, headers=as_ann).status_code == 403
    with api.client(api.key("submit", "act-as")) as client:
        assert _uris(client) == set(FACTS)
        client.headers.update(as_ann)
        assert _uris(client) == {"open.txt", "ann.txt"}
        for wrong in ("", "ann", "user:ann,,"):
            assert client.get("/v1/jobs", headers={ACT_AS_HEADER: wrong}).status_code == 422
    limited = api.key("submit", "act-as", principals=("user:ann", "user:bo"))
    with api.client(limited, **{ACT_AS_HEADER: "user:bo"}) as client:
        assert _uris(client) == {"open.txt"}
        assert client.get("/v1/jobs", headers={ACT_AS_HEADER: "group:legal"}).status_code == 403


def test_a_job_in_the_name_of_another_says_so_and_is_there_for_nobody_else(api: ServedApi) -> None:
    key = api.key("submit", "act-as")
    ann, bo = {ACT_AS_HEADER: "user:ann"}, {ACT_AS_HEADER: "user:bo"}
    with api.client(key) as client:
        job = _asked(client, **ann)["id"]
        stored = api.services.ledger.job(job)
        assert stored is not None
        assert (stored.job.principals, stored.job.acted_by) == (("user:ann",), key.split("_")[1])
        event = api.services.ledger.events(job)[0][1]
        assert event.name == "job.submitted"
        assert event.data == {"acted_by": key.split("_")[1], "principals": ["user:ann"]}
        for method, path in (("GET", ""), ("DELETE", ""), ("GET", "/events")):
            assert client.request(method, f"/v1/jobs/{job}{path}", headers=bo).status_code == 404
        assert client.get(f"/v1/jobs/{job}", headers=ann).status_code == 200
        assert client.get(f"/v1/jobs/{job}").status_code == 200  # the service itself
        assert job not in client.get("/v1/jobs", headers=bo).text
        assert [row["id"] for row in client.get("/v1/jobs", headers=ann).json()["jobs"]] == [job]


def test_a_question_is_asked_again_for_the_same_principals_and_by_nobody_else(api: ServedApi) -> None:
    key = api.key("submit", "act-as")
    ann, bo = {ACT_AS_HEADER: "user:ann"}, {ACT_AS_HEADER: "user:bo"}
    with api.client(key) as client:
        job = _asked(client, **ann)["id"]
        api.services.ledger.end(job, None, JobState.FAILED, {})
        assert client.post(f"/v1/jobs/{job}/retry", headers=bo).status_code == 404
        again = client.post(f"/v1/jobs/{job}/retry", headers=ann)
        assert again.status_code == 202
        stored = api.services.ledger.job(again.json()["id"])
        assert stored is not None
        assert (stored.job.id != job, stored.job.params["retry_of"]) == (True, job)
        assert (stored.job.principals, stored.job.acted_by) == (("user:ann",), key.split("_")[1])
        assert client.get(f"/v1/jobs/{stored.job.id}", headers=bo).status_code == 404
    with api.client(api.key("submit", principals=("user:ann",))) as client:
        assert client.post(f"/v1/jobs/{job}/retry").status_code == 404


def test_a_question_that_read_everything_is_not_asked_again_by_a_key_that_sees_less(api: ServedApi) -> None:
    key = api.key("submit")
    with api.client(key) as client:
        job = _asked(client)["id"]
        tools = client.post("/v1/queries", json=QUESTION | {"strategy": "tools"}).json()["id"]
        for each in (job, tools):
            api.services.ledger.end(each, None, JobState.FAILED, {})
        ApiKeys(api.services.redis).change_principals(key.split("_")[1], ["user:ann"])
        refused = client.post(f"/v1/jobs/{tools}/retry")
        assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "strategy")
        again = api.services.ledger.job(client.post(f"/v1/jobs/{job}/retry").json()["id"])
    assert again is not None
    assert api.services.ports(again.job, api.services.meter(again.job)).job.principals == ("user:ann",)


def test_an_idempotency_key_is_that_of_whom_it_is_used_for(api: ServedApi) -> None:
    with api.client(api.key("submit", "act-as"), **{"Idempotency-Key": "k"}) as client:
        ids = [_asked(client, **{ACT_AS_HEADER: name})["id"] for name in ("user:ann", "user:bo", "user:ann")]
    assert ids[0] == ids[2] != ids[1]


# jobs -------------------------------------------------------------------------------------------------


def test_an_answer_is_shown_while_all_it_cites_may_be_seen_and_never_its_survey(api: ServedApi) -> None:
    with api.client(api.key("submit", principals=("user:ann",))) as client:
        job = _asked(client)["id"]
        _end_with(api, job, "ann.txt", "open.txt")
        outcome = client.get(f"/v1/jobs/{job}").json()["outcome"]
        assert (outcome["text"], outcome["walk"], outcome["details"]) == ("So it is [1].", [], {})
        change = MetadataChange(values={"allow": ("user:bo",)})
        api.services.graph.store.change_metadata([_id("ann.txt")], change)
        outcome = client.get(f"/v1/jobs/{job}").json()["outcome"]
    assert (outcome["text"], outcome["citations"], outcome["walk"]) == ("", [], [])
    assert "may no longer be seen" in outcome["reason"]
    line = "Looked at 3 of 3 facts in 3 of 3 documents, from 1 of 2 topics. Not looked at: Mara."
    with api.client(api.key("submit", principals=("user:ann",))) as client:
        job = _asked(client)["id"]
        unchecked = {"unchecked_sentences": [{"sentence": "So it is [1].", "why": "translated"}]}
        details = {"coverage": {"line": line}, **unchecked}
        _end_with(api, job, "open.txt", text=f"So it is [1].\n\n{line}", details=details)
        outcome = client.get(f"/v1/jobs/{job}").json()["outcome"]
        assert (outcome["text"], outcome["details"]) == ("So it is [1].", unchecked)


def test_events_tell_sentences_while_what_they_cite_is_seen_and_nothing_of_the_way(api: ServedApi) -> None:
    ledger = api.services.ledger
    with api.client(api.key("submit", principals=("user:ann",))) as client:
        job = _asked(client)["id"]
        cited = [{"document": {"id": _id("ann.txt")}}]
        job_events = [
            Event.of(VisitFinished(node_id="k", node="Mara", parent=None, depth=0, facts=1)),
            Event.of(AnswerSentence(n=1, text="It costs 7 pounds [1].", citations=tuple(cited))),
        ]
        for event in job_events:
            fields = {"name": event.name, "data": json.dumps(event.model_dump(mode="json")["data"])}
            api.services.redis.xadd(job_key(job, "events"), fields)  # as a step's are written
        _end_with(api, job, "ann.txt")

        def events(**headers: str) -> tuple[int, str]:
            answer = client.get(f"/v1/jobs/{job}/events", headers=headers)
            return answer.status_code, answer.text

        status, text = events()
        assert (status, "7 pounds" in text, "job.ended" in text, "Mara" in text) == (200, True, True, False)
        change = MetadataChange(values={"allow": ("user:bo",)})
        api.services.graph.store.change_metadata([_id("ann.txt")], change)
        assert events()[0] == 404
        assert ledger.job(job) is not None


def test_the_next_step_of_a_job_reads_for_whom_its_key_reads_now(api: ServedApi) -> None:
    services, keys = api.services, ApiKeys(api.services.redis)
    key = api.key("submit", principals=("user:ann", "group:legal"))
    whole = api.key("submit")
    with api.client(key) as client, api.client(whole) as other:
        job, free = _asked(client)["id"], _asked(other)["id"]

    def seen(name: str) -> set[str]:
        record = services.ledger.job(name)
        assert record is not None
        store = services.ports(record.job, services.meter(record.job)).graph.store
        return {uri for uri in FACTS if store.document(_id(uri)) is not None}

    assert seen(job) == set(FACTS) == seen(free)
    keys.change_principals(key.split("_")[1], ["group:legal", "user:bo"])
    assert seen(job) == {"open.txt", "legal.txt"}
    keys.change_principals(key.split("_")[1], None)
    assert seen(job) == set(FACTS)  # and never more than it was submitted for
    keys.change_principals(whole.split("_")[1], ["user:bo"])
    assert seen(free) == {"open.txt"}
    record = services.ledger.job(job)
    assert record is not None
    with pytest.raises(Permanent, match="reads all documents"):  # a job of another kind
        services.ports(record.job.model_copy(update={"kind": "reindex"}), services.meter(record.job))
    for key_text, name in ((key, job), (whole, free)):  # who was narrowed reads not everything again
        keys.revoke(key_text.split("_")[1])
        with pytest.raises(Permanent, match="revoked"):
            seen(name)


@pytest.mark.parametrize(
    "strategy", ["graph", *(pytest.param(name, marks=pytest.mark.long) for name in ("reader", "survey"))]
)
def test_a_job_whose_key_is_narrowed_ends_with_what_it_may_still_see(api, broker, strategy):
    runner, keys = Runner(api.services, broker), ApiKeys(api.services.redis)

    def ended(narrowed_at: int | None = None) -> tuple[dict[str, Any], int]:
        """Return the answer, and of how many messages; before one of them the key may be narrowed."""
        key = api.key("submit", principals=("user:ann", "group:legal"))
        broker.queued.clear()
        with api.client(key) as client:
            body = {**QUESTION, "question": "Who does the bridge belong to?", "strategy": strategy}
            job = client.post("/v1/queries", json=body).json()["id"]
            messages = 0
            while broker.queued:
                if messages == narrowed_at:
                    keys.change_principals(key.split("_")[1], ["user:ann"])
                broker.deliver(runner, most=1)
                messages += 1
            outcome: dict[str, Any] = client.get(f"/v1/jobs/{job}").json()["outcome"]
        return outcome, messages

    whole, messages = ended()
    assert "legal.txt" in {citation["document"]["uri"] for citation in whole["citations"]}
    assert "Mara" in whole["text"]
    for at in (1, messages // 2, messages - 1):  # at the end it has found everything, and only writes
        left = json.dumps(ended(at)[0])
        assert "legal.txt" not in left
        assert "Mara" not in left


def test_a_stream_of_events_ends_when_its_key_sees_less(api: ServedApi) -> None:
    key = api.key("submit", principals=("user:ann", "group:legal"))
    with api.client(key) as client:
        job = _asked(client)["id"]
        with client.stream("GET", f"/v1/jobs/{job}/events") as stream:
            lines = stream.iter_lines()
            assert next(line for line in lines if line.startswith("event")) == "event: job.submitted"
            ApiKeys(api.services.redis).change_principals(key.split("_")[1], ["user:ann"])
            api.services.ledger.end(job, None, JobState.CANCELLED, {"reason": "secret"})
            assert not [line for line in lines if line.startswith(("event", "data"))][1:]
