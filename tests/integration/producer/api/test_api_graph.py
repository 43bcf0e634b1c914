"""What people look at over HTTP: the facts around a name, the text of a document, also as of a time."""

import secrets
from collections.abc import Iterator
from datetime import datetime

import pytest
from doubles.documents import BOHR, CURIE, PRIZE, WARSAW, made_document, made_element, write
from doubles.kept import passed
from doubles.naming import tell
from fleet.api import ServedApi

from workers.core.ids import document_id
from workers.core.metadata.changes import MetadataChange
from workers.ingest.versions import remove_versions
from workers.services import Services

MINE, OTHER = f"mine-{secrets.token_hex(4)}", f"other-{secrets.token_hex(4)}"
SHIPS = f"ships-{secrets.token_hex(4)}"
HERONS = (
    ("The sailors called Corvin Drake the Heron.", ["Corvin Drake", "the Heron"]),
    ("Tobias Renn was known as the Heron.", ["Tobias Renn", "the Heron"]),
)
FIDDLE = ("𝄞 Marie Curie 🎻 played in Warsaw.", ["Marie Curie", "Warsaw"])


@pytest.fixture(scope="module", autouse=True)
def _documents(services: Services) -> Iterator[None]:
    write(services.graph, MINE, "a", [CURIE, PRIZE, FIDDLE], [WARSAW])
    write(services.graph, OTHER, "b", [CURIE, BOHR])
    tell(services.graph, SHIPS, "c", *([sentence] for sentence in HERONS))
    yield
    for collection, uri in ((MINE, "a"), (OTHER, "b"), (SHIPS, "c")):
        services.graph.store.delete_document(made_document(collection, uri)[0].id)


@pytest.fixture(scope="module")
def key(api: ServedApi) -> str:
    return api.key("read", collections=(MINE,))


def test_the_facts_around_a_name_come_with_elements_and_places(api: ServedApi, key: str) -> None:
    with api.client(key) as client:
        neighbourhood = client.get(
            "/v1/graph/neighbourhood", params={"collection": MINE, "name": "Marie Curie"}
        ).json()
    assert (
        neighbourhood["centre"] == neighbourhood["elements"][0]["id"] == made_element(MINE, "Marie Curie").id
    )
    assert {fact["text"] for fact in neighbourhood["facts"]} == {CURIE[0], PRIZE[0], FIDDLE[0]}
    assert {element["name"]: element["degree"] for element in neighbourhood["elements"]}["warsaw"] == 3
    assert {place["document_id"] for fact in neighbourhood["facts"] for place in fact["sources"]} == {
        made_document(MINE, "a")[0].id
    }
    assert (neighbourhood["more"], neighbourhood["candidates"]) == (False, [])


def test_a_name_that_two_bear_comes_with_both(api: ServedApi, key: str) -> None:
    bearers = ["corvin drake", "tobias renn"]
    with api.client(api.key("read", collections=(SHIPS,))) as client:
        answer = client.get("/v1/graph/neighbourhood", params={"collection": SHIPS, "name": "the Heron"})
        page = client.get(f"/v1/collections/{SHIPS}/name-candidates").json()
    assert [candidate["name"] for candidate in answer.json()["candidates"]] == bearers
    assert page["next"] is None
    (name,) = page["names"]
    assert (name["collection"], name["element"]["name"]) == (SHIPS, "heron")
    assert [candidate["name"] for candidate in name["candidates"]] == bearers
    with api.client(key) as client:
        assert client.get(f"/v1/collections/{SHIPS}/name-candidates").status_code == 403


def test_every_place_leads_to_its_sentence(api: ServedApi, key: str) -> None:
    """Offsets count characters, however many bytes or halves they take."""
    with api.client(key) as client:
        neighbourhood = client.get(
            "/v1/graph/neighbourhood", params={"collection": MINE, "name": "warsaw"}
        ).json()
        assert FIDDLE[0] in {fact["text"] for fact in neighbourhood["facts"]}
        for fact in neighbourhood["facts"]:
            for place in fact["sources"]:
                path = f"/v1/documents/{place['document_id']}/text"
                passage = client.get(path, params={"start": place["start"], "end": place["end"]}).json()
                assert passage["text"] == place["quote"] == fact["text"]
                assert passage["document"]["title"] == place["title"]


def test_a_key_sees_its_own_collections_alone(api: ServedApi, key: str) -> None:
    theirs = made_document(OTHER, "b")[0].id
    with api.client(key) as client:
        params = {"collection": OTHER, "name": "Marie Curie"}
        assert client.get("/v1/graph/neighbourhood", params=params).status_code == 403
        assert client.get(f"/v1/documents/{theirs}/text").status_code == 404
        across = {"collection": MINE, "element": made_element(OTHER, "Marie Curie").id}
        assert client.get("/v1/graph/neighbourhood", params=across).json()["centre"] is None
        filtered = {"collection": MINE, "name": "Marie Curie", "document": theirs}
        assert client.get("/v1/graph/neighbourhood", params=filtered).json()["facts"] == []
    with api.client(api.key("read")) as client:
        assert client.get(f"/v1/documents/{theirs}/text").json()["text"] == f"{CURIE[0]} {BOHR[0]}"


def test_what_is_not_allowed_is_named_and_a_name_of_signs_breaks_nothing(api: ServedApi, key: str) -> None:
    around, text = "/v1/graph/neighbourhood", f"/v1/documents/{made_document(MINE, 'a')[0].id}/text"
    refused: list[tuple[str, str, dict[str, str | int]]] = [
        ("name", around, {"collection": MINE}),
        ("limit", around, {"collection": MINE, "name": "x", "limit": 201}),
        ("start", text, {"start": -1}),
        ("end", text, {"start": 9, "end": 3}),
        ("end", text, {"end": 2**70}),
    ]
    with api.client(key) as client:
        for field, path, query in refused:
            answer = client.get(path, params=query)
            assert (answer.status_code, [error["field"] for error in answer.json()["errors"]]) == (
                422,
                [field],
            )
    with api.client(key) as client:
        for name in ("\x00", '+-&&||!(){}[]^"~*?:\\/', "AND OR NOT", "%", " \u200b ", "𝄞" * 250):
            answer = client.get("/v1/graph/neighbourhood", params={"collection": MINE, "name": name})
            assert (answer.status_code, answer.json()["facts"]) == (200, []), name


def test_documents_are_sorted_and_searched_page_by_page(api: ServedApi, key: str) -> None:
    with api.client(key) as client:
        listed = {"collection": MINE, "sort": "title", "limit": 1}
        first = client.get("/v1/documents", params=listed).json()
        assert [document["uri"] for document in first["documents"]] == ["a"]
        assert client.get("/v1/documents", params=listed | {"cursor": first["next"]}).json() == {
            "documents": [],
            "next": None,
        }
        for q, count in (("A", 1), ("a nothing", 0), ("", 1)):
            page = client.get("/v1/documents", params={"collection": MINE, "q": q, "sort": "facts"}).json()
            assert (len(page["documents"]), page["next"]) == (count, None)
        assert client.get("/v1/documents", params={"collection": OTHER, "q": "b"}).status_code == 403
        other = client.get("/v1/documents", params=listed | {"sort": "facts", "cursor": first["next"]})
        assert other.status_code == 422
        assert [error["allowed"] for error in other.json()["errors"]] == [
            "the `next` of a page of the same order"
        ]
    with api.client(api.key("read")) as client:
        assert client.get("/v1/documents", params={"sort": "title"}).status_code == 422
        assert client.get("/v1/documents").status_code == 200


def test_questions_to_begin_with_come_from_the_collection_without_a_model(api: ServedApi, key: str) -> None:
    with api.client(key) as client:
        body = client.get(f"/v1/collections/{MINE}/questions").json()
        assert body == {"collection": MINE, "questions": ["Where was Marie Curie born?"]}
        assert client.get(f"/v1/collections/{OTHER}/questions").status_code == 403
    with api.client(api.key("read", collections=(OTHER, "nothing-here"))) as client:
        assert len(client.get(f"/v1/collections/{OTHER}/questions?limit=1").json()["questions"]) == 1
        missing = client.get("/v1/collections/nothing-here/questions")
        assert (missing.status_code, OTHER in missing.json()["detail"]) == (404, True)


def test_a_search_takes_the_question_in_other_languages_too(api: ServedApi, key: str) -> None:
    asked = {"collection": MINE, "question": "Где родилась исследовательница?"}
    with api.client(key) as client:
        found = [
            client.get("/v1/search", params=asked | {"translations": words})
            for words in ([], ["Marie Curie born", "née"])
        ]
        refused = client.get("/v1/search", params=asked | {"translations": ["x"] * 6})
    named = [[each["name"] for each in one.json()["elements"] if each["asked"]] for one in found]
    assert named == [[], ["marie curie"]]
    assert refused.json()["errors"][0]["field"] == "translations"


def test_what_is_allowed_is_said_in_words(api: ServedApi) -> None:
    letters = "letters, digits, '-', '_' or '.'"
    refused = {
        "/v1/documents?collection=a%2Fb": f"1 to 100 {letters}",
        "/v1/collections/%20": f"1 to 100 {letters}",
        f"/v1/search?question={'x' * 4001}": "at most 4,000 characters",
        "/v1/search": "a value",
        "/v1/search?question=x&as_of=1577836800": "a date such as 2024-12-31",
        "/v1/search?question=x&as_of=2020-1-1": "a date such as 2024-12-31",
        "/v1/jobs?cursor=x": "the `next` of a page of the same list",
        "/v1/jobs?limit=x": "a valid integer",
        "/v1/jobs/a%20b": f"a job's id: 1 to 200 {letters}",
    }
    with api.client(api.key("read")) as client:
        answers = {client.get(path): allowed for path, allowed in refused.items()}
        answers[client.post("/v1/tools/lookup_knowledge", json=[])] = "an object"
    for answer, allowed in answers.items():
        assert answer.status_code == 422
        assert [error["allowed"] for error in answer.json()["errors"]] == [allowed]
        assert not set("^\\") & set(answer.json()["detail"])


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
