"""Earlier texts over HTTP: for whom they open, and what times that are refused tell to whom."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import pytest
from doubles.documents import BOHR, CURIE, made_document, write
from doubles.kept import passed
from fleet.api import ServedApi

from workers.core.ids import document_id
from workers.core.metadata.changes import MetadataChange
from workers.ingest.versions import remove_versions
from workers.services import Services

EARLIER = "earlier"


@pytest.fixture(scope="module", autouse=True)
def _versions_are_kept(services: Services) -> Iterator[None]:
    services.graph.kept.begin(EARLIER)
    yield
    remove_versions(services, services.graph.kept.named(collection=EARLIER))


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


def test_an_earlier_text_opens_for_who_may_see_the_document_and_later_for_all_rights(api: ServedApi) -> None:
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
