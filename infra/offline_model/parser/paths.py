"""The three actions of a path: check facts, read a chunk, choose a neighbour."""

from __future__ import annotations

import re
from typing import Any

from infra.offline_model.parser.question.known import Known, prefix_title, read_known
from infra.offline_model.parser.question.question import mentions
from infra.offline_model.parser.statements.names import dates, numbers
from infra.offline_model.parser.statements.subjects import Subjects
from workers.core.language.text import normalise, words

_MOST_NOTES = 5
_MOST_CHUNKS = 3
_ENOUGH = 0.5  # of the best statement's merit, to be noted beside it
# The end of a chunk announces what follows; its beginning refers to what stands before.
_GOES_ON = re.compile(
    r"(?::|[^.!?…。！？\"”’')\]])$"
    r"|\b(?:continued|as follows|the following|(?:see|described) below|next section)\b",
    re.IGNORECASE,
)
_REFERS_BACK = re.compile(
    r"^(?:[a-z]|[(]?continued\b|(?:He|She|It|They|His|Her|Its|Their|This|These|That|Those|Such|There|Both|"
    r"The (?:former|latter|same|above))\b)"
)
_SAID_BEFORE = re.compile(
    r"\b(?:(?:named|described|mentioned|said|told|listed) (?:above|before|earlier)|see above)\b",
    re.IGNORECASE,
)
_NO_FACT = "No fact here speaks of what is asked."
_NO_NEIGHBOUR = "No neighbour's name or fact speaks of what is asked."
Reply = dict[str, Any]


def check_facts(material: dict[str, Any]) -> Reply:
    """Return {notes, action, chunks, need, name, complete, reason} for a node's facts, grouped by chunk."""
    known = read_known(material)
    chunks = material.get("chunks") or []
    facts = [
        (prefix_title(str(fact["text"]), str(chunk.get("title") or "")), str(fact["id"]), str(chunk["id"]))
        for chunk in chunks
        for fact in chunk.get("facts") or []
    ]
    merits = {handle: known.merit(text) for text, handle, _chunk in facts}
    notes = _notes([(text, handle) for text, handle, _chunk in facts], merits, known)
    after = known.noting(note["text"] for note in notes)
    near = {handle: merits[handle] or 0.1 * known.covers([text]) for text, handle, _chunk in facts}
    reading = [] if after.complete else _worth_reading(facts, near)
    reply = {"notes": notes, "chunks": reading, "need": after.need}
    if after.complete:
        return {**reply, "action": "termination", "complete": True, "reason": after.verdict}
    if reading:
        best = max((fact for fact in facts if fact[2] == reading[0]), key=lambda fact: near[fact[1]])
        return {
            **reply,
            "action": "read_chunk",
            "reason": f"This fact comes nearest to what is asked: {best[0]}",
        }
    name, reason = _nearest_neighbour(material, after)
    return {**reply, "action": "stop_and_read_neighbor", "name": name, "reason": reason if name else _NO_FACT}


def read_chunk(material: dict[str, Any]) -> Reply:
    """Return {notes, action, need, name, complete, reason} for one chunk's sentences."""
    known = read_known(material)
    chunk = material.get("chunk") or {}
    sentences = _resolved(chunk)
    merits = {handle: known.merit(text) for text, handle, _raw in sentences}
    notes = _notes([(text, handle) for text, handle, _raw in sentences], merits, known)
    after = known.noting(note["text"] for note in notes)
    action, reason = ("termination", after.verdict)
    if not after.complete:
        action, reason = _way_on(chunk, [raw for _t, _h, raw in sentences], known)
    name, why = _nearest_neighbour(material, after) if action == "search_more" else ("", "")
    return {
        "notes": notes,
        "action": action,
        "need": after.need,
        "name": name,
        "complete": after.complete,
        "reason": why if name else reason,
    }


def choose_neighbour(material: dict[str, Any]) -> Reply:
    """Return {action, name, complete, reason}: the neighbour that promises most, or that it is enough."""
    known = read_known(material)
    if known.complete:
        return {"action": "termination", "name": "", "complete": True, "reason": known.verdict}
    name, reason = _nearest_neighbour(material, known)
    action = "read_neighbor_node" if name else "termination"
    return {"action": action, "name": name, "complete": False, "reason": reason}


def _nearest_neighbour(material: dict[str, Any], known: Known) -> tuple[str, str]:
    """Return the most promising neighbour, and why; no name if none is promising."""
    been = {normalise(str(name)) for name in material.get("nodes") or []}
    facts = [fact for chunk in material.get("chunks") or [] for fact in chunk.get("facts") or []]
    texts = {str(fact["id"]): str(fact["text"]) for fact in facts}
    ranked = []
    for neighbour in material.get("neighbours") or []:
        name, context = str(neighbour.get("name") or ""), str(neighbour.get("context") or "")
        merit, reason = _promise(name, texts.get(context, context), known)
        if merit > 0 and normalise(name) not in been:
            ranked.append((-merit, -int(neighbour.get("shared") or 0), name, reason))
    if not ranked:
        return "", _NO_NEIGHBOUR
    *_order, chosen, reason = min(ranked)
    return chosen, reason


def _notes(statements: list[tuple[str, str]], merits: dict[str, float], known: Known) -> list[Reply]:
    """Return new and helpful statements, best first, leaving out much weaker ones."""
    least = _ENOUGH * max(merits.values(), default=0.0)
    new = [(-merits[handle], place, text, handle) for place, (text, handle) in enumerate(statements)]
    kept: dict[str, Reply] = {}
    for negative, _place, text, handle in sorted(new):
        if -negative > 0 and -negative >= least and known.is_new(text):
            kept.setdefault(normalise(text), {"text": text[:2000], "rests_on": [handle]})
    return list(kept.values())[:_MOST_NOTES]


def _worth_reading(facts: list[tuple[str, str, str]], near: dict[str, float]) -> list[str]:
    """Return the chunks whose facts match the question, best first."""
    best: dict[str, float] = {}
    for _text, handle, chunk in facts:
        best[chunk] = max(best.get(chunk, 0.0), near[handle])
    ranked = sorted((chunk for chunk, merit in best.items() if merit > 0), key=lambda chunk: -best[chunk])
    return ranked[:_MOST_CHUNKS]


def _resolved(chunk: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Return (text, handle, original text) of each sentence; its pronoun is replaced if that is safe."""
    title = str(chunk.get("title") or "")
    subjects = Subjects(title)
    sentences = []
    for sentence in chunk.get("sentences") or []:
        raw = " ".join(str(sentence["text"]).split())
        text = subjects.resolved(raw)
        subjects.follow(text)
        sentences.append((prefix_title(text, title), str(sentence["id"]), raw))
    return sentences


def _way_on(chunk: dict[str, Any], sentences: list[str], known: Known) -> tuple[str, str]:
    """Return which chunk is next, and why: the one that the text leads to, else a queued one."""
    if not sentences:
        return "search_more", "The chunk holds no sentence."
    best = max(known.merit(sentence) for sentence in sentences)
    last, first = sentences[-1], sentences[0]
    # What says most of the asked, and yet does not answer, is not finished where it stands at the border.
    if chunk.get("subsequent") and _GOES_ON.search(last):
        return "read_subsequent_chunk", "The chunk's last sentence goes on behind it."
    if chunk.get("subsequent") and known.merit(last) == best > 0:
        return "read_subsequent_chunk", "The chunk's last sentence comes nearest to what is asked."
    refers = _REFERS_BACK.match(first) and known.merit(first) > 0
    before = any(_SAID_BEFORE.search(sentence) and known.covers([sentence]) for sentence in sentences)
    if chunk.get("previous") and (refers or before):
        return "read_previous_chunk", "The chunk refers to what stands before it."
    if chunk.get("previous") and known.merit(first) == best > 0:
        return "read_previous_chunk", "The chunk's first sentence comes nearest to what is asked."
    return "search_more", "Neither end of the chunk leads on."


def _promise(name: str, context: str, known: Known) -> tuple[float, str]:
    """Return how well a neighbour fits, and why: notes, question or a fact to the point lead there."""
    own = frozenset(words(name))
    led = 4.0 if any(mentions(lead, own) for lead in known.leads) else 0.0
    mention_score = (
        3.0
        if any(mentions(question_name, own) for part in known.parts for question_name in part.names)
        else 0.0
    )
    merit = max(led, mention_score) + known.merit(context)
    figure = name in dates(name) or name in numbers(name)
    reason = f"A fact about {name} speaks of what is asked."
    if led or mention_score:
        reason = f"The {'notes lead to' if led else 'question names'} {name}."
    return merit / 4 if figure else merit, reason  # a year joins what has nothing in common
