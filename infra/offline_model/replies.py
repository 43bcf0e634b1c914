"""The reader behind the chat API: which request is which kind, and how a good and a bad reply look."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any

import orjson

from infra.offline_model.reader.draft import draft_answer
from infra.offline_model.reader.extract import extract_facts
from infra.offline_model.reader.notes import read_node
from infra.offline_model.reader.plan import plan_question
from infra.offline_model.reader.score import score_fact
from infra.offline_model.reader.summary import summarise
from infra.offline_model.switches import Failure

KINDS: Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "QuestionPlan": plan_question,
    "NodeNotes": read_node,
    "FactScore": score_fact,
    "AnswerDraft": draft_answer,
    "EvidenceSummary": summarise,
    "ExtractedFacts": extract_facts,
}
_OPEN, _CLOSE = "<input>", "</input>"


class NotForMe(Exception):
    """A request that a rule-based reader cannot serve, with the reason."""


def kind_of(body: dict[str, Any]) -> str:
    """Return the name of the schema asked for: as sent, else as the system text holds it.

    Raises:
        NotForMe: no known one.
    """
    form = body.get("response_format") or {}
    if form.get("type") == "json_schema":
        name = str((form.get("json_schema") or {}).get("name"))
    else:
        system = " ".join(_said(body, "system"))
        name = next((kind for kind in KINDS if f'"title":"{kind}"' in system.replace('": "', '":"')), "")
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
    for said in _said(body, "user"):
        end = said.rfind(_CLOSE)
        start = said.rfind(_OPEN)
        if 0 <= start < end:
            try:
                given = orjson.loads(said[start + len(_OPEN) : end])
            except orjson.JSONDecodeError as error:
                raise NotForMe(f"the input is not JSON: {error}") from error
            if isinstance(given, dict):
                return given
    raise NotForMe("no user message ends in one JSON object between <input> and </input>")


def _said(body: dict[str, Any], role: str) -> list[str]:
    messages = body.get("messages") or []
    return [
        str(one.get("content") or "") for one in messages if isinstance(one, dict) and one.get("role") == role
    ]


def content_of(kind: str, given: dict[str, Any], failure: Failure | None) -> str:
    """Return the reply's content, spoilt as told."""
    if failure == "empty":
        return ""
    if failure == "schema":
        return '{"unexpected": {"field": [1, 2]}}'
    reply = KINDS[kind](given)
    if failure == "invented":
        reply = _invented(kind, reply)
    content = orjson.dumps(reply).decode()
    return content[: max(1, len(content) * 2 // 3)] + "…" if failure == "malformed" else content


def _invented(kind: str, reply: dict[str, Any]) -> dict[str, Any]:
    """Return the reply with ids and claims that the material does not hold, of the right form."""
    lie = copy.deepcopy(reply)
    claim = "The moon is made of green cheese."
    if kind == "NodeNotes":
        lie["facts"] = [{"text": claim, "source_ids": ["f-invented"]}, *lie["facts"]]
        lie |= {"next": ["k-invented", *lie["next"]], "stop": False}
    elif kind == "AnswerDraft":
        lie |= {"answerable": True, "sentences": [{"text": claim, "citations": [999]}, *lie["sentences"]]}
    elif kind == "EvidenceSummary":
        lie["sentences"] = [{"text": claim, "citations": [999]}, *lie["sentences"]]
    elif kind == "ExtractedFacts":
        lie["facts"] = [{"text": claim, "key_elements": ["moon", "green cheese"]}, *lie["facts"]]
    elif kind == "QuestionPlan":
        lie["entities"] = ["Atlantis", *lie["entities"]][:20]
    else:
        lie["source_description"] = "page 999 of a book that nobody wrote"
    return lie
