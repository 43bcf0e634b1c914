"""Reads filters: the language, such as `tags has "contract" and date >= 2024-01-01`, and its form as JSON."""

from __future__ import annotations

import json
import unicodedata
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from hopline.errors import InvalidInput
from hopline.json_objects import unrepeated
from hopline.models.metadata import NAME_FORM
from workers.core.metadata.filter import (
    DEEPEST,
    Both,
    Comparison,
    Either,
    Filter,
    Not,
    bounded_filter,
    comparison,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lark import Lark, Token

LONGEST_FILTER = 2_000  # characters of the language
LONGEST_FILTER_JSON = 20_000  # characters of the same as JSON
_GRAMMAR = rf"""
?start: either
?either: both (_OR both)* -> either
?both: negation (_AND negation)* -> both
?negation: _NOT negation -> contrary
    | "(" either ")"
    | NAME COMPARED _value -> compared
    | NAME _HAS TEXT -> has
    | NAME _IN "(" _value ("," _value)* ")" -> within
    | _EXISTS "(" NAME ")" -> exists
_value: TEXT | DATE | NUMBER
COMPARED: "!=" | "<=" | ">=" | "=" | "<" | ">"
_OR.3: /or(?![\w-])/i
_AND.3: /and(?![\w-])/i
_NOT.3: /not(?![\w-])/i
_HAS.3: /has(?![\w-])/i
_IN.3: /in(?![\w-])/i
_EXISTS.3: /exists(?![\w-])/i
DATE.2: /[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}/
NUMBER.1: /-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?/
TEXT: /"(\\.|[^"\\])*"|'(\\.|[^'\\])*'/
NAME: /{NAME_FORM}/
%ignore /\s+/
"""
_WORDS = {
    "NAME": "a field",
    "TEXT": 'a text in quotes, "…"',
    "DATE": "a date such as 2024-05-01",
    "NUMBER": "a number",
    "COMPARED": "=, !=, <, <=, >, >=",
    "_OR": "or",
    "_AND": "and",
    "_NOT": "not",
    "_HAS": "has",
    "_IN": "in",
    "_EXISTS": "exists(…)",
    "LPAR": "(",
    "RPAR": ")",
    "COMMA": ",",
    "$END": "the end",
}


def parse_filter(text: str) -> Filter:
    """Return the filter that a text describes, in the filter language or, if it starts with a brace, as JSON.

    Raises:
        InvalidInput: the message says where the text is wrong and what was expected there.
    """
    as_json = text.lstrip().startswith("{")
    longest = LONGEST_FILTER_JSON if as_json else LONGEST_FILTER
    if len(text) > longest:
        raise InvalidInput("where", f"{len(text)} characters", f"at most {longest}")
    if as_json:
        try:
            return filter_of_json(json.loads(text, object_pairs_hook=unrepeated))
        except (ValueError, RecursionError) as error:
            raise InvalidInput("where", text, f"a filter as JSON ({error})") from error
    return bounded_filter(_parsed(unicodedata.normalize("NFC", text)))


def _parsed(text: str) -> Filter:
    from lark.exceptions import (  # noqa: PLC0415 - only for who filters
        UnexpectedCharacters,
        UnexpectedToken,
    )

    try:
        tree = cast("Filter", _parser().parse(text))  # made of nodes by the transformer
    except UnexpectedToken as error:
        place = len(text) if error.token.type == "$END" else error.token.start_pos or 0
        raise _unexpected(text, place, error.accepts or error.expected) from error
    except UnexpectedCharacters as error:
        raise _unexpected(text, error.pos_in_stream or 0, error.allowed or ()) from error
    return tree


def _unexpected(text: str, place: int, expected: Iterable[str]) -> InvalidInput:
    words = sorted({_WORDS[name] for name in expected if name in _WORDS})
    rest = text[place : place + 20]
    at = f"character {place + 1}, {rest!r}" if rest else "its end"
    allowed = ("one of: " if len(words) > 1 else "") + "; ".join(words)
    return InvalidInput(
        "where", text, allowed, message=f"where cannot be read at {at}; there, give {allowed}"
    )


def filter_of_json(raw: Any) -> Filter:
    """Return the filter of a JSON value: {"field", "op", "value"}, {"and": […]}, {"or": […]} or {"not": …}.

    Raises:
        InvalidInput: the value is not a valid filter.
    """
    return bounded_filter(_node(raw, 0))


def filter_json(tree: Filter) -> dict[str, Any]:
    """Return a filter as JSON."""
    return tree.model_dump(mode="json", by_alias=True, exclude_none=True)


def _node(raw: Any, depth: int) -> Filter:
    keys = set(raw) if isinstance(raw, dict) else set()
    if depth > DEEPEST:
        raise InvalidInput("where", "a larger filter", f"a filter nested at most {DEEPEST} deep")
    if not keys:
        raise InvalidInput("where", raw, 'an object {"field", "op", "value"}, {"and"}, {"or"} or {"not"}')
    if keys == {"not"}:
        return Not.model_construct(part=_node(raw["not"], depth + 1))
    for name, kind in (("and", Both), ("or", Either)):
        if keys == {name}:
            if not isinstance(raw[name], list) or not raw[name]:
                raise InvalidInput(f"where.{name}", raw[name], "a list of filters")
            return kind.model_construct(parts=tuple(_node(part, depth + 1) for part in raw[name]))
    if not {"field", "op"} <= keys <= {"field", "op", "value"}:
        raise InvalidInput("where", raw, 'an object {"field", "op", "value"}, {"and"}, {"or"} or {"not"}')
    return comparison(raw["field"], raw["op"], raw.get("value"))


@cache
def _parser() -> Lark:
    from lark import Lark, Transformer, v_args  # noqa: PLC0415 - as above

    @v_args(inline=True)
    class Nodes(Transformer[Any, Filter]):
        def either(self, *parts: Filter) -> Filter:
            return parts[0] if len(parts) == 1 else Either.model_construct(parts=parts)

        def both(self, *parts: Filter) -> Filter:
            return parts[0] if len(parts) == 1 else Both.model_construct(parts=parts)

        def contrary(self, part: Filter) -> Filter:
            return Not.model_construct(part=part)

        def compared(self, name: Token, operator: Token, value: Token) -> Comparison:
            return comparison(name, str(operator), _literal(value))

        def has(self, name: Token, value: Token) -> Comparison:
            return comparison(name, "has", _literal(value))

        def within(self, name: Token, *values: Token) -> Comparison:
            return comparison(name, "in", [_literal(value) for value in values])

        def exists(self, name: Token) -> Comparison:
            return comparison(name, "exists")

    return Lark(_GRAMMAR, parser="lalr", transformer=Nodes())


def _literal(token: Token) -> str | int | float:
    if token.type == "NUMBER":
        number = float(token)
        return int(token) if token.lstrip("-").isdigit() else number
    if token.type == "DATE":
        return str(token)
    return "".join(_unescaped(token[1:-1]))


def _unescaped(text: str) -> Iterable[str]:
    """Yield a text's characters, taking one after a backslash literally."""
    letters = iter(text)
    for letter in letters:
        yield next(letters) if letter == "\\" else letter
