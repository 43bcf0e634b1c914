"""What was asked and embedded before is not asked and embedded again, wherever the same text stands."""

from __future__ import annotations

import pytest
from doubles.blobs import MemoryBlobs
from doubles.graph import MemoryGraph
from doubles.model import ExtractingModel, FlowRunner, ingest_ports, sentences_as_facts
from doubles.replies import MemoryReplies
from doubles.vectors import MemoryVectors

from workers.core import ids
from workers.core.graph.vectors import Embedder
from workers.core.jobs.params import DocumentParams
from workers.core.jobs.work import JobState
from workers.core.ports import Limits
from workers.flows.document import DOCUMENT
from workers.flows.one_step import DELETE
from workers.ingest.schema import ExtractedFacts

TEXT = (
    "Anna Keller was born in Bern. She built the Aare bridge in 1843.\n\n"
    "The old Aare bridge of wood was replaced in 1883.\n\nBern lies on the Aare."
)


class House:
    """Graph, vectors, blobs, a model, and the replies that are kept of it."""

    def __init__(self, folder):
        self.folder, self.limits = folder, Limits(chunk_tokens=19, chunk_overlap=0)
        self.graph, self.vectors, self.blobs = MemoryGraph(), MemoryVectors(), MemoryBlobs()
        self.model, self.replies = ExtractingModel(), MemoryReplies()

    def ports(self, **more):
        fields = {"limits": self.limits, "replies": self.replies, **more}
        return ingest_ports(self.graph, self.vectors, self.model, self.blobs, **fields)

    def ingest(self, text=TEXT, name="bern.txt", collection="default", **params):
        file = self.folder / "text"
        file.write_text(text)
        job_params = {"uri": name, "source": str(file), "format": "txt", "title": "Bern", **params}
        runner = FlowRunner(DOCUMENT, self.ports(params=job_params, collection=collection))
        return runner.run()

    def delete(self, name="bern.txt"):
        params = {"document_id": ids.document_id("default", name)}
        return FlowRunner(DELETE, self.ports(kind="delete", params=params)).run()

    @property
    def called(self):
        return len(self.model.asked), len(self.model.embedded)


@pytest.fixture
def house(tmp_path):
    return House(tmp_path)


def test_the_same_text_in_another_document_costs_nothing(house):
    assert house.ingest().outcome["kept"] == 0
    before = house.called
    end = house.ingest(name="copy.txt")
    assert (end.state, end.outcome["kept"], end.outcome["facts"]) == (JobState.DONE, 3, 4)
    assert house.called == before


def test_the_same_text_in_another_collection_costs_nothing_and_gives_the_same(house):
    house.ingest()
    before, points = house.called, house.vectors.points["default"]
    end = house.ingest(collection="other")
    assert end.outcome["kept"] == 3
    assert house.called == before
    others = house.vectors.points["other"].values()
    assert sorted(point.vector for point in others) == sorted(point.vector for point in points.values())


def test_what_a_crash_lost_of_the_graph_costs_nothing_again(house):
    house.ingest()
    before = house.called
    house.graph, house.vectors = MemoryGraph(), MemoryVectors()
    end = house.ingest()
    assert end.outcome["status"] == "done"
    assert house.called == before
    assert house.vectors.points["default"]


def test_only_changed_chunks_are_asked_about_again(house):
    house.ingest()
    calls = len(house.model.asked)
    end = house.ingest(TEXT.replace("1883", "1888"))
    (again,) = house.model.asked[calls:]
    assert again["text"].strip() == "The old Aare bridge of wood was replaced in 1888."
    assert end.outcome["kept"] == 2


def test_a_kept_reply_that_does_not_validate_is_absent(house):
    house.ingest()
    for name in house.replies.entries:
        house.replies.entries[name] = b'{"facts": "nonsense"}'
    calls = len(house.model.asked)
    assert house.ingest(name="copy.txt").outcome["kept"] == 0
    assert len(house.model.asked) == calls + 3


def test_a_reply_is_kept_for_its_prompt_model_and_title_only(house, monkeypatch):
    house.ingest()
    monkeypatch.setattr(ExtractingModel, "name_of", lambda _self, _tier: "another")
    assert house.ingest(name="b.txt").outcome["kept"] == 0
    assert house.ingest(name="c.txt", title="Zürich").outcome["kept"] == 0
    monkeypatch.setattr("workers.ingest.requests._REPLY_TOKENS", 17)
    assert house.ingest(name="d.txt").outcome["kept"] == 0


def test_another_embedder_makes_its_own_vectors(house):
    house.ingest()
    embedded = len(house.model.embedded)
    house.model.embedder = Embedder(name="another", dimension=2)
    house.ingest(collection="other")
    assert len(house.model.embedded) == 2 * embedded


@pytest.mark.skipif("known_as" not in DocumentParams.model_fields, reason="documents cannot be moved yet")
def test_a_moved_document_finds_what_was_said_under_its_old_title(house):
    house.ingest()
    calls = len(house.model.asked)
    moved = house.ingest(name="moved.txt", title="Berne", known_as="Bern")
    assert moved.outcome["kept"] == 3
    house.delete()
    again = house.ingest(TEXT + "\n\nMore.", name="moved.txt", title="Berne")
    assert again.outcome["kept"] >= 2
    assert len(house.model.asked) <= calls + 1


def test_a_reply_without_facts_is_kept_too(house):
    house.model.extract = lambda _material: ExtractedFacts(facts=[])
    house.ingest()
    house.model.extract = sentences_as_facts
    assert house.ingest(name="copy.txt").outcome == {
        **house.ingest(name="copy.txt").outcome,
        "status": "done",
        "kept": 3,
        "facts": 0,
    }


def test_elements_that_have_a_vector_are_not_embedded_again(house):
    house.ingest()
    embedded = len(house.model.embedded)
    house.replies.entries.clear()
    house.ingest("Bern and the Aare grew.", name="new.txt")
    assert house.model.embedded[embedded:] == ["Bern and the Aare grew."]


def test_a_chunk_under_a_new_title_gets_a_new_vector(house):
    house.ingest()
    chunk = next(point for point in house.vectors.points["default"].values() if point.kind == "chunk")
    house.ingest(TEXT + "\n\nMore.", title="A title")
    assert house.vectors.points["default"][chunk.graph_id].vector != chunk.vector


def test_deleting_a_document_forgets_what_was_said_of_it(house):
    house.ingest()
    house.ingest("Zürich lies on the Limmat.", name="other.txt")
    kept = ids.content_hash("Zürich lies on the Limmat.")
    house.delete()
    assert house.replies.contents == {kept}


def test_what_another_document_says_too_stays(house):
    house.ingest()
    house.ingest(name="copy.txt", collection="other")
    before = set(house.replies.contents)
    house.delete()
    assert house.replies.contents == before
    assert house.replies.purged == []


def test_a_deletion_that_is_repeated_after_a_crash_still_forgets(house, monkeypatch):
    house.ingest()
    deleted = MemoryGraph.delete_document

    def crash(graph, document_id):
        deleted(graph, document_id)
        raise RuntimeError("killed")

    monkeypatch.setattr(MemoryGraph, "delete_document", crash)
    with pytest.raises(RuntimeError):
        house.delete()
    assert house.replies.contents == set()
