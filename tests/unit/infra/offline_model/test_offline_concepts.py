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
    told = _table()[core]
    assert ConceptVerdict.model_validate(judge_concept({"concept": told["name"]})).verdict == "valid"
    relations = [Related.model_validate(one) for one in told["relations"].values()]
    domains = {one.domain for one in relations}
    assert len(domains) == len(relations)
    assert told["domain"] not in domains
    for one in (told["domain"], *domains):
        found = discipline_named(KNOWN, one)
        assert found is not None
        assert found.told(told["name"]) == one
    for one in relations:
        assert is_written_alike(told["name"], f"{one.definition} {one.relation}")
        asked = {"concept": told["name"], "relation": one.model_dump()}
        assert RelationVerdict.model_validate(judge_relation(asked)).verdict == "valid"


def test_there_are_ten_concepts_in_both_languages_with_six_relations_or_more():
    rich = [key for key, core in _table().items() if len(core["relations"]) >= 6]
    assert sum(is_chinese(key) for key in rich) == sum(not is_chinese(key) for key in rich) >= 10


def test_what_is_not_in_the_table_is_doubtful():
    for concept in ("flibbertigibbet", "Napoleon", "幸福的云"):
        told = ConceptVerdict.model_validate(judge_concept({"concept": concept}))
        assert told.verdict == "doubtful"
        assert is_chinese(told.reason) == is_chinese(concept)
    relation = {"name": "Phlogiston", "domain": "chemistry", "strength": 3}
    told = RelationVerdict.model_validate(judge_relation({"concept": "entropy", "relation": relation}))
    assert (told.verdict, len(told.reason) <= SHORT_REASON) == ("doubtful", True)


def test_an_altered_relation_is_doubtful():
    one = next(iter(_table()["entropy"]["relations"].values())) | {"strength": 1}
    assert judge_relation({"concept": "Entropy", "relation": one})["verdict"] == "doubtful"


def test_it_offers_what_is_wanted_of_the_disciplines_that_are_open():
    given = {"concept": "Entropy", "disciplines": ["chemistry", "economics"], "wanted": 1}
    told = ConceptExpansion.model_validate(expand_concept(given))
    assert [one.name for one in told.relations] == ["Gibbs free energy"]
    told = expand_concept({**given, "known": ["gibbs free energy"], "refused": ["Theil index"]})
    assert told == {"relations": []}
    assert expand_concept({"concept": "metabolism", "disciplines": ["chemistry"], "wanted": 5}) == {
        "relations": []
    }


def test_the_model_serves_all_four():
    assert {"ConceptVerdict", "ConceptExpansion", "RelationVerdict", "RelationCheck"} <= set(KINDS)
