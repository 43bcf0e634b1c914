"""Concept maps by real workers on the real Neo4j, branch by branch, with the offline model."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import neo4j as driver
import pytest
from fleet.checks import events_of
from fleet.crew import Crew

from producer.reports.concept import ConceptOutcome
from workers.core.concepts.maps import is_chinese

Query = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def query(neo4j) -> Iterator[Query]:
    with driver.GraphDatabase.driver(neo4j.url, auth=(neo4j.user, neo4j.password)) as raw:
        yield lambda text, **values: [record.data() for record in raw.execute_query(text, **values).records]


def names(outcome: ConceptOutcome) -> list[str]:
    return [node.name for node in outcome.nodes]


def kept(crew: Crew, concept: str, collection: str) -> list[str]:
    return sorted(node.name for node in crew.client.concept_map(concept, collection).nodes[1:])


def changes(crew: Crew, concept: str, collection: str) -> list[list[tuple[str, str]]]:
    versions = crew.client.concept_versions(concept, collection)
    return [[(change.change, change.name) for change in version.changes] for version in versions]


def spoil(query: Query, collection: str, name: str, **fields: Any) -> None:
    """Change what is stored of a relation, as somebody could who has the database."""
    rows = query(
        "MATCH (:MappedConcept {collection: $collection})-[r:CONCEPT_RELATION {name: $name}]->() "
        "SET r += $fields RETURN r.id AS id",
        collection=collection,
        name=name,
        fields=fields,
    )
    assert len(rows) == 1


def test_an_empty_graph_gets_a_map_of_five_disciplines(crew: Crew, collection: str) -> None:
    assert crew.client.concept_map("entropy", collection).nodes == ()
    outcome = crew.client.concept("Entropy", collection)
    assert (outcome.state, outcome.reason, outcome.version) == ("done", None, 1)
    core, *others = outcome.nodes
    assert (core.name, core.core, core.domain) == ("Entropy", True, "physics")
    assert len(others) == 4
    assert len({node.domain for node in outcome.nodes}) == 5
    strengths = [link.strength for link in outcome.links if link.source == core.id]
    assert strengths == sorted(strengths, reverse=True)
    assert [step.step for step in outcome.reasoning][:2] == ["validate_concept", "read"]
    assert all(step.text for step in outcome.reasoning)
    assert len(kept(crew, "entropy", collection)) == 5
    seen = [name for name, _ in events_of(crew, outcome.job_id)]
    for name in ("concept.validated", "relations.read", "relations.expanded", "concept.saved"):
        assert seen.count(name) == 1
    assert seen.count("relation.validated") == 5
    assert [change for change, _ in changes(crew, "Entropy", collection)[0]] == ["defined"] + ["added"] * 5


def test_an_invalid_concept_ends_with_the_reason_and_nothing_kept(crew: Crew, collection: str) -> None:
    done = crew.run("concept", "flibbertigibbet", "-c", collection, "--json")
    assert done.returncode == 3, done.stderr
    outcome = json.loads(done.stdout)
    assert outcome["state"] == "abstained"
    assert 0 < len(outcome["reason"]) <= 80
    assert outcome["nodes"] == []
    assert crew.client.concept_versions("flibbertigibbet", collection) == []


def test_a_map_that_stands_is_checked_and_left_as_it_is(crew: Crew, collection: str) -> None:
    first = crew.client.concept("feedback", collection)
    crew.model.set()
    again = crew.client.concept("feedback", collection)
    assert (again.state, again.version, again.nodes) == ("done", 1, first.nodes)
    assert crew.model.requests() == {"ConceptVerdict": 1, "RelationCheck": 5}
    refreshed = crew.client.concept("feedback", collection, refresh=True)
    assert (refreshed.state, refreshed.version) == ("done", 2)
    assert len(kept(crew, "feedback", collection)) == 6


def test_old_bad_relations_are_taken_out_kept_as_versions_and_replaced(
    crew: Crew, collection: str, query: Query
) -> None:
    crew.client.concept("entropy", collection)
    bad, broken = "Gibbs free energy", "metabolism"
    spoil(query, collection, bad, relation="It is all about phlogiston. Nobody doubts it.")
    spoil(query, collection, broken, strength=9)
    outcome = crew.client.concept("entropy", collection)
    assert outcome.version == 2
    assert {bad, broken} & set(names(outcome)) == set()
    newest, oldest = crew.client.concept_versions("entropy", collection)
    states = {change.name: (change.change, change.reason) for change in newest.changes}
    assert states[bad][0] == "deleted"
    assert states[broken][0] == "abnormal"
    assert all(0 < len(states[name][1]) <= 50 for name in (bad, broken))
    assert bad in {change.name for change in oldest.changes}
    rows = query(
        "MATCH (:MappedConcept {collection: $c})-[r:CONCEPT_RELATION]->() "
        "RETURN r.name AS name, r.state AS state",
        c=collection,
    )
    assert {row["name"]: row["state"] for row in rows}[bad] == "deleted"  # nothing is removed
    reasons = {relation.name: relation.reason for relation in outcome.dropped}
    assert {bad, broken} <= set(reasons)


def test_fewer_than_five_valid_ones_are_expanded_again(crew: Crew, collection: str) -> None:
    # The first reply of an expansion begins with a relation that is invented: it is judged, and refused.
    crew.model.set(schemas={"ConceptExpansion": {"fail_next": ["invented"]}})
    outcome = crew.client.concept("entropy", collection)
    assert outcome.state == "done"
    rounds = [data["names"] for name, data in events_of(crew, outcome.job_id) if name == "relations.expanded"]
    assert [len(offers) for offers in rounds] == [5, 1]
    assert "Green cheese dynamics" in rounds[0]
    assert "Green cheese dynamics" not in kept(crew, "entropy", collection)
    [lost] = [relation for relation in outcome.dropped if relation.step == "validate"]
    assert (lost.name, lost.round) == ("Green cheese dynamics", 1)
    assert len(kept(crew, "entropy", collection)) == 5


def test_tries_that_are_used_up_leave_what_is_valid(crew: Crew, collection: str) -> None:
    crew.model.set(schemas={"RelationVerdict": {"fail": {"invented": 1.0}}})
    outcome = crew.client.concept("symmetry", collection, tries=2)
    assert (outcome.state, outcome.nodes, outcome.version) == ("partial", (), 0)
    assert "Nothing could be expanded" in str(outcome.reason)
    assert len({relation.round for relation in outcome.dropped}) == 2
    crew.model.set(schemas={"RelationVerdict": {"fail_next": ["invented", "invented"]}})
    outcome = crew.client.concept("symmetry", collection, tries=1)
    assert (outcome.state, outcome.version) == ("partial", 1)
    assert str(outcome.reason) == "Only 3 of 5 relations are valid (rounds: 1)."


def test_a_concept_with_few_relations_is_a_partial_map_and_says_so(crew: Crew, collection: str) -> None:
    done = crew.run("concept", "percolation", "-c", collection)
    assert done.returncode == 4, done.stderr
    output = " ".join(done.stdout.split())
    assert "Only 3 of 5 relations are valid" in output
    assert "giant component" in output
    assert "round 1: offered giant component" in " ".join(done.stderr.split())


def test_malformed_output_drops_what_it_was_asked_for_and_invents_nothing(
    crew: Crew, collection: str
) -> None:
    # Five verdicts, each malformed and malformed again after its repair; the sixth relation is judged.
    crew.model.set(schemas={"RelationVerdict": {"fail_next": ["malformed"] * 10}})
    outcome = crew.client.concept("network", collection)
    assert (outcome.state, outcome.reason) == ("partial", "Only 1 of 5 relations are valid (rounds: 3).")
    lost = [relation for relation in outcome.dropped if relation.step == "validate"]
    assert [relation.reason for relation in lost] == ["could not be checked"] * 5

    # Empty: of a reply that is only cut, the whole relations would be taken.
    crew.model.set(schemas={"ConceptExpansion": {"fail": {"empty": 1.0}}})
    outcome_before, outcome = outcome, crew.client.concept("evolution", collection)
    assert (outcome.state, outcome.nodes) == ("partial", ())
    assert "Nothing could be expanded" in str(outcome.reason)
    assert "does not fit ConceptExpansion" in str(outcome.reason)
    held = crew.client.concept("network", collection)
    assert (held.state, held.version, names(held)) == ("partial", 1, names(outcome_before))


def test_a_reply_that_is_repaired_costs_nothing(crew: Crew, collection: str) -> None:
    crew.model.set(
        schemas={"ConceptExpansion": {"fail_next": ["schema"]}, "ConceptVerdict": {"fail_next": ["empty"]}}
    )
    assert crew.client.concept("diffusion", collection).state == "done"


def test_a_chinese_concept_is_answered_in_chinese(crew: Crew, collection: str) -> None:
    done = crew.run("concept", "熵", "-c", collection, "--json")
    assert done.returncode == 0, done.stderr
    outcome = ConceptOutcome.model_validate_json(done.stdout)
    for node in outcome.nodes:
        assert is_chinese(node.name)
        assert is_chinese(node.domain)
        assert is_chinese(node.definition)
    assert all(is_chinese(link.relation) for link in outcome.links)
    assert all(is_chinese(step.text) for step in outcome.reasoning)
    assert crew.client.concept("胡言乱语", collection).reason == "不在离线模型的概念表中，无法判断"


def test_links_between_what_is_shown_come_from_other_maps(crew: Crew, collection: str) -> None:
    crew.client.concept("information", collection, wanted=7)
    crew.client.concept("entropy", collection, wanted=6)
    held = crew.client.concept_map("entropy", collection)
    names = {node.id: node.name for node in held.nodes}
    links = {(names[link.source], names[link.target]) for link in held.links}
    assert ("information", "linguistic redundancy") in links
    assert len(links) == 7
    shown = crew.run("concept", "entropy", "-c", collection, "--held")
    assert shown.returncode == 0, shown.stderr
    assert "information → linguistic redundancy" in shown.stdout


def test_two_jobs_of_one_concept_at_once_make_versions_one_after_another(crew: Crew, collection: str) -> None:
    crew.model.set(chat={"latency": 0.05})
    jobs = [crew.client.submit_concept("resonance", collection) for _ in range(3)]
    outcomes = [crew.client.concept_outcome(job, timeout=180) for job in jobs]
    assert {outcome.state for outcome in outcomes} == {"done"}
    versions = crew.client.concept_versions("resonance", collection)
    assert [version.version for version in versions] == list(range(len(versions), 0, -1))
    assert len(kept(crew, "resonance", collection)) == 5
