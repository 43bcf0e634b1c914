"""Values that grow or work that multiplies within one expression, where the server looks at no clock."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import ceil

from workers.text2cypher.lexer import refusal
from workers.text2cypher.syntax import Part, words

_LONGEST_RANGE = 1000  # numbers, of all ranges of a statement multiplied
_MOST_GROWTH = 1000  # times that a text may come to hold another
_MOST_WITH_REGEX = 10
_LONGEST_WITH_REGEX = 500  # characters of a text in the statement
_MOST_REPEATS = 3  # quantifiers of a regular expression: each is a power of the text's length
_LARGEST_REPEAT = 100
_CONCATENATED = frozenset({"+", "||"})
_NUMBERS = frozenset({"-", "*", "/", "%", "^", "sign"})
_NUMERIC = words(
    "count sum avg min max size length abs ceil floor round sign sqrt exp log log10 tointeger tofloat"
    " duration stdev timestamp rand"
)
_MEASURED = frozenset({"size", "length"})
_OF_ONE = frozenset({"nodes", "relationships", "labels", "keys", "split"})
_BACK = re.compile(r"\\[1-9k]|\(\?[=!<>]")
_HIDING = re.compile(r"\\Q|\(\?[a-zA-Z]*[xd]")  # what follows is read by other rules
_REPEAT = re.compile(r"[*+]|\{(\d+)(,?)(\d*)\}")


def check_growth(text: str, statement: Part) -> None:
    """Refuse work within one expression that no time limit of the server would end.

    Raises:
        CypherRefused: it names the first form found.
    """
    _check_ranges(text, statement)
    _check_each(text, statement, ())
    for part in statement.every("reduce"):
        _check_reduce(text, part)
    patterns = [part for part in statement.every("operation") if part.name == "=~"]
    for part in patterns:
        _check_regex(text, part)
    grown = _growth(text, statement)
    most = _MOST_WITH_REGEX if patterns else _MOST_GROWTH
    if grown > most:
        raise refusal(text, 0, f"texts or lists that grow {grown}-fold", f"{most}-fold, by + and replace()")
    for part in statement.every("literal"):
        if patterns and len(part.token.text) > _LONGEST_WITH_REGEX:
            raise refusal(
                text, part.token.at, "a long text beside a regular expression", f"{_LONGEST_WITH_REGEX}"
            )


def _check_ranges(text: str, statement: Part) -> None:
    product = 1
    for part in statement.every("call"):
        if part.name.lower() != "range":
            continue
        bounds = [_number(one) for one in part.parts]
        if len(bounds) >= 2 and None not in bounds:  # noqa: PLR2004 - from and to
            first, last, step = ([one or 0 for one in bounds] + [1])[:3]
            product *= abs(last - first) // max(1, abs(step)) + 1
        elif not all(_is_measured(one) for one in part.parts):
            raise refusal(text, part.token.at, "a range of unknown length", "numbers, size(…) and length(…)")
        if product > _LONGEST_RANGE:
            raise refusal(text, part.token.at, f"ranges of {product} numbers", f"{_LONGEST_RANGE}")


def _number(part: Part) -> int | None:
    if part.sort == "literal" and part.name == "number":
        digits = part.token.text.replace("_", "")
        return int(digits) if digits.isdecimal() else None
    if part.sort == "operation" and part.name == "sign" and part.parts[0].sort == "literal":
        inner = _number(part.parts[0])
        return None if inner is None else -inner
    return None


def _is_measured(part: Part) -> bool:
    """Say whether it is a number, the size of something there is, or a sum or difference of these."""
    if part.sort == "operation" and part.name in {"+", "-"}:
        return all(_is_measured(one) for one in part.parts)
    if part.sort == "call":
        return part.name.lower() in _MEASURED
    value = _number(part)
    return value is not None and abs(value) <= _LONGEST_RANGE


def _check_each(text: str, part: Part, outer: tuple[str, ...]) -> None:
    """Refuse to go through a list for each member of another, unless it is the member's own."""
    if part.sort not in {"each", "reduce"}:
        for one in part.parts:
            _check_each(text, one, outer)
        return
    bound = 2 if part.sort == "reduce" else 0
    source = part.parts[bound + 1]
    if outer and (len(outer) > 1 or not _is_own(source, outer[-1])):
        allowed = "UNWIND, or the inner list taken from the outer one's member, as in m.roles"
        raise refusal(text, part.token.at, "a list gone through for each member of another", allowed)
    _check_each(text, source, outer)
    for one in part.parts[bound + 2 :]:
        _check_each(text, one, (*outer, part.parts[bound].name))


def _is_own(source: Part, member: str) -> bool:
    if source.sort == "call" and source.name.lower() in _OF_ONE and source.parts:
        source = source.parts[0]
    if source.sort == "property":
        source = source.parts[0]
    return source.sort == "variable" and source.name == member


def _check_reduce(text: str, part: Part) -> None:
    accumulator, body = part.parts[0].name, part.parts[4]
    uses = sum(one.name == accumulator for one in body.every("variable"))
    growing = any(one.sort in {"list", "map", "call"} or one.name in _CONCATENATED for one in body.walk())
    replacing = any(one.name.lower() == "replace" for one in body.every("call"))
    if replacing or (uses > 1 and growing and not _only_adds(body, accumulator)):
        allowed = "the accumulator once, without replace()"
        raise refusal(text, part.token.at, "a reduce whose value grows with each step", allowed)


def _only_adds(body: Part, accumulator: str) -> bool:
    """Say whether no sum, list, map or call holds the accumulator twice, as in CASE … THEN a + x ELSE a."""
    holding = (one for one in body.walk() if one.sort in {"list", "map", "call"} or one.name in _CONCATENATED)
    return all(sum(use.name == accumulator for use in one.every("variable")) <= 1 for one in holding)


def _check_regex(text: str, part: Part) -> None:
    pattern = part.parts[1]
    if pattern.sort != "literal":
        raise refusal(
            text, part.token.at, "a regular expression that is no text", "a text as it is, or CONTAINS"
        )
    reason = _why_slow(pattern.token.text[1:-1].replace("\\\\", "\\"))
    if reason:
        raise refusal(
            text, pattern.token.at, f"a regular expression with {reason}", "a simpler one, or CONTAINS"
        )


def _why_slow(pattern: str) -> str:
    """Return why a regular expression may take exponential time, if it may."""
    if _BACK.search(pattern):
        return "a back-reference or a look around"
    if _HIDING.search(pattern):
        return "quoted parts or comments"
    plain = re.sub(r"\\.|\[(?:\\.|[^\]\\])*\]", "c", pattern)
    repeats = list(_REPEAT.finditer(plain))
    if len(repeats) > _MOST_REPEATS:
        return f"more than {_MOST_REPEATS} repetitions"
    if any(int(high or low or 0) > _LARGEST_REPEAT for low, _, high in (one.groups("") for one in repeats)):
        return f"a repetition of more than {_LARGEST_REPEAT}"
    for found in re.finditer(r"\)\s*(?:[*+]|\{)", plain):
        inside = plain[_opened(plain, found.start()) : found.start()]
        if "|" in inside or _REPEAT.search(inside) or "?" in inside.removeprefix("(?:"):
            return "a repetition of a repetition or of a choice"
    return ""


def _opened(pattern: str, closing: int) -> int:
    depth = 0
    for place in range(closing, -1, -1):
        depth += {")": 1, "(": -1}.get(pattern[place], 0)
        if depth == 0:
            return place
    return 0


def _growth(text: str, statement: Part) -> int:
    """Return how many times over a value may come to hold another, along all clauses."""
    product = 1
    for clause in statement.every("clause"):
        items = [part for part in clause.parts if part.sort == "item"] or list(clause.parts)
        product *= max((_held(item) for item in items), default=1)
    for call in statement.every("call"):
        if call.name.lower() == "replace":
            product *= _replaced(text, call)
    return product


def _held(part: Part) -> int:
    """Return how many values are put together in it, at most."""
    if part.sort == "subquery":
        return 1  # its clauses are counted by themselves
    inner = [_held(one) for one in part.parts]
    if part.sort == "operation" and part.name in _CONCATENATED:
        return max(1, sum(count for one, count in zip(part.parts, inner, strict=True) if not _is_number(one)))
    if part.sort == "reduce":
        return max(1, *inner) * (
            100 if any(one.name in _CONCATENATED for one in _texts(part.parts[4])) else 1
        )
    return max(inner, default=1)


def _texts(part: Part) -> Iterator[Part]:
    """Yield the sums that may be of texts or lists: those without a number."""
    return (one for one in part.every("operation") if not any(_is_number(operand) for operand in one.parts))


def _is_number(part: Part) -> bool:
    if part.sort == "literal":
        return part.name != "string"
    if part.sort == "call":
        return part.name.lower() in _NUMERIC
    return part.sort == "operation" and part.name in _NUMBERS


def _replaced(text: str, call: Part) -> int:
    lengths = [
        len(part.token.text) - 2 if part.sort == "literal" and part.name == "string" else None
        for part in call.parts
    ]
    if len(lengths) < 3 or lengths[2] is None:  # noqa: PLR2004 - text, searched, replacement
        raise refusal(text, call.token.at, "replace() by what is no text", "a text as it is")
    # Nothing is found between all characters; and what is no text may be nothing.
    return max(1, ceil(lengths[2] / lengths[1])) if lengths[1] else lengths[2] + 1
