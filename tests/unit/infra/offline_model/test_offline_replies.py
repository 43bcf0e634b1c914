"""Replies of the offline model are of the right form whatever comes, lies and concepts among them."""

from typing import Any

import pytest
from doubles.offline import ask

from infra.offline_model.parser.concept_maps import concept_table
from infra.offline_model.replies import KINDS, content_of, kind_of
from workers.concepts.schema import ConceptExpansion, ConceptVerdict, RelationCheck, RelationVerdict
from workers.core.concepts.disciplines import DISCIPLINES, discipline_named, parse_disciplines
from workers.core.concepts.maps import SHORT_REASON, Related, is_chinese, is_written_alike
from workers.critic.schema import (
    AnswerCheck,
    AnswerDraft,
    EvidenceSummary,
    FactScore,
    FactScores,
    ReasonedAnswer,
    TranslationVerdicts,
)
from workers.ingest.schema import ExtractedFacts, ProfiledFacts, SameThings, TranscribedPage
from workers.text2cypher.write import CypherDraft
from workers.traverse.auto.choose_strategy import StrategyChoice
from workers.traverse.reader.schema import ChunkNotes, FactNotes, NeighbourChoice, RationalPlan, StartScores
from workers.traverse.schema import NodeNotes, QuestionPlan
from workers.traverse.survey.schema import SurveyDraft, SurveyPlan, TopicClaims
from workers.traverse.tools.normalise import AtomicQuestions

OF_QUESTIONS = (QuestionPlan, RationalPlan, SurveyPlan, AtomicQuestions, StrategyChoice, CypherDraft)
OF_NODES = (NodeNotes, StartScores, FactNotes, ChunkNotes, NeighbourChoice)
OF_EVIDENCE = (FactScore, FactScores, EvidenceSummary, AnswerCheck, TopicClaims)
OF_ANSWERS = (AnswerDraft, ReasonedAnswer, SurveyDraft, TranslationVerdicts)
OF_TEXTS = (ExtractedFacts, ProfiledFacts, SameThings, TranscribedPage)
OF_CONCEPTS = (ConceptVerdict, ConceptExpansion, RelationVerdict, RelationCheck)
FORMS = (*OF_QUESTIONS, *OF_NODES, *OF_EVIDENCE, *OF_ANSWERS, *OF_TEXTS, *OF_CONCEPTS)


@pytest.mark.parametrize("kind", FORMS, ids=lambda kind: kind.__name__)
def test_an_input_without_any_field_is_answered_in_the_right_form_and_so_is_a_lie(kind: type[Any]) -> None:
    assert ask(kind) == kind.model_validate_json(content_of(kind.__name__, {}, None))
    if kind is FactScores:
        return  # its lie is the one of a single score
    lie = content_of(kind.__name__, {}, "invented")
    kind.model_validate_json(lie)
    signs = ("atlantis", "green cheese", "greencheese", "of nobody", "999")
    assert any(sign in lie.casefold() for sign in signs)


def test_all_kinds_are_tried_but_the_calls_of_tools() -> None:
    assert {kind.__name__ for kind in FORMS} == KINDS.keys() - {"ToolChoice"}


@pytest.mark.parametrize("core", sorted(concept_table()))
def test_every_relation_of_the_table_could_go_into_a_map(core: str) -> None:
    entry = concept_table()[core]
    assert ask(ConceptVerdict, concept=entry["name"]).verdict == "valid"
    relations = [Related.model_validate(relation) for relation in entry["relations"].values()]
    domains = [entry["domain"], *(relation.domain for relation in relations)]
    assert len(set(domains)) == len(domains)
    for domain in domains:
        discipline = discipline_named(parse_disciplines(DISCIPLINES), domain)
        assert discipline is not None
        assert discipline.get_name_for(entry["name"]) == domain
    for relation in relations:
        assert is_written_alike(entry["name"], f"{relation.definition} {relation.relation}")
        verdict = ask(RelationVerdict, concept=entry["name"], relation=relation.model_dump())
        assert verdict.verdict == "valid"


def test_relations_are_offered_of_open_disciplines_and_unknown_ones_are_doubtful() -> None:
    for concept in ("flibbertigibbet", "Napoleon", "幸福的云"):
        verdict = ask(ConceptVerdict, concept=concept)
        assert verdict.verdict == "doubtful"
        assert is_chinese(verdict.reason) == is_chinese(concept)
    altered = next(iter(concept_table()["entropy"]["relations"].values())) | {"strength": 1}
    for relation in (altered, {"name": "Phlogiston", "domain": "chemistry", "strength": 3}):
        judged = ask(RelationVerdict, concept="Entropy", relation=relation)
        assert (judged.verdict, len(judged.reason) <= SHORT_REASON) == ("doubtful", True)
    material = {"concept": "Entropy", "disciplines": ["chemistry", "economics"], "wanted": 1}
    [relation] = ask(ConceptExpansion, **material).relations
    assert relation.name == "Gibbs free energy"
    known = material | {"known": ["gibbs free energy"], "refused": ["Theil index"]}
    elsewhere = {"concept": "metabolism", "disciplines": ["chemistry"], "wanted": 5}
    assert [ask(ConceptExpansion, **each).relations for each in (known, elsewhere)] == [[], []]


def test_a_plan_for_several_languages_is_answered_as_one_for_one() -> None:
    form = {"type": "json_schema", "json_schema": {"name": "TranslatedRationalPlan"}}
    assert kind_of({"response_format": form}) == "RationalPlan"
    system = [{"role": "system", "content": 'Return JSON: {"title": "TranslatedQuestionPlan"}'}]
    assert kind_of({"messages": system}) == "QuestionPlan"
