"""One collection into a file while others write, and out of it under another name and under its own."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from doubles.concepts import related
from doubles.documents import (
    BOHR,
    CURIE,
    PRIZE,
    WARSAW,
    facts_at,
    made_document,
    made_element,
    write,
    write_made,
)
from doubles.typed import FIGHT, OATH, typed_document
from fleet.crew import Crew, private_crew
from fleet.worlds import BRIDGE_QUESTION, write_bridge

from hopline.errors import InvalidInput
from hopline.models.answers import Answer
from hopline.models.collections import CollectionTitle
from hopline.models.documents import Document, TextDocument
from hopline.models.merges import Proposal
from hopline.models.schemas import MetadataSchema
from producer.backup.load_collection import forget_import, load_collection
from producer.backup.save_collection import save_collection
from workers.adapters.neo4j.collection_archive import CollectionArchive, LivePage
from workers.core.concepts.maps import Concept, MapDraft, RelationEdit, concept_key
from workers.core.ids import concept_id, merge_id
from workers.core.ports import ChunkFacts
from workers.ingest.link import with_names
from workers.services import Services

PAGE = Path(__file__).parents[3] / "data" / "reading" / "pdf-prose-becomes-table.pdf"
# Properties that tell when something was written, or which file of the store it is.
_TIMES = {"created", "updated", "live_since", "made", "undone", "original_file", "version", "live", "written"}
_NODES = """MATCH (n) WHERE n.collection = $collection AND NOT n:DueVector
RETURN n.id AS id, labels(n) AS labels, properties(n) AS properties"""
_LINKS = """MATCH (a)-[r]->(b) WHERE a.collection = $collection
RETURN a.id AS source, type(r) AS type, b.id AS target, properties(r) AS properties"""


@pytest.fixture
def crew(stack_env: dict[str, str], tmp_path: Path) -> Iterator[Crew]:
    with private_crew(stack_env, tmp_path) as crew:
        crew.services.graph.migrate()
        yield crew


def graph_of(services: Services, collection: str) -> tuple[Any, Any]:
    """Everything that the graph holds of a collection, but for times."""

    def rows(query: str) -> list[str]:
        found = services.graph.connection.run_text("test", query, collection=collection)
        for row in found:
            kept = {name: row["properties"][name] for name in row["properties"].keys() - _TIMES}
            lists = {name: sorted(value) for name, value in kept.items() if isinstance(value, list)}
            row["properties"] = kept | lists
            row["labels"] = sorted(row.get("labels", ()))
        return sorted(json.dumps(row, sort_keys=True) for row in found)

    return rows(_NODES), rows(_LINKS)


def write_named(services: Services, document: Document, chunks: Sequence[ChunkFacts]) -> None:
    """Write a document with what its chunks state of names."""
    named = [with_names(document.collection, chunk.chunk, chunk.facts) for chunk in chunks]
    write_made(services.graph, document, named)


def merge(services: Services, collection: str, source: str, target: str) -> str:
    """Merge two key elements, as a job does."""
    ends = {"source": made_element(collection, source), "target": made_element(collection, target)}
    names = {f"{end}_name": element.name for end, element in ends.items()}
    ids = {end: element.id for end, element in ends.items()}
    proposal = Proposal(**ids, **names, rule="spelling", evidence="One town.")
    assert services.graph.merging.merge_elements(collection, proposal, "j1")
    return merge_id(collection, ids["source"], ids["target"])


def map_concept(services: Services, collection: str) -> None:
    """Make a concept map of two versions: a person took one relation out."""
    core = Concept(
        id=concept_id(collection, concept_key("Entropy")),
        collection=collection,
        name="Entropy",
        domain="physics",
        definition="It is defined.",
    )
    made = services.concepts.save_map(MapDraft(concept=core, related=(related("Heat"), related("Ice"))), "j1")
    assert made
    edit = RelationEdit(action="delete", by="Ann", reason="wrong")
    services.concepts.edit_relation(collection, made.relations[0].id, edit, "edit-1")


def placed(answer: Answer) -> list[tuple[str, str, int, int, str]]:
    return [(c.fact, c.quote, c.start, c.end, c.document.uri) for c in answer.citations]


@pytest.mark.long
def test_a_collection_is_taken_along_and_answers_as_before(crew: Crew, tmp_path: Path, collection: str):
    services, other, file = crew.services, f"{collection}-2", tmp_path / "taken.hopline"
    crew.have(bulk="bulk", interactive="interactive")
    crew.ingest(write_bridge(tmp_path / "bridge"), collection)
    crew.ingest(PAGE, collection)
    secret = TextDocument(name="plan", text="Otto Lind bought Velm.", metadata={"allow": ["user:ann"]})
    crew.ingest([secret], collection)
    services.metadata_schemas.write(collection, MetadataSchema(only=True))
    services.collection_titles.write(collection, CollectionTitle(title="Bridges"))
    map_concept(services, collection)
    exported = crew.run("export", "-c", collection, str(file))
    assert exported.returncode == 0, exported.stderr
    again = crew.run("export", "-c", collection, str(file))
    assert (again.returncode, "exists" in again.stderr) == (2, True)

    refused = crew.run("import", str(file))
    assert (refused.returncode, "import under another name" in refused.stderr) == (2, True)
    taken = crew.run("import", str(file), "--as", other, "--json")
    assert taken.returncode == 0, taken.stderr
    told = json.loads(taken.stdout)
    assert (told["documents"], told["originals"], told["concept_maps"], told["unmerged"]) == (4, 4, 1, 0)
    assert crew.client.jobs.wait(told["job"], timeout=180).state == "done"

    answers = [
        crew.client.ask(BRIDGE_QUESTION, collection=name, strategy="graph") for name in (collection, other)
    ]
    assert placed(answers[0])
    assert placed(answers[1]) == placed(answers[0])
    before, after = (services.graph.census(name).live for name in (collection, other))
    assert after == before
    assert services.vectors.count(other) == services.vectors.count(collection) > 0
    documents = {document.uri: document for document in services.graph.store.documents(other)}
    assert documents["plan"].metadata == {"allow": ("user:ann",)}
    assert crew.client.documents.original(documents[str(PAGE)].id) == PAGE.read_bytes()
    assert services.metadata_schemas.read(other).only
    assert services.collection_titles.read(other).title == "Bridges"
    concept_map = services.concepts.concept_map(other, "Entropy")
    assert concept_map
    assert (concept_map.version, len(concept_map.relations), len(concept_map.retired)) == (2, 1, 1)


def test_under_its_own_name_a_collection_is_what_it_was(crew: Crew, tmp_path: Path, collection: str) -> None:
    services, file = crew.services, tmp_path / "taken.hopline"
    write_named(services, *made_document(collection, "curie", [CURIE, PRIZE], [WARSAW], title="Lives"))
    write_named(services, *made_document(collection, "bohr", [BOHR, CURIE]))
    write_named(services, *typed_document(collection, "tale", [OATH], [FIGHT]))
    merge(services, collection, "Copenhagen", "Warsaw")
    services.graph.merging.undo_merge(collection, merge(services, collection, "Vistula", "1903"))
    map_concept(services, collection)
    before = graph_of(services, collection)
    counts = save_collection(services, collection, file)
    assert (counts.documents, counts.chunks, counts.merges, counts.concept_maps) == (3, 5, 2, 1)
    for document in services.graph.store.documents(collection):
        services.graph.store.delete_document(document.id)
    services.graph.forget(collection)
    services.graph.connection.run("collection_forget", collection=collection, limit=1000)
    assert graph_of(services, collection) == ([], [])
    assert load_collection(services, file).unmerged == 0
    forget_import(services, collection)
    after = graph_of(services, collection)
    assert after[0] == before[0]
    assert after[1] == before[1]


def test_an_import_that_was_killed_goes_on(crew: Crew, tmp_path: Path, collection: str) -> None:
    services, other, file = crew.services, f"{collection}-2", tmp_path / "taken.hopline"
    write(services.graph, collection, "curie", [CURIE, PRIZE], [WARSAW])
    write(services.graph, collection, "bohr", [BOHR])
    save_collection(services, collection, file)
    write(services.graph, collection, "more", [WARSAW])
    save_collection(services, collection, tmp_path / "later.hopline")

    class Killed(Exception):
        pass

    with pytest.MonkeyPatch.context() as patch:
        store = services.graph.store
        shown: list[str] = []
        make_live = store.make_live

        def once(document: Any, *given: Any) -> Any:
            if shown:
                raise Killed
            shown.append(document.id)
            return make_live(document, *given)

        patch.setattr(store, "make_live", once)
        with pytest.raises(Killed):
            load_collection(services, file, other)
    live = services.graph.census(other).live
    assert live.documents == 1
    with pytest.raises(InvalidInput, match="import of another file"):
        load_collection(services, tmp_path / "later.hopline", other)
    load_collection(services, file, other)
    forget_import(services, other)
    assert facts_at(services.graph, other, "Warsaw") == sorted([CURIE[0], WARSAW[0]])
    assert facts_at(services.graph, other, "Niels Bohr") == [BOHR[0]]
    with pytest.raises(InvalidInput, match="holds documents"):
        load_collection(services, file, other)


def test_a_document_that_changes_meanwhile_is_exported_as_one_version(
    crew: Crew, tmp_path: Path, collection: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    services, file = crew.services, tmp_path / "taken.hopline"
    write(services.graph, collection, "curie", [CURIE], [PRIZE], [WARSAW])
    read = CollectionArchive.document
    pages: list[int] = []

    def changing(self: CollectionArchive, document_id: str, *, after: int, limit: int) -> LivePage | None:
        pages.append(after)
        if len(pages) == 2:
            write(services.graph, collection, "curie", [BOHR], [WARSAW])
        return read(self, document_id, after=after, limit=min(limit, 1))

    monkeypatch.setattr(CollectionArchive, "document", changing)
    counts = save_collection(services, collection, file)
    assert counts.documents == 1
    assert pages.count(-1) == 2, "it was read from its beginning once more"
    monkeypatch.undo()
    load_collection(services, file, other := f"{collection}-2")
    forget_import(services, other)
    assert facts_at(services.graph, other, "Marie Curie") == []
    assert facts_at(services.graph, other, "Niels Bohr") == [BOHR[0]]
