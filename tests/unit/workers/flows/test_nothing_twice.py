"""What was asked and embedded before is not asked and embedded again, wherever the same text stands."""

import pytest
from doubles.graph import MemoryGraph
from doubles.model import BERN, Ingestion, sentences_as_facts
from doubles.replies import MemoryReplies

from hopline.models.jobs import JobState
from workers.core import ids
from workers.core.graph.vectors import Embedder
from workers.ingest.schema import ExtractedFacts


class Titled(Ingestion):
    """Documents that are called Bern unless a title is given: a title is part of what is asked."""

    def ingest(self, *args, **params):
        return super().ingest(*args, **{"title": "Bern", **params})


@pytest.fixture
def house(tmp_path):
    return Titled(tmp_path, replies=MemoryReplies())


def test_the_same_text_costs_nothing_in_another_document_or_collection_and_gives_the_same(house):
    assert house.ingest().outcome["kept"] == 0
    before, points = house.calls(), dict(house.vectors.points["default"])
    end = house.ingest(name="copy.txt")
    assert (end.state, end.outcome["kept"], end.outcome["facts"]) == (JobState.DONE, 3, 4)
    end = house.ingest(collection="other")
    assert end.outcome["kept"] == 3
    assert house.calls() == before
    others = house.vectors.points["other"].values()
    assert sorted(point.vector for point in others) == sorted(point.vector for point in points.values())


def test_only_changed_chunks_are_asked_about_again(house):
    house.ingest()
    calls = len(house.model.asked)
    end = house.ingest(BERN.replace("1883", "1888"))
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


def test_a_reply_is_kept_for_its_model_and_title_only(house):
    house.ingest()
    assert house.ingest(name="c.txt", title="Zürich").outcome["kept"] == 0
    house.model.name = "another"
    assert house.ingest(name="b.txt").outcome["kept"] == 0


def test_another_embedder_makes_its_own_vectors(house):
    house.ingest()
    embedded = len(house.model.embedded)
    house.model.embedder = Embedder(name="another", dimension=2)
    house.ingest(collection="other")
    assert len(house.model.embedded) == 2 * embedded


def test_a_moved_document_finds_what_was_said_under_its_old_title(house):
    house.ingest()
    calls = len(house.model.asked)
    moved = house.ingest(name="moved.txt", title="Berne", known_as="Bern")
    assert moved.outcome["kept"] == 3
    house.delete()
    again = house.ingest(BERN + "\n\nMore.", name="moved.txt", title="Berne")
    assert again.outcome["kept"] >= 2
    assert len(house.model.asked) <= calls + 1


def test_a_reply_without_facts_is_kept_too(house):
    house.model.extract = lambda _material: ExtractedFacts(facts=[])
    house.ingest()
    house.model.extract = sentences_as_facts
    copied, again = (house.ingest(name="copy.txt").outcome for _ in range(2))
    assert copied == {**again, "status": "done", "kept": 3, "facts": 0}


def test_only_elements_without_a_vector_are_embedded_and_chunks_under_a_new_title(house):
    house.ingest()
    embedded = len(house.model.embedded)
    house.ingest("Bern and the Aare grew.", name="new.txt")
    assert house.model.embedded[embedded:] == ["Bern and the Aare grew."]
    (chunk, *_) = (point for point in house.vectors.points["default"].values() if point.kind == "chunk")
    house.ingest(BERN + "\n\nMore.", title="A title")
    assert house.vectors.points["default"][chunk.graph_id].vector != chunk.vector


def test_deleting_a_document_forgets_what_was_said_of_it_alone(house):
    house.ingest()
    house.ingest("Zürich lies on the Limmat.", name="other.txt")
    house.ingest(name="copy.txt", collection="other")
    before = set(house.replies.contents)
    house.delete()
    assert (house.replies.contents, house.replies.purged) == (before, []), "another document says it too"
    house.delete("other.txt")
    assert house.replies.contents == before - {ids.content_hash("Zürich lies on the Limmat.")}


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
