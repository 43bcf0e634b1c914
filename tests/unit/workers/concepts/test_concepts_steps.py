"""The steps of a concept map, and the plain rules that they stand on."""

from dataclasses import replace
from string import Formatter
from typing import Any

import pytest
from doubles.blobs import MemoryBlobs
from doubles.concepts import MemoryConcepts, related
from doubles.library import Library, ScriptedModel
from doubles.vectors import MemoryVectors
from pydantic import ValidationError

from hopline.errors import InvalidInput, Transient
from hopline.words import shortened
from workers.concepts.flow import expand_concept, save_map
from workers.concepts.records import ConceptInput, ExpandInput, RelationInput, SaveInput
from workers.concepts.schema import ConceptExpansion, ConceptVerdict, RelationVerdict, whole_relations
from workers.concepts.texts import PHRASES
from workers.concepts.verdicts import validate_concept, validate_relation
from workers.core.concepts.disciplines import (
    DISCIPLINES,
    discipline_named,
    open_disciplines,
    parse_disciplines,
)
from workers.core.concepts.maps import SHORT_REASON, Related, concept_key, is_chinese, is_written_alike
from workers.core.errors import ModelRefused
from workers.core.jobs.params import ConceptParams, parse_params
from workers.core.jobs.work import Job, as_json
from workers.core.ports import Limits, Ports

KNOWN = parse_disciplines(DISCIPLINES)
CORE = {"concept": "Entropy", "domain": "physics", "definition": "Entropy measures disorder."}
NAMED = {"known": ["Diffusion"], "refused": ["Phlogiston"], "taken": ["biology"]}
ASKED = {**CORE, **NAMED, "round": 1, "wanted": 5}


def ports(script: dict[Any, Any] | None = None, store: MemoryConcepts | None = None, **job: Any) -> Ports:
    asked = Job(id="j1", kind="concept", collection="default", **job)
    model = ScriptedModel(script or {})
    made = Ports(asked, Library(), MemoryVectors(), model, MemoryBlobs(), Limits())
    return replace(made, concepts=store or MemoryConcepts())


# names and languages ------------------------------------------------------------------------------------


def test_spellings_of_one_concept_are_one():
    spellings = "Entropy/ entropy ; self-organisation/Self organisation; the fractals/Fractal; “熵”/熵; "
    for pair in f"{spellings}ＤＮＡ/dna; NEURAL-NETWORKS/neural network".split("; "):
        name, other = pair.split("/")
        assert concept_key(name) == concept_key(other), pair
    assert len({concept_key(name) for name in ("entropy", "enthalpy", "信息熵", "熵")}) == 4


@pytest.mark.parametrize(("concept", "text", "alike"), [
    ("entropy", "A measure of disorder.", True),
    ("entropy", "熵衡量无序。", False),
    ("熵", "熵衡量无序。", True),
    ("熵", "DNA 携带遗传信息，RNA 传递它。", True),
    ("熵", "A measure of disorder.", False),
    ("yin and yang", "Two forces (陰陽) that complete one another in Chinese thought.", True),
])  # fmt: skip
def test_a_text_is_in_the_language_of_its_concept(concept: str, text: str, *, alike: bool):
    assert is_written_alike(concept, text) is alike


def test_a_reason_is_cut_at_a_word_where_that_is_near():
    assert shortened("short  and\nplain", 50) == "short and plain"
    cut = shortened("a reason that is a little longer than the fifty characters it may have", 50)
    assert cut == "a reason that is a little longer than the fifty…"
    assert len(shortened("无" * 90, 80)) == 80


@pytest.mark.parametrize("name", ["", "   ", "?!", "a\x00b", "x" * 201, "a\u202eb", "a\u200db"])
def test_what_is_no_name_is_refused(name: str):
    with pytest.raises(InvalidInput, match="concept"):
        parse_params(ConceptParams, {"concept": name})


@pytest.mark.parametrize(
    ("name", "kept"), [("  game\n theory　", "game theory"), ("نیم\u200cفاصله", "نیم\u200cفاصله")]
)
def test_a_name_goes_into_one_line_and_keeps_the_joiners_of_its_script(name: str, kept: str):
    assert parse_params(ConceptParams, {"concept": name}).concept == kept


# relations ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wrong", [
    {"name": " "},
    {"name": "x" * 101},
    {"definition": "One sentence. And another."},
    {"relation": "One. Two. Three."},
    {"definition": "一句。两句。"},
    {"relation": "只有一句。"},
    {"strength": 0},
    {"strength": 6},
])  # fmt: skip
def test_a_relation_has_the_form_that_is_asked_for(wrong: dict[str, Any]):
    fields = related("Market").model_dump() | wrong
    with pytest.raises(ValidationError):
        Related.model_validate(fields)


def test_sentences_are_counted_in_chinese_and_past_abbreviations():
    assert related("扩散", definition="粒子由多处移向少处。", relation="二者同源。由此可见一斑！")
    latin = "In it, e.g. in shares, supply meets demand. So prices settle, i.e. clear."
    assert related("Market", relation=latin)


@pytest.mark.parametrize("short", ["Shannon et al. 1948", "Sec. 3", "Eq. (3)", "Ch. IV", "Thm. 2", "Figs. 1"])
def test_scholarly_abbreviations_end_no_sentence(short: str):
    law = f"A law, as {short} says, holds."
    assert related("Market", definition=law, relation=f"{law} {law}")
    assert ConceptVerdict(verdict="valid", domain="physics", definition=law)
    with pytest.raises(ValidationError, match="1 sentence, not 2"):
        related("Market", definition=f"{law} {law}")


def test_the_whole_relations_of_a_refused_reply_are_found():
    whole = related("Market").model_dump_json()
    assert whole_relations(f'{{"relations": [{whole}, {{"name": "x"}}]}}') == ([related("Market")], 1)
    for nothing in ("", "{", "[1]", '{"relations": "none"}'):
        assert whole_relations(nothing) == ([], 0)


@pytest.mark.parametrize("cut", [-1, -20, 30, 10, 1])
def test_of_a_reply_that_was_cut_the_whole_relations_are_kept(cut: int):
    last = related("Class").model_dump_json()
    cut_short = f'{{"relations": [{related("Market").model_dump_json()}, {last[:cut]}'
    whole, malformed = whole_relations(cut_short)
    # All but the last brace: every field of it was told.
    relations = [related("Market"), related("Class")] if cut == -1 else [related("Market")]
    assert (whole, malformed) == (relations, 2 - len(relations))


@pytest.mark.parametrize("fields", [
    {}, {"domain": "physics"}, {"definition": "A thing."}, {"domain": "physics", "definition": "One. Two."},
])  # fmt: skip
def test_a_valid_concept_is_defined(fields: dict[str, str]):
    with pytest.raises(ValidationError, match="one sentence"):
        ConceptVerdict(verdict="valid", **fields)


# disciplines --------------------------------------------------------------------------------------------


def test_disciplines_are_known_by_both_names():
    assert discipline_named(KNOWN, "Physics") == discipline_named(KNOWN, "物理学")
    assert discipline_named(KNOWN, "alchemy") is None
    [_law, art] = parse_disciplines("law=法学, art")
    assert art.get_name_for("熵") == art.get_name_for("entropy") == "art"


@pytest.mark.parametrize("text", ["", "physics", "physics,,law", "=法学, law"])
def test_a_wrong_setting_of_disciplines_is_named(text: str):
    with pytest.raises(InvalidInput, match="concept_disciplines"):
        parse_disciplines(text)


def test_disciplines_that_a_map_has_are_left_out_while_enough_remain():
    names = {discipline.name for discipline in open_disciplines(KNOWN, "物理学", ["biology", "经济学"], 5)}
    assert names == {discipline.name for discipline in KNOWN} - {"physics", "biology", "economics"}
    every = [discipline.name for discipline in KNOWN]
    assert len(open_disciplines(KNOWN, "theology", every, 1)) == len(KNOWN)


# steps --------------------------------------------------------------------------------------------------


def expand(*relations: Related, **fields: Any) -> dict[str, Any]:
    script = {ConceptExpansion: ConceptExpansion(relations=list(relations))}
    return as_json(expand_concept(ExpandInput.read_stored({**ASKED, **fields}), ports(script)).result)


CHINESE = {"definition": "一个概念。", "relation": "二者同源。由此可知。"}
HALF_CHINESE = {"definition": "交易之地。", "relation": "It trades as much. " * 2}
OF_ANOTHER_LANGUAGE = "not in the language of the concept"


@pytest.mark.parametrize(("fields", "offered", "why"), [
    ({}, related("the ENTROPY", "mathematics"), "it is the core concept itself"),
    ({}, related("diffusions", "mathematics"), "the map has it already"),
    ({"known": ["Markov chain"]}, related("Markov Chains", "mathematics"), "the map has it already"),
    ({}, related("phlogiston", "chemistry"), "it was judged invalid before"),
    ({}, related("Market", "alchemy"), "not from a discipline asked for"),
    ({}, related("Market", "physics"), "not from a discipline asked for"),  # its own
    ({}, related("Selection", "biology"), "not from a discipline asked for"),  # taken
    ({}, related("扩散", "chemistry", **CHINESE), OF_ANOTHER_LANGUAGE),
    ({}, related("Market", "economics", **HALF_CHINESE), OF_ANOTHER_LANGUAGE),
])  # fmt: skip
def test_what_may_not_go_into_the_map_is_dropped_with_a_reason(fields, offered, why):
    result = expand(offered, **fields)
    assert result["offered"] == []
    assert result["dropped"] == [{"name": offered.name, "reason": why}]
    assert len(why) <= SHORT_REASON


def test_of_a_discipline_and_of_a_name_there_is_one_and_no_more_than_are_wanted():
    names = (("Market", "Economics"), ("Money", "economics"), ("market", "sociology"))
    names += (("Class", "sociology"), ("Measure", "mathematics"))
    offered = [related(name, domain) for name, domain in names]
    result = expand(*offered, wanted=2)
    expected = [("Market", "economics"), ("Class", "sociology")]
    assert [(relation["name"], relation["domain"]) for relation in result["offered"]] == expected
    expected = ["another of its discipline was offered", "the map has it already", "more than were asked for"]
    assert [relation["reason"] for relation in result["dropped"]] == expected
    assert result["none"] is False


def test_a_chinese_map_takes_disciplines_in_either_language_and_tells_them_in_chinese():
    offered = [related("市场", "economics", **CHINESE), related("阶层", "社会学", **CHINESE)]
    result = expand(*offered, concept="熵", domain="物理学")
    assert [relation["domain"] for relation in result["offered"]] == ["经济学", "社会学"]


def test_a_concept_is_judged_and_its_discipline_called_by_its_own_name():
    verdict = ConceptVerdict(verdict="valid", domain="Physics", definition="It measures disorder.")
    result = validate_concept(ConceptInput(concept="entropy"), ports({ConceptVerdict: verdict})).result
    assert (result.valid, result.domain, result.definition) == (True, "physics", "It measures disorder.")
    result = validate_concept(ConceptInput(concept="熵"), ports({ConceptVerdict: verdict})).result
    assert (result.domain, result.definition) == ("物理学", "")  # not in the concept's language


@pytest.mark.parametrize(
    ("verdict", "reason"), [("doubtful", "doubtful"), ("invalid", "judged invalid without a reason")]
)
def test_a_verdict_without_a_reason_gets_one(verdict: Any, reason: str):
    script = {ConceptVerdict: ConceptVerdict(verdict=verdict)}
    result = validate_concept(ConceptInput(concept="x"), ports(script)).result
    assert (result.valid, result.reason) == (False, reason)
    relation = RelationInput(concept="x", relation=related("Market"))
    script = {RelationVerdict: RelationVerdict(verdict=verdict, reason="vague " * 40)}
    result = validate_relation(relation, ports(script)).result
    assert (result.valid, len(result.reason) <= SHORT_REASON) == (False, True)


def test_an_outage_is_not_a_verdict():
    relation = RelationInput(concept="x", relation=related("Market"))
    with pytest.raises(Transient):
        validate_relation(relation, ports({RelationVerdict: Transient("later")}))
    result = validate_relation(relation, ports({RelationVerdict: ModelRefused("no")})).result
    assert as_json(result) == {"valid": None, "reason": "could not be checked", "failed": "no"}


def test_a_job_that_was_retried_may_save_more():
    store = MemoryConcepts()
    nothing = {"deleted": (), "abnormal": (), "unchecked": ()}
    core = {"concept": "Entropy", "domain": "physics", "definition": "It measures disorder."}
    first = SaveInput(**core, related=(related("Market"),), **nothing)
    assert save_map(first, ports(store=store)).result.changes == {"defined": 1, "added": 1}
    again = save_map(first, ports(store=store))
    assert (again.result.version, again.result.saved) == (1, True)  # told again after a crash
    more = first.model_copy(update={"related": (related("Class"),)})
    assert save_map(more, ports(store=store)).result.version == 1
    assert save_map(more, ports(store=store, epoch=2)).result.version == 2


# words --------------------------------------------------------------------------------------------------


def test_every_phrase_is_there_in_both_languages_with_the_same_values():
    for english, chinese in PHRASES.values():
        assert not is_chinese(english)
        assert is_chinese(chinese)
        values = [{name for _, name, _, _ in Formatter().parse(text) if name} for text in (english, chinese)]
        assert values[0] == values[1]
