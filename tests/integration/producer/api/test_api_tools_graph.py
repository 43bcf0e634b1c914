"""The tools' own database over HTTP: what is around a node of it, and who may look."""

import pytest
from doubles.broker import Broker
from fleet.api import ServedApi, served_api
from fleet.crew import settings_of

from workers.services import Services

PATH = "/v1/graph/tools"


@pytest.fixture(scope="module")
def movies_api(movies_neo4j, stack_env, empty_redis):
    """An API whose tools ask the Movies graph."""
    own = {f"tools_neo4j_{name}": getattr(movies_neo4j, name) for name in ("url", "user", "password")}
    services = Services(settings_of(stack_env, redis_url=empty_redis, **own))
    services.graph.migrate()
    with served_api(services, Broker(), loopback=False) as served:
        yield served
    services.close()


@pytest.mark.long  # a second Neo4j
def test_what_is_around_a_node_is_told_to_who_may_see_all(movies_api: ServedApi) -> None:
    with movies_api.client(movies_api.key("read")) as client:
        assert client.get("/v1/about").json()["tools_graph"] is True
        opening = client.get(PATH).json()
        assert opening["label_counts"] == {"Person": 133, "Movie": 38}
        assert (opening["centre"], "Tom Hanks" in {node["name"] for node in opening["nodes"]}) == (None, True)
        around = client.get(PATH, params={"name": "the matrix", "limit": 5}).json()
        names = {node["id"]: (node["name"], node["labels"]) for node in around["nodes"]}
        assert names[around["centre"]] == ("The Matrix", ["Movie"])
        assert (len(around["relationships"]), around["more"]) == (5, True)
        first = {one["id"] for one in around["relationships"]}  # which five: as the database comes upon them
        assert all(one["target"] == around["centre"] for one in around["relationships"])
        again = client.get(PATH, params={"node": around["centre"]}).json()
        assert (again["centre"], again["more"]) == (around["centre"], False)
        assert first < {one["id"] for one in again["relationships"]}
        names = {node["id"]: node["name"] for node in again["nodes"]}
        joined = {(names[one["source"]], one["type"]) for one in again["relationships"]}
        assert joined >= {("Keanu Reeves", "ACTED_IN"), ("Lana Wachowski", "DIRECTED")}
        assert "Joel Silver" in names.values()
        gone = client.get(PATH, params={"node": "4:none:1"}).json()
        assert (gone["centre"], gone["nodes"]) == (None, [])
    for rights in ({"collections": ("mine",)}, {"principals": ("user:bo",)}):
        with movies_api.client(movies_api.key("read", **rights)) as client:
            assert client.get(PATH).status_code == 403
            assert client.get("/v1/about").json()["tools_graph"] is False


def test_hoplines_own_graph_is_none_of_the_tools(api: ServedApi) -> None:
    settings = api.services.settings
    own = {f"tools_neo4j_{name}": getattr(settings, f"neo4j_{name}") for name in ("url", "user", "password")}
    named = Services(settings.model_copy(update=own))
    with served_api(named, Broker(), loopback=False) as other:
        for served in (api, other):
            with served.client(served.key("read")) as client:
                assert client.get(PATH).status_code == 404
                assert client.get("/v1/about").json()["tools_graph"] is False
    named.close()
