"""What the steps of reader and tools store is what the version before stores: each reads the other's."""

from __future__ import annotations

from typing import Any

import pytest

from workers.core.jobs.work import as_json
from workers.core.records import Frozen
from workers.traverse.plan import PlanInput
from workers.traverse.reader.records import ActionResult, PathState, RationalPlanResult, StartsResult
from workers.traverse.tools.records import CallInput, CallResult, NormaliseResult, RouteInput, RouteResult

TURN = {"question": "Who was Ada?", "answer": "A mathematician."}
OUTLINE = {"asked": "a city", "steps": ["find her"], "key_information": ["birthplace"]}
NODE = {"id": "k1", "name": "ada lovelace", "depth": 0, "parent": None}
ENTRY = {"text": "She was born in London.", "rests_on": ["a1"], "facts": ["f1"], "chunks": ["c1"]}
FACT = {
    "fact_text": "Ada Lovelace was born in London.",
    "source_node_id": "k1",
    "source_fact_id": "f1",
    "source_qdrant_chunk_id": "c1",
    "extracted_from_depth": 0,
    "title": "Ada",
    "quote": "Ada Lovelace was born in London.",
}
SENTENCE = {name: value for name, value in FACT.items() if name != "source_fact_id"}
STATE = {
    "path": 1,
    "action": 1,
    "calls": 0,
    "max_calls": 10,
    "question": "Where was Ada born?",
    "sub_questions": [],
    "plan": OUTLINE,
    "start": "ada lovelace",
    "near": ["f1"],
    "ranked": ["k1"],
    "node": NODE,
    "behind": None,
    "more": "",
    "queue": [],
    "notebook": [],
    "actions": [],
    "need": "",
    "error": "",
    "again": "",
}
ACTION = {
    "path": 1,
    "action": 2,
    "step": "check_facts",
    "at": "ada lovelace",
    "decision": "stop_and_read_neighbor()",
    "calls": 1,
    "entries": [],
    "facts": [],
    "nodes": [],
}
CALL = {"id": "tool:1", "tool": "lookup", "arguments": {"about": "The Matrix"}}
BY = {
    "tool": "lookup",
    "arguments": {"about": "The Matrix"},
    "cypher": "MATCH (n) RETURN n",
    "parameters": {"name": "The Matrix"},
    "words": "the matrix",
}
ROW = {
    "fact_text": "Lana Wachowski directed The Matrix",
    "source_node_id": "4:x:0",
    "extracted_from_depth": 0,
    "place": {
        "call": "tool:1",
        "nth": 0,
        "said": "Lana Wachowski directed The Matrix",
        "row": {"name": "Lana Wachowski", "born": 1965},
        "nodes": ["4:x:0"],
        "relationships": [],
    },
    "title": "lookup",
    "quote": "Lana Wachowski directed The Matrix",
}
NOTHING = {"question": "Who?", "facts": [], "left_out": 0, "markdown": "", "note": "it took too long"}
STORED: dict[str, tuple[type[Frozen], dict[str, Any]]] = {
    "a question": (PlanInput, {"question": "Where was she born?", "history": [TURN]}),
    "a question that a choice prepared": (
        PlanInput,
        {"question": "Who?", "history": [], "prepared": {"question": "Who was Ada?", "sub_questions": []}},
    ),
    "a rational plan": (
        RationalPlanResult,
        {"question": "Where was Ada born?", **OUTLINE, "entities": ["Ada"], "sub_questions": ["Who?"]},
    ),
    "a rational plan without a model": (
        RationalPlanResult,
        {
            "question": "Where was Ada born?",
            "asked": "",
            "steps": [],
            "key_information": [],
            "entities": [],
            "sub_questions": [],
            "failed": "no",
        },
    ),
    "starts": (
        StartsResult,
        {
            "near": ["f1"],
            "ranked": ["k1"],
            "refused": 1,
            "offered": 20,
            "starts": [{"id": "k1", "name": "ada lovelace", "score": 90.0}],
        },
    ),
    "starts without a model": (
        StartsResult,
        {
            "near": [],
            "ranked": [],
            "refused": 0,
            "offered": 1,
            "starts": [{"id": "k1", "name": "ada lovelace", "score": None}],
            "failed": "no",
        },
    ),
    "a path's first state": (PathState, STATE),
    "a path on its way": (
        PathState,
        {
            **STATE,
            "action": 3,
            "behind": NODE,
            "node": {"id": "k2", "name": "london", "depth": 1, "parent": "k1"},
            "more": "London is large.",
            "queue": ["c1"],
            "notebook": [ENTRY],
            "actions": ["check_facts(ada lovelace): read_chunk(c1)"],
            "error": "read_chunk got c9; there is c1",
            "again": "path:1:2",
        },
    ),
    "an action": (ActionResult, {**ACTION, "nodes": [NODE], "entries": [ENTRY], "facts": [FACT, SENTENCE]}),
    "a path's last action": (
        ActionResult,
        {
            **ACTION,
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
    ),
    "a question in parts": (
        NormaliseResult,
        {"question": "Who?", "sub_questions": ["Who?"], "history": [TURN]},
    ),
    "a question that could not be taken apart": (
        NormaliseResult,
        {"question": "Who?", "sub_questions": ["Who?"], "history": [], "failed": "no"},
    ),
    "a part to choose tools for": (
        RouteInput,
        {"question": "Who?", "whole": "Who and when?", "history": [TURN], "answers": [TURN], "round": 2},
    ),
    "tools chosen": (
        RouteResult,
        {
            "question": "Who?",
            "round": 1,
            "calls": [CALL],
            "refused": [{"name": "teleport", "arguments": "{}", "why": "there is no such tool"}],
        },
    ),
    "a reply without a tool": (
        RouteResult,
        {"question": "Hello!", "round": 1, "calls": [], "refused": [], "said": "Hello!"},
    ),
    "no tool chosen": (
        RouteResult,
        {
            "question": "Who?",
            "round": 1,
            "calls": [],
            "refused": [],
            "searched_instead": True,
            "failed": "no",
        },
    ),
    "a call": (CallInput, {**CALL, "question": "Who?"}),
    "rows found": (
        CallResult,
        {"question": "Who?", "by": BY, "facts": [ROW], "left_out": 3, "markdown": "| a |", "note": ""},
    ),
    "a fact of a document found": (
        CallResult,
        {**NOTHING, "by": BY, "facts": [FACT], "markdown": "- Ada", "note": ""},
    ),
    "a call that failed": (
        CallResult,
        {
            **NOTHING,
            "by": {"tool": "lookup", "arguments": {"about": "x"}},
            "failed": "it took too long",
        },
    ),
}


@pytest.mark.parametrize("name", STORED)
def test_what_is_stored_is_what_the_version_before_stores(name: str) -> None:
    model, stored = STORED[name]
    assert as_json(model.read_stored(stored)) == stored


def test_how_rows_were_found_is_read_as_the_version_before_writes_it() -> None:
    by = {"tool": "count", "arguments": {}, "parameters": {}, "words": ""}  # now left out where empty
    result = CallResult.read_stored({**NOTHING, "by": by})
    assert result.by.parameters == {}
    assert result.by.words == ""
