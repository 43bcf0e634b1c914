"""CypherDraft: builds a statement in one of a few general forms from the schema's names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from infra.offline_model.parser.graph.cypher_scope import Scope, scope_of
from infra.offline_model.parser.graph.graph_question import GraphQuestion
from infra.offline_model.parser.graph.graph_words import read_schema, root
from workers.core.graph.schema import quoted
from workers.core.language.text import normalise

_MOST = 100  # rows of a list
_LISTING = re.compile(
    r"\b(?:which|what|who|whom|list|name|show|find|give|tell|return|when|how old|all)\b", re.IGNORECASE
)
_KEYWORDS = frozenset(("order", "limit", "skip", "where", "with", "return", "match", "union", "count", "end"))
_PLAIN = re.compile(r"[a-z]+")


def draft_cypher(given: dict[str, Any]) -> dict[str, Any]:
    """Return {cypher, reason} for {schema, terminology, examples, question, tried}."""
    question = str(given.get("question") or "")
    tried = {str(one.get("cypher") or "") for one in given.get("tried") or []}
    for cypher, reason in _written(given, question):
        if cypher not in tried:
            return {"cypher": cypher, "reason": reason}
    return {"cypher": "", "reason": "The schema has nothing that this question could be about."}


def _written(given: Mapping[str, Any], question: str) -> Iterator[tuple[str, str]]:
    for one in given.get("examples") or []:
        if normalise(str(one.get("question") or "")) == normalise(question):
            yield str(one.get("cypher") or ""), "An example asks the same."
    graph = read_schema(str(given.get("schema") or ""))
    asked = GraphQuestion(_in_terms(question, given.get("terminology") or {}), graph)
    scope = scope_of(asked)
    if scope is None or not (asked.touches or scope.by_name):
        return
    for form in _FORMS:
        made = form(asked, scope)
        if made:
            yield made


def _in_terms(question: str, terms: Mapping[str, Any]) -> str:
    """Return the question with what people say replaced by what it is called in the graph."""
    for said, meant in terms.items():
        question = re.sub(rf"\b{re.escape(said)}s?\b", str(meant), question, flags=re.IGNORECASE)
    return question


Made = tuple[str, str] | None


def _most(asked: GraphQuestion, scope: Scope) -> Made:
    """Whoever has most or fewest of the others."""
    if not asked.by_count or scope.relation is None or scope.other is None:
        return None
    columns = [(_called(scope, "n"), _alias(scope.thing.name)), ("count(DISTINCT o)", _counted(asked, scope))]
    columns.append(("n", "node"))
    tail = f" ORDER BY {columns[1][1]} {asked.by_count}, {columns[0][1]} LIMIT {_limit(asked, 1)}"
    return f"{scope.text} {_returned(columns)}{tail}", "It counts for each one, and takes the first."


def _having(asked: GraphQuestion, scope: Scope) -> Made:
    """Those that have more than so many of the others."""
    if not asked.having or scope.relation is None or asked.by_count:
        return None
    sign, number = asked.having
    count = _counted(asked, scope)
    columns = [(_called(scope, "n"), _alias(scope.thing.name)), (count, count), ("n", "node")]
    head = f"{scope.text} WITH n, count(DISTINCT o) AS {count} WHERE {count} {sign} {number}"
    if asked.is_tally:
        return f"{head} RETURN count(n) AS {_word(asked, scope)}", "It counts those that have so many."
    tail = f" ORDER BY {count} DESC, {columns[0][1]} LIMIT {_limit(asked, _MOST)}"
    return f"{head} {_returned(columns)}{tail}", "It counts for each one, and keeps those that have so many."


def _grouped(asked: GraphQuestion, scope: Scope) -> Made:
    """How many there are for each of the others."""
    other = asked.grouped_by
    if not asked.is_tally or other is None or scope.other is None or scope.other.name != other.name:
        return None
    columns = [
        (_called(scope, "o"), _alias(other.name)),
        ("count(DISTINCT n)", _word(asked, scope)),
        ("o", "node"),
    ]
    tail = f" ORDER BY {columns[0][1]} LIMIT {_MOST}"
    return f"{scope.text} {_returned(columns)}{tail}", "It counts for each one."


def _tally(asked: GraphQuestion, scope: Scope) -> Made:
    """How many there are."""
    if not asked.is_tally or asked.by_count or asked.having:
        return None
    noun = next((one for one in asked.types if not one.agent and _is_counted(asked, one.start)), None)
    label = asked.labels and _is_counted(asked, asked.labels[0][2])
    if noun and not label and scope.relation and noun.kind.name == scope.relation.name:
        columns = [("count(r)", _alias(noun.word))]
    else:
        columns = [("count(DISTINCT n)", _word(asked, scope))]
    named = (
        scope.by_name and scope.relation is not None and len(asked.names) == 1 and ", " not in scope.pattern
    )
    columns += [("o", _alias(scope.other.name) if scope.other else "node")] if named else []
    return f"{scope.text} {_returned(columns)}", "It counts them."


def _measured(asked: GraphQuestion, scope: Scope) -> Made:
    """The average, sum, least or greatest value of a property."""
    if not asked.measure:
        return None
    numeric = ("INTEGER", "FLOAT")
    held = [(kind, name) for kind, name in asked.properties if kind.type_of(name) in numeric]
    variable = next(((scope.variable(kind), name) for kind, name in held if scope.variable(kind)), None)
    if variable is None:
        return None
    value, alias = (
        f"{asked.measure}({variable[0]}.{quoted(variable[1])})",
        _alias(f"{asked.measure}_{variable[1]}"),
    )
    if asked.extreme and variable[0] != "n":
        columns = [(_called(scope, "n"), _alias(scope.thing.name)), (value, alias), ("n", "node")]
        tail = f" ORDER BY {alias} {asked.extreme[2]}, {columns[0][1]} LIMIT {_limit(asked, 1)}"
        return f"{scope.text} {_returned(columns)}{tail}", "It takes all values of each one, and sorts."
    return (
        f"{scope.text} RETURN {value} AS {alias}",
        "It takes all values.",
    )


def _extreme(asked: GraphQuestion, scope: Scope) -> Made:
    """The one with the highest or lowest value of a property."""
    if not asked.extreme or asked.by_count:
        return None
    kind, name, order = asked.extreme
    variable = scope.variable(kind)
    if not variable:
        return None
    value = f"{variable}.{quoted(name)}"
    where = Scope(scope.pattern, scope.thing, (*scope.where, f"{value} IS NOT NULL")).text
    columns = [(_called(scope, "n"), _alias(scope.thing.name)), (value, _alias(name)), ("n", "node")]
    tail = f" ORDER BY {_alias(name)} {order}, {columns[0][1]} LIMIT {_limit(asked, 1)}"
    return f"{where} {_returned(columns, distinct=True)}{tail}", "It sorts them by that value."


def _listed(asked: GraphQuestion, scope: Scope) -> Made:
    """Those that are asked for, with the values that the question speaks of."""
    plain = scope.where or scope.relation or _LISTING.search(asked.text)
    if not plain or asked.is_tally or asked.by_count or asked.having or asked.measure:
        return None
    columns = [(_called(scope, "n"), _alias(scope.thing.name))]
    both = len(asked.names) > 1 and not asked.labels and not asked.asks_who
    if scope.other and (both or any(scope.variable(one.kind) == "o" for one in asked.conditions)):
        columns.append((_called(scope, "o"), _alias(scope.other.name)))
    told = [*asked.properties, *((one.kind, one.name) for one in asked.conditions)]
    told += [(scope.relation, name) for name, _ in scope.relation.properties] if scope.relation else []
    for kind, name in dict.fromkeys(told):
        if scope.variable(kind) and name != scope.thing.naming:
            columns.append((f"{scope.variable(kind)}.{quoted(name)}", _alias(name)))
    columns.append(("n", "node"))
    tail = f" ORDER BY {columns[0][1]} LIMIT {_limit(asked, _MOST)}"
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
    told = ", ".join(value if value == alias else f"{value} AS {alias}" for value, alias in columns)
    return f"RETURN DISTINCT {told}" if distinct else f"RETURN {told}"


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


def _word(asked: GraphQuestion, scope: Scope) -> str:
    """Return the question's own word for what is counted: movies."""
    said = asked.wanted[1]
    return said.casefold() if _PLAIN.fullmatch(said.casefold()) else _alias(scope.thing.name)


def _counted(asked: GraphQuestion, scope: Scope) -> str:
    """Return the question's own word for the others: movies, of who acted in the most movies."""
    other = scope.other.name if scope.other else "others"
    said = next((word for kind, word, _ in asked.labels if kind.name == other), other)
    agents = [one.word for one in asked.types if one.agent and root(one.word) != root(asked.wanted[1] or "-")]
    word = said if said != other or not agents else agents[0]
    return _alias(word if word.casefold() != scope.thing.name.casefold() else f"{word}s")


def _is_counted(asked: GraphQuestion, place: int) -> bool:
    before = asked.rest[:place].casefold()
    return bool(
        re.search(r"(?:how many|number of(?: the)?|count(?: of)?(?: the| all)?)\s+(?:\w+\s+)?$", before)
    )


def _limit(asked: GraphQuestion, most: int) -> int:
    return min(asked.limit or most, _MOST)
