"""What the offline model knows of concepts: its table, in both languages, and nothing else."""

from __future__ import annotations

import pytest

from infra.offline_model.parser.concept_maps import _table, expand_concept, judge_concept, judge_relation
from infra.offline_model.replies import KINDS
from workers.concepts.schema import ConceptExpansion, ConceptVerdict, RelationVerdict
from workers.core.concepts.disciplines import DISCIPLINES, discipline_named, parse_disciplines
from workers.core.concepts.maps import SHORT_REASON, Related, is_chinese, is_written_alike

KNOWN = parse_disciplines(DISCIPLINES)
CORES = sorted(_table())


@pytest.mark.parametrize("core", CORES)
def test_every_relation_of_the_table_could_go_into_a_map(core):
    entry = _table()[core]
    assert ConceptVerdict.model_validate(judge_concept({"concept": entry["name"]})).verdict == "valid"
    relations = [Related.model_validate(relation) for relation in entry["relations"].values()]
    domains = {relation.domain for relation in relations}
    assert len(domains) == len(relations)
    assert entry["domain"] not in domains
    for domain in (entry["domain"], *domains):
        discipline = discipline_named(KNOWN, domain)
        assert discipline is not None
        assert discipline.get_name_for(entry["name"]) == domain
    for relation in relations:
        assert is_written_alike(entry["name"], f"{relation.definition} {relation.relation}")
        material = {"concept": entry["name"], "relation": relation.model_dump()}
        assert RelationVerdict.model_validate(judge_relation(material)).verdict == "valid"


def test_there_are_ten_concepts_in_both_languages_with_six_relations_or_more():
    rich = [key for key, core in _table().items() if len(core["relations"]) >= 6]
    assert sum(is_chinese(key) for key in rich) == sum(not is_chinese(key) for key in rich) >= 10


def test_what_is_not_in_the_table_is_doubtful():
    for concept in ("flibbertigibbet", "Napoleon", "幸福的云"):
        verdict = ConceptVerdict.model_validate(judge_concept({"concept": concept}))
        assert verdict.verdict == "doubtful"
        assert is_chinese(verdict.reason) == is_chinese(concept)
    relation = {"name": "Phlogiston", "domain": "chemistry", "strength": 3}
    verdict = RelationVerdict.model_validate(judge_relation({"concept": "entropy", "relation": relation}))
    assert (verdict.verdict, len(verdict.reason) <= SHORT_REASON) == ("doubtful", True)


def test_an_altered_relation_is_doubtful():
    relation = next(iter(_table()["entropy"]["relations"].values())) | {"strength": 1}
    assert judge_relation({"concept": "Entropy", "relation": relation})["verdict"] == "doubtful"


def test_it_offers_what_is_wanted_of_the_disciplines_that_are_open():
    material = {"concept": "Entropy", "disciplines": ["chemistry", "economics"], "wanted": 1}
    expansion = ConceptExpansion.model_validate(expand_concept(material))
    assert [relation.name for relation in expansion.relations] == ["Gibbs free energy"]
    expansion = expand_concept({**material, "known": ["gibbs free energy"], "refused": ["Theil index"]})
    assert expansion == {"relations": []}
    assert expand_concept({"concept": "metabolism", "disciplines": ["chemistry"], "wanted": 5}) == {
        "relations": []
    }


def test_the_model_serves_all_four():
    assert {"ConceptVerdict", "ConceptExpansion", "RelationVerdict", "RelationCheck"} <= set(KINDS)
