"""What steps of a question store is what the version before stores: each of the two reads the other's."""

from __future__ import annotations

from typing import Any

import pytest

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

TURN = {"question": "Who was Ada?", "answer": "A mathematician."}
SCORED = {
    "fact_text": "Ada was born in 1815.",
    "source_node_id": "k1",
    "source_qdrant_chunk_id": "c1",
    "source_fact_id": "f1",
    "extracted_from_depth": 1,
    "score": 0.8,
    "source_description": "a life",
    "scored_by": "critic",
}
BY = {
    "tool": "visit",
    "arguments": {"node": "ada"},
    "cypher": "MATCH (n) RETURN n",
    "parameters": {"id": "k1"},
    "words": "ada",
}
FACT = {
    "fact_text": "Ada was born in 1815.",
    "source_node_id": "k1",
    "extracted_from_depth": 1,
    "source_fact_id": "f1",
    "source_qdrant_chunk_id": "c1",
    "title": "Ada",
    "quote": "She was born in 1815.",
}
SENTENCE = {name: value for name, value in FACT.items() if name not in ("source_fact_id", "title", "quote")}
ROW = {
    "fact_text": "ada: shoe size is 37",
    "source_node_id": "k1",
    "extracted_from_depth": 1,
    "source_property": "shoe size",
    "place": {
        "call": "property:k1:shoe size",
        "nth": 0,
        "said": "ada: shoe size is 37",
        "row": {"node": "ada", "property": "shoe size", "value": 37},
        "nodes": ["4:db:1"],
        "relationships": [],
    },
    "title": "ada",
    "quote": "ada: shoe size is 37",
}
CITATION = {
    "n": 1,
    "fact_id": "row:1",
    "fact": "ada: shoe size is 37",
    "score": 0.8,
    "final_decayed_score": 0.8,
    "depth": 0,
    "source_description": "a life",
    "kind": "graph",
    "call": "property:k1:shoe size",
    "row": {"node": "ada", "value": None},
    "nodes": ["4:db:1"],
    "relationships": [],
    "stated": None,
}
OUTLINE = {"asked": "a city", "steps": ["find her"], "key_information": ["birthplace"]}
NODE = {"id": "k1", "name": "ada lovelace", "depth": 0, "parent": None}
ENTRY = {"text": "She was born in London.", "rests_on": ["a1"], "facts": ["f1"], "chunks": ["c1"]}
CALL = {"id": "tool:1", "tool": "lookup", "arguments": {"about": "The Matrix"}}
ASKED = {"question": "Who?", "tool": "lookup", "arguments": "name=Ada", "found": "nothing"}

# Of each record all fields, and which of them are left out where they have nothing to say.
STORED: list[tuple[type[Frozen], dict[str, Any], set[str]]] = [
    (
        PlanInput,
        {
            "question": "Where was she born?",
            "history": [TURN],
            "prepared": {"question": "Who was Ada?", "sub_questions": []},
        },
        {"prepared"},
    ),
    (
        PlanResult,
        {
            "question": "When was Ada born?",
            "entities": ["Ada"],
            "sub_questions": ["Who is Ada?"],
            "search": "ab/cd.json",
            "failed": "no",
        },
        {"search", "failed"},
    ),
    (
        PlannedQuestion,
        {"question": "When was Ada born?", "entities": ["Ada"], "sub_questions": ["Who is Ada?"]},
        set(),
    ),
    (
        SeedResult,
        {
            "seeds": [
                {"id": "k1", "name": "ada", "score": 1.0, "how": "exact"},
                {"id": "k2", "name": "london", "score": 0.1234, "how": "walk"},
            ],
            "guide": "ab/cd.json",
            "failed": "no model",
        },
        {"failed"},
    ),
    (
        VisitInput,
        {
            "node_id": "k1",
            "name": "ada",
            "depth": 1,
            "parent": None,
            "path": ["london"],
            "question": "When was Ada born?",
            "sub_questions": [],
            "guide": "",
            "read": ["c1"],
        },
        set(),
    ),
    (
        VisitResult,
        {
            "name": "ada",
            "facts": [FACT, SENTENCE, ROW],
            "next": [["k3", "london"]],
            "calls": {"property:k1:shoe size": BY},
            "invented": 2,
            "ungrounded": 1,
            "missing": True,
            "failed": "no",
        },
        {"calls", "invented", "ungrounded", "missing", "failed"},
    ),
    (
        StrategyResult,
        {
            "strategy": "tools",
            "why": "It counts.",
            "documents": True,
            "history": [TURN],
            "prepared": {"question": "How many?", "sub_questions": ["How many ships?"]},
            "failed": "no",
        },
        {"prepared", "failed"},
    ),
    (
        WritingInput,
        {
            "question": "Who?",
            "sub_questions": ["When?"],
            "facts": [SCORED],
            "calls": {"property:k1:shoe size": BY},
            "open_parts": ["Where?"],
        },
        {"calls", "open_parts"},
    ),
    (
        WritingResult,
        {
            "state": "partial",
            "text": "She wears 37 [1].",
            "reason": None,
            "missing": ["Where?"],
            "citations": [CITATION],
            "details": {"below_threshold": 0, "asked_again": [{"sentence": "x", "why": "is empty"}]},
        },
        set(),
    ),
    (
        ReasoningInput,
        {
            "question": "Who?",
            "sub_questions": [],
            "plan": OUTLINE,
            "facts": [SCORED],
            "notebooks": [
                {"path": 1, "start": "ada", "entries": [{"text": "Born in 1815.", "rests_on": ["a1"]}]}
            ],
        },
        set(),
    ),
    (CheckInput, {"question": "Who?", "rounds_left": 2, "asked": [ASKED], "history": [TURN]}, {"history"}),
    (
        CheckResult,
        {"complete": True, "missing": ["Where?"], "why": "half", "given_up": ["Where?"], "failed": "no"},
        {"given_up", "failed"},
    ),
    (
        RationalPlanResult,
        {"question": "Where?", **OUTLINE, "entities": ["Ada"], "sub_questions": ["Who?"], "failed": "no"},
        {"failed"},
    ),
    (
        StartsResult,
        {
            "near": ["f1"],
            "ranked": ["k1"],
            "refused": 1,
            "offered": 20,
            "starts": [{"id": "k1", "name": "ada", "score": 90.0}, {"id": "k2", "name": "bo", "score": None}],
            "failed": "no",
        },
        {"failed"},
    ),
    (
        PathState,
        {
            "path": 1,
            "action": 3,
            "calls": 0,
            "max_calls": 10,
            "question": "Where was Ada born?",
            "sub_questions": [],
            "plan": OUTLINE,
            "start": "ada lovelace",
            "near": ["f1"],
            "ranked": ["k1"],
            "node": {"id": "k2", "name": "london", "depth": 1, "parent": "k1"},
            "behind": NODE,
            "more": "London is large.",
            "queue": ["c1"],
            "notebook": [ENTRY],
            "actions": ["check_facts(ada lovelace): read_chunk(c1)"],
            "need": "",
            "error": "read_chunk got c9; there is c1",
            "again": "path:1:2",
        },
        set(),
    ),
    (
        ActionResult,
        {
            "path": 1,
            "action": 2,
            "step": "check_facts",
            "at": "ada lovelace",
            "decision": "stop_and_read_neighbor()",
            "calls": 1,
            "entries": [ENTRY],
            "facts": [FACT, SENTENCE],
            "nodes": [NODE],
            "embedded": 1,
            "refused": 1,
            "dropped": 2,
            "need": "birthplace",
            "reason": "Nothing is left.",
            "chunk": "c1",
            "error": "no such chunk",
            "failed": "no",
            "why": "failed",
        },
        {"embedded", "refused", "dropped", "need", "reason", "chunk", "error", "failed", "why"},
    ),
    (
        NormaliseResult,
        {"question": "Who?", "sub_questions": ["Who?"], "history": [TURN], "failed": "no"},
        {"failed"},
    ),
    (
        RouteInput,
        {"question": "Who?", "whole": "Who and when?", "history": [TURN], "answers": [TURN], "round": 2},
        set(),
    ),
    (
        RouteResult,
        {
            "question": "Who?",
            "round": 1,
            "calls": [CALL],
            "refused": [{"name": "teleport", "arguments": "{}", "why": "there is no such tool"}],
            "said": "Hello!",
            "searched_instead": True,
            "failed": "no",
        },
        {"said", "searched_instead", "failed"},
    ),
    (CallInput, {**CALL, "question": "Who?"}, set()),
    (
        CallResult,
        {
            "question": "Who?",
            "by": BY,
            "facts": [ROW, FACT],
            "left_out": 3,
            "markdown": "| a |",
            "note": "it took too long",
            "failed": "it took too long",
        },
        {"failed"},
    ),
]


@pytest.mark.parametrize(("model", "full", "left_out"), STORED, ids=[model.__name__ for model, *_ in STORED])
def test_what_is_stored_is_what_the_version_before_stores(
    model: type[Frozen], full: dict[str, Any], left_out: set[str]
) -> None:
    least = {name: value for name, value in full.items() if name not in left_out}
    empty = {name: [] if isinstance(value, list) else value for name, value in least.items()}
    for stored in (full, least, empty):
        assert as_json(model.read_stored(stored)) == stored


def test_how_rows_were_found_is_read_as_the_version_before_writes_it() -> None:
    by = {"tool": "count", "arguments": {}, "parameters": {}, "words": ""}  # now left out where empty
    nothing = {"question": "Who?", "facts": [], "left_out": 0, "markdown": "", "note": ""}
    result = CallResult.read_stored({**nothing, "by": by})
    assert (result.by.parameters, result.by.words) == ({}, "")
    assert as_json(result)["by"] == {"tool": "count", "arguments": {}}
