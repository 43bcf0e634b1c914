"""Named batches over HTTP and from a client over it: for administrators, of their collections alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from doubles.broker import Broker
from fleet.api import ServedApi, served_api
from fleet.crew import settings_of

from producer.client.hopline import Hopline
from producer.service.batches.submission import BatchOrder, submit_named_batch
from workers.core.errors import NotFound
from workers.core.jobs.work import Budget
from workers.services import Services


@pytest.fixture(scope="module")
def api(
    stack_env: dict[str, str], empty_redis: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ServedApi]:
    blobs = str(tmp_path_factory.mktemp("blobs"))
    services = Services(settings_of(stack_env, redis_url=empty_redis, blob_url=blobs))
    services.graph.migrate()
    with served_api(services, Broker(), loopback=False) as served:
        yield served
    services.close()


@pytest.fixture(scope="module")
def name(api: ServedApi, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder: Path = tmp_path_factory.mktemp("documents")
    (folder / "a.txt").write_text("A bridge stands in Conwy.", encoding="utf-8")
    order = BatchOrder(name="night", sources=(str(folder),), collection="night", max_cost=5.0)
    return submit_named_batch(api.services, Broker(), order).name


def test_a_batch_is_watched_paused_and_resumed_from_afar(api: ServedApi, name: str) -> None:
    with Hopline(api.url, api_key=api.key("admin")) as hopline:
        assert [batch.name for batch in hopline.batches()] == [name]
        shown = hopline.batch(name)
        assert (shown.state, shown.documents, shown.budget.cost) == ("running", 1, 5.0)
        paused = hopline.pause_batch(name)
        assert paused.state == "paused"
        assert paused.pause is not None
        assert paused.pause.kind == "user"
        again = hopline.resume_batch(name, budget=Budget(cost=9.0))
        assert (again.state, again.budget.cost) == ("running", 9.0)
        report = hopline.batch_report(name)
        assert (report.name, report.running, report.listed) == (name, True, 1)
        assert hopline.cancel_batch(name).state == "cancelled"
        with pytest.raises(NotFound, match="no batch other"):
            hopline.batch("other")


def test_a_batch_is_shown_to_administrators_of_its_collection_alone(api: ServedApi, name: str) -> None:
    paths = ["/v1/batches", f"/v1/batches/{name}", f"/v1/batches/{name}/report"]
    with api.client(api.key("submit")) as client:
        assert [client.get(path).status_code for path in paths] == [403, 403, 403]
    with api.client(api.key("admin", collections=("other",))) as client:
        assert client.get("/v1/batches").json() == {"batches": []}
        assert [client.get(path).status_code for path in paths[1:]] == [404, 404]
        assert client.delete(f"/v1/batches/{name}").status_code == 404
