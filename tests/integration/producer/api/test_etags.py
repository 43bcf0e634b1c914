"""Two people who edit the same thing: the second is told, and overwrites nothing."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from doubles.broker import Broker
from doubles.documents import CURIE, made_document, write
from fleet.api import ServedApi, served_api

from hopline import EditConflict, Hopline, InvalidInput
from hopline.models.schemas import FieldRule, MetadataSchema
from workers.core.metadata.changes import MetadataChange
from workers.services import Services

NOTES = "edited"
ANN, BO = MetadataSchema(fields={"author": FieldRule(type="text")}), MetadataSchema(only=True)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder: Path = tmp_path_factory.mktemp("places")
    (folder / "a.txt").write_text("A bridge.", encoding="utf-8")
    return f"file://{folder}"


@pytest.fixture(scope="module")
def api(services: Services, place: str) -> Iterator[ServedApi]:
    placed = Services(services.settings.model_copy(update={"api_sources": place}))
    with served_api(placed, Broker(), loopback=False) as served:
        yield served
    placed.close()


@pytest.fixture
def client(api: ServedApi) -> Iterator[Hopline]:
    with Hopline(api.url, api_key=api.key("admin")) as client:
        yield client


def test_a_schema_is_replaced_only_as_it_was_read(client: Hopline) -> None:
    collections = client.collections
    tag = client.raw(collections.get_schema, NOTES).headers["etag"]
    set_by_ann = client.raw(collections.set_schema, NOTES, ANN, if_match=tag)
    with pytest.raises(EditConflict, match=f"changed the schema of collection {NOTES} after you read it"):
        collections.set_schema(NOTES, BO, if_match=tag)
    assert collections.get_schema(NOTES) == ANN
    with pytest.raises(EditConflict):
        collections.clear_schema(NOTES, if_match=tag)
    shown = client.raw(collections.get_schema, NOTES).headers["etag"]
    assert shown == set_by_ann.headers["etag"]
    collections.clear_schema(NOTES, if_match=f'"other", {shown}')
    collections.set_schema(NOTES, BO)
    collections.set_schema(NOTES, MetadataSchema(), if_match="*")
    collections.clear_schema(NOTES)


def test_a_schedule_is_replaced_and_deleted_only_as_it_was_read(client: Hopline, place: str) -> None:
    schedules, name = client.schedules, "nightly"
    schedules.set(name, [place], NOTES, every="0 2 * * *")
    shown = client.raw(schedules.get, name)
    assert shown.result.schedule.every == "0 2 * * *"
    changed = client.raw(
        schedules.set, name, [place], NOTES, every="0 3 * * *", if_match=shown.headers["etag"]
    )
    for late in (
        lambda: schedules.set(name, [place], NOTES, every="0 4 * * *", if_match=shown.headers["etag"]),
        lambda: schedules.delete(name, if_match=shown.headers["etag"]),
    ):
        with pytest.raises(EditConflict, match="schedule nightly"):
            late()
    assert schedules.get(name).schedule.every == "0 3 * * *"
    with pytest.raises(EditConflict):
        schedules.set("other", [place], NOTES, every="0 4 * * *", if_match="*")
    schedules.delete(name, if_match=changed.headers["etag"])


def test_metadata_of_one_document_is_changed_only_as_it_was_read(client: Hopline, services: Services) -> None:
    write(services.graph, NOTES, "curie.txt", [CURIE])
    document, documents = made_document(NOTES, "curie.txt")[0].id, client.documents
    tag = client.raw(documents.get, document).headers["etag"]
    assert documents.change_metadata([document], set={"author": "Ann"}, if_match=tag).changed == 1
    with pytest.raises(EditConflict, match=f"document {document}"):
        documents.change_metadata([document], set={"author": "Bo"}, if_match=tag)
    assert documents.get(document).metadata == {"author": "Ann"}
    with pytest.raises(InvalidInput, match="one document"):
        documents.change_metadata(collection=NOTES, where='author = "Ann"', unset=["author"], if_match=tag)
    read = services.graph.store.document(document)
    services.graph.store.change_metadata([document], MetadataChange(values={"author": "Cy"}))
    late = services.graph.store.change_metadata([document], MetadataChange(unset=("author",)), read)
    assert late == 0, "it was changed between being read and being locked"
    services.graph.store.delete_document(document)
