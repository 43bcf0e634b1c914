"""Arithmetic expressions over cited numbers and dates: parsed, computed with units, and shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from functools import cache
from typing import NamedTuple, NoReturn

from workers.core.language.figures.figures import figures

Day = tuple[int | None, int | None, int | None]  # year, month, day as far as they are written

PERCENT = "percent"
_DEEPEST = 20  # parentheses and signs
_MOST_DIGITS = 30
_NUMBER = re.compile(r"\d{1,3}(?:[,.'’\u00a0\u202f]\d{3})+(?:[.,]\d+)?(?!\d)|\d+(?:[.,]\d+)?")
_WORD = re.compile(r"[^\W\d_]+")
_OPERATORS: Mapping[str, str] = {"÷": "/", "∕": "/", "×": "*", "·": "*", "−": "-", "–": "-"}
_SIGNS = {"+": "+", "-": "−", "*": "×", "/": "÷"}
_VERBS = {"+": "added", "-": "subtracted", "*": "multiplied", "/": "divided"}
SPANS = ("day", "week", "month", "year")
_FUNCTIONS: Mapping[str, str] = {
    **{name: name for name in ("sum", "average", "min", "max", "count")},
    **{f"{unit}s": unit for unit in SPANS},
    "mean": "average",
    "avg": "average",
    "minimum": "min",
    "maximum": "max",
}
_DAYS_OF_WEEK = 7
_STRONGEST = 3  # of how parts of an expression bind
_NO_LEAP = 2001  # the year of two dates that name none


class Unfounded(Exception):
    """A calculation that does not carry its sentence; the message says why."""


class Quantity(NamedTuple):
    """A number with its unit, or a date."""

    number: Decimal
    unit: str = ""
    day: Day | None = None


class Node(NamedTuple):
    """A part of an expression."""

    kind: str  # operand, constant, + - * /, negative, or a function
    parts: tuple[Node, ...] = ()
    nth: int = 0  # of an operand
    number: Decimal = Decimal()  # of a constant

    @property
    def summands(self) -> int:
        """How many operands it adds up; 0 where it does anything else."""
        if self.kind not in {"operand", "+", "sum"}:
            return 0
        counts = [part.summands for part in self.parts]
        return 1 if self.kind == "operand" else sum(counts) * all(counts)

    @property
    def has_operand(self) -> bool:
        """Whether anything in it is an operand."""
        return self.kind == "operand" or any(part.has_operand for part in self.parts)

    def holds(self, number: int) -> bool:
        """Return whether a constant is in it."""
        return (self.kind == "constant" and self.number == number) or any(
            part.holds(number) for part in self.parts
        )


class Parser:
    """Reads an expression whose numbers are operands or allowed constants.

    Words beside numbers, such as units, are ignored.

    Args:
        expression: as it was written.
        operands: the texts of the operands.
        nth_of: finds the operand that a number in another spelling means; None if there is none.
        allows: whether a number may be used without being an operand.
    """

    def __init__(
        self,
        expression: str,
        operands: Sequence[str],
        nth_of: Callable[[str], int | None],
        allows: Callable[[Decimal], bool],
    ) -> None:
        self._text = expression
        self._nth_of = nth_of
        self._allows = allows
        longest = sorted(range(len(operands)), key=lambda nth: -len(operands[nth]))
        self._operands = [
            (nth, re.compile(rf"(?<!\d){re.escape(operands[nth])}(?!\d|[.,]\d)", re.IGNORECASE))
            for nth in longest
            if operands[nth]
        ]
        self._all = tuple(Node("operand", nth=nth) for nth in range(len(operands)))
        self._tokens = list(self._read())
        self._at = 0
        self._depth = 0

    def parse(self) -> Node:
        """Return the whole expression.

        Raises:
            Unfounded: it cannot be read, or a number is neither an operand nor an allowed constant.
        """
        if self._tokens[:1] == ["count"]:  # what is counted may be named in any form
            return Node("count", self._all)
        node = self._sum()
        if self._at < len(self._tokens):
            self._unreadable()
        return node

    def _read(self) -> list[str | Node]:
        tokens: list[str | Node] = []
        at, text = 0, self._text
        while at < len(text):
            if text[at] == "=" and tokens:
                break  # the result, which is computed here
            matches = ((nth, each.match(text, at)) for nth, each in self._operands)
            found = next(((nth, match) for nth, match in matches if match), None)
            number, word = _NUMBER.match(text, at), _WORD.match(text, at)
            sign = _OPERATORS.get(text[at], text[at])
            if found:
                tokens.append(Node("operand", nth=found[0]))
                at = found[1].end()
            elif number:
                tokens.append(number.group())
                at = number.end()
            elif word:
                name = _FUNCTIONS.get(word.group().casefold())
                called = text[word.end() :].lstrip().startswith("(") or word.group() == text.strip()
                tokens += [name] if name and called else []
                at = word.end()
            else:
                tokens += [{",": ";"}.get(sign, sign)] if sign in "+-*/();," else []
                at += 1
        return tokens

    def _sum(self) -> Node:
        node = self._product()
        while (sign := self._next_of("+-")) is not None:
            node = Node(sign, (node, self._product()))
        return node

    def _product(self) -> Node:
        node = self._factor()
        while (sign := self._next_of("*/")) is not None:
            average = sign == "/" and self._next_of_count(node)
            node = Node(sign, (node, average or self._factor()))
        return node

    def _next_of_count(self, node: Node) -> Node | None:
        """Return how many operands a sum has, where it is divided by that: an average."""
        token = self._tokens[self._at] if self._at < len(self._tokens) else None
        count = node.summands
        if count > 1 and token == str(count):
            self._at += 1
            return Node("constant", number=Decimal(count))
        return None

    def _factor(self) -> Node:
        self._depth += 1
        if self._depth > _DEEPEST or self._at >= len(self._tokens):
            self._unreadable()
        next_one = self._tokens[self._at]
        self._at += 1
        if isinstance(next_one, Node):
            node = next_one
        elif next_one == "-":
            node = Node("negative", (self._factor(),))
        elif next_one == "(":
            node = self._sum()
            self._close()
        elif next_one in _FUNCTIONS.values():
            node = Node(next_one, self._arguments())
        elif next_one[0].isdigit():
            node = self._number(next_one)
        else:
            self._unreadable()
        self._depth -= 1
        return node

    def _arguments(self) -> tuple[Node, ...]:
        if self._next_of("(") is None or self._next_of(")") is not None:
            return self._all
        arguments = [self._sum()]
        while self._next_of(";") is not None:
            arguments.append(self._sum())
        self._close()
        return tuple(arguments)

    def _number(self, text: str) -> Node:
        nth = self._nth_of(text)
        if nth is not None:
            return Node("operand", nth=nth)
        for figure in figures(text):
            for number in figure.readings:
                if self._allows(number):
                    return Node("constant", number=number)
        raise Unfounded(f"{text} is not in the cited text")

    def _next_of(self, signs: str) -> str | None:
        token = self._tokens[self._at] if self._at < len(self._tokens) else None
        if isinstance(token, str) and token in signs:
            self._at += 1
            return token
        return None

    def _close(self) -> None:
        if self._next_of(")") is None:
            self._unreadable()

    def _unreadable(self) -> NoReturn:
        raise Unfounded(f"its calculation “{self._text}” cannot be read")


def evaluated(node: Node, operands: Sequence[Quantity | None], counted: Sequence[str]) -> Quantity:
    """Return what an expression comes to.

    Args:
        node: the expression.
        operands: what its operands mean; None where one is neither a number nor a date.
        counted: what tells each operand from the others when they are counted.

    Raises:
        Unfounded: units do not fit, a divisor is zero, or a date is used as a number.
    """
    if node.kind == "operand":
        quantity = operands[node.nth]
        if quantity is None:
            raise Unfounded("its calculation uses words as a number")
        return quantity
    if node.kind in {"constant", "count"}:
        kinds = {counted[part.nth] for part in node.parts if part.kind == "operand"}
        return Quantity(Decimal(len(kinds)) if node.kind == "count" else node.number)
    return _result(node.kind, [evaluated(part, operands, counted) for part in node.parts])


def _result(kind: str, parts: Sequence[Quantity]) -> Quantity:
    is_difference = kind == "-" and all(part.day for part in parts)
    if kind in SPANS or is_difference:
        return _span("day", parts[::-1], signed=True) if is_difference else _span(kind, parts)
    if kind in {"min", "max"}:
        _common_unit(parts, "compared")
        choose = min if kind == "min" else max
        return choose(parts, key=lambda part: (part.day and [each or 0 for each in part.day], part.number))
    if any(part.day for part in parts):
        raise Unfounded("its calculation uses a date as a number")
    if kind in {"sum", "average", "negative"}:
        total = sum((part.number for part in parts), Decimal())
        share = {"sum": total, "average": total / len(parts), "negative": -total}[kind]
        return Quantity(_bounded(share), _common_unit(parts, "added"))
    return _combined(kind, *parts)


def _combined(sign: str, left: Quantity, right: Quantity) -> Quantity:
    if sign in "+-":
        unit = _common_unit((left, right), _VERBS[sign])
        return Quantity(_bounded(left.number + (right.number if sign == "+" else -right.number)), unit)
    if sign == "*":
        return Quantity(_bounded(_share(left, right) * _share(right, left)), _product_unit(left, right))
    if not right.number:
        raise Unfounded("its calculation divides by zero")
    return Quantity(_bounded(left.number / _share(right, left)), _quotient_unit(left, right))


def _share(part: Quantity, other: Quantity) -> Decimal:
    """Return a factor; a percentage of something is a part of it."""
    is_share = part.unit == PERCENT and other.unit != PERCENT
    return part.number / 100 if is_share else part.number


def _bounded(number: Decimal) -> Decimal:
    if number and abs(number.adjusted()) > _MOST_DIGITS:
        raise Unfounded("its calculation has numbers too large or too small to compute")
    return number


def _common_unit(parts: Sequence[Quantity], verb: str) -> str:
    units = list(dict.fromkeys(part.unit for part in parts if part.unit))
    dated = {part.day is not None for part in parts}
    if len(units) > 1 or len(dated) > 1:
        what = " and ".join(units) if len(units) > 1 else "dates and numbers"
        raise Unfounded(f"its calculation combines different units: {what} cannot be {verb}")
    return units[0] if units else ""


def _product_unit(left: Quantity, right: Quantity) -> str:
    """Return the unit of a product: that of the part that is no time, no percentage and no bare number."""
    named = [part.unit for part in (left, right) if part.unit and part.unit != PERCENT]
    lasting = [unit for unit in named if unit not in time_units()]
    if len(lasting) > 1 or (len(named) > 1 and not lasting):
        raise Unfounded(f"its calculation multiplies {' by '.join(named)}")
    if named:
        return (lasting or named)[0]
    return PERCENT if left.unit == PERCENT != right.unit or right.unit == PERCENT != left.unit else ""


def _quotient_unit(left: Quantity, right: Quantity) -> str:
    if left.unit == right.unit:
        return ""
    if not right.unit or right.unit == PERCENT or not left.unit:
        return left.unit
    money = [is_money(part.unit) for part in (left, right)]
    if (right.unit in time_units() and left.unit not in time_units()) or money == [True, False]:
        return left.unit
    raise Unfounded(f"its calculation divides {left.unit} by {right.unit}")


def is_money(unit: str) -> bool:
    """Return whether a unit is a currency."""
    return len(unit) == 3 and unit.isascii() and unit.isupper()  # noqa: PLR2004 - ISO 4217


@cache
def time_units() -> Mapping[str, str]:
    """Return the units of time as figures name them, each with its English word."""
    words = ("second", "minute", "hour", *SPANS)
    found = {word: figures(f"2 {word}s") for word in words}
    return {each[0].unit or word: word for word, each in found.items() if each}


@cache
def _unit_named(word: str) -> str:
    return next((unit for unit, name in time_units().items() if name == word), word)


def _span(unit: str, parts: Sequence[Quantity], *, signed: bool = False) -> Quantity:
    """Return the time between two dates; years and months are whole ones, as in ages."""
    if len(parts) != 2:  # noqa: PLR2004
        raise Unfounded(f"its calculation of {unit}s needs two dates")
    days = [part.day or _year(part, unit) for part in parts]
    first, last = days if signed else sorted(days, key=lambda day: [each or 0 for each in day])
    if unit in {"day", "week"}:
        between = Decimal((_date(last, first, unit) - _date(first, last, unit)).days)
        number = between / _DAYS_OF_WEEK if unit == "week" else between
        return Quantity(number, _unit_named(unit))
    years = _known(last[0], unit) - _known(first[0], unit)
    if unit == "year":
        is_early = all((*first[1:2], *last[1:2])) and _tail(last, first) < _tail(first, last)
        return Quantity(Decimal(years - is_early), _unit_named(unit))
    months = 12 * years + _known(last[1], unit) - _known(first[1], unit)
    is_early = bool(first[2] and last[2] and last[2] < first[2])
    return Quantity(Decimal(months - is_early), _unit_named(unit))


def _year(part: Quantity, unit: str) -> Day:
    if part.unit or part.number != int(part.number) or not 0 < part.number <= 9999:  # noqa: PLR2004
        raise Unfounded(f"its calculation of {unit}s uses a number as a date")
    return (int(part.number), None, None)


def _tail(day: Day, other: Day) -> list[int]:
    """Return month and day, as far as both dates have them."""
    return [mine for mine, theirs in zip(day[1:], other[1:], strict=True) if mine and theirs]


def _date(day: Day, other: Day, unit: str) -> date:
    year = _NO_LEAP if day[0] is None and other[0] is None else _known(day[0], unit)
    try:
        return date(year, _known(day[1], unit), _known(day[2], unit))
    except ValueError as error:
        raise Unfounded(f"its calculation uses a date that does not exist: {day}") from error


def _known(part: int | None, unit: str) -> int:
    if part is None:
        raise Unfounded(f"its calculation of {unit}s needs a more exact date")
    return part


def shown(node: Node, operands: Sequence[str]) -> str:
    """Return an expression as people write it: 14,400 ÷ 4; a span as its two dates."""
    return _shown(node, operands)[0]


def _shown(node: Node, operands: Sequence[str]) -> tuple[str, int]:
    """Return an expression, and how strongly it binds."""
    parts = [_shown(part, operands) for part in node.parts]
    if node.kind in _SIGNS:
        binds = 1 if node.kind in "+-" else 2
        right = _bracketed(*parts[1], binds + (node.kind in "-/"))
        return f"{_bracketed(*parts[0], binds)} {_SIGNS[node.kind]} {right}", binds
    texts = [text for text, _binds in parts]
    total = " + ".join(texts)
    if node.kind == "sum":
        return total, 1
    if node.kind == "average":
        return f"({total}) ÷ {len(texts)}", 2
    return _whole(node, operands, texts), _STRONGEST


def _whole(node: Node, operands: Sequence[str], texts: Sequence[str]) -> str:
    if node.kind == "operand":
        return operands[node.nth]
    if node.kind == "constant":
        return f"{node.number:f}"
    if node.kind == "negative":
        return f"−({texts[0]})"
    if node.kind in SPANS:
        return " – ".join(texts)
    return ", ".join(filter(None, texts)) if node.kind == "count" else f"{node.kind}({'; '.join(texts)})"


def _bracketed(text: str, binds: int, needed: int) -> str:
    return text if binds >= needed else f"({text})"
