"""How large a statement may be, before the server plans it; numbers from trying a server of 5.26.30."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from workers.text2cypher.lexer import Token, refusal
from workers.text2cypher.syntax import Part, words

LONGEST = 4000  # characters
_MOST_OPERATORS = 80  # planning slows down with their number: 200 take a second
# Each doubles the plan: 14 take three seconds, 26 never end.
_MOST_XORS = 3
_MOST_CALLS = 60
_DEEPEST_CASE, _DEEPEST_SUBQUERY = 4, 3
_LONGEST_PATH, _LONGEST_SHORTEST = 6, 15  # relationships
_MOST_LENGTHS = 2  # paths of more than one length in a statement
_MOST_RELATIONSHIPS = 16  # in a statement; a pattern of 10 takes two seconds to plan
_MOST_IN_PATTERN = 8
_MOST_APART = 3  # patterns that share no variable: the rows of one are multiplied by those of the other
_MOST_UNWOUND = 4
_MOST_WAYS = 2000  # to meet the labels asked of one variable; 4,096 take a second to plan, 2^20 never end
_WAYS_OF_ONE = 1.5  # above the cube root of 3: no product of sums of this many names has more terms
_OPERATORS = words("AND OR XOR NOT = <> != < > <= >= =~ IN CONTAINS STARTS ENDS IS + - * / % ^ ||")
_BOUNDED = frozenset({"SHORTESTPATH", "ALLSHORTESTPATHS", "SHORTEST"})


def check_length(text: str) -> None:
    """Refuse a statement that is too long, or nothing.

    Raises:
        CypherRefused: it is.
    """
    if not text.strip():
        raise refusal(text, 0, "no statement", "one statement that reads")
    if len(text) > LONGEST:
        raise refusal(text, LONGEST, f"{len(text)} characters", f"{LONGEST}")


def check_operators(text: str, tokens: Iterable[Token]) -> None:
    """Refuse a statement with too many operators; marks of patterns are none.

    Raises:
        CypherRefused: at the first operator too many.
    """
    found = 0
    xors = 0
    before = ""
    for token in tokens:
        if token.kind in {"space", "comment"}:
            continue
        if token.key in _OPERATORS and not _is_of_pattern(before, token.key):
            found += 1
        xors += token.key == "XOR"
        if xors > _MOST_XORS:
            raise refusal(text, token.at, "too many XOR", f"{_MOST_XORS}")
        if found > _MOST_OPERATORS:
            raise refusal(text, token.at, "too many operators", f"{_MOST_OPERATORS}")
        before = token.key


def _is_of_pattern(before: str, key: str) -> bool:
    return key in {"-", "<", ">"} and before in {")", "]", "-", "<"}


def check_shape(text: str, statement: Part) -> None:
    """Refuse patterns and nesting that the server can not get through in time.

    Raises:
        CypherRefused: it names the first of them.
    """
    _check_nesting(text, statement, "case", _DEEPEST_CASE, "CASE within CASE")
    _check_nesting(text, statement, "subquery", _DEEPEST_SUBQUERY, "subqueries within subqueries")
    _check_count(text, statement.every("call"), _MOST_CALLS, "calls")
    unwound = (clause for clause in statement.every("clause") if clause.name == "UNWIND")
    _check_count(text, unwound, _MOST_UNWOUND, "UNWIND")
    _check_paths(text, statement)
    _check_labels(text, statement)
    for query in statement.every("query"):
        _check_apart(text, query)


def _check_labels(text: str, statement: Part) -> None:
    """Refuse labels that may be met in too many ways: the server writes them all out."""
    ways: dict[str, float] = {}
    for part in statement.every("node", "relationship", "operation"):
        labels = [one for one in part.parts if one.sort == "label"]
        if not labels:
            continue
        named = [one.name for one in part.parts if one.sort in {"binding", "variable"}]
        variable = named[0] if named else f" {part.token.at}"
        ways[variable] = ways.get(variable, 1) * _ways(part, len(labels))
        if ways[variable] > _MOST_WAYS:
            raise refusal(text, part.token.at, "labels that can be met in too many ways", "fewer labels")


def _ways(part: Part, labels: int) -> float:
    mixed = any(one.sort in {"both", "star"} for one in part.parts)
    if mixed or (labels == 1 and part.sort == "operation"):
        return float(_WAYS_OF_ONE**labels)
    return labels


def _check_count(text: str, parts: Iterable[Part], most: int, what: str) -> None:
    for count, part in enumerate(parts, start=1):
        if count > most:
            raise refusal(text, part.token.at, f"too many {what}", f"{most}")


def _check_nesting(text: str, part: Part, sort: str, deepest: int, what: str, depth: int = 0) -> None:
    depth += part.sort == sort
    if depth > deepest:
        raise refusal(text, part.token.at, f"{what}, too deep", f"{deepest}")
    for one in part.parts:
        _check_nesting(text, one, sort, deepest, what, depth)


def _check_paths(text: str, statement: Part) -> None:
    _check_count(text, statement.every("relationship"), _MOST_RELATIONSHIPS, "relationships in all patterns")
    _check_count(text, statement.every("length"), _MOST_LENGTHS, "paths of many lengths")
    for pattern in statement.every("pattern"):
        relationships = [part for part in pattern.parts if part.sort == "relationship"]
        _check_count(text, relationships, _MOST_IN_PATTERN, "relationships in one pattern")
    _check_lengths(text, statement, 1, shortest=False)


def _check_lengths(text: str, part: Part, factor: int, *, shortest: bool) -> None:
    """Refuse lengths without a small upper bound; those of a group in a group multiply."""
    if part.sort == "pattern":
        shortest = part.name in _BOUNDED
    longest = _LONGEST_SHORTEST if shortest else _LONGEST_PATH
    lengths = [one for one in part.parts if one.sort == "length"]
    for length in lengths:
        allowed = f"an upper bound of at most {longest}, as in [*..{longest}]"
        if not length.name:
            raise refusal(text, length.token.at, "a path without an upper bound", allowed)
        steps = int(length.name) * max(1, sum(1 for one in part.every("relationship")))
        if steps * factor > longest:
            raise refusal(text, length.token.at, f"a path of {steps * factor} relationships", allowed)
    inner = factor * max((int(one.name) for one in lengths), default=1)
    for one in part.parts:
        _check_lengths(text, one, inner, shortest=shortest)


def _check_apart(text: str, query: Part) -> None:
    """Refuse patterns that share no variable, from one WITH to the next."""
    known: list[set[str]] = []
    for clause in query.parts:
        if clause.name in {"WITH", "UNION"}:
            known = [_names(clause)] if clause.name == "WITH" else []
        if clause.name not in {"MATCH", "OPTIONAL MATCH"}:
            continue
        for pattern in (part for part in clause.parts if part.sort == "pattern"):
            names = _names(pattern) or {f" {pattern.token.at}"}
            known = [names.union(*_meeting(known, names)), *(one for one in known if not one & names)]
            if len(known) > _MOST_APART:
                what = "patterns that share no variable"
                raise refusal(text, pattern.token.at, f"{len(known)} {what}", f"{_MOST_APART}")


def _meeting(known: list[set[str]], names: set[str]) -> Iterator[set[str]]:
    return (one for one in known if one & names)


def _names(part: Part) -> set[str]:
    return {one.name for one in part.every("binding", "variable")}
