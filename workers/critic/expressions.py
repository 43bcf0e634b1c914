"""Arithmetic expressions over cited numbers and dates: parsed, evaluated with units, and displayed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cache
from typing import NamedTuple, NoReturn

from workers.core.language.figures.figures import Figure, figures
from workers.core.language.figures.words import units
from workers.critic.spans import SPANS, Quantity, Unfounded, moved, span, time_units

PERCENT = "percent"
_DEEPEST = 20  # parentheses and signs
_MOST_TOKENS = 200
_LONGEST_TOLD = 120  # characters of an expression in a reason
HUNDRED = 100
_MOST_DIGITS = 30
_NUMBER = re.compile(r"\d{1,3}(?:[,.'’\u00a0\u202f]\d{3})+(?:[.,]\d+)?(?!\d)|\d+(?:[.,]\d+)?")
_WORD = re.compile(r"[^\W\d_]+")
_OPERATORS: Mapping[str, str] = {"÷": "/", "∕": "/", "×": "*", "·": "*", "−": "-", "–": "-"}
_SIGNS = {"+": "+", "-": "−", "*": "×", "/": "÷"}
_VERBS = {"+": "added", "-": "subtracted"}
_PER = " per "  # between the units of a speed
SPEEDS: Mapping[str, str] = {"km/h": f"kilometre{_PER}hour"}  # units that figures name by a sign
_FUNCTIONS: Mapping[str, str] = {
    **{name: name for name in ("sum", "average", "min", "max", "count")},
    **{f"{unit}s": unit for unit in SPANS},
    "mean": "average",
    "avg": "average",
    "minimum": "min",
    "maximum": "max",
}
_STRONGEST = 3  # of how parts of an expression bind


class Node(NamedTuple):
    """A part of an expression."""

    kind: str  # operand, constant, asked (in the question), + - * /, negative, percent, or a function
    parts: tuple[Node, ...] = ()
    nth: int = 0  # of an operand
    number: Decimal = Decimal()  # of a constant
    unit: str = ""  # of a number of the question

    @property
    def summands(self) -> int:
        """Number of operands that it adds up; 0 if it does anything else."""
        if self.kind not in {"operand", "+", "sum"}:
            return 0
        counts = [part.summands for part in self.parts]
        return 1 if self.kind == "operand" else sum(counts) * all(counts)

    @property
    def has_operand(self) -> bool:
        """Whether it contains an operand."""
        return self.kind == "operand" or any(part.has_operand for part in self.parts)

    @property
    def is_constant(self) -> bool:
        """Whether it contains neither an operand nor a number of the question."""
        return self.kind == "constant" or (bool(self.parts) and all(part.is_constant for part in self.parts))

    def holds(self, number: int) -> bool:
        """Return whether it contains this constant."""
        return (self.kind == "constant" and self.number == number) or any(
            part.holds(number) for part in self.parts
        )


class Parser:
    """Parses an expression whose numbers are operands or allowed constants.

    Words beside numbers, such as units, are ignored.

    Args:
        expression: expression as written.
        operands: the texts of the operands.
        nth_of: returns the index of the operand that a number in another spelling means; None if there is
            none.
        constant: returns a node for a number that may be used without being an operand, else None.
    """

    def __init__(
        self,
        expression: str,
        operands: Sequence[str],
        nth_of: Callable[[Figure], int | None],
        constant: Callable[[Figure], Node | None],
    ) -> None:
        self._text = expression
        self._nth_of = nth_of
        self._constant = constant
        self._figures = {figure.start: figure for figure in figures(expression) if figure.readings}
        longest = sorted(range(len(operands)), key=lambda nth: -len(operands[nth]))
        self._operands = [
            (nth, re.compile(rf"(?<!\d){re.escape(operands[nth])}(?!\d|[.,]\d)", re.IGNORECASE))
            for nth in longest
            if operands[nth]
        ]
        self._all = tuple(Node("operand", nth=nth) for nth in range(len(operands)))
        self._tokens = self._read()
        self._at = 0
        self._depth = 0

    def parse(self) -> Node:
        """Return the whole expression.

        Raises:
            Unfounded: it cannot be parsed, or a number is neither an operand nor an allowed constant.
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
            if len(tokens) > _MOST_TOKENS:
                raise Unfounded(f"its calculation “{cut(text)}” is too long")
            number, word = self._number_at(at, tokens), _WORD.match(text, at)
            sign = _OPERATORS.get(text[at], text[at])
            if number:
                tokens.append(number[0])
                at = number[1]
            elif word:
                name = _FUNCTIONS.get(word.group().casefold())
                called = text[word.end() :].lstrip().startswith("(") or word.group() == text.strip()
                tokens += [name] if name and called else []
                at = word.end()
            else:
                tokens += [{",": ";"}.get(sign, sign)] if sign in "+-*/();,%" else []
                at += 1
        return tokens

    def _number_at(self, at: int, before: Sequence[str | Node]) -> tuple[str | Node, int] | None:
        """Return the operand or other number at a position, and its end."""
        matches = ((nth, each.match(self._text, at)) for nth, each in self._operands)
        found = next(((nth, match) for nth, match in matches if match), None)
        figure = self._figures.get(at)
        if figure and (found is None or found[1].end() < figure.end):
            is_digit = figure.text[0].isdigit()
            may_be_signed = not before or before[-1] in [*"+-*/(;"]
            nth = self._nth_of(figure) if is_digit or (may_be_signed and figure.text[0] in "-−") else None
            if nth is not None:
                return Node("operand", nth=nth), figure.end
            if is_digit:
                return figure.text, figure.end
        if found and found[1].group()[0] in "-−" and before and before[-1] not in [*"+-*/(;"]:
            return None  # a sign of subtraction
        if found:
            return Node("operand", nth=found[0]), found[1].end()
        number = _NUMBER.match(self._text, at)
        return (number.group(), number.end()) if number else None

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
        """Return the number of operands of a sum that is divided by it, as in an average."""
        token = self._tokens[self._at] if self._at < len(self._tokens) else None
        count = node.summands
        if count > 1 and token == str(count):
            self._at += 1
            return Node("constant", number=Decimal(count))
        return None

    def _factor(self) -> Node:
        node = self._unsigned()
        return Node("percent", (node,)) if self._next_of("%") else node

    def _unsigned(self) -> Node:
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
        for figure in figures(text):
            nth = self._nth_of(figure)
            node = Node("operand", nth=nth) if nth is not None else self._constant(figure)
            if node is not None:
                return node
        raise Unfounded(f"{cut(text)} is not in the cited text")

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
        raise Unfounded(f"its calculation “{cut(self._text)}” cannot be read")


def cut(expression: str) -> str:
    """Return an expression for an error text, shortened if it is long."""
    is_long = len(expression) > _LONGEST_TOLD
    return f"{expression[: _LONGEST_TOLD - 1]}…" if is_long else expression


def check_constants(node: Node, *, of_percentage: bool) -> None:
    """Check that constants are only used to multiply and divide.

    Args:
        node: the expression.
        of_percentage: whether 100 and 1 may also be used in sums, differences and quotients, as in 1 + 19%.

    Raises:
        Unfounded: a constant is added, subtracted, compared or divided.
    """
    for part in node.parts:
        check_constants(part, of_percentage=of_percentage)
        is_whole = of_percentage and _is_whole(node if node.kind == "percent" else part)
        if node.kind == "*" or (node.kind == "/" and (part is node.parts[1] or node.is_constant)):
            continue
        if _is_inclusive(node, part):
            continue
        if part.is_constant and not (is_whole and node.kind in {*"+-/", "percent"}):
            raise Unfounded(f"{cut(shown(part, ()))} is not in the cited text")


def _is_inclusive(node: Node, part: Node) -> bool:
    """Return whether a part is the one that days between two dates are short of, where both count."""
    is_one = part.kind == "constant" and part.number == 1
    return is_one and node.kind == "+" and any(other.kind == "day" for other in node.parts)


def _is_whole(node: Node) -> bool:
    if node.kind == "percent":
        return _is_whole(node.parts[0]) and node.parts[0].number == HUNDRED
    return node.kind == "constant" and node.number in {1, HUNDRED}


def evaluated(node: Node, operands: Sequence[Quantity | None], counted: Sequence[str]) -> Quantity:
    """Return the value of an expression.

    Args:
        node: the expression.
        operands: values of its operands; None for one that is neither a number nor a date.
        counted: texts that distinguish the operands when they are counted.

    Raises:
        Unfounded: units do not fit, a divisor is zero, or a date is used as a number.
    """
    if node.kind == "operand":
        quantity = operands[node.nth]
        if quantity is None:
            raise Unfounded("its calculation uses words as a number")
        return quantity
    if node.kind == "count":
        kinds = {counted[part.nth] for part in node.parts if part.kind == "operand"}
        return Quantity(Decimal(len(kinds)))
    if node.kind in {"constant", "asked"}:
        return Quantity(node.number, node.unit)
    if node.kind in {"*", "/"}:
        return _product(list(_factors(node, operands, counted)))
    parts = [evaluated(part, operands, counted) for part in node.parts]
    if node.kind == "percent" and parts[0].unit != PERCENT and not _is_whole(node):
        raise Unfounded("its calculation uses a number as a percentage that is not one in the cited text")
    if node.kind in {"+", "-"}:
        _check_whole(node, parts)
    if node.kind in {"+", "-"} and PERCENT in {part.unit for part in parts}:
        parts = [
            Quantity(part.number, PERCENT) if _is_hundred(each, part) else part
            for each, part in zip(node.parts, parts, strict=True)
        ]
    return _result(node.kind, parts)


def _check_whole(node: Node, parts: Sequence[Quantity]) -> None:
    """See to it that 100 is added to and subtracted from percentages only, and 1 also from a ratio."""
    for nth, whole in enumerate(node.parts):
        other = node.parts[1 - nth]
        is_ratio = whole.number == 1 and other.kind in {"*", "/"} and not parts[1 - nth].unit
        if whole.is_constant and not (
            parts[1 - nth].unit == PERCENT or is_ratio or _is_inclusive(node, whole)
        ):
            raise Unfounded(f"{shown(whole, ())} is not in the cited text")


def _result(kind: str, parts: Sequence[Quantity]) -> Quantity:
    is_difference = kind == "-" and all(part.day for part in parts)
    if kind in SPANS or is_difference:
        return span("day", parts[::-1], signed=True) if is_difference else span(kind, parts)
    later = moved(kind, *parts) if kind in {"+", "-"} else None
    if later is not None:
        return later
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
    if kind == "percent":
        return Quantity(parts[0].number, PERCENT)
    return _combined(kind, *parts)


def _combined(sign: str, left: Quantity, right: Quantity) -> Quantity:
    added = right.number if sign == "+" else -right.number
    if right.unit == PERCENT != left.unit:  # 50 - 20%
        return Quantity(_bounded(left.number * (1 + added / HUNDRED)), left.unit)
    return Quantity(_bounded(left.number + added), _common_unit((left, right), _VERBS[sign]))


class _Factor(NamedTuple):
    quantity: Quantity
    divides: bool
    is_hundred: bool  # 100 without a unit
    is_constant: bool


def _factors(
    node: Node, operands: Sequence[Quantity | None], counted: Sequence[str], *, divides: bool = False
) -> Iterator[_Factor]:
    """Yield the factors and divisors of a product of any length."""
    if node.kind in {"*", "/"}:
        left, right = node.parts
        yield from _factors(left, operands, counted, divides=divides)
        yield from _factors(right, operands, counted, divides=divides != (node.kind == "/"))
        return
    quantity = evaluated(node, operands, counted)
    yield _Factor(quantity, divides, _is_hundred(node, quantity), node.kind == "constant")


def _is_hundred(node: Node, quantity: Quantity) -> bool:
    return node.kind in {"constant", "asked"} and quantity == Quantity(Decimal(HUNDRED))


def _product(factors: Sequence[_Factor]) -> Quantity:
    """Return a product; a percentage in it is a part of the rest, and is divided by 100 only once."""
    if any(factor.quantity.day for factor in factors):
        raise Unfounded("its calculation uses a date as a number")
    if any(factor.divides and not factor.quantity.number for factor in factors):
        raise Unfounded("its calculation divides by zero")
    number = Decimal(1)
    for factor in sorted(factors, key=lambda factor: factor.divides):
        each = factor.quantity.number
        number = _bounded(number / each if factor.divides else number * each)
    shares = Counter(factor.divides for factor in factors if factor.quantity.unit == PERCENT)
    hundreds = Counter(factor.divides for factor in factors if factor.is_hundred)
    left = {
        divides: hundreds[divides] - min(hundreds[divides], shares[not divides]) for divides in (True, False)
    }
    for divides, power in ((True, -1), (False, 1)):
        uncounted = shares[not divides] - (hundreds[divides] - left[divides])
        number *= Decimal(HUNDRED) ** (power * uncounted)
    unit = _unit_of_product(factors)
    if left[True] == left[False] or not any(factor.is_hundred and factor.is_constant for factor in factors):
        return Quantity(_bounded(number), unit)
    if unit or left[True] or left[False] > 1:
        raise Unfounded("its calculation uses 100 where there is no percentage")
    return Quantity(_bounded(number), PERCENT)


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


def _unit_of_product(factors: Sequence[_Factor]) -> str:
    over, under = Counter[str](), Counter[str]()
    for quantity, divides, *_ in factors:
        if quantity.unit and quantity.unit != PERCENT:
            unit, _, per = SPEEDS.get(quantity.unit, quantity.unit).partition(_PER)
            (under if divides else over)[unit] += 1
            (over if divides else under)[per] += bool(per)
    left, right = [list((one - other).elements()) for one, other in ((over, under), (under, over))]
    unit = _multiplied(left)
    return _quotient_unit(unit, right) if unit else ""


def _multiplied(named: Sequence[str]) -> str:
    """Return the unit of a product: money before others, and others before time."""
    money = [unit for unit in named if is_money(unit)]
    lasting = money or [unit for unit in named if unit not in time_units()]
    product = _powers().get(tuple(sorted(named)))
    if product:
        return product
    if len(lasting) > 1 or (len(named) > 1 and not lasting):
        raise Unfounded(f"its calculation multiplies {cut(' by '.join(named))}")
    return next(iter(lasting or named), "")


@cache
def _powers() -> Mapping[tuple[str, ...], str]:
    """Return the units that two or three make: areas and volumes of lengths, and kilowatt-hours."""
    known = set(units().values())
    squares = {(each, each): f"square {each}" for each in known if f"square {each}" in known}
    cubes = {(*pair, area): f"cubic {pair[0]}" for pair, area in squares.items()}
    volumes = {tuple(sorted((pair[0], area))): f"cubic {pair[0]}" for pair, area in squares.items()}
    energy = {("hour", "kilowatt"): "kilowatt-hour"}
    return energy | squares | volumes | {tuple(key[:1] * 3): cube for key, cube in cubes.items()}


def _quotient_unit(unit: str, divisors: Sequence[str]) -> str:
    for divisor in divisors:
        length = next((one for one, area in _powers().items() if area == unit and divisor in one), None)
        if is_money(unit) and not is_money(divisor):
            continue
        if length is not None and len(length) == 2:  # noqa: PLR2004 - an area, or a volume over an area
            unit = length[1 - length.index(divisor)]
        elif divisor in time_units() and unit not in time_units() and _PER not in unit:
            unit = f"{unit}{_PER}{divisor}"
        else:
            raise Unfounded(f"its calculation divides {unit} by {divisor}")
    return unit


def is_money(unit: str) -> bool:
    """Return whether a unit is a currency."""
    return len(unit) == 3 and unit.isascii() and unit.isupper()  # noqa: PLR2004 - ISO 4217


def shown(node: Node, operands: Sequence[str]) -> str:
    """Return an expression as people write it: 14,400 ÷ 4; a time span as its two dates."""
    # Where 20% is divided by 100, it is 20.
    bare = [re.sub(r"\s?%$", "", operand) for operand in operands]
    return _shown(node, bare if _divides_by_hundred(node) else operands)[0]


def _divides_by_hundred(node: Node) -> bool:
    right = node.parts[1] if node.kind == "/" else None
    is_hundred = right is not None and right.kind == "constant" and right.number == HUNDRED
    return is_hundred or any(map(_divides_by_hundred, node.parts))


def _shown(node: Node, operands: Sequence[str]) -> tuple[str, int]:
    """Return an expression, and how strongly it binds."""
    parts = [_shown(part, operands) for part in node.parts]
    if node.kind in _SIGNS:
        binds = 1 if node.kind in "+-" else 2
        is_negative = parts[1][0].startswith("−")
        right = _bracketed(*parts[1], _STRONGEST + 1 if is_negative else binds + (node.kind in "-/"))
        return f"{_bracketed(*parts[0], binds)} {_SIGNS[node.kind]} {right}", binds
    if node.kind in {"negative", "percent"}:
        text = _bracketed(*parts[0], _STRONGEST)
        return (f"−{text}", 1) if node.kind == "negative" else (f"{text.rstrip('%')}%", _STRONGEST)
    texts = [text for text, _binds in parts]
    total = " + ".join(text if text[:1] != "−" or not nth else f"({text})" for nth, text in enumerate(texts))
    if node.kind == "sum":
        return total, 1
    if node.kind == "average":
        return f"({total}) ÷ {len(texts)}", 2
    return _whole(node, operands, texts), _STRONGEST


def _whole(node: Node, operands: Sequence[str], texts: Sequence[str]) -> str:
    if node.kind == "operand":
        return re.sub(r"^-(?=\d)", "−", operands[node.nth])
    if node.kind in {"constant", "asked"}:
        return f"{node.number:f}"
    if node.kind in SPANS:
        return " – ".join(texts)
    return ", ".join(filter(None, texts)) if node.kind == "count" else f"{node.kind}({'; '.join(texts)})"


def _bracketed(text: str, binds: int, needed: int) -> str:
    return text if binds >= needed else f"({text})"
