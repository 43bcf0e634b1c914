"""NodeNotes: picks the facts of one node that help to answer, and the neighbours to visit next."""

from __future__ import annotations

from typing import Any

from infra.offline_model.parser.question.question import Question, holds_kind, mentions, read_question
from infra.offline_model.parser.statements.names import dates, numbers
from infra.offline_model.parser.statements.statements import about, covered, read_statement, wanted, worth
from workers.core.language.text import normalise, sentences, words

_MOST_FACTS = 12
_MOST_NEXT = 5


def read_node(given: dict[str, Any]) -> dict[str, Any]:
    """Return {facts: [{text, source_ids}], next, stop} for a node's facts, chunks, properties, neighbours."""
    asked = read_question(str(given.get("question") or ""))
    parts = [asked, *(read_question(str(part)) for part in given.get("sub_questions") or [])]
    found = _facts(given, parts)
    complete = _complete(found, asked)
    following = [] if complete else _next(given, parts)
    return {"facts": [_noted(*one) for one in found[:_MOST_FACTS]], "next": following, "stop": complete}


Found = tuple[float, str, str]  # merit, text, source id


def _noted(_merit: float, text: str, source: str) -> dict[str, Any]:
    return {"text": text[:2000], "source_ids": [source]}


def _facts(given: dict[str, Any], parts: list[Question]) -> list[Found]:
    known = [(str(fact["text"]), str(fact["id"])) for fact in given.get("facts") or []]
    facts = [(_merit(parts, text), text, source) for text, source in known]
    best = max((merit for merit, _text, _source in facts), default=0.0)
    node = given.get("node") or {}
    stated = [
        (f"{node.get('name', '')}: {name} = {value}", f"property:{name}")
        for name, value in (node.get("properties") or {}).items()
    ]
    read = [(_merit(parts, text), text, source) for text, source in stated]
    told = {normalise(text) for text, _source in known}
    for chunk in given.get("chunks") or []:
        text = str(chunk["text"])
        for start, end in sentences(text):
            sentence = " ".join(text[start:end].split())
            merit = _merit(parts, sentence)
            if merit > best and normalise(sentence) not in told:  # facts say it shorter
                read.append((merit, sentence, str(chunk["id"])))
    ranked = sorted([*facts, *read], key=lambda one: -one[0])
    return [one for one in ranked if one[0] > 0]


def _merit(parts: list[Question], text: str) -> float:
    return max(worth(part, read_statement(text)) for part in parts)


def _complete(found: list[Found], asked: Question) -> bool:
    """Tell whether one statement already holds all that is asked."""
    for _merit_of_it, text, _source in found[:_MOST_FACTS]:
        statement = read_statement(text)
        whole = covered(asked, statement) == wanted(asked) and bool(asked.names)
        if whole and holds_kind(asked, text) and about(asked, statement, asked.own):
            return True
    return False


def _next(given: dict[str, Any], parts: list[Question]) -> list[str]:
    if int(given.get("depth") or 0) + 1 >= int(given.get("max_depth") or 1_000):
        return []
    visited = {normalise(str(name)) for name in given.get("visited") or []}
    told = {str(fact["id"]): str(fact["text"]) for fact in given.get("facts") or []}
    ranked = []
    for neighbour in given.get("neighbours") or []:
        name = str(neighbour.get("name") or "")
        merit = 0.0 if normalise(name) in visited else _promise(name, neighbour, told, parts)
        if merit > 0:
            ranked.append((-merit, -int(neighbour.get("shared") or 0), str(neighbour["id"])))
    return [found for _merit_of_it, _shared, found in sorted(ranked)[:_MOST_NEXT]]


def _promise(name: str, neighbour: dict[str, Any], told: dict[str, str], parts: list[Question]) -> float:
    """Return how well a neighbour fits: it is asked about, or a fact that leads there is to the point."""
    context = str(neighbour.get("context") or "")
    context = f"{neighbour.get('relationship', '')} {told.get(context, context)}".replace("_", " ")
    named = frozenset(words(name))
    asked_for = 3.0 if any(mentions(one, named) for part in parts for one in part.names) else 0.0
    merit = asked_for + _merit(parts, context)
    figure = name in dates(name) or name in numbers(name)
    return merit / 4 if figure else merit  # a year joins what has nothing in common
