"""What steps of a question store is what the version before stores: each of the two reads the other's."""

from __future__ import annotations

from typing import Any

import pytest

from workers.core.jobs.work import as_json
from workers.core.records import Frozen
from workers.critic.check_answer import CheckInput, CheckResult
from workers.critic.reason import ReasoningInput
from workers.critic.synthesize import WritingInput, WritingResult
from workers.traverse.plan import PlannedQuestion, PlanResult
from workers.traverse.seed import SeedResult
from workers.traverse.tools.choose_strategy import StrategyResult
from workers.traverse.visit import VisitInput, VisitResult

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
PLAN = {"question": "When was Ada born?", "entities": ["Ada"], "sub_questions": ["Who is Ada?"]}
VISIT = {
    "node_id": "k1",
    "name": "ada",
    "depth": 1,
    "parent": "k2",
    "path": ["london"],
    "question": "When was Ada born?",
    "sub_questions": [],
    "guide": "",
    "read": ["c1"],
}
RAW = {
    "fact_text": "Ada was born in 1815.",
    "source_node_id": "k1",
    "extracted_from_depth": 1,
    "source_fact_id": "f1",
    "source_qdrant_chunk_id": "c1",
    "title": "Ada",
    "quote": "She was born in 1815.",
}
SENTENCE = {
    "fact_text": "She had a tutor.",
    "source_node_id": "k1",
    "extracted_from_depth": 1,
    "source_qdrant_chunk_id": "c1",
}
PROPERTY = {
    "fact_text": "ada: shoe size is 37",
    "source_node_id": "k1",
    "extracted_from_depth": 1,
    "source_property": "shoe size",
    "place": {
        "call": "property:k1:shoe size",
        "nth": 0,
        "said": "ada: shoe size is 37",
        "row": {"node": "ada", "property": "shoe size", "value": 37},
        "nodes": [],
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
STORED: dict[str, tuple[type[Frozen], dict[str, Any]]] = {
    "a plan": (PlanResult, PLAN),
    "a plan without a model": (PlanResult, {**PLAN, "entities": [], "failed": "no"}),
    "a plan with what was searched for meanwhile": (PlanResult, {**PLAN, "search": "ab/cd.json"}),
    "what seeds are chosen for": (PlannedQuestion, PLAN),
    "seeds": (
        SeedResult,
        {
            "seeds": [
                {"id": "k1", "name": "ada", "score": 1.0, "how": "exact"},
                {"id": "k2", "name": "london", "score": 0.1234, "how": "walk"},
            ],
            "guide": "ab/cd.json",
        },
    ),
    "seeds of half a search": (SeedResult, {"seeds": [], "guide": "ab/cd.json", "failed": "no model"}),
    "a seed to visit": (VisitInput, {**VISIT, "depth": 0, "parent": None, "path": [], "read": []}),
    "a node to visit": (VisitInput, VISIT),
    "a visit": (
        VisitResult,
        {
            "name": "ada",
            "facts": [RAW, SENTENCE, PROPERTY],
            "next": [["k3", "london"]],
            "calls": {"property:k1:shoe size": BY},
            "invented": 2,
            "ungrounded": 1,
        },
    ),
    "a visit that found nothing": (VisitResult, {"name": "ada", "facts": [], "next": []}),
    "a visit of a node that is gone": (
        VisitResult,
        {"name": "ada", "facts": [], "next": [], "missing": True},
    ),
    "a visit whose model failed": (
        VisitResult,
        {"name": "ada", "facts": [], "next": [["k3", "london"]], "failed": "no"},
    ),
    "a choice of strategy": (
        StrategyResult,
        {
            "strategy": "reader",
            "why": "It takes several hops.",
            "documents": True,
            "history": [{"question": "Who was Ada?", "answer": ""}],
        },
    ),
    "a choice of tools, with the question prepared": (
        StrategyResult,
        {
            "strategy": "tools",
            "why": "It counts.",
            "documents": True,
            "history": [],
            "prepared": {"question": "How many?", "sub_questions": ["How many ships?"]},
        },
    ),
    "no choice of strategy": (
        StrategyResult,
        {"strategy": "graph", "why": "None.", "documents": True, "history": [], "failed": "no"},
    ),
    "facts to write from": (
        WritingInput,
        {
            "question": "Who?",
            "sub_questions": ["When?"],
            "facts": [SCORED],
            "calls": {"property:k1:shoe size": BY},
            "open_parts": ["Where?"],
        },
    ),
    "facts to write from, of documents": (
        WritingInput,
        {"question": "Who?", "sub_questions": [], "facts": [SCORED]},
    ),
    "what was written": (
        WritingResult,
        {
            "state": "partial",
            "text": "She wears 37 [1].",
            "reason": "Nothing was found for: Where?",
            "missing": ["Where?"],
            "citations": [CITATION],
            "details": {"below_threshold": 0, "asked_again": [{"sentence": "x", "why": "is empty"}]},
        },
    ),
    "an abstention": (
        WritingResult,
        {
            "state": "abstained",
            "text": "",
            "reason": None,
            "missing": [],
            "citations": [],
            "details": {},
        },
    ),
    "notebooks to reason over": (
        ReasoningInput,
        {
            "question": "Who?",
            "sub_questions": [],
            "plan": {"asked": "a person", "steps": ["find her"], "key_information": ["birth"]},
            "facts": [SCORED],
            "notebooks": [
                {"path": 1, "start": "ada", "entries": [{"text": "Born in 1815.", "rests_on": ["a1"]}]}
            ],
        },
    ),
    "results to check": (
        CheckInput,
        {
            "question": "Who?",
            "rounds_left": 2,
            "asked": [{"question": "Who?", "tool": "lookup", "arguments": "name=Ada", "found": "nothing"}],
        },
    ),
    "a check": (CheckResult, {"complete": False, "missing": ["Where?"], "why": "half"}),
    "a check of a conversation": (
        CheckInput,
        {
            "question": "Who?",
            "rounds_left": 2,
            "asked": [],
            "history": [{"question": "Who was Ada?", "answer": "A mathematician."}],
        },
    ),
    "a check that gave up": (
        CheckResult,
        {"complete": True, "missing": [], "why": "none", "given_up": ["Where?"]},
    ),
    "a check that failed": (CheckResult, {"complete": True, "missing": [], "why": "", "failed": "no"}),
}


@pytest.mark.parametrize("name", STORED)
def test_what_is_stored_is_what_the_version_before_stores(name: str) -> None:
    model, stored = STORED[name]
    assert as_json(model.read_stored(stored)) == stored
