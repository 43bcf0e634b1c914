"""Concept maps over HTTP, by hand and by the client, with real workers behind."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import httpx
import pytest
from fleet.api import ServedApi, served_api
from fleet.crew import Crew

from producer import AsyncHopline, Hopline
from producer.reports.concept import ConceptOutcome
from producer.service.keys import STORED
from workers.core.errors import InvalidInput, NotFound
from workers.services import Services


@pytest.fixture(scope="module")
def api(standing_crew: Crew) -> Iterator[ServedApi]:
    services = Services(standing_crew.settings)
    with served_api(services) as served:
        yield served
    services.redis.delete(STORED)
    services.close()


@pytest.fixture
def client(api: ServedApi, crew: Crew) -> Iterator[httpx.Client]:
    assert crew.model.requests() is not None  # it does as it should
    with api.client(api.key("submit")) as client:
        yield client


@pytest.fixture
def over_http(api: ServedApi, crew: Crew) -> Iterator[Hopline]:
    assert crew.model.requests() is not None
    with Hopline(api.url, api_key=api.key("submit")) as client:
        yield client


def test_a_map_is_generated_read_and_its_versions_listed(client: httpx.Client, collection: str) -> None:
    request = {"concept": "entropy", "collection": collection}
    assert client.post("/api/kg/query-db", json=request).json() == {
        "concept": "entropy",
        "version": 0,
        "nodes": [],
        "links": [],
    }
    made = client.post("/api/kg/generate", json=request)
    assert made.status_code == 200, made.text
    outcome = made.json()
    assert {"nodes", "links", "reasoning"} <= set(outcome)
    assert (outcome["state"], len(outcome["nodes"]), outcome["version"]) == ("done", 5, 1)
    held = client.post("/api/kg/query-db", json=request).json()
    assert (held["version"], len(held["nodes"])) == (1, 6)
    listed = client.get("/api/kg/versions", params=request).json()
    assert [version["version"] for version in listed["versions"]] == [1]
    assert listed["versions"][0]["job"] == outcome["job_id"]
    made_at = listed["versions"][0]["made"]
    assert {(link["created"], link["updated"]) for link in held["links"]} == {(made_at, made_at)}
    assert client.post("/api/kg/generate", json={**request, "refresh": True}).json()["version"] == 2
    page = client.get("/api/kg/versions", params={**request, "limit": 1}).json()
    assert ([version["version"] for version in page["versions"]], page["next"]) == ([2], 2)
    older = client.get("/api/kg/versions", params={**request, "before": page["next"]}).json()
    assert older == {**listed, "next": None}
    assert client.get("/api/kg/versions", params={**request, "before": 0}).status_code == 422
    job = client.get(f"/v1/jobs/{outcome['job_id']}").json()
    assert job["outcome"]["nodes"] == outcome["nodes"]


def test_a_relation_is_changed_by_hand_over_http(
    client: httpx.Client, api: ServedApi, over_http: Hopline, collection: str
) -> None:
    request = {"concept": "entropy", "collection": collection}
    assert client.post("/api/kg/generate", json=request).status_code == 200
    [first, second, *_] = client.post("/api/kg/query-db", json=request).json()["links"]
    path, where = f"/api/kg/relations/{first['id']}", {"collection": collection}
    assert client.delete(path, params=where).status_code == 422  # without a reason
    headers = {"Idempotency-Key": "once"}
    edits = [client.delete(path, params={**where, "reason": "too vague"}, headers=headers) for _ in range(2)]
    assert [edit.json()["version"] for edit in edits] == [2, 2]
    assert edits[0].json() == edits[1].json()
    assert edits[0].json()["change"]["change"] == "deleted"
    other = client.delete(
        f"/api/kg/relations/{second['id']}", params={**where, "reason": "vague, too"}, headers=headers
    )
    assert other.json()["change"]["id"] == second["id"]  # a key is of one edit
    assert client.post(f"/api/kg/relations/{second['id']}/undo", json=where).json()["version"] == 4
    with api.client(api.key("submit")) as somebody:  # whose key has the same name
        theirs = somebody.delete(path, params={**where, "reason": "too vague"}, headers=headers)
    assert (theirs.json()["version"], theirs.json()["change"]) == (4, None)
    newest = client.get("/api/kg/versions", params=request).json()["versions"][-2]
    assert (newest["by"] != "", newest["job"], newest["changes"][0]["reason"]) == (True, "", "too vague")
    stale = client.post(f"{path}/undo", json={**where, "version": 1})
    assert (stale.status_code, stale.json()["errors"][0]["field"]) == (409, "version")
    assert client.post(f"{path}/undo", json={**where, "version": 2}).json()["change"]["change"] == "restored"
    both = {**where, "reason": "x", "state": "abnormal", "strength": 1}
    assert client.patch(path, json=both).status_code == 422
    assert client.patch(path, json={**both, "strength": None}).json()["change"]["change"] == "abnormal"
    fixed = over_http.edit_relation(
        second["id"], "correct", collection, reason="weaker", correction={"strength": 1}, seen=3
    )
    assert fixed.change is not None
    assert (fixed.change.change, fixed.change.strength) == ("changed", 1)
    with pytest.raises(InvalidInput, match="strength"):
        over_http.edit_relation(second["id"], "correct", collection, reason="x", correction={"strength": 9})
    with pytest.raises(InvalidInput, match="state"):
        over_http.edit_relation(second["id"], "correct", collection, reason="x", correction={"state": "x"})
    with pytest.raises(NotFound):
        over_http.edit_relation("rnone", "undo", collection)
    with api.client(api.key("submit", collections=("another",))) as other:
        assert other.delete(path, params={**where, "reason": "x"}).status_code == 403
        assert other.delete(path, params={"collection": "another", "reason": "x"}).status_code == 404


def test_who_does_not_wait_gets_the_job(client: httpx.Client, collection: str) -> None:
    request = {"concept": "feedback", "collection": collection}
    taken = client.post(
        "/api/kg/generate", params={"wait": 0}, json=request, headers={"Idempotency-Key": collection}
    )
    assert (taken.status_code, taken.json()["kind"]) == (202, "concept")
    assert client.get(taken.headers["location"], params={"wait": 30}).json()["state"] == "done"
    again = client.post("/api/kg/generate", json=request, headers={"Idempotency-Key": collection})
    assert (again.status_code, again.json()["job_id"]) == (200, taken.json()["id"])
    other = client.post(
        "/api/kg/generate", json={**request, "refresh": True}, headers={"Idempotency-Key": collection}
    )
    assert other.status_code == 409


def test_an_invalid_concept_is_a_problem_with_the_reason(client: httpx.Client, collection: str) -> None:
    answer = client.post("/api/kg/generate", json={"concept": "flibbertigibbet", "collection": collection})
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["detail"] == "flibbertigibbet: not in the offline model's table, so it cannot tell"


@pytest.mark.parametrize("name", ["", "!?", "x" * 201, "a\u0000b", "a\u202eb"])
def test_what_is_no_name_is_refused_before_anything_is_written(client: httpx.Client, name: str) -> None:
    for path in ("/api/kg/query-db", "/api/kg/generate"):
        answer = client.post(path, json={"concept": name})
        assert answer.status_code == 422
        assert answer.json()["errors"][0]["field"] == "concept"
    assert client.get("/api/kg/versions", params={"concept": name}).status_code == 422


def test_both_ways_of_the_client_give_the_same(crew: Crew, over_http: Hopline, collection: str) -> None:
    made = over_http.concept("信息", collection)
    assert (made.state, len(made.nodes)) == ("done", 5)
    assert crew.client.concept_outcome(made.job_id) == made
    assert over_http.concept_map("信息", collection) == crew.client.concept_map("信息", collection)
    assert over_http.concept_versions("信息", collection) == crew.client.concept_versions("信息", collection)
    assert over_http.concept_versions("信息", collection, before=1) == []
    assert over_http.concept("flibbertigibbet", collection).state == "abstained"
    few = over_http.concept("symmetry", collection, wanted=2, refresh=True)
    assert (few.state, len(few.nodes)) == ("done", 3)
    for client in (crew.client, over_http):
        with pytest.raises(InvalidInput, match="letters or digits"):
            client.submit_concept("?!", collection)
        with pytest.raises(InvalidInput, match="tries"):
            client.submit_concept("entropy", collection, tries=99)


def test_the_asynchronous_client_makes_maps_too(api: ServedApi, crew: Crew, collection: str) -> None:
    assert crew.model.requests() is not None

    async def make() -> list[ConceptOutcome]:
        async with AsyncHopline(api.url, api_key=api.key("submit")) as hopline:
            names = ("equilibrium", "平衡")
            outcomes = await asyncio.gather(*(hopline.concept(name, collection) for name in names))
            assert [version.version for version in await hopline.concept_versions("平衡", collection)] == [1]
            assert (await hopline.concept_map("equilibrium", collection)).version == 1
            return outcomes

    assert [outcome.state for outcome in asyncio.run(make())] == ["done", "done"]
