"""Limits the size of a statement before planning; the numbers come from trials on server 5.26.30."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from workers.text2cypher.lexer import Token, refusal, significant
from workers.text2cypher.syntax import Part, words

LONGEST = 4000  # characters
_MOST_OPERATORS = 80  # planning slows down with their number: 200 take a second
# Each doubles the plan: 14 take three seconds, 26 never end.
_MOST_XORS = 3
_MOST_CASES = 20
_DEEPEST_CASE, _DEEPEST_SUBQUERY = 4, 3
_MOST_CALLS, _MOST_SUBQUERIES = 60, 10
_LONGEST_PATH, _LONGEST_SHORTEST = 6, 15  # relationships
_MOST_LENGTHS = 2  # paths of more than one length in a statement
_MOST_RELATIONSHIPS = 16  # in a statement; a pattern of 10 takes two seconds to plan
_MOST_IN_PATTERN = 8
_MOST_APART = 3  # patterns that share no variable: the rows of one are multiplied by those of the other
_MOST_UNWOUND = 4
_MOST_WAYS = 200  # to meet the labels asked of one variable; 4,096 take a second to plan, 2^20 never end
_MOST_TESTED = 8  # labels in conditions: each may double these ways
_LONGEST_RANGE = 1000  # numbers, of all ranges of a statement multiplied
_OPERATORS = words("AND OR XOR NOT = <> < > <= >= =~ IN CONTAINS STARTS ENDS IS + - * / % ^ ||")


def check_length(text: str) -> None:
    """Refuse a statement that is too long, or nothing.

    Raises:
        CypherRefused: it is.
    """
    if not text.strip():
        raise refusal(text, 0, "no statement", "one statement that reads")
    if len(text) > LONGEST:
        raise refusal(text, LONGEST, f"{len(text)} characters", f"{LONGEST}")


def check_tokens(text: str, tokens: list[Token]) -> None:
    """Refuse a statement that would need too deep recursion; marks of patterns are not operators.

    Raises:
        CypherRefused: at the first token too many.
    """
    counts = {"operators": 0, "XOR": 0, "CASE": 0}
    most = {"operators": _MOST_OPERATORS, "XOR": _MOST_XORS, "CASE": _MOST_CASES}
    before = ""
    for token in significant(tokens):
        of_pattern = token.key in {"-", "<", ">"} and before in {")", "]", "-", "<"}
        counts["operators"] += token.key in _OPERATORS and not of_pattern
        if token.key in {"XOR", "CASE"}:
            counts[token.key] += 1
        for what, count in counts.items():
            if count > most[what]:
                raise refusal(text, token.at, f"too many {what}", f"{most[what]}")
        before = token.key


def check_shape(text: str, statement: Part) -> None:
    """Refuse patterns and nesting that the server can not get through in time.

    Raises:
        CypherRefused: it names the first of them.
    """
    _check_nesting(text, statement, "case", _DEEPEST_CASE, "CASE expressions")
    _check_nesting(text, statement, "subquery", _DEEPEST_SUBQUERY, "subqueries")
    clauses = list(statement.every("clause"))
    _check_count(text, statement.every("call"), _MOST_CALLS, "calls")
    _check_count(text, statement.every("subquery", "along"), _MOST_SUBQUERIES, "subqueries")
    _check_count(text, (clause for clause in clauses if clause.name == "UNWIND"), _MOST_UNWOUND, "UNWIND")
    _check_paths(text, statement)
    _check_labels(text, statement)
    _check_ranges(text, statement)
    for query in statement.every("query"):
        _check_apart(text, query)


def _check_count(text: str, parts: Iterable[Part], most: int, what: str) -> None:
    for count, part in enumerate(parts, start=1):
        if count > most:
            raise refusal(text, part.token.at, f"too many {what}", f"{most}")


def _check_nesting(text: str, part: Part, sort: str, deepest: int, what: str, depth: int = 0) -> None:
    depth += part.sort == sort
    if depth > deepest:
        raise refusal(text, part.token.at, f"{what}, nested too deep", f"{deepest}")
    for child in part.parts:
        _check_nesting(text, child, sort, deepest, what, depth)


def _check_labels(text: str, statement: Part) -> None:
    """Refuse labels that may be met in too many ways: the server writes them all out."""
    tested = (label for part in statement.every("operation") for label in part.own("label"))
    _check_count(text, tested, _MOST_TESTED, "labels in conditions; put them into the pattern")
    ways: dict[str, list[int]] = {}
    for part in statement.every("node"):
        if part.own("choice", "denied"):
            names = [binding.name for binding in part.own("binding")]
            choices = ways.setdefault(names[0] if names else f" {part.token.at}", [])
            choices.append(len(part.own("label")))
            if prod(choices) > _MOST_WAYS:
                raise refusal(text, part.token.at, "labels that can match in too many ways", "fewer labels")


def _check_paths(text: str, statement: Part) -> None:
    _check_count(text, statement.every("relationship"), _MOST_RELATIONSHIPS, "relationships in all patterns")
    _check_count(text, statement.every("length"), _MOST_LENGTHS, "paths of variable length")
    for pattern in statement.every("pattern"):
        relationships = pattern.own("relationship")
        _check_count(text, relationships, _MOST_IN_PATTERN, "relationships in one pattern")
        longest = _LONGEST_SHORTEST if pattern.name == "SHORTEST" else _LONGEST_PATH
        for length in (length for part in relationships for length in part.own("length")):
            allowed = f"an upper bound of at most {longest}, as in [*..{longest}]"
            if not length.name:
                raise refusal(text, length.token.at, "a path without an upper bound", allowed)
            if int(length.name) > longest:
                raise refusal(text, length.token.at, f"a path of {length.name} relationships", allowed)


def _check_ranges(text: str, statement: Part) -> None:
    product = 1
    for part in (call for call in statement.every("call") if call.name.lower() == "range"):
        bounds = [_number(argument) for argument in part.parts]
        if len(bounds) not in {2, 3} or None in bounds:
            raise refusal(text, part.token.at, "a range of unknown length", "literal numbers")
        first, last, step = ([bound or 0 for bound in bounds] + [1])[:3]
        product *= abs(last - first) // max(1, abs(step)) + 1
        if product > _LONGEST_RANGE:
            raise refusal(text, part.token.at, f"ranges of {product} numbers", f"{_LONGEST_RANGE}")


def _number(part: Part) -> int | None:
    if part.sort == "operation" and part.name == "sign":
        inner = _number(part.parts[0])
        return None if inner is None else -inner
    return int(part.token.text) if part.name == "number" and part.token.text.isdecimal() else None


def _check_apart(text: str, query: Part) -> None:
    """Refuse patterns that share no variable, from one WITH to the next."""
    known: list[set[str]] = []
    for clause in query.parts:
        if clause.name in {"WITH", "UNION"}:
            known = [_names(clause)] if clause.name == "WITH" else []
        if clause.name not in {"MATCH", "OPTIONAL MATCH"}:
            continue
        for pattern in clause.own("pattern"):
            names = _names(pattern) or {f" {pattern.token.at}"}
            known = [
                names.union(*(group for group in known if group & names)),
                *(group for group in known if not group & names),
            ]
            if len(known) > _MOST_APART:
                what = f"{len(known)} patterns that share no variable"
                raise refusal(text, pattern.token.at, what, f"{_MOST_APART}")


def _names(part: Part) -> set[str]:
    return {variable.name for variable in part.every("binding", "variable")}
