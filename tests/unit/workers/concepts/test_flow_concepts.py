"""The concept map's flow, branch by branch, with maps in memory and a model that follows a script."""

from typing import Any

import pytest
from doubles.concepts import ConceptRun, MemoryConcepts, refusing, related

from hopline.models.jobs import JobState
from workers.concepts.flow import CONCEPT
from workers.concepts.results import CHECK, CHECKED, SAVE
from workers.concepts.schema import ConceptExpansion, ConceptVerdict, RelationCheck, RelationVerdict
from workers.core.concepts.maps import SHORT_REASON, Concept, Correction, MapDraft, RelationEdit
from workers.core.errors import BudgetExceeded, ModelRefused, ModelRefusedSchema
from workers.core.ids import concept_id
from workers.core.jobs.work import Event

FIVE = ["Measure", "Reaction", "Selection", "Therapy", "Erosion"]


def held(*names: str, strength: int = 3) -> MemoryConcepts:
    """A store whose map of entropy has these relations, of biology."""
    store = MemoryConcepts()
    told = {"name": "Entropy", "domain": "physics", "definition": "Entropy measures disorder."}
    concept = Concept(id=concept_id("default", "entropy"), collection="default", **told)
    pairs = zip(names, ("sociology", "biology", "economics", "philosophy", "linguistics"), strict=False)
    relations = tuple(related(name, domain, strength) for name, domain in pairs)
    store.save_map(MapDraft(concept=concept, related=relations), "before")
    return store


def names_in(store: MemoryConcepts) -> list[str]:
    concept_map = store.concept_map("default", "entropy")
    return sorted(relation.name for relation in concept_map.relations) if concept_map else []


def steps_in(outcome: dict) -> list[str]:
    return list(dict.fromkeys(step["step"] for step in outcome["reasoning"]))


def test_an_empty_graph_gets_five_relations_of_five_disciplines():
    run = ConceptRun()
    end = run.to_end()
    outcome = end.outcome
    assert (end.state, outcome["reason"], outcome["version"]) == (JobState.DONE, None, 1)
    assert names_in(run.concepts) == sorted(FIVE)
    steps = ["validate_concept", "read_map", "expand", "validate_relation", "save_map"]
    assert [run.steps_of(phase) for phase in range(len(run.phases))] == [
        [f"concepts.{step}"] for step in steps
    ]
    core, *others = outcome["nodes"]
    assert (core["name"], core["core"], core["domain"]) == ("Entropy", True, "physics")
    assert len(others) == 4
    assert {link["source"] for link in outcome["links"]} == {core["id"]}
    assert len({node["domain"] for node in others}) == 4
    assert steps_in(outcome) == ["validate_concept", "read", "expand", "validate", "save", "graph"]
    assert outcome["dropped"] == []
    [material] = run.asked("expand")
    assert material["wanted"] == 5
    assert "physics" not in material["disciplines"]
    shown = [(event.name, event.data.get("name")) for event in run.events]
    assert shown[:3] == [("concept.validated", None), ("relations.read", None), ("relations.expanded", None)]
    assert sorted(name for event, name in shown if event == "relation.validated") == sorted(FIVE)
    assert run.events[-1] == Event(name="concept.saved", data={"version": 1})


@pytest.mark.parametrize("verdict", ["invalid", "doubtful"])
def test_an_invalid_or_doubtful_concept_ends_the_job_with_a_short_reason(verdict):
    reason = "a brand of soap, and no concept of any science that a textbook would have a chapter on"
    run = ConceptRun({ConceptVerdict: ConceptVerdict(verdict=verdict, reason=reason)})
    end = run.to_end()
    assert end.state is JobState.ABSTAINED
    assert len(end.outcome["reason"]) <= 80
    assert end.outcome["reason"].startswith("a brand of soap")
    assert (end.outcome["nodes"], end.outcome["links"]) == ([], [])
    assert len(run.phases) == 1
    assert run.concepts.concept_map("default", "Entropy") is None
    [event] = run.events
    assert event.data == {"concept": "Entropy", "valid": False, "reason": end.outcome["reason"]}


def test_old_relations_are_checked_side_by_side_and_bad_ones_taken_out():
    store = held("Phlogiston", "Diffusion")
    run = ConceptRun({RelationCheck: refusing("Phlogiston", reason="was given up long ago")}, concepts=store)
    end = run.to_end()
    assert end.state is JobState.DONE
    assert len(run.phases[2].items) == 2
    kept = names_in(store)
    assert "Phlogiston" not in kept
    assert "Diffusion" in kept
    assert len(kept) == 5
    [material] = run.asked("expand")
    assert (material["wanted"], material["known"], material["refused"]) == (4, ["Diffusion"], ["Phlogiston"])
    assert "biology" not in material["disciplines"]  # taken by what was kept
    lost = {"step": "check", "name": "Phlogiston", "reason": "was given up long ago"}
    assert lost in end.outcome["dropped"]
    changes = store.concept_versions("default", "entropy")[0].changes
    assert ("deleted", "Phlogiston") in [(change.change, change.name) for change in changes]
    assert end.outcome["version"] == 2


def by_hand(store: MemoryConcepts, name: str, action: str, **more: Any) -> None:
    relation = next(row["id"] for row in store.relations.values() if row["name"] == name)
    edit = RelationEdit(action=action, by="Ada", reason="as a person says", **more)
    store.edit_relation("default", relation, edit, f"{name} {action}")


@pytest.mark.parametrize("refresh", [False, True])
def test_what_a_person_changed_is_neither_checked_nor_brought_back(*, refresh: bool):
    store = held("Phlogiston", "Measure", "Diffusion")
    by_hand(store, "Phlogiston", "correct", correction=Correction(strength=1))
    by_hand(store, "Measure", "delete")
    offered = ConceptExpansion(relations=[related("Measure", "medicine"), related("Market", "chemistry")])
    script = {RelationCheck: refusing("Phlogiston"), ConceptExpansion: lambda _material: offered}
    run = ConceptRun(script, concepts=store, refresh=refresh, wanted=3)
    end = run.to_end()
    assert [material["relation"]["name"] for material in run.asked("check_relation")] == ["Diffusion"]
    assert all("Measure" in material["refused"] for material in run.asked("expand"))
    assert names_in(store) == ["Diffusion", "Market", "Phlogiston"]
    assert {"step": "check", "text": "Phlogiston: as Ada left it."} in end.outcome["reasoning"]


def test_relations_are_judged_beside_the_domain_and_the_definition_of_their_core():
    run = ConceptRun(concepts=held("Diffusion"), wanted=3)
    run.to_end()
    [expansion, *_later] = run.asked("expand")
    core = {name: expansion[name] for name in ("domain", "definition")}
    assert all(core.values())
    shown = [*run.asked("check_relation"), *run.asked("validate_relation")]
    assert len(shown) > 1
    assert all({name: material[name] for name in core} == core for material in shown)


def test_what_is_stored_and_no_relation_is_marked_abnormal_without_asking_a_model():
    store = held("Diffusion")
    row = next(iter(store.relations.values()))
    row["strength"] = 9
    run = ConceptRun(concepts=store)
    end = run.to_end()
    assert end.state is JobState.DONE
    assert run.asked("check_relation") == []
    assert (row["state"], "strength" in row["reason"]) == ("abnormal", True)
    assert store.concept_map("default", "Entropy").retired == ("Diffusion",)
    assert run.asked("expand")[0]["refused"] == ["Diffusion"]


def test_enough_valid_relations_are_checked_and_only_a_refresh_looks_for_more():
    store = MemoryConcepts()
    ConceptRun(concepts=store, job="j1").to_end()
    run = ConceptRun(concepts=store, job="j2")
    end = run.to_end()
    assert (end.state, end.outcome["version"]) == (JobState.DONE, 1)
    assert len(run.asked("check_relation")) == 5
    assert run.asked("expand") == []
    assert "Nothing changed" in " ".join(step["text"] for step in end.outcome["reasoning"])
    assert not [event for event in run.events if event.name == "concept.saved"]
    end = ConceptRun(concepts=store, refresh=True, job="j3").to_end()
    assert end.state is JobState.DONE
    assert len(names_in(store)) == 10
    assert len(end.outcome["nodes"]) == 5


MISFIT = ModelRefusedSchema("misfit", '{"relations": "none"}')


@pytest.mark.parametrize(
    ("there", "script", "params", "why", "rounds", "names"),
    [
        ("", {RelationVerdict: refusing("Measure")}, {"tries": 1}, "Only 4 of 5 relations are valid", 1, 4),
        ("", {RelationVerdict: MISFIT}, {"tries": 1}, "Nothing could be expanded", 1, 0),
        ("", {ConceptExpansion: ConceptExpansion()}, {}, "knows no further relation", 1, 0),
        ("A", {ConceptExpansion: MISFIT}, {}, "what is shown is what the database", 3, 1),
        ("A", {ConceptVerdict: MISFIT}, {}, "could not be validated: misfit", 0, 1),
        ("ABCDE", {ConceptExpansion: MISFIT}, {"refresh": True}, "misfit", 3, 5),
    ],
    ids=["tries used up", "no verdict", "no more known", "no expansion", "no concept", "no refresh"],
)
def test_what_cannot_be_had_leaves_what_is_valid_and_says_why(there, script, params, why, rounds, names):
    run = ConceptRun(script, concepts=held(*there) if there else None, **params)
    end = run.to_end()
    assert end.state is JobState.PARTIAL
    assert why in end.outcome["reason"]
    assert len(run.asked("expand")) == rounds
    assert len(names_in(run.concepts)) == names
    assert len(end.outcome["nodes"]) == min(names + 1, 5) * bool(names)


def test_fewer_than_five_valid_ones_are_expanded_again_without_what_was_refused():
    run = ConceptRun({RelationVerdict: refusing("Measure", "Reaction")})
    end = run.to_end()
    assert end.state is JobState.DONE
    first, second = run.asked("expand")
    assert (first["wanted"], second["wanted"]) == (5, 2)
    assert set(second["refused"]) == {"Measure", "Reaction"}
    assert set(second["known"]) == {"Selection", "Therapy", "Erosion"}
    assert len(names_in(run.concepts)) == 5
    assert end.outcome["version"] == 1
    ids = [item.id for phase in run.phases for item in phase.items]
    assert len(ids) == len(set(ids))


def test_of_a_malformed_expansion_the_whole_relations_are_taken():
    whole = related("Market", "economics").model_dump_json()
    short = related("Holism", "philosophy").model_dump(mode="json") | {"relation": "One sentence only."}
    content = f'{{"relations": [{whole}, {str(short).replace(chr(39), chr(34))}, 7]}}'
    run = ConceptRun({ConceptExpansion: ModelRefusedSchema("misfit", content)}, tries=1)
    end = run.to_end()
    assert names_in(run.concepts) == ["Market"]
    lost = [relation for relation in end.outcome["dropped"] if relation["step"] == "expand"]
    assert [relation["reason"] for relation in lost] == ["malformed, also after a repair"] * 2


def test_an_old_relation_that_nobody_could_check_stays_and_comes_last():
    store = held("Diffusion", strength=5)
    run = ConceptRun({RelationCheck: ModelRefused("declined")}, concepts=store)
    end = run.to_end()
    assert "Diffusion" in names_in(store)
    assert len(names_in(store)) == 6
    assert "Diffusion" not in [node["name"] for node in end.outcome["nodes"]]
    assert {"step": "check", "name": "Diffusion", "reason": "could not be checked"} in end.outcome["dropped"]


def test_relations_beyond_those_that_are_checked_say_why_they_are_not():
    store = held("Diffusion")
    many = tuple(related(f"Law {nth:02}", strength=5 if nth < CHECKED else 1) for nth in range(CHECKED + 1))
    store.save_map(MapDraft(concept=store.concept_map("default", "entropy").concept, related=many), "many")
    run = ConceptRun(concepts=store)
    outcome = run.to_end().outcome
    why = "only the 40 strongest are checked again"
    expected = [("Diffusion", why), (f"Law {CHECKED}", why)]
    assert [(relation["name"], relation["reason"]) for relation in outcome["dropped"]] == expected
    assert (len(run.asked("check_relation")), len(why) <= SHORT_REASON) == (CHECKED, True)


@pytest.mark.parametrize("broken", [
    ConceptVerdict, RelationCheck, ConceptExpansion, RelationVerdict,
], ids=lambda schema: schema.__name__)  # fmt: skip
def test_a_budget_that_is_used_up_ends_with_what_there_is(broken):
    run = ConceptRun({broken: BudgetExceeded("no model call left")}, concepts=held("Diffusion"))
    end = run.to_end()
    assert end.state is JobState.PARTIAL
    assert names_in(run.concepts) == ["Diffusion"]
    assert run.closed
    assert len(run.asked("expand")) <= 1


@pytest.mark.parametrize(("step", "how"), [
    *((step, "given_up") for step in sorted(CONCEPT.steps)),
    *((step, "dropped") for step in sorted(set(CONCEPT.steps) - {SAVE})),  # which is never closed
])  # fmt: skip
def test_whatever_is_lost_on_the_way_the_job_ends_with_what_there_is(step, how):
    run = ConceptRun(concepts=held("Diffusion"), **{how: [step]})
    end = run.to_end()
    assert end.state is (JobState.DONE if (step, how) == (CHECK, "given_up") else JobState.PARTIAL)
    assert end.outcome["reason"] or end.state is JobState.DONE
    assert "Diffusion" in names_in(run.concepts)
    assert steps_in(end.outcome)[0] == "validate_concept"


def test_only_the_saving_may_not_be_closed_early_and_a_cut_before_it_tells_what_is_valid():
    run = ConceptRun()
    run.to_end()
    last = len(run.phases) - 1
    for phase in range(last + 1):
        may = run.flow.may_close(phase, run.job, lambda: run.results)
        assert may is (phase < last)
    run.results.popitem()
    end = run.flow.cut_short(run.results, run.job, "out of time")
    assert (end.state, end.outcome["reason"], end.outcome["version"]) == (JobState.PARTIAL, "out of time", 0)
    assert len(end.outcome["nodes"]) == 5


def test_a_chinese_concept_is_told_in_chinese():
    verdict = ConceptVerdict(verdict="valid", domain="physics", definition="熵衡量体系的无序程度。")

    told = {"definition": "这是该学科的一个概念。", "relation": "二者遵循同一规律。由此可以互相解释。"}

    def expand(material):
        domains = material["disciplines"][: material["wanted"]]
        relations = [related(f"概念{nth}", domain, **told) for nth, domain in enumerate(domains)]
        return ConceptExpansion(relations=relations)

    script = {ConceptVerdict: verdict, ConceptExpansion: expand}
    script[RelationVerdict] = refusing("概念1", reason="过于笼统")
    run = ConceptRun(script, concept="熵", tries=1)
    end = run.to_end()
    assert end.state is JobState.PARTIAL
    assert end.outcome["reason"] == "只有 4 条关系有效，少于 5 条（轮数：1）。"
    assert [node["domain"] for node in end.outcome["nodes"]][:2] == ["物理学", "数学"]
    assert run.asked("expand")[0]["disciplines"][:2] == ["数学", "化学"]
    text = " ".join(step["text"] for step in end.outcome["reasoning"])
    assert "“熵”是物理学领域的概念" in text
    assert "概念1：已舍弃，原因：过于笼统。" in text
