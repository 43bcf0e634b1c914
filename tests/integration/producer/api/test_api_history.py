"""History over HTTP: from a job's end to a search, and who sees what."""

from collections.abc import Iterator

import pytest
from doubles.graph import MemoryGraph
from doubles.vectors import MemoryVectors
from fleet.api import ServedApi

from hopline import AccessDenied, Hopline
from hopline.models.jobs import JobState, Usage
from workers.core.jobs.work import Item, Job, Phase
from workers.engine.outbox import work_off
from workers.services import Services
from workers.settings import Settings


@pytest.fixture(scope="module")
def services(empty_redis: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    folder = tmp_path_factory.mktemp("blobs")
    made = Services(Settings(_env_file=None, redis_url=empty_redis, blob_url=str(folder)))
    yield made
    made.close()


def end(services: Services, name: str, caller: str, collection: str = "default", calls: int = 0) -> None:
    job = Job(id=name, kind="query", collection=collection, caller=caller, root=name)
    services.ledger.submit(job, Phase(items=(Item(id="i1", step="traverse.plan"),)))
    for call in map(str, range(calls)):
        services.meter(job).reserve(call, 10)
        services.meter(job).settle(call, Usage(model_calls=1, prompt_tokens=3), model="small")
    services.ledger.end(name, None, JobState.FAILED, {"reason": "no plan"})
    work_off(services, name)


def id_of(key: str) -> str:
    return key.split("_")[1]


def test_a_key_finds_its_own_ended_jobs_and_an_admin_key_all(api: ServedApi, services: Services) -> None:
    mine, other, chief = api.key("read"), api.key("read"), api.key("admin")
    end(services, "h1", id_of(mine))
    end(services, "h2", id_of(other), "books")
    services.history.take_turn(1, 0.0)
    services.redis.delete("hop:{h1}:job")
    end(services, "h3", id_of(mine), calls=2)
    jobs = {key: api.client(key).get("/v1/history").json()["jobs"] for key in (mine, other, chief)}
    assert [[row["id"] for row in rows] for rows in jobs.values()] == [
        ["h3", "h1"],
        ["h2"],
        ["h3", "h2", "h1"],
    ]
    assert (jobs[other][0]["state"], jobs[other][0]["reason"]) == ("failed", "no plan")
    with Hopline(api.url, api_key=chief) as client:
        page = client.history.list(limit=2, state=JobState.FAILED, where='kind = "query"')
        rest = client.history.list(cursor=page.next)
        assert [row.id for row in (*page.jobs, *rest.jobs)] == ["h3", "h2", "h1"]
        assert [row.id for row in client.history.list(collection="books", tags={}).jobs] == ["h2"]
        assert not client.history.list(tags={"team": "a"}).jobs
        assert [(cost.by, cost.jobs) for cost in client.history.costs(by="collection").costs] == [
            ("books", 1),
            ("default", 2),
        ]
        assert [(cost.by, cost.calls) for cost in client.history.costs(by="model").costs] == [("small", 2)]
        assert client.jobs.get("h3").models["small"].model_calls == 2


def test_what_is_not_valid_is_a_422_that_says_what_is(api: ServedApi) -> None:
    with api.client(api.key("read")) as client:
        for query in ("where=colour = 1", "tag=team", "cursor=x", "since=2026", "by=week"):
            path = "/v1/history/costs" if query.startswith("by") else "/v1/history"
            assert client.get(f"{path}?{query}").status_code == 422, query


def test_administrators_erase_a_collection_or_a_name(api, services, monkeypatch):
    monkeypatch.setitem(services.__dict__, "graph", MemoryGraph())
    monkeypatch.setitem(services.__dict__, "vectors", MemoryVectors())
    chief, books = api.key("admin"), api.key("admin", collections=("books",))
    end(services, "h4", id_of(chief), "books")
    end(services, "h5", id_of(chief), "letters")
    with api.client(chief) as client:
        for query in ("", "?collection=books&document=a.pdf", "?document=ab"):
            assert client.delete(f"/v1/history{query}").status_code == 422, query
    with Hopline(api.url, api_key=books) as client:
        for refused in ({"collection": "letters"}, {"document": "no plan"}):
            with pytest.raises(AccessDenied):
                client.history.erase(**refused)
        client.history.erase(collection="books")
    with Hopline(api.url, api_key=chief) as client:
        (left,) = client.history.list(limit=1).jobs
        assert (left.id, left.reason) == ("h5", "no plan")
        assert client.history.list(collection="books").jobs == ()
        client.history.erase(document="no plan")
        assert client.history.list(limit=1).jobs[0].reason == ""
