"""Concept maps: the double and the real Neo4j keep the same versions."""

from collections.abc import Iterator

import pytest
from doubles.concepts import MemoryConcepts, related

from hopline.errors import NotFound, Outdated
from workers.adapters.neo4j.concepts import Neo4jConcepts
from workers.core.concepts.maps import (
    Concept,
    ConceptStore,
    Correction,
    MapDraft,
    RelationEdit,
    Retired,
    concept_key,
)
from workers.core.ids import concept_id, relation_id


@pytest.fixture(params=("double", "neo4j"))
def store(request: pytest.FixtureRequest) -> Iterator[ConceptStore]:
    if request.param == "double":
        yield MemoryConcepts()
    else:
        yield Neo4jConcepts(request.getfixturevalue("neo4j_graph").connection)


def core(collection: str, name: str = "Entropy") -> Concept:
    return Concept(
        id=concept_id(collection, concept_key(name)),
        collection=collection,
        name=name,
        domain="physics",
        definition=f"{name} measures disorder.",
    )


def draft(collection: str, *names: str, concept: str = "Entropy", **more) -> MapDraft:
    return MapDraft(
        concept=core(collection, concept),
        related=tuple(related(name, strength=5 - nth) for nth, name in enumerate(names)),
        **more,
    )


def retired(collection: str, name: str, reason: str) -> Retired:
    target = concept_id(collection, concept_key(name))
    return Retired(id=relation_id(core(collection).id, target), reason=reason)


def named(store: ConceptStore, collection: str) -> list[str]:
    held = store.concept_map(collection, "Entropy")
    return [relation.name for relation in held.relations] if held else []


def told(store: ConceptStore, collection: str) -> list[list[tuple[str, str, int]]]:
    versions = store.concept_versions(collection, "entropy")
    return [
        [(change.change, change.name, change.version) for change in version.changes] for version in versions
    ]


def test_what_is_saved_is_read_strongest_first(store, collection):
    assert store.concept_map(collection, "Entropy") is None
    saved = store.save_map(draft(collection, "Diffusion", "Markets", "Information"), "j1")
    assert store.concept_map(collection, "  the ENTROPY") == saved
    assert (saved.version, saved.concept) == (1, core(collection))
    strengths = [(relation.name, relation.strength) for relation in saved.relations]
    assert strengths == [("Diffusion", 5), ("Markets", 4), ("Information", 3)]
    first = saved.relations[0]
    assert (first.source, first.target) == (saved.concept.id, concept_id(collection, "diffusion"))
    assert (first.version, first.state, first.reason) == (1, "active", "")
    assert first.created == first.updated
    assert store.concept_map(f"{collection}-other", "Entropy") is None


def test_a_job_that_saves_twice_and_one_that_finds_nothing_new_make_no_version(store, collection):
    once = store.save_map(draft(collection, "Diffusion"), "j1")
    assert store.save_map(draft(collection, "Markets"), "j1") == once  # a late twin of the same item
    assert store.save_map(draft(collection, "Diffusion"), "j2") == once
    gone = [retired(collection, "Unknown", "never was")]
    assert store.save_map(draft(collection, deleted=gone), "j3") == once
    assert [version.version for version in store.concept_versions(collection, "entropy")] == [1]


def test_nothing_is_kept_of_a_map_without_relations(store, collection):
    assert store.save_map(draft(collection), "j1") is store.concept_map(collection, "Entropy") is None
    assert store.concept_versions(collection, "Entropy") == []


def test_a_deleted_relation_is_kept_with_its_reason_and_listed(store, collection):
    store.save_map(draft(collection, "Diffusion", "Markets"), "j1")
    bad = [retired(collection, "Markets", "too vague")]
    after = store.save_map(draft(collection, "Information", deleted=bad), "j2")
    assert (after.version, after.retired) == (2, ("Markets",))
    assert named(store, collection) == ["Diffusion", "Information"]
    newest, oldest = store.concept_versions(collection, "Entropy")
    assert (newest.version, newest.job, oldest.version, oldest.job) == (2, "j2", 1, "j1")
    [gone] = [change for change in newest.changes if change.change == "deleted"]
    assert (gone.name, gone.reason, gone.version, gone.strength) == ("Markets", "too vague", 2, 4)
    assert gone.definition == related("Markets").definition
    assert told(store, collection)[1] == [
        ("defined", "Entropy", 1),
        ("added", "Diffusion", 1),
        ("added", "Markets", 1),
    ]


def test_what_was_taken_out_may_be_restored_and_what_stands_be_changed(store, collection):
    store.save_map(draft(collection, "Diffusion"), "j1")
    odd = [retired(collection, "Diffusion", "strength: 9")]
    store.save_map(draft(collection, abnormal=odd), "j2")
    assert named(store, collection) == []
    store.save_map(draft(collection, "Diffusion"), "j3")
    stronger = MapDraft(concept=core(collection), related=(related("diffusion", strength=1),))
    now = store.save_map(stronger, "j4")
    assert [(relation.name, relation.strength, relation.version) for relation in now.relations] == [
        ("diffusion", 1, 4)
    ]
    assert [changes[-1] for changes in told(store, collection)] == [
        ("changed", "diffusion", 4), ("restored", "Diffusion", 3), ("abnormal", "Diffusion", 2),
        ("added", "Diffusion", 1),
    ]  # fmt: skip
    page = store.concept_versions(collection, "entropy", limit=2)
    older = store.concept_versions(collection, "entropy", limit=3, before=page[-1].version)
    assert [version.version for version in (*page, *older)] == [4, 3, 2, 1]
    assert store.concept_versions(collection, "entropy", before=1) == []


def test_links_of_other_maps_join_what_a_map_shows(store, collection):
    mine = store.save_map(draft(collection, "Diffusion", "Information"), "j1")
    store.save_map(draft(collection, "Information", "Markets", concept="Diffusion"), "j2")
    ids = [mine.concept.id, *(relation.target for relation in mine.relations)]
    links = {(link.source, link.target) for link in store.links_among(collection, ids)}
    entropy, diffusion, information = (
        concept_id(collection, name) for name in ("entropy", "diffusion", "information")
    )
    assert links == {(entropy, diffusion), (entropy, information), (diffusion, information)}
    assert store.links_among(f"{collection}-other", ids) == []
    # One that others' maps name is no map of its own.
    assert store.concept_map(collection, "Markets") is None


def edit(action: str, reason: str = "it is wrong", **more) -> RelationEdit:
    return RelationEdit(action=action, by="Ada", reason=reason, **more)


def relation(collection: str, name: str) -> str:
    return retired(collection, name, "").id


def test_what_a_person_deletes_stays_out_until_it_is_undone(store, collection):
    store.save_map(draft(collection, "Diffusion", "Markets"), "j1")
    mine = relation(collection, "Markets")
    gone = store.edit_relation(collection, mine, edit("delete", "too vague"), "e1")
    assert (gone.concept, gone.version) == ("Entropy", 2)
    assert (gone.change.change, gone.change.name, gone.change.reason) == ("deleted", "Markets", "too vague")
    newest = store.concept_versions(collection, "entropy")[0]
    assert (newest.by, newest.job, newest.changes) == ("Ada", "", (gone.change,))
    assert store.edit_relation(collection, mine, edit("delete", "too vague"), "e1") == gone  # sent again
    again = store.edit_relation(collection, mine, edit("delete"), "e2")
    assert (again.version, again.change) == (2, None)
    after = store.save_map(draft(collection, "Diffusion", "Markets"), "j2")  # a job finds it again
    assert (after.version, after.banned, named(store, collection)) == (2, ("Markets",), ["Diffusion"])
    back = store.edit_relation(collection, mine, edit("undo", ""), "e3")
    assert (back.version, back.change.change, back.change.version) == (3, "restored", 3)
    assert named(store, collection) == ["Diffusion", "Markets"]
    redone = store.edit_relation(collection, mine, edit("undo", ""), "e4")
    assert (redone.change.change, redone.change.reason) == ("deleted", "too vague")


def test_what_a_person_corrects_no_job_takes_out(store, collection):
    store.save_map(draft(collection, "Diffusion"), "j1")
    mine = relation(collection, "Diffusion")
    better = {"relation": "It spreads. Disorder grows.", "strength": 1}
    result = store.edit_relation(collection, mine, edit("correct", correction=Correction(**better)), "e1")
    assert (result.change.change, result.change.strength) == ("changed", 1)
    held = store.save_map(draft(collection, deleted=[retired(collection, "Diffusion", "bad")]), "j2")
    [kept] = held.relations
    assert (kept.by, kept.strength, kept.relation) == ("Ada", 1, better["relation"])
    assert kept.definition == related("Diffusion").definition
    store.edit_relation(collection, mine, edit("undo", ""), "e2")
    [first] = store.concept_map(collection, "Entropy").relations
    assert (first.strength, first.relation, first.version) == (5, related("Diffusion").relation, 3)


def test_a_mark_is_kept_and_a_correction_brings_a_relation_back(store, collection):
    store.save_map(draft(collection, "Diffusion"), "j1")
    mine = relation(collection, "Diffusion")
    marked = store.edit_relation(collection, mine, edit("abnormal", "of another field"), "e1")
    assert (marked.change.change, marked.change.reason) == ("abnormal", "of another field")
    moved = edit("correct", correction=Correction(domain="physics"))
    back = store.edit_relation(collection, mine, moved, "e2")
    assert (back.change.change, named(store, collection)) == ("restored", ["Diffusion"])
    store.edit_relation(collection, mine, edit("undo", ""), "e3")
    assert store.concept_versions(collection, "entropy")[0].changes[0].reason == "of another field"
    assert named(store, collection) == []


def test_what_is_undone_is_left_to_jobs_again(store, collection):
    store.save_map(draft(collection, "Diffusion"), "j1")
    mine = relation(collection, "Diffusion")
    first = store.edit_relation(collection, mine, edit("delete"), "e1")
    store.edit_relation(collection, mine, edit("undo", ""), "e2")
    assert store.edit_relation(collection, mine, edit("delete"), "e1") == first  # a late twin: nothing more
    assert [relation.by for relation in store.concept_map(collection, "Entropy").relations] == [""]
    gone = store.save_map(draft(collection, deleted=[retired(collection, "Diffusion", "bad")]), "j2")
    assert (gone.retired, gone.banned) == (("Diffusion",), ())
    store.edit_relation(collection, mine, edit("undo", ""), "e3")  # what a job did
    assert store.edit_relation(collection, mine, edit("undo", ""), "e4").change.change == "deleted"
    assert store.concept_map(collection, "Entropy").banned == ()
    store.save_map(draft(collection, "Markets"), "j3")
    first = store.edit_relation(collection, relation(collection, "Markets"), edit("undo", ""), "e5")
    assert (first.change.change, named(store, collection)) == ("deleted", [])  # nothing was there before


def test_an_edit_of_what_is_not_there_or_has_changed_writes_nothing(store, collection):
    store.save_map(draft(collection, "Diffusion"), "j1")
    mine = relation(collection, "Diffusion")
    for where, which in ((collection, "rnone"), (f"{collection}-other", mine)):
        with pytest.raises(NotFound, match=which):
            store.edit_relation(where, which, edit("delete"), "e1")
    with pytest.raises(Outdated, match="version is 2, but must be 1"):
        store.edit_relation(collection, mine, edit("delete", seen=2), "e1")
    store.edit_relation(collection, mine, edit("correct", seen=1, correction=Correction(strength=1)), "e2")
    assert len(store.concept_versions(collection, "entropy")) == 2
