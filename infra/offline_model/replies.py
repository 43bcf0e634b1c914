"""Answers chat requests with the parser: recognises the kind of request, and builds or breaks replies."""

from __future__ import annotations

import copy
from base64 import b64decode
from collections.abc import Callable, Mapping
from typing import Any

import orjson

from infra.offline_model.parser.answer_draft import draft_answer
from infra.offline_model.parser.answering import check_answers, reason, summarise
from infra.offline_model.parser.atomic_questions import split_question
from infra.offline_model.parser.concept_maps import expand_concept, judge_concept, judge_pairs, judge_relation
from infra.offline_model.parser.extracted_facts import extract_facts
from infra.offline_model.parser.graph.cypher import draft_cypher
from infra.offline_model.parser.node_notes import read_node, score_each, score_fact
from infra.offline_model.parser.paths import check_facts, choose_neighbour, read_chunk
from infra.offline_model.parser.planning import choose_strategy, rational_plan, score_starts
from infra.offline_model.parser.profiled_facts import extract_profiled
from infra.offline_model.parser.question_plan import plan_question
from infra.offline_model.parser.survey import draft_survey, make_claims, plan_survey
from infra.offline_model.parser.tool_choice import choose_tools
from infra.offline_model.switches import Failure

KINDS: Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "QuestionPlan": plan_question,
    "NodeNotes": read_node,
    "FactScore": score_fact,
    "FactScores": score_each,
    "AnswerDraft": draft_answer,
    "EvidenceSummary": summarise,
    "ExtractedFacts": extract_facts,
    "ProfiledFacts": extract_profiled,
    "RationalPlan": rational_plan,
    "StartScores": score_starts,
    "FactNotes": check_facts,
    "ChunkNotes": read_chunk,
    "NeighbourChoice": choose_neighbour,
    "ReasonedAnswer": reason,
    "ToolChoice": choose_tools,
    "AtomicQuestions": split_question,
    "CypherDraft": draft_cypher,
    "AnswerCheck": check_answers,
    "StrategyChoice": choose_strategy,
    "ConceptVerdict": judge_concept,
    "ConceptExpansion": expand_concept,
    "RelationVerdict": judge_relation,
    "RelationCheck": judge_relation,
    "SurveyPlan": plan_survey,
    "TopicClaims": make_claims,
    "SurveyDraft": draft_survey,
    "SameThings": judge_pairs,
    # It sees nothing: what a picture says is set by a switch.
    "TranscribedPage": lambda material: {"lines": material.get("on_pictures", [])},
    # No verdict, as who cannot read a language is asked to give none: the sentences are kept and marked.
    "TranslationVerdicts": lambda _material: {"verdicts": []},
}
_TRANSLATED = "Translated"  # of a plan with words of other languages: a rule-based reader knows none
_PNG = b"\x89PNG\r\n\x1a\n"
_OPEN, _CLOSE = "<input>", "</input>"
_CLAIM = "The moon is made of green cheese."
_CITED: dict[str, Any] = {"sentences": [{"text": _CLAIM, "citations": [999]}]}
# Of each kind's fields: a list goes before what the reply has, all else in its place.
_LIES: Mapping[str, dict[str, Any]] = {
    "NodeNotes": {
        "facts": [{"text": _CLAIM, "source_ids": ["f-invented"]}],
        "next": ["k-invented"],
        "stop": False,
    },
    "AnswerDraft": {"answerable": True, **_CITED},
    "EvidenceSummary": _CITED,
    "ExtractedFacts": {"facts": [{"text": _CLAIM, "key_elements": ["moon", "green cheese"]}]},
    "ProfiledFacts": {
        "facts": [
            {
                "text": _CLAIM,
                "key_elements": ["moon"],
                "relations": [{"source": "moon", "type": "MADE_OF", "target": "green cheese"}],
                "event": {"type": "eclipse", "name": "The cheese is eaten", "participants": []},
            }
        ],
        "entities": [{"name": "Atlantis", "type": "Character", "aliases": ["she", "the moon"]}],
    },
    "QuestionPlan": {"entities": ["Atlantis"]},
    "RationalPlan": {"entities": ["Atlantis"], "steps": ["Ask the king of Atlantis."]},
    "StartScores": {"scores": [{"name": "atlantis", "score": 100}]},
    "FactNotes": {
        "notes": [{"text": _CLAIM, "rests_on": ["f999"]}],
        "action": "read_chunk",
        "chunks": ["c999"],
    },
    "ChunkNotes": {
        "notes": [{"text": _CLAIM, "rests_on": ["s999", "e999"]}],
        "action": "read_previous_chunk",
        "complete": True,
    },
    "NeighbourChoice": {"action": "read_neighbor_node", "name": "atlantis", "complete": False},
    "ReasonedAnswer": {"answerable": True, "analysis": _CLAIM, **_CITED},
    "SurveyPlan": {"sub_questions": ["Is the moon made of green cheese?"]},
    "TopicClaims": {"claims": [{"text": _CLAIM, "facts": [999]}, {"text": _CLAIM, "facts": [1]}]},
    "SurveyDraft": {"answerable": True, **_CITED},
    "SameThings": {
        "things": [{"n": 999, "why": _CLAIM, "same": True}, {"n": 1, "why": _CLAIM, "same": True}]
    },
    "TranscribedPage": {"lines": [_CLAIM]},
    "TranslationVerdicts": {"verdicts": [{"n": 999, "carried": False, "wrong": [_CLAIM]}]},
    "AtomicQuestions": {"sub_questions": ["Is the moon made of green cheese?"]},
    "CypherDraft": {"cypher": "RETURN COUNT { (:GreenCheese) } AS moons"},
    "AnswerCheck": {"complete": False, "missing": ["Is the moon made of green cheese?"]},
    "StrategyChoice": {"strategy": "graph", "why": _CLAIM},
    "ConceptVerdict": {"verdict": "doubtful", "reason": _CLAIM},
    "ConceptExpansion": {
        "relations": [
            {
                "name": "Green cheese dynamics",
                "domain": "mathematics",
                "definition": _CLAIM,
                "relation": f"{_CLAIM} So the core is a cheese.",
                "strength": 5,
            }
        ]
    },
    "RelationVerdict": {"verdict": "doubtful", "reason": _CLAIM},
    "RelationCheck": {"verdict": "doubtful", "reason": _CLAIM},
    "ToolChoice": {
        "calls": [
            {"tool": "ask_an_oracle", "arguments": {"question": _CLAIM}},
            {"tool": "search_memory", "arguments": {"moon": "green cheese"}},
        ]
    },
}


class NotForMe(Exception):
    """A request that a rule-based reader cannot serve, with the reason."""


def kind_of(body: dict[str, Any]) -> str:
    """Return the name of the schema asked for: as sent or in the system text; for tools ToolChoice.

    Raises:
        NotForMe: no known one.
    """
    if body.get("tools"):
        return "ToolChoice"
    form = body.get("response_format") or {}
    if form.get("type") == "json_schema":
        name = str((form.get("json_schema") or {}).get("name")).removeprefix(_TRANSLATED)
    else:
        system = " ".join(_read_messages(body, "system")).replace('": "', '":"')
        titles = [(kind, f'"title":"{kind}"', f'"title":"{_TRANSLATED}{kind}"') for kind in KINDS]
        name = next((kind for kind, *either in titles if any(title in system for title in either)), "")
    if name not in KINDS:
        known = ", ".join(KINDS)
        raise NotForMe(
            "this is a rule-based reader and no language model: "
            f"it answers {known} and not {name or 'free text'!r}"
        )
    return name


def material_of(body: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON object that the first user message ends in.

    Raises:
        NotForMe: there is none.
    """
    for text in _read_messages(body, "user"):
        end = text.rfind(_CLOSE)
        start = text.rfind(_OPEN)
        if 0 <= start < end:
            try:
                material = orjson.loads(text[start + len(_OPEN) : end])
            except orjson.JSONDecodeError as error:
                raise NotForMe(f"the input is not JSON: {error}") from error
            if isinstance(material, dict):
                return material | {"tools": body["tools"]} if body.get("tools") else material
    raise NotForMe("no user message ends in one JSON object between <input> and </input>")


def _read_messages(body: dict[str, Any], role: str) -> list[str]:
    messages = body.get("messages") or []
    return [
        _text_of(message.get("content") or "")
        for message in messages
        if isinstance(message, dict) and message.get("role") == role
    ]


def _text_of(content: Any) -> str:
    """Return the text of a message; of one with pictures, its parts that are text."""
    if not isinstance(content, list):
        return str(content)
    return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))


def pictures_in(body: dict[str, Any]) -> int:
    """Return how many pictures a request has.

    Raises:
        NotForMe: one is no PNG in a data URL.
    """
    count = 0
    for message in body.get("messages") or []:
        content = message.get("content") if isinstance(message, dict) else None
        for part in content if isinstance(content, list) else []:
            if part.get("type") != "image_url":
                continue
            head, _, data = str((part.get("image_url") or {}).get("url")).partition(",")
            try:
                is_picture = b64decode(data, validate=True).startswith(_PNG)
            except ValueError:
                is_picture = False
            if head != "data:image/png;base64" or not is_picture:
                raise NotForMe("image_url: a PNG in a data URL is allowed")
            count += 1
    return count


def content_of(kind: str, material: dict[str, Any], failure: Failure | None) -> str:
    """Return the reply's content, spoilt as told."""
    if failure == "empty":
        return ""
    if failure == "schema":
        return '{"unexpected": {"field": [1, 2]}}'
    reply = KINDS[kind](material)
    if failure == "invented":
        reply = _invented(kind, reply)
    if kind == "ToolChoice":
        reply = {"calls": [call | {"arguments": _text(call["arguments"])} for call in reply["calls"]]}
    return _cut(_text(reply)) if failure == "malformed" else _text(reply)


def calls_of(material: dict[str, Any], failure: Failure | None) -> list[dict[str, Any]]:
    """Return the native calls of a reply, spoilt as told."""
    if failure == "empty":
        return []
    if failure == "schema":
        return [{"id": "call_0", "type": "function", "function": {"unexpected": [1, 2]}}]
    reply = KINDS["ToolChoice"](material)
    if failure == "invented":
        reply = _invented("ToolChoice", reply)
    calls = [(call["tool"], _text(call["arguments"])) for call in reply["calls"]]
    return [
        {
            "id": f"call_{place}",
            "type": "function",
            "function": {"name": name, "arguments": _cut(text) if failure == "malformed" else text},
        }
        for place, (name, text) in enumerate(calls)
    ]


def _text(value: dict[str, Any]) -> str:
    return orjson.dumps(value).decode()


def _cut(content: str) -> str:
    return content[: max(1, len(content) * 2 // 3)] + "…"


def _invented(kind: str, reply: dict[str, Any]) -> dict[str, Any]:
    """Return the reply with ids and claims that the material does not hold, of the right form."""
    lie = copy.deepcopy(reply)
    for name, invented in _LIES.get(kind, {"source_description": "page 999 of a book of nobody"}).items():
        lie[name] = [*invented, *lie[name]][:20] if isinstance(invented, list) else invented
    return lie
