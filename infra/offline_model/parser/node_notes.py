"""NodeNotes, the facts of one node that help to answer and the neighbours to visit next; FactScore(s)."""

from __future__ import annotations

from typing import Any

from infra.offline_model.parser.chinese.steps import speaks_of
from infra.offline_model.parser.question.question import Question, holds_kind, mentions, read_question
from infra.offline_model.parser.question.tool_facts import is_of_tool, tool_relevance
from infra.offline_model.parser.statements.names import dates, numbers
from infra.offline_model.parser.statements.statements import (
    about,
    covered,
    read_statement,
    relevance,
    wanted,
    worth,
)
from infra.offline_model.parser.survey import ANYTHING_HELPS, asks_about_anything
from workers.core.language.text import normalise, sentences, words

_MOST_FACTS = 12
_MOST_NEXT = 5
_STEP = 0.1  # merit of a statement that may be one of the steps to an answer


def read_node(material: dict[str, Any]) -> dict[str, Any]:
    """Return {facts: [{text, source_ids}], next, stop} for a node's facts, chunks, properties, neighbours."""
    question = read_question(str(material.get("question") or ""))
    parts = [question, *(read_question(str(part)) for part in material.get("sub_questions") or [])]
    facts = _facts(material, parts)
    complete = _complete(facts, question)
    following = [] if complete else _next(material, parts)
    return {"facts": [_noted(*fact) for fact in facts[:_MOST_FACTS]], "next": following, "stop": complete}


Found = tuple[float, str, str]  # merit, text, source id


def _noted(_merit: float, text: str, source: str) -> dict[str, Any]:
    return {"text": text[:2000], "source_ids": [source]}


def _facts(material: dict[str, Any], parts: list[Question]) -> list[Found]:
    known = [(str(fact["text"]), str(fact["id"])) for fact in material.get("facts") or []]
    facts = [(_merit(parts, text), text, source) for text, source in known]
    best = max((merit for merit, _text, _source in facts), default=0.0)
    node = material.get("node") or {}
    stated = [
        (f"{node.get('name', '')}: {name} = {value}", f"property:{name}")
        for name, value in (node.get("properties") or {}).items()
    ]
    read = [(_merit(parts, text), text, source) for text, source in stated]
    texts = {normalise(text) for text, _source in known}
    for chunk in material.get("chunks") or []:
        text = str(chunk["text"])
        for start, end in sentences(text):
            sentence = " ".join(text[start:end].split())
            merit = _merit(parts, sentence)
            if merit > best and normalise(sentence) not in texts:  # facts say it shorter
                read.append((merit, sentence, str(chunk["id"])))
    ranked = sorted([*facts, *read], key=lambda fact: -fact[0])
    return [fact for fact in ranked if fact[0] > 0]


def _merit(parts: list[Question], text: str) -> float:
    best = max(worth(part, read_statement(text)) for part in parts)
    # A step of a question in Chinese shares little with all of it.
    return best or (_STEP if parts[0].dense and speaks_of(parts[0].text, text) else 0.0)


def _complete(facts: list[Found], question: Question) -> bool:
    """Return whether a single statement answers the whole question."""
    for _merit_of_it, text, _source in facts[:_MOST_FACTS]:
        statement = read_statement(text)
        whole = covered(question, statement) == wanted(question) and bool(question.names)
        if whole and holds_kind(question, text) and about(question, statement, question.own):
            return True
    return False


def _next(material: dict[str, Any], parts: list[Question]) -> list[str]:
    if int(material.get("depth") or 0) + 1 >= int(material.get("max_depth") or 1_000):
        return []
    visited = {normalise(str(name)) for name in material.get("visited") or []}
    texts = {str(fact["id"]): str(fact["text"]) for fact in material.get("facts") or []}
    ranked = []
    for neighbour in material.get("neighbours") or []:
        name = str(neighbour.get("name") or "")
        merit = 0.0 if normalise(name) in visited else _promise(name, neighbour, texts, parts)
        if merit > 0:
            ranked.append((-merit, -int(neighbour.get("shared") or 0), str(neighbour["id"])))
    return [neighbour_id for _merit_of_it, _shared, neighbour_id in sorted(ranked)[:_MOST_NEXT]]


def _promise(name: str, neighbour: dict[str, Any], texts: dict[str, str], parts: list[Question]) -> float:
    """Return how well a neighbour fits: it is asked about, or a fact that leads there is to the point."""
    context = str(neighbour.get("context") or "")
    context = f"{neighbour.get('relationship', '')} {texts.get(context, context)}".replace("_", " ")
    named = frozenset(words(name))
    mention_score = (
        3.0 if any(mentions(question_name, named) for part in parts for question_name in part.names) else 0.0
    )
    merit = mention_score + _merit(parts, context)
    figure = name in dates(name) or name in numbers(name)
    return merit / 4 if figure else merit  # a year joins what has nothing in common


_WORDS = 12


def score_fact(material: dict[str, Any]) -> dict[str, Any]:
    """Return {relevance, source_description} for {question, sub_questions, fact, sources}."""
    sources = material.get("sources") or []
    title = str(sources[0].get("title") or "") if sources else ""
    fact = str(material.get("fact") or "")
    questions = [
        str(text) for text in (material.get("question") or "", *(material.get("sub_questions") or []))
    ]
    if is_of_tool(fact, title, questions):
        helps = tool_relevance(fact, title, questions)
        return {"relevance": helps, "source_description": _described(title, sources)}
    readings = (read_statement(fact), read_statement(fact, title))  # a name in the title counts half
    parts = [read_question(text) for text in questions]
    best = max(sum(relevance(part, statement) for statement in readings) / len(readings) for part in parts)
    if asks_about_anything(parts[0]):
        best = max(best, ANYTHING_HELPS)
    return {"relevance": round(best, 3), "source_description": _described(title, sources)}


def score_each(material: dict[str, Any]) -> dict[str, Any]:
    """Return {scores: [{n, relevance, source_description}]} for {question, sub_questions, facts}."""
    questions = {name: material.get(name) for name in ("question", "sub_questions")}
    facts = [fact for fact in material.get("facts") or [] if isinstance(fact, dict)]
    return {"scores": [{"n": fact.get("n"), **score_fact({**questions, **fact})} for fact in facts]}


def _described(title: str, sources: list[dict[str, Any]]) -> str:
    quote = str(sources[0].get("quote") or "").split() if sources else []
    shown = " ".join(quote[:_WORDS]) + ("…" if len(quote) > _WORDS else "")
    return ": ".join(part for part in (title, shown) if part)[:500]
