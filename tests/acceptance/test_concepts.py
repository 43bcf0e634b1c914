"""Concept maps by real workers on the real Neo4j: over HTTP, by the client and by the command line."""

import json
from collections.abc import Iterator

import httpx
import pytest
from fleet.api import ServedApi
from fleet.checks import events_of
from fleet.crew import Crew, wait_until

from hopline import Hopline
from hopline.errors import NotFound
from hopline.models.concepts import ConceptOutcome
from workers.core.concepts.maps import is_chinese

GENERATE = "/v1/concepts?wait=600"


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


def test_an_empty_graph_gets_a_map_of_five_disciplines_that_is_checked_and_left_as_it_is(crew, collection):
    assert crew.client.concepts.read("entropy", collection=collection).nodes == ()
    outcome = crew.client.concepts.generate("Entropy", collection=collection, wait=60)
    assert (outcome.state, outcome.reason, outcome.version) == ("done", None, 1)
    core, *others = outcome.nodes
    assert (core.name, core.core, core.domain) == ("Entropy", True, "physics")
    assert len(others) == 4
    assert len({node.domain for node in outcome.nodes}) == 5
    assert len(crew.client.concepts.read("entropy", collection=collection).nodes) == 6
    seen = [name for name, _ in events_of(crew, outcome.job_id)]
    for name in ("concept.validated", "relations.read", "relations.expanded", "concept.saved"):
        assert seen.count(name) == 1
    assert seen.count("relation.validated") == 5
    crew.model.set()
    again = crew.client.concepts.generate("Entropy", collection=collection, wait=60)
    assert (again.state, again.version, again.nodes) == ("done", 1, outcome.nodes)
    # A worker that began late asks for an embedding of its own.
    assert crew.model.chat_calls() == {"ConceptVerdict": 1, "RelationCheck": 5}


def test_a_map_and_its_versions_are_made_and_read_over_http(client: httpx.Client, collection: str) -> None:
    request = {"concept": "entropy", "collection": collection}
    none = {"concept": "entropy", "version": 0, "nodes": [], "links": []}
    assert client.get("/v1/concepts", params=request).json() == none
    made = client.post(GENERATE, json=request)
    assert made.status_code == 200, made.text
    outcome = made.json()
    assert {"nodes", "links", "reasoning"} <= set(outcome)
    assert (outcome["state"], len(outcome["nodes"]), outcome["version"]) == ("done", 5, 1)
    held = client.get("/v1/concepts", params=request).json()
    assert (held["version"], len(held["nodes"])) == (1, 6)
    listed = client.get("/v1/concepts/versions", params=request).json()
    [version] = listed["versions"]
    assert (version["version"], version["job"]) == (1, outcome["job_id"])
    assert {(link["created"], link["updated"]) for link in held["links"]} == {(version["made"],) * 2}
    assert client.post(GENERATE, json={**request, "refresh": True}).json()["version"] == 2
    page = client.get("/v1/concepts/versions", params={**request, "limit": 1}).json()
    assert ([version["version"] for version in page["versions"]], bool(page["next"])) == ([2], True)
    older = client.get("/v1/concepts/versions", params={**request, "cursor": page["next"]}).json()
    assert older == {**listed, "next": None}
    assert client.get("/v1/concepts/versions", params={**request, "cursor": "0"}).status_code == 422
    job = client.get(f"/v1/jobs/{outcome['job_id']}").json()
    assert job["outcome"]["nodes"] == outcome["nodes"]


def test_a_relation_is_changed_by_hand_over_http(client, api, over_http, collection):
    request = {"concept": "entropy", "collection": collection}
    assert client.post(GENERATE, json=request).status_code == 200
    [first, second, *_] = client.get("/v1/concepts", params=request).json()["links"]
    path, where = f"/v1/concepts/relations/{first['id']}", {"collection": collection}
    assert client.delete(path, params=where).status_code == 422  # without a reason
    headers = {"Idempotency-Key": "once"}
    edits = [client.delete(path, params={**where, "reason": "too vague"}, headers=headers) for _ in range(2)]
    assert [edit.json()["version"] for edit in edits] == [2, 2]
    assert edits[0].json() == edits[1].json()
    assert edits[0].json()["change"]["change"] == "deleted"
    other = client.delete(
        f"/v1/concepts/relations/{second['id']}", params={**where, "reason": "vague, too"}, headers=headers
    )
    assert other.json()["change"]["id"] == second["id"]  # a key is of one edit
    assert client.post(f"/v1/concepts/relations/{second['id']}/undo", json=where).json()["version"] == 4
    with api.client(api.key("submit")) as somebody:  # whose key has the same name
        theirs = somebody.delete(path, params={**where, "reason": "too vague"}, headers=headers)
    assert (theirs.json()["version"], theirs.json()["change"]) == (4, None)
    newest = client.get("/v1/concepts/versions", params=request).json()["versions"][-2]
    assert (newest["by"] != "", newest["job"], newest["changes"][0]["reason"]) == (True, "", "too vague")
    stale = client.post(f"{path}/undo", json={**where, "version": 1})
    assert (stale.status_code, stale.json()["errors"][0]["field"]) == (409, "version")
    assert client.post(f"{path}/undo", json={**where, "version": 2}).json()["change"]["change"] == "restored"
    both = {**where, "reason": "x", "state": "abnormal", "strength": 1}
    assert client.patch(path, json=both).status_code == 422
    assert client.patch(path, json={**both, "strength": None}).json()["change"]["change"] == "abnormal"
    fixed = over_http.concepts.change_relation(
        second["id"], reason="weaker", collection=collection, version=3, strength=1
    )
    assert fixed.change is not None
    assert (fixed.change.change, fixed.change.strength) == ("changed", 1)
    with pytest.raises(NotFound):
        over_http.concepts.undo_relation("rnone", collection=collection)
    with api.client(api.key("submit", collections=("another",))) as other_key:
        assert other_key.delete(path, params={**where, "reason": "x"}).status_code == 403
        assert other_key.delete(path, params={"collection": "another", "reason": "x"}).status_code == 404


def test_who_does_not_wait_gets_the_job(client: httpx.Client, collection: str) -> None:
    request, headers = {"concept": "feedback", "collection": collection}, {"Idempotency-Key": collection}
    taken = client.post("/v1/concepts", params={"wait": 0}, json=request, headers=headers)
    assert (taken.status_code, taken.json()["kind"]) == (202, "concept")
    wait_until(lambda: client.get(taken.headers["location"]).json()["state"] == "done", "the map is made")
    again = client.post(GENERATE, json=request, headers=headers)
    assert (again.status_code, again.json()["job_id"]) == (200, taken.json()["id"])
    other = client.post(GENERATE, json={**request, "refresh": True}, headers=headers)
    assert other.status_code == 409


def test_what_is_no_concept_is_a_problem_with_the_reason(client: httpx.Client, collection: str) -> None:
    answer = client.post(GENERATE, json={"concept": "flibbertigibbet", "collection": collection})
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    known = "the stand-in knows 11 concepts; a model endpoint knows more"
    assert answer.json()["detail"] == f"flibbertigibbet: {known}"
    for name in ("", "!?", "x" * 201, "a\u0000b", "a\u202eb"):
        for answer in (
            client.get("/v1/concepts", params={"concept": name}),
            client.post(GENERATE, json={"concept": name}),
        ):
            assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "concept"), name
        assert client.get("/v1/concepts/versions", params={"concept": name}).status_code == 422, name


def test_the_command_line_makes_a_map_in_chinese_and_exits_by_what_became_of_it(crew, collection):
    done = crew.run("concepts", "create", "熵", "-c", collection, "--json")
    assert done.returncode == 0, done.stderr
    outcome = ConceptOutcome.model_validate_json(done.stdout)
    for node in outcome.nodes:
        assert is_chinese(node.name)
        assert is_chinese(node.domain)
        assert is_chinese(node.definition)
    assert all(is_chinese(link.relation) for link in outcome.links)
    assert all(is_chinese(step.text) for step in outcome.reasoning)
    assert ConceptOutcome.of(crew.client.jobs.get(outcome.job_id)) == outcome
    invalid = crew.run("concepts", "create", "flibbertigibbet", "-c", collection, "--json")
    assert (invalid.returncode, json.loads(invalid.stdout)["nodes"]) == (3, [])


def test_two_jobs_of_one_concept_at_once_make_versions_one_after_another(crew: Crew, collection: str) -> None:
    crew.model.set(chat={"latency": 0.05})
    jobs = [crew.client.concepts.generate("resonance", collection=collection, wait=0) for _ in range(3)]
    assert {crew.client.jobs.wait(job.id, timeout=180).state for job in jobs} == {"done"}
    versions = list(crew.client.concepts.iterate_versions("resonance", collection=collection))
    assert [version.version for version in versions] == list(range(len(versions), 0, -1))
    assert len(crew.client.concepts.read("resonance", collection=collection).nodes) == 6
