"""CypherDraft: builds a statement in one of a few general forms from the schema's names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from hopline.models.graph_schema import quoted
from infra.offline_model.parser.chinese.tool_shapes import listed
from infra.offline_model.parser.graph.cypher_scope import Scope, scope_of
from infra.offline_model.parser.graph.graph_question import GraphQuestion
from infra.offline_model.parser.graph.graph_words import read_schema, root
from workers.core.language.text import normalise

_MOST = 100  # rows of a list
_LISTING = re.compile(
    r"\b(?:which|what|who|whom|list|name|show|find|give|tell|return|when|how old|all)\b", re.IGNORECASE
)
_KEYWORDS = frozenset(("order", "limit", "skip", "where", "with", "return", "match", "union", "count", "end"))
_PLAIN = re.compile(r"[a-z]+")


def draft_cypher(material: dict[str, Any]) -> dict[str, Any]:
    """Return {cypher, reason} for {schema, terminology, examples, question, tried}."""
    question = str(material.get("question") or "")
    tried = {str(attempt.get("cypher") or "") for attempt in material.get("tried") or []}
    for cypher, reason in _written(material, question):
        if cypher not in tried:
            return {"cypher": cypher, "reason": reason}
    return {"cypher": "", "reason": "The schema has nothing that this question could be about."}


def _written(material: Mapping[str, Any], question: str) -> Iterator[tuple[str, str]]:
    for example in material.get("examples") or []:
        if normalise(str(example.get("question") or "")) == normalise(question):
            yield str(example.get("cypher") or ""), "An example asks the same."
    graph = read_schema(str(material.get("schema") or ""))
    if label := listed(question, graph):
        question = f"List all {label}"
    graph_question = GraphQuestion(_in_terms(question, material.get("terminology") or {}), graph)
    scope = scope_of(graph_question)
    if scope is None or not (graph_question.touches or scope.by_name):
        return
    for form in _FORMS:
        made = form(graph_question, scope)
        if made:
            yield made


def _in_terms(question: str, terms: Mapping[str, Any]) -> str:
    """Return the question with people's words replaced by the graph's."""
    for term, meant in terms.items():
        question = re.sub(rf"\b{re.escape(term)}s?\b", str(meant), question, flags=re.IGNORECASE)
    return question


Made = tuple[str, str] | None


def _most(question: GraphQuestion, scope: Scope) -> Made:
    """Whoever has most or fewest of the others."""
    if not question.by_count or scope.relation is None or scope.other is None:
        return None
    columns = [
        (_called(scope, "n"), _alias(scope.thing.name)),
        ("count(DISTINCT o)", _counted(question, scope)),
    ]
    columns.append(("n", "node"))
    tail = f" ORDER BY {columns[1][1]} {question.by_count}, {columns[0][1]} LIMIT {_limit(question, 1)}"
    return f"{scope.text} {_returned(columns)}{tail}", "It counts for each one, and takes the first."


def _having(question: GraphQuestion, scope: Scope) -> Made:
    """Make a query for nodes with more or fewer neighbours than a given number."""
    if not question.having or scope.relation is None or question.by_count:
        return None
    sign, number = question.having
    count = _counted(question, scope)
    columns = [(_called(scope, "n"), _alias(scope.thing.name)), (count, count), ("n", "node")]
    head = f"{scope.text} WITH n, count(DISTINCT o) AS {count} WHERE {count} {sign} {number}"
    if question.is_tally:
        return f"{head} RETURN count(n) AS {_word(question, scope)}", "It counts those that have so many."
    tail = f" ORDER BY {count} DESC, {columns[0][1]} LIMIT {_limit(question, _MOST)}"
    return f"{head} {_returned(columns)}{tail}", "It counts for each one, and keeps those that have so many."


def _grouped(question: GraphQuestion, scope: Scope) -> Made:
    """How many there are for each of the others."""
    other = question.grouped_by
    if not question.is_tally or other is None or scope.other is None or scope.other.name != other.name:
        return None
    columns = [
        (_called(scope, "o"), _alias(other.name)),
        ("count(DISTINCT n)", _word(question, scope)),
        ("o", "node"),
    ]
    tail = f" ORDER BY {columns[0][1]} LIMIT {_MOST}"
    return f"{scope.text} {_returned(columns)}{tail}", "It counts for each one."


def _tally(question: GraphQuestion, scope: Scope) -> Made:
    """How many there are."""
    if not question.is_tally or question.by_count or question.having:
        return None
    noun = next(
        (mention for mention in question.types if not mention.agent and _is_counted(question, mention.start)),
        None,
    )
    label = question.labels and _is_counted(question, question.labels[0][2])
    if noun and not label and scope.relation and noun.kind.name == scope.relation.name:
        columns = [("count(r)", _alias(noun.word))]
    else:
        columns = [("count(DISTINCT n)", _word(question, scope))]
    named = (
        scope.by_name
        and scope.relation is not None
        and len(question.names) == 1
        and ", " not in scope.pattern
    )
    columns += [("o", _alias(scope.other.name) if scope.other else "node")] if named else []
    return f"{scope.text} {_returned(columns)}", "It counts them."


def _measured(question: GraphQuestion, scope: Scope) -> Made:
    """The average, sum, least or greatest value of a property."""
    if not question.measure:
        return None
    numeric = ("INTEGER", "FLOAT")
    held = [(kind, name) for kind, name in question.properties if kind.type_of(name) in numeric]
    variable = next(((scope.variable(kind), name) for kind, name in held if scope.variable(kind)), None)
    if variable is None:
        return None
    value, alias = (
        f"{question.measure}({variable[0]}.{quoted(variable[1])})",
        _alias(f"{question.measure}_{variable[1]}"),
    )
    if question.extreme and variable[0] != "n":
        columns = [(_called(scope, "n"), _alias(scope.thing.name)), (value, alias), ("n", "node")]
        tail = f" ORDER BY {alias} {question.extreme[2]}, {columns[0][1]} LIMIT {_limit(question, 1)}"
        return f"{scope.text} {_returned(columns)}{tail}", "It takes all values of each one, and sorts."
    return (
        f"{scope.text} RETURN {value} AS {alias}",
        "It takes all values.",
    )


def _extreme(question: GraphQuestion, scope: Scope) -> Made:
    """The one with the highest or lowest value of a property."""
    if not question.extreme or question.by_count:
        return None
    kind, name, order = question.extreme
    variable = scope.variable(kind)
    if not variable:
        return None
    value = f"{variable}.{quoted(name)}"
    where = Scope(scope.pattern, scope.thing, (*scope.where, f"{value} IS NOT NULL")).text
    columns = [(_called(scope, "n"), _alias(scope.thing.name)), (value, _alias(name)), ("n", "node")]
    tail = f" ORDER BY {_alias(name)} {order}, {columns[0][1]} LIMIT {_limit(question, 1)}"
    return f"{where} {_returned(columns, distinct=True)}{tail}", "It sorts them by that value."


def _listed(question: GraphQuestion, scope: Scope) -> Made:
    """Those that are asked for, with the values that the question speaks of."""
    plain = scope.where or scope.relation or _LISTING.search(question.text)
    if not plain or question.is_tally or question.by_count or question.having or question.measure:
        return None
    columns = [(_called(scope, "n"), _alias(scope.thing.name))]
    both = len(question.names) > 1 and not question.labels and not question.asks_who
    if scope.other and (
        both or any(scope.variable(condition.kind) == "o" for condition in question.conditions)
    ):
        columns.append((_called(scope, "o"), _alias(scope.other.name)))
    properties = [
        *question.properties,
        *((condition.kind, condition.name) for condition in question.conditions),
    ]
    properties += [(scope.relation, name) for name, _ in scope.relation.properties] if scope.relation else []
    for kind, name in dict.fromkeys(properties):
        if scope.variable(kind) and name != scope.thing.naming:
            columns.append((f"{scope.variable(kind)}.{quoted(name)}", _alias(name)))
    columns.append(("n", "node"))
    tail = f" ORDER BY {columns[0][1]} LIMIT {_limit(question, _MOST)}"
    return f"{scope.text} {_returned(_apart(columns), distinct=True)}{tail}", "It lists what fits."


_FORMS: Sequence[Callable[[GraphQuestion, Scope], Made]] = (
    _most,
    _having,
    _grouped,
    _tally,
    _measured,
    _extreme,
    _listed,
)


def _returned(columns: Sequence[tuple[str, str]], *, distinct: bool = False) -> str:
    projection = ", ".join(value if value == alias else f"{value} AS {alias}" for value, alias in columns)
    return f"RETURN DISTINCT {projection}" if distinct else f"RETURN {projection}"


def _apart(columns: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the columns, each alias once."""
    first = {alias: value for value, alias in reversed(columns)}
    return [(value, alias) for value, alias in columns if first[alias] == value]


def _called(scope: Scope, variable: str) -> str:
    kind = scope.thing if variable == "n" else scope.other
    return f"{variable}.{quoted(kind.naming)}" if kind and kind.naming else variable


def _alias(name: str) -> str:
    small = name.casefold()
    return f"`{small}`" if small in _KEYWORDS else quoted(small)


def _word(question: GraphQuestion, scope: Scope) -> str:
    """Return the question's own word for the counted things: movies."""
    word = question.wanted[1]
    return word.casefold() if _PLAIN.fullmatch(word.casefold()) else _alias(scope.thing.name)


def _counted(question: GraphQuestion, scope: Scope) -> str:
    """Return the question's own word for the others: movies, of who acted in the most movies."""
    other = scope.other.name if scope.other else "others"
    label = next((word for kind, word, _ in question.labels if kind.name == other), other)
    agents = [
        mention.word
        for mention in question.types
        if mention.agent and root(mention.word) != root(question.wanted[1] or "-")
    ]
    word = label if label != other or not agents else agents[0]
    return _alias(word if word.casefold() != scope.thing.name.casefold() else f"{word}s")


def _is_counted(question: GraphQuestion, place: int) -> bool:
    before = question.rest[:place].casefold()
    return bool(
        re.search(r"(?:how many|number of(?: the)?|count(?: of)?(?: the| all)?)\s+(?:\w+\s+)?$", before)
    )


def _limit(question: GraphQuestion, most: int) -> int:
    return min(question.limit or most, _MOST)
