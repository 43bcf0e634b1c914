"""What steps of a question store is what the version before stores: each of the two reads the other's."""

from typing import Any

import pytest
from doubles.stored_records import N, R, S, assert_stored_as, each

from workers.core.jobs.work import as_json
from workers.core.records import Frozen
from workers.critic.check_answer import CheckInput, CheckResult
from workers.critic.reason import ReasoningInput
from workers.critic.synthesize import WritingInput, WritingResult
from workers.traverse.plan import PlanInput, PlannedQuestion, PlanResult
from workers.traverse.reader.records import ActionResult, PathState, RationalPlanResult, StartsResult
from workers.traverse.seed import SeedResult
from workers.traverse.tools.choose_strategy import StrategyResult
from workers.traverse.tools.records import CallInput, CallResult, NormaliseResult, RouteInput, RouteResult
from workers.traverse.visit import VisitInput, VisitResult

TURN = each("question answer")
PREPARED = {"question": S, "sub_questions": [S]}
OUTLINE = {"asked": S, "steps": [S], "key_information": [S]}
PLANNED = {"question": S, "entities": [S], "sub_questions": [S]}
BY = {"tool": S, "arguments": {"node": S}, "cypher?": S, "parameters?": {"id": S}, "words?": S}
PLACE = {
    **each("call said"), "nth": N, "row": {"value": 37, "none": None}, **each("nodes relationships", [S]),
}  # fmt: skip
FOUND = {
    **each("fact_text source_node_id source_qdrant_chunk_id? source_fact_id?"),
    "extracted_from_depth": N,
}
FACT = {**FOUND, **each("source_property? title? quote?"), "place?": PLACE}
SCORED = {**FOUND, "score": R, "source_description": S, "scored_by": "critic"}
CITED = {"n": N, "score": R, "final_decayed_score": R, "depth": 0, "kind": "graph", "stated": None}
SHOWN = {"row": {"node": S, "value": None}, "nodes": [S], "relationships": []}
CITATION = {**CITED, **SHOWN, **each("fact_id fact source_description call")}
NODE = {"id": S, "name": S, "depth": N, "parent": None}
ENTRY = {"text": S, **each("rests_on facts chunks", [S])}
CALL = {"id": S, "tool": S, "arguments": {"about": S}}
STARTS = [{"id": S, "name": S, "score": 90.0}, {"id": "y", "name": S, "score": None}]
BOOK = {"path": N, "start": S, "entries": [{"text": S, "rests_on": [S]}]}
VISIT = {**each("node_id name question"), "depth": N, "parent": None, **each("path sub_questions read", [S])}
READ = {"name": S, "facts": [FACT], "next": [["k3", "london"]], "calls?": {"property:k1:shoe size": BY}}
STRATEGY = {"strategy": "tools", "why": S, "documents": True, "history": [TURN], "prepared?": PREPARED}
WRITTEN = {"state": "partial", "text": S, "reason": None, "missing": [S], "citations": [CITATION]}
ASKED = {
    "question": S, "rounds_left": N, "asked": [each("question tool arguments found")], "history?": [TURN],
}  # fmt: skip
PATH = {**each("path action max_calls", N), "calls": 0, "node": {**NODE, "parent": S}, "behind": NODE}
ACTION = {
    **each("path action calls embedded? refused? dropped?", N),
    **each("at decision need? reason? chunk? error? failed?"), "step": "check_facts", "why?": "failed",
}  # fmt: skip
ROUTE = {"question": S, "round": N, "calls": [CALL], "refused": [each("name arguments why")]}

STORED: list[tuple[type[Frozen], dict[str, Any]]] = [
    (PlanInput, {"question": S, "history": [TURN], "prepared?": PREPARED}),
    (PlanResult, {**PLANNED, "search?": S, "failed?": S}),
    (PlannedQuestion, PLANNED),
    (RationalPlanResult, {**PLANNED, **OUTLINE, "failed?": S}),
    (SeedResult, {"seeds": [{"id": S, "name": S, "score": R, "how": "walk"}], "guide": S, "failed?": S}),
    (StartsResult, {"near": [S], "ranked": [S], "refused": N, "offered": N, "starts": STARTS, "failed?": S}),
    (VisitInput, {**VISIT, "guide": ""}),
    (VisitResult, {**READ, "invented?": N, "ungrounded?": N, "missing?": True, "failed?": S}),
    (StrategyResult, {**STRATEGY, "failed?": S}),
    (
        WritingInput,
        {"question": S, "sub_questions": [S], "facts": [SCORED], "calls?": {"c": BY}, "open_parts?": [S]},
    ),
    (
        WritingResult,
        {**WRITTEN, "details": {"below_threshold": 0, "asked_again": [{"sentence": S, "why": S}]}},
    ),
    (
        ReasoningInput,
        {"question": S, "sub_questions": [S], "plan": OUTLINE, "facts": [SCORED], "notebooks": [BOOK]},
    ),
    (CheckInput, ASKED),
    (CheckResult, {"complete": True, "missing": [S], "why": S, "given_up?": [S], "failed?": S}),
    (
        PathState,
        {
            **PATH, "plan": OUTLINE, "notebook": [ENTRY], **each("question start more error again"),
            **each("sub_questions near ranked queue actions", [S]), "need": "",
        },
    ),
    (ActionResult, {**ACTION, "entries": [ENTRY], "facts": [FACT], "nodes": [NODE]}),
    (NormaliseResult, {"question": S, "sub_questions": [S], "history": [TURN], "failed?": S}),
    (RouteInput, {"question": S, "whole": S, "history": [TURN], "answers": [TURN], "round": N}),
    (RouteResult, {**ROUTE, "said?": S, "searched_instead?": True, "failed?": S}),
    (CallInput, {**CALL, "question": S}),
    (
        CallResult,
        {"question": S, "by": BY, "facts": [FACT], "left_out": N, "markdown": S, "note": S, "failed?": S},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("model", "fields"), STORED, ids=[model.__name__ for model, _fields in STORED])
def test_what_is_stored_is_what_the_version_before_stores(model, fields):
    assert_stored_as(model, fields)


def test_how_rows_were_found_is_read_as_the_version_before_writes_it() -> None:
    by = {"tool": "count", "arguments": {}, "parameters": {}, "words": ""}  # now left out where empty
    nothing = {"question": "Who?", "facts": [], "left_out": 0, "markdown": "", "note": ""}
    result = CallResult.read_stored({**nothing, "by": by})
    assert (result.by.parameters, result.by.words) == ({}, "")
    assert as_json(result)["by"] == {"tool": "count", "arguments": {}}
