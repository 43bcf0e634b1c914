"""What steps of a question store is what the version before stores: each of the two reads the other's."""

from typing import Any

import pytest
from doubles.stored_records import N, R, S, assert_stored_as

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

TURN = {"question": S, "answer": S}
PREPARED = {"question": S, "sub_questions": [S]}
OUTLINE = {"asked": S, "steps": [S], "key_information": [S]}
PLANNED = {"question": S, "entities": [S], "sub_questions": [S]}
BY = {"tool": S, "arguments": {"node": S}, "cypher?": S, "parameters?": {"id": S}, "words?": S}
PLACE = {
    "call": S,
    "nth": N,
    "said": S,
    "row": {"value": 37, "none": None},
    "nodes": [S],
    "relationships": [S],
}
FACT = {
    "fact_text": S,
    "source_node_id": S,
    "extracted_from_depth": N,
    "source_qdrant_chunk_id?": S,
    "source_fact_id?": S,
    "source_property?": S,
    "place?": PLACE,
    "title?": S,
    "quote?": S,
}
SCORED = {
    "fact_text": S,
    "source_node_id": S,
    "source_qdrant_chunk_id?": S,
    "source_fact_id?": S,
    "extracted_from_depth": N,
    "score": R,
    "source_description": S,
    "scored_by": "critic",
}
CITATION = {
    "n": N,
    "fact_id": S,
    "fact": S,
    "score": R,
    "final_decayed_score": R,
    "depth": 0,
    "source_description": S,
    "kind": "graph",
    "call": S,
    "row": {"node": S, "value": None},
    "nodes": [S],
    "relationships": [],
    "stated": None,
}
NODE = {"id": S, "name": S, "depth": N, "parent": None}
ENTRY = {"text": S, "rests_on": [S], "facts": [S], "chunks": [S]}
CALL = {"id": S, "tool": S, "arguments": {"about": S}}
STARTS = [{"id": S, "name": S, "score": 90.0}, {"id": "y", "name": S, "score": None}]
BOOK = {"path": N, "start": S, "entries": [{"text": S, "rests_on": [S]}]}

STORED: list[tuple[type[Frozen], dict[str, Any]]] = [
    (PlanInput, {"question": S, "history": [TURN], "prepared?": PREPARED}),
    (PlanResult, {**PLANNED, "search?": S, "failed?": S}),
    (PlannedQuestion, PLANNED),
    (RationalPlanResult, {**PLANNED, **OUTLINE, "failed?": S}),
    (SeedResult, {"seeds": [{"id": S, "name": S, "score": R, "how": "walk"}], "guide": S, "failed?": S}),
    (StartsResult, {"near": [S], "ranked": [S], "refused": N, "offered": N, "starts": STARTS, "failed?": S}),
    (
        VisitInput,
        {
            "node_id": S,
            "name": S,
            "depth": N,
            "parent": None,
            "path": [S],
            "question": S,
            "sub_questions": [S],
            "guide": "",
            "read": [S],
        },
    ),
    (
        VisitResult,
        {
            "name": S,
            "facts": [FACT],
            "next": [["k3", "london"]],
            "calls?": {"property:k1:shoe size": BY},
            "invented?": N,
            "ungrounded?": N,
            "missing?": True,
            "failed?": S,
        },
    ),
    (
        StrategyResult,
        {
            "strategy": "tools",
            "why": S,
            "documents": True,
            "history": [TURN],
            "prepared?": PREPARED,
            "failed?": S,
        },
    ),
    (
        WritingInput,
        {"question": S, "sub_questions": [S], "facts": [SCORED], "calls?": {"c": BY}, "open_parts?": [S]},
    ),
    (
        WritingResult,
        {
            "state": "partial",
            "text": S,
            "reason": None,
            "missing": [S],
            "citations": [CITATION],
            "details": {"below_threshold": 0, "asked_again": [{"sentence": S, "why": S}]},
        },
    ),
    (
        ReasoningInput,
        {"question": S, "sub_questions": [S], "plan": OUTLINE, "facts": [SCORED], "notebooks": [BOOK]},
    ),
    (
        CheckInput,
        {
            "question": S,
            "rounds_left": N,
            "asked": [{"question": S, "tool": S, "arguments": S, "found": S}],
            "history?": [TURN],
        },
    ),
    (CheckResult, {"complete": True, "missing": [S], "why": S, "given_up?": [S], "failed?": S}),
    (
        PathState,
        {
            "path": N,
            "action": N,
            "calls": 0,
            "max_calls": N,
            "question": S,
            "sub_questions": [S],
            "plan": OUTLINE,
            "start": S,
            "near": [S],
            "ranked": [S],
            "node": {**NODE, "parent": S},
            "behind": NODE,
            "more": S,
            "queue": [S],
            "notebook": [ENTRY],
            "actions": [S],
            "need": "",
            "error": S,
            "again": S,
        },
    ),
    (
        ActionResult,
        {
            "path": N,
            "action": N,
            "step": "check_facts",
            "at": S,
            "decision": S,
            "calls": N,
            "entries": [ENTRY],
            "facts": [FACT],
            "nodes": [NODE],
            "embedded?": N,
            "refused?": N,
            "dropped?": N,
            "need?": S,
            "reason?": S,
            "chunk?": S,
            "error?": S,
            "failed?": S,
            "why?": "failed",
        },
    ),
    (NormaliseResult, {"question": S, "sub_questions": [S], "history": [TURN], "failed?": S}),
    (RouteInput, {"question": S, "whole": S, "history": [TURN], "answers": [TURN], "round": N}),
    (
        RouteResult,
        {
            "question": S,
            "round": N,
            "calls": [CALL],
            "refused": [{"name": S, "arguments": S, "why": S}],
            "said?": S,
            "searched_instead?": True,
            "failed?": S,
        },
    ),
    (CallInput, {**CALL, "question": S}),
    (
        CallResult,
        {"question": S, "by": BY, "facts": [FACT], "left_out": N, "markdown": S, "note": S, "failed?": S},
    ),
]


@pytest.mark.parametrize(("model", "fields"), STORED, ids=[model.__name__ for model, _fields in STORED])
def test_what_is_stored_is_what_the_version_before_stores(
    model: type[Frozen], fields: dict[str, Any]
) -> None:
    assert_stored_as(model, fields)


def test_how_rows_were_found_is_read_as_the_version_before_writes_it() -> None:
    by = {"tool": "count", "arguments": {}, "parameters": {}, "words": ""}  # now left out where empty
    nothing = {"question": "Who?", "facts": [], "left_out": 0, "markdown": "", "note": ""}
    result = CallResult.read_stored({**nothing, "by": by})
    assert (result.by.parameters, result.by.words) == ({}, "")
    assert as_json(result)["by"] == {"tool": "count", "arguments": {}}
