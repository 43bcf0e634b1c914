"""Earlier texts over HTTP: for whom they open, and what times that are refused tell to whom."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import datetime

import pytest
from doubles.broker import Broker
from doubles.documents import BOHR, CURIE, made_document, write
from doubles.kept import passed
from fleet.api import ServedApi, served_api
from fleet.crew import settings_of

from producer import AsyncHopline, Hopline
from workers.core.errors import InvalidInput, NotFound
from workers.core.ids import document_id
from workers.core.metadata.changes import MetadataChange
from workers.ingest.versions import remove_versions
from workers.services import Services

EARLIER = "earlier"


@pytest.fixture(scope="module")
def services(
    stack_env: dict[str, str], empty_redis: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Services]:
    own = {"redis_url": empty_redis, "blob_url": str(tmp_path_factory.mktemp("blobs"))}
    made = Services(settings_of(stack_env, **own))
    made.graph.migrate()
    made.graph.kept.begin(EARLIER)
    yield made
    remove_versions(made, made.graph.kept.named(collection=EARLIER))
    made.close()


@pytest.fixture(scope="module")
def api(services: Services) -> Iterator[ServedApi]:
    with served_api(services, Broker(), loopback=False) as served:
        yield served


def bring(services: Services, uri: str, *, allow: str, kept: bool = True) -> datetime:
    """Bring in a document and replace its text; return a time at which the first was live."""
    name = document_id(EARLIER, uri)
    write(services.graph, EARLIER, uri, [CURIE])
    services.graph.store.change_metadata([name], MetadataChange(values={"allow": [allow]}))
    then = passed(services.graph)
    if kept:
        services.graph.kept.write(name)
    document, chunks = made_document(EARLIER, uri, [BOHR])
    opened = services.graph.store.open_version(document)
    services.graph.store.write_chunks(opened, chunks)
    services.graph.store.make_live(opened, metadata=MetadataChange(values={"allow": [allow]}))
    return then


def test_an_earlier_text_opens_for_who_may_see_the_document_and_when_it_is_gone_for_all_rights_only(
    api: ServedApi,
) -> None:
    name, then = document_id(EARLIER, "ann.txt"), bring(api.services, "ann.txt", allow="user:ann")
    path, params = f"/v1/documents/{name}/text", {"known_at": then.isoformat()}
    ann, bo = (api.key("read", principals=(f"user:{who}",)) for who in ("ann", "bo"))
    elsewhere, every = api.key("read", collections=("other",)), api.key("read")

    def opened(key: str, **changed: str) -> tuple[int, bool]:
        with api.client(key) as client:
            answer = client.get(path, params=params | changed)
        return answer.status_code, CURIE[0] in answer.text

    assert [opened(key) for key in (every, ann)] == [(200, True)] * 2
    assert [opened(key) for key in (bo, elsewhere)] == [(404, False)] * 2
    assert opened(ann, known_at="9999-12-31T23:59-10:00") == (422, False)
    api.services.graph.kept.write(name)
    api.services.graph.store.delete_document(name)
    assert opened(every) == (200, True)
    assert [opened(key) for key in (ann, bo, elsewhere)] == [(404, False)] * 3


def test_a_time_that_is_refused_names_no_document_to_who_may_not_see_it(api: ServedApi) -> None:
    then = bring(api.services, "secret.txt", allow="user:ann", kept=False)
    params = {"question": "Who?", "collection": EARLIER, "known_at": then.isoformat()}
    answers = {}
    for who in ("ann", "bo"):
        with api.client(api.key("read", principals=(f"user:{who}",))) as client:
            answers[who] = client.get("/v1/search", params=params)
    assert "secret.txt" in answers["ann"].text
    assert answers["ann"].status_code == 422
    assert "secret.txt" not in answers["bo"].text
    assert "known_at" not in answers["bo"].text
    api.services.graph.store.delete_document(document_id(EARLIER, "secret.txt"))


def test_the_clients_read_what_was_live_at_a_time_in_this_process_and_over_http(api: ServedApi) -> None:
    name, then = document_id(EARLIER, "both.txt"), bring(api.services, "both.txt", allow="*")
    key = api.key("read")

    async def read(known_at: datetime | str) -> str:
        async with AsyncHopline(api.url, api_key=key) as client:
            return (await client.document_text(name, 0, 500, known_at=known_at)).text

    with Hopline(api.url, api_key=key) as over_http:
        for client in (Hopline(services=api.services), over_http):
            assert client.document_text(name, known_at=then).text == CURIE[0]
            assert client.document_text(name, 6, 11, known_at=then.isoformat()).text == CURIE[0][6:11]
            assert client.document_text(name).text == BOHR[0]
            for moment, allowed in (("soon", "a time such as"), ("2999-01-01", "a time that has passed")):
                with pytest.raises(InvalidInput, match=allowed) as refused:
                    client.document_text(name, known_at=moment)
                assert refused.value.field == "known_at"
            with pytest.raises(NotFound):
                client.document_text("d-unknown", known_at=then)
    assert asyncio.run(read(then)) == CURIE[0]


def test_a_version_that_one_may_not_see_is_as_one_that_never_was(api: ServedApi) -> None:
    graph = api.services.graph
    times = {}
    for uri in ("turned.txt", "turned-and-lost.txt"):  # what is live now is for everyone, the first was not
        times[uri] = bring(api.services, uri, allow="user:ann", kept=uri == "turned.txt")
        everyone = MetadataChange(values={"allow": ["*"]})
        graph.store.change_metadata([document_id(EARLIER, uri)], everyone)
    times["later.txt"] = passed(graph)
    write(graph, EARLIER, "later.txt", [BOHR])
    answers = set()
    with api.client(api.key("read", principals=("user:bo",))) as client:
        for uri, then in times.items():
            name = document_id(EARLIER, uri)
            assert client.get(f"/v1/documents/{name}/text").is_success
            answer = client.get(f"/v1/documents/{name}/text", params={"known_at": then.isoformat()})
            fields = {field: value for field, value in answer.json().items() if field != "request_id"}
            answers.add((answer.status_code, str(fields).replace(name, "ID")))
    assert [status for status, _fields in answers] == [404]
    for uri in times:
        graph.store.delete_document(document_id(EARLIER, uri))
