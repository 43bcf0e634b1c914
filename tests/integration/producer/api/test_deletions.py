"""Documents deleted by a filter, and whole collections with all that is kept for them; a worker does it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from doubles.broker import Broker
from doubles.concepts import related
from doubles.documents import BOHR, CURIE, WARSAW, made_document, made_element, write
from doubles.single_worker import SingleWorker
from fleet.api import ServedApi, served_api

from hopline import AccessDenied, Hopline, InvalidInput, NotFound, StateConflict
from hopline.errors import NoDocuments, Transient
from hopline.models.jobs import JobState
from hopline.models.merges import Proposal
from hopline.models.schemas import FieldRule, MetadataSchema
from producer.service.schedules import schedule_of
from workers.core.concepts.maps import Concept, MapDraft
from workers.core.ids import concept_id
from workers.core.metadata.changes import MetadataChange
from workers.ledger.schedules import ScheduleBook
from workers.services import Services
from workers.topics.build import build_topics

GONE, STAYS = "gone", "stays"
SCHEMA = MetadataSchema(fields={"author": FieldRule(type="text")})


@pytest.fixture(scope="module")
def broker() -> Broker:
    return Broker()


@pytest.fixture(scope="module")
def api(services: Services, broker: Broker) -> Iterator[ServedApi]:
    with served_api(services, broker, loopback=False) as served:
        yield served


@pytest.fixture
def client(api: ServedApi) -> Iterator[Hopline]:
    with Hopline(api.url, api_key=api.key("admin")) as client:
        yield client


@pytest.fixture
def worker(services: Services, broker: Broker) -> SingleWorker:
    return SingleWorker(services, broker)


@pytest.fixture(autouse=True)
def _library(services: Services) -> Iterator[None]:
    for collection in (GONE, STAYS):
        for uri, fact in (("curie.txt", CURIE), ("warsaw.txt", WARSAW), ("bohr.txt", BOHR)):
            write(services.graph, collection, uri, [fact])
        services.graph.store.change_metadata(
            [made_document(collection, "bohr.txt")[0].id], MetadataChange(values={"author": "Niels"})
        )
    yield
    for collection in (GONE, STAYS):
        for document in services.graph.store.documents(collection):
            services.graph.store.delete_document(document.id)


def _nodes(services: Services, collection: str) -> int:
    text = "MATCH (n) WHERE n.collection = $collection RETURN count(n) AS nodes"
    return int(services.graph.connection.run_text("nodes", text, collection=collection)[0]["nodes"])


def _topics(services: Services) -> int:
    text = "MATCH (n:FactTopic|FactTopicPiece) RETURN count(n) AS nodes"
    return int(services.graph.connection.run_text("topics", text)[0]["nodes"])


def _uris(client: Hopline, collection: str) -> set[str]:
    return {document.uri for document in client.documents.iterate(collection=collection)}


def _map(collection: str) -> MapDraft:
    core = Concept(
        id=concept_id(collection, "entropy"), name="Entropy", collection=collection, definition="Disorder."
    )
    return MapDraft(concept=core, related=(related("Diffusion"),))


def test_a_filter_says_which_documents_are_deleted(client: Hopline, worker: SingleWorker) -> None:
    submitted = client.documents.delete_where(GONE, 'author = "Niels"', key="once")
    assert (submitted.kind, submitted.state) == ("delete_documents", JobState.QUEUED)
    record = worker.play(submitted.id)
    assert (record.state, record.outcome and record.outcome["documents"]) == (JobState.DONE, {"deleted": 1})
    assert (_uris(client, GONE), len(_uris(client, STAYS))) == ({"curie.txt", "warsaw.txt"}, 3)
    assert client.documents.delete_where(GONE, 'author = "Niels"', key="once").id == submitted.id
    nobody = worker.play(client.documents.delete_where(GONE, 'author = "Nobody"').id)
    assert (nobody.state, nobody.outcome and nobody.outcome["documents"]) == (JobState.DONE, {})


def test_a_deletion_needs_a_filter_and_a_collection_that_is_there(client: Hopline) -> None:
    with pytest.raises(InvalidInput, match="hopline collections delete"):
        client.documents.delete_where(GONE, " ")
    with pytest.raises(InvalidInput, match="where"):
        client.documents.delete_where(GONE, "author =")
    with pytest.raises(NoDocuments, match="nowhere"):
        client.documents.delete_where("nowhere", 'author = "Ann"')
    with pytest.raises(NoDocuments, match="nowhere"):
        client.collections.delete("nowhere")


def _keep_something(services: Services, client: Hopline, collection: str) -> None:
    """Make a merge, topics, a concept map, a schema and a title of a collection."""
    elements = [made_element(collection, name) for name in ("Marie Curie", "Niels Bohr")]
    source, target = elements
    merge = Proposal(
        source=source.id,
        source_name=source.name,
        target=target.id,
        target_name=target.name,
        rule="spelling",
        evidence="a test",
    )
    assert services.graph.merging.merge_elements(collection, merge, f"merge of {collection}")
    build_topics(services.graph.topics, collection, job=f"topics of {collection}", anew=True)
    services.concepts.save_map(_map(collection), f"map of {collection}")
    services.metadata_schemas.write(collection, SCHEMA)
    client.collections.update(collection, title="Physics", description="Who was born where.")


def test_a_deleted_collection_leaves_nothing_and_others_as_they_were(
    client: Hopline, services: Services, worker: SingleWorker
) -> None:
    topics = _topics(services)
    for collection in (GONE, STAYS):
        _keep_something(services, client, collection)
    before = _nodes(services, STAYS)
    assert client.collections.census(STAYS).title == "Physics"
    record = worker.play(client.collections.delete(GONE, key="once").id)
    assert (record.state, record.outcome and record.outcome["documents"]) == (JobState.DONE, {"deleted": 3})
    assert (_nodes(services, GONE), _nodes(services, STAYS)) == (0, before)
    assert client.collections.delete(GONE, key="once").id == record.job.id
    listed = {each.name: each.title for each in client.collections.list().collections}
    assert (listed.get(GONE), listed[STAYS]) == (None, "Physics")
    assert (client.collections.get_schema(GONE), client.collections.get_schema(STAYS)) == (
        MetadataSchema(),
        SCHEMA,
    )
    worker.play(client.collections.delete(STAYS).id)
    assert (_nodes(services, STAYS), _topics(services)) == (0, topics)


def test_a_worker_that_is_lost_while_it_deletes_leaves_the_rest_to_the_next(
    client: Hopline, services: Services, worker: SingleWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost = iter(["hide", "forget"])
    deleted, dropped = services.graph.store.delete_document, services.vectors.drop

    def delete_and_die(document_id: str) -> Any:
        removed = deleted(document_id)
        if next(lost, "") == "hide":
            raise Transient("killed")
        return removed

    def die_once(collection: str) -> None:
        if next(lost, ""):
            raise Transient("killed")
        dropped(collection)

    monkeypatch.setattr(services.graph.store, "delete_document", delete_and_die)
    monkeypatch.setattr(services.vectors, "drop", die_once)
    services.metadata_schemas.write(GONE, SCHEMA)
    record = worker.play(client.collections.delete(GONE).id)
    assert record.state is JobState.DONE
    assert sum((record.outcome or {})["documents"].values()) == 3
    assert _nodes(services, GONE) == 0
    assert not services.metadata_schemas.has(GONE)


def test_a_document_that_comes_while_its_collection_is_deleted_stays_with_what_is_kept(
    client: Hopline, services: Services, worker: SingleWorker, broker: Broker
) -> None:
    services.metadata_schemas.write(GONE, SCHEMA)
    submitted = client.collections.delete(GONE)
    broker.deliver_one(worker.runner, broker.queued.popleft())  # it has listed the documents
    write(services.graph, GONE, "late.txt", [CURIE])
    record = worker.play(submitted.id)
    assert record.state is JobState.PARTIAL
    assert "added meanwhile" in (record.outcome or {})["error"]
    assert _uris(client, GONE) == {"late.txt"}
    assert client.collections.get_schema(GONE) == SCHEMA


def test_a_collection_that_a_schedule_fills_is_not_deleted(
    client: Hopline, services: Services, tmp_path: Path
) -> None:
    book = ScheduleBook(services.redis)
    book.save(schedule_of([tmp_path], GONE, name="nightly", every="0 2 * * *"))
    with pytest.raises(StateConflict, match="hopline schedules delete nightly"):
        client.collections.delete(GONE)
    book.remove("nightly")


def test_who_reads_for_some_principals_learns_nothing_of_hidden_documents_by_deleting(
    api: ServedApi, services: Services
) -> None:
    hidden, shown = (made_document(GONE, uri)[0].id for uri in ("bohr.txt", "curie.txt"))
    services.graph.store.change_metadata([hidden], MetadataChange(values={"allow": ["group:legal"]}))
    with Hopline(api.url, api_key=api.key("submit", principals=("user:ann",))) as ann:
        for document in (hidden, "d-unknown"):
            with pytest.raises(NotFound):
                ann.documents.delete(document)
        with pytest.raises(AccessDenied):
            ann.documents.delete(shown)
    assert services.graph.store.document(shown)


def test_collections_are_listed_in_pages_by_name(api: ServedApi) -> None:
    # Other tests write into collections of their own meanwhile, so this key sees these two alone.
    with Hopline(api.url, api_key=api.key("read", collections=(GONE, STAYS))) as client:
        whole = client.collections.list()
        first = client.collections.list(limit=1)
        rest = client.collections.list(cursor=first.next or "")
    assert [each.name for each in whole.collections] == [GONE, STAYS]
    assert (*first.collections, *rest.collections) == (*whole.collections,)
    assert (first.next is None, rest.next) == (False, None)


def test_a_title_and_a_description_are_set_one_by_one_and_taken_away(client: Hopline) -> None:
    client.collections.update(STAYS, title=" Physics ")
    told = client.collections.update(STAYS, description="Who was born where.")
    assert (told.title, told.description, told.documents) == ("Physics", "Who was born where.", 3)
    assert client.collections.update(STAYS, title="").title == ""
    with pytest.raises(NoDocuments, match="nowhere"):
        client.collections.update("nowhere", title="Physics")
    with pytest.raises(InvalidInput, match="title"):
        client.collections.update(STAYS, title="x" * 201)
