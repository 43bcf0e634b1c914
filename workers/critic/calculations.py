"""Checks the calculations that a writer gives with a sentence, and shows them in it.

A sentence may state a value that no quote states if it follows from quoted values: every operand is looked up
in its quote, the expression is evaluated with decimals and dates, and the result is compared with the value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from decimal import ROUND_HALF_UP, Decimal, DecimalException, localcontext
from typing import NamedTuple

from workers.core.language.decimals import ABOUT, NEAR, is_about
from workers.core.language.figures.dates import Day
from workers.core.language.figures.figures import Figure, figures
from workers.core.language.text import normalise
from workers.critic.calculation_words import (
    CONSTANTS,
    FELL,
    FRACTIONS,
    INCLUSIVE,
    NEVER_COUNTED,
    NOT_INCLUSIVE,
    PARTS,
    PER_TIME,
    ROSE,
)
from workers.critic.expressions import (
    HUNDRED,
    PERCENT,
    SPEEDS,
    Node,
    Parser,
    check_constants,
    cut,
    evaluated,
    shown,
)
from workers.critic.schema import DraftCalculation
from workers.critic.spans import SPANS, Quantity, Unfounded, time_units

Standing = Callable[[int], str | None]  # what a number of the evidence cites; None where there is none

_PRECISION = 50  # digits
_EXACT = 28  # digits of a reported result
_PLACES = 4  # of a result in a reason

_ABOUT = re.compile(rf"{ABOUT}$", re.IGNORECASE)
_SPAN = re.compile(r"\s*((?:day|week|month|year)s)\s*\([^()]*\)\s*$", re.IGNORECASE)
_OF_TIME = (7, 12, 24, 52, 60, 365)
_EXACTLY = Decimal("1e-20")  # how far a third may be from a third
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_BEHIND = re.compile(  # a number, where its unit stands
    r"[\s\u00a0-]?(?:[%‰]|[^\W\d_]+[²³]?(?:/[^\W\d_]+[²³]?)?)|\s?[€$£¥₽₹]"
)
_REST_OF_UNIT = re.compile(
    r"(?:[²³]|/[^\W\d_]+[²³]?|(?<=percentage) points?\b|\s(?:per|pro|je|par)\s[^\W\d_]+[²³]?"
    r"|\san?\s(?:second|minute|hour|day|week|month|quarter|year)\b)+"
)
# Words between two numbers if only the second has a unit.
_BETWEEN = re.compile(
    r"\s*(?:to|and|or|bis|auf|und|oder|à|et|ou|a|y|o|e|до|и|или|から|と|到|至|和|[-–/])\s*", re.IGNORECASE
)
_DIGITS = re.compile(r"\d[\d.,]*")
_ALIKE = str.maketrans({"÷": "/", "×": "*", "−": "-", "–": "-"})


_DENIED = 20  # characters beside words within which a denial is one of them


class Checked(NamedTuple):
    """A correct calculation, and the position of its value in the sentence."""

    value: str
    expression: str  # as shown
    result: str  # exact, or to 28 digits
    operands: tuple[tuple[int, str], ...]  # number of the evidence, and what stands there
    end: int  # of the value with its unit
    carried: tuple[tuple[int, int], ...]  # the figures of the sentence that need no other source


def check_calculations(
    sentence: str, calculations: Sequence[DraftCalculation], standing: Standing, question: str
) -> list[Checked]:
    """Check a sentence's calculations and return them.

    Args:
        sentence: sentence without markers.
        calculations: calculations given by the writer.
        standing: returns the text that an evidence number cites: quote, row and title.
        question: its numbers may be used without a citation.

    Raises:
        Unfounded: a calculation is wrong, uses something not cited, or gives a value that the sentence does
            not state.
    """
    with localcontext() as context:
        context.prec = _PRECISION
        checked: list[Checked] = []
        try:
            for each in calculations:
                taken = {span for other in checked for span in other.carried}
                checked.append(_Calculation(sentence, each, standing, question, taken).checked())
        except DecimalException as error:
            raise Unfounded("its calculation has numbers too large or too small to compute") from error
    return checked


def without_values(sentence: str, checked: Iterable[Checked]) -> str:
    """Return a sentence without the figures that its calculations support."""
    for start, end in reversed(_merged(span for each in checked for span in each.carried)):
        sentence = f"{sentence[:start]}{sentence[end:]}"
    return sentence


def _merged(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return spans in order, with overlapping spans merged."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def with_operands(sentence: str, checked: Sequence[Checked]) -> str:
    """Return a sentence with operands in place of its calculated values, for comparison with its quotes."""
    operands = dict.fromkeys(text for each in checked for _citation, text in each.operands if text)
    return " ".join((without_values(sentence, checked), *(f"({text})" for text in operands)))


def with_calculations(sentence: str, checked: Iterable[Checked]) -> str:
    """Return a sentence with each calculation in parentheses after its value, unless already present."""
    squeezed = _squeezed(sentence)
    for end, expression in sorted({(each.end, each.expression) for each in checked}, reverse=True):
        if _squeezed(expression) not in squeezed:
            behind = f"（{expression}）" if _CJK.search(sentence) else f" ({expression})"
            sentence = f"{sentence[:end]}{behind}{sentence[end:]}"
    return sentence


def _squeezed(text: str) -> str:
    return "".join(text.split()).translate(_ALIKE)


class _Operand(NamedTuple):
    citation: int
    text: str
    figure: Figure | None  # as it stands in what is cited
    stands: str

    @property
    def readings(self) -> list[Quantity | None]:
        """Its possible readings; if a separator is ambiguous, the thousands separator comes first."""
        figure = self.figure
        if figure is None:
            return [None]
        if figure.day and not figure.readings:
            return [Quantity(Decimal(), "", day) for day in figure.days]
        return [Quantity(number, figure.unit) for number in sorted(figure.readings, reverse=True)]


class _Calculation:
    def __init__(
        self,
        sentence: str,
        given: DraftCalculation,
        standing: Standing,
        question: str,
        taken: Collection[tuple[int, int]],
    ) -> None:
        self._sentence = sentence
        self._value = " ".join(given.value.split())
        self._places = [match.span() for match in _as_a_whole(self._value).finditer(sentence)]
        if not self._places:
            self._find_value()
        self._places.sort(key=lambda place: _overlaps(place, taken))
        self._place = self._places[0]
        self._operands = [_operand(each.citation, each.number, standing) for each in given.operands]
        if not self._operands:
            raise Unfounded("its calculation cites nothing")
        self._asked = {number: figure.unit for figure in figures(question) for number in figure.readings}
        self._said = " ".join((sentence, question, *(each.stands for each in self._operands)))
        figured = [each.figure.unit for each in self._operands if each.figure]
        units = (*map(self._unit_at, self._places), *figured, *self._asked.values())
        self._of_percentage = PERCENT in units or "%" in given.expression

        texts = [each.text for each in self._operands]
        try:
            tree = Parser(given.expression, texts, self._operand_of, self._constant).parse()
        except Unfounded:
            span = _SPAN.match(given.expression)
            if span is None or not all(map(_is_dated, self._operands)):
                raise
            tree = Parser(
                span[1], texts, self._operand_of, self._constant
            ).parse()  # dates may be written in any form
        if not tree.has_operand:
            raise Unfounded("its calculation uses nothing that it cites")
        check_constants(tree, of_percentage=self._of_percentage)
        if tree.kind == "count":
            self._check_counted()
        self._tree = self._in_unit(tree)

    def _constant(self, figure: Figure) -> Node | None:
        """Return a number that needs no citation: one of the question, or one whose words are said."""
        for number in figure.readings:
            if number in self._asked:
                return Node("asked", number=number, unit=self._asked[number])
            words = CONSTANTS.get(int(number)) if number == int(number) else None
            is_inclusive = number == 1 and _counts_both_ends(self._said)
            is_whole = number == HUNDRED or (number == 1 and self._of_percentage) or is_inclusive
            if is_whole or (words and words.search(self._said)):
                return Node("constant", number=number)
        return None

    def _check_counted(self) -> None:
        """See to it that words which are counted are things of that kind, not "and" or the kind itself."""
        behind = re.match(r"\s*(\w+)", self._sentence[self._place[1] :])
        kind = _singular(behind[1]) if behind else ""
        words = {operand.text for operand in self._operands}
        for word in words - {""}:
            if word in NEVER_COUNTED or (len(words) > 1 and _singular(word) == kind):
                raise Unfounded(f"its calculation counts the word “{cut(word)}”")

    def _find_value(self) -> None:
        """Use the sentence's own form of a value that it writes differently."""
        said = figures(self._value)
        same = [figure for figure in figures(self._sentence) if len(said) == 1 and _is_same(figure, said[0])]
        if not same:
            raise Unfounded(f"it does not state {self._value}, the value of its calculation")
        self._value = same[0].text
        self._places = [(each.start, each.end) for each in same if each.text == self._value]

    def _in_unit(self, tree: Node) -> Node:
        """Return a date less another as the span that the sentence says; a bare number is one of years."""
        dated = [part.kind == "operand" and _is_dated(self._operands[part.nth]) for part in tree.parts]
        if tree.kind == "year" and _months(self._value) is not None:
            return Node("month", tree.parts)
        if tree.kind != "-" or not all(dated):
            return tree
        named = [time_units().get(figure.unit) for figure in figures(self._value)]
        unit = "month" if named == ["year", "month"] else time_units().get(self._unit(), "year")
        return Node(unit, tree.parts[::-1]) if unit in SPANS and unit != "day" else tree

    def _unit(self) -> str:
        """Return the unit of the value, in it or beside it."""
        return self._unit_at(self._place)

    def _unit_at(self, place: tuple[int, int]) -> str:
        said = (figure.unit for figure in figures(self._value) if figure.unit)
        beside = (
            figure.unit
            for figure in figures(self._sentence)
            if figure.unit and _overlaps(figure[1:3], (place,))
        )
        return next(said, "") or next(beside, "")

    def _operand_of(self, figure: Figure) -> int | None:
        """Return the operand that a number of the expression means, though it is written otherwise there."""
        same = [
            (operand.figure.unit != figure.unit, nth)
            for nth, operand in enumerate(self._operands)
            if operand.figure and set(figure.readings) & set(operand.figure.readings)
        ]
        return min(same)[1] if same else None

    def checked(self) -> Checked:
        """Return the calculation with its result.

        Raises:
            Unfounded: the sentence states another value.
        """
        first: Quantity | None = None
        for way in (0, -1):  # of reading separators, the same for all
            operands = [operand.readings[way] for operand in self._operands]
            result = evaluated(self._tree, operands, self._counted())
            first = first or result
            if result.unit == PERCENT and self._tree.holds(HUNDRED) and not self._of_percentage:
                raise Unfounded("its calculation uses 100 where there is no percentage")
            agreeing = (place for place in self._places if self._unit_at(place) == result.unit)
            self._place = next(agreeing, self._places[0])
            if self._is_said(result) or self._is_named(result, operands):
                return self._told(result)
        assert first is not None  # noqa: S101 - there is one reading at least
        expression = cut(shown(self._tree, [operand.text for operand in self._operands]))
        told = _in_words(first, self._unit())
        raise Unfounded(f"{expression} is {told}, not {self._value}")

    def _told(self, result: Quantity) -> Checked:
        return Checked(
            value=self._value,
            expression=shown(self._tree, [operand.text for operand in self._operands]),
            result=_exact(result),
            operands=tuple((operand.citation, operand.text) for operand in self._operands),
            end=self._end(),
            carried=tuple(self._carried()),
        )

    def _counted(self) -> list[str]:
        """Return the identity of each operand: its words, else its citation.

        Those of one word, such as "late" in several rows, are told apart by what they cite.
        """
        texts = [normalise(operand.text) for operand in self._operands]
        if len(set(texts)) == 1:
            return [normalise(operand.stands) for operand in self._operands]
        return [
            next((other for other in texts if text != other and f" {text} " in f" {other} "), text)
            or normalise(operand.stands)
            for text, operand in zip(texts, self._operands, strict=True)
        ]

    def _is_said(self, result: Quantity) -> bool:
        """Return whether the value is the result, rounded as written."""
        about = _ABOUT.search(self._sentence[: self._place[0]]) is not None
        if result.day:
            return any(_is_part(day, result.day) for figure in figures(self._value) for day in figure.days)
        result = self._changed(result)
        fraction = _fraction(self._value)
        if fraction is not None and not result.unit:
            apart = abs(result.number - fraction)
            return apart < _EXACTLY or (about and apart <= NEAR * abs(result.number))
        months = _months(self._value)
        if months is not None:
            return time_units().get(result.unit) == "month" and result.number == months
        said = figures(self._value)
        if len(said) != 1:
            return False
        figure = said[0]._replace(unit=self._unit())
        number = result.number
        if figure.unit == PERCENT and not result.unit:
            number *= 100
        elif not self._has_unit(figure, result):
            return False
        return any(_rounded_is(number, reading, figure, about=about) for reading in figure.readings)

    def _has_unit(self, figure: Figure, result: Quantity) -> bool:
        """Return whether the unit of a value fits its result; one that names none fits any but percent."""
        if result.unit == PERCENT != figure.unit and self._tree.holds(HUNDRED):
            return False
        unit, _, per = result.unit.partition(" per ")
        if per and figure.unit == unit:  # "40 km a day", not "40 km"
            return PER_TIME[time_units()[per]].search(self._sentence) is not None
        same = figure.unit in ("", result.unit) or SPEEDS.get(figure.unit) == result.unit
        return same or not result.unit or self._converts(figure, result)

    def _changed(self, result: Quantity) -> Quantity:
        """Return the amount of a rise or fall as a positive number, if the sentence says which.

        Raises:
            Unfounded: the sentence says a rise and the calculation a fall, or the other way round.
        """
        rose, fell = bool(ROSE.search(self._sentence)), bool(FELL.search(self._sentence))
        from_greater = _change(self._tree)
        if rose == fell or not from_greater or not result.number:
            return result
        is_rise = (result.number > 0) == (from_greater > 0)
        if is_rise != rose:
            expression = cut(shown(self._tree, [operand.text for operand in self._operands]))
            raise Unfounded(
                f"{expression} is a {'rise' if is_rise else 'fall'}, but the sentence says the opposite"
            )
        return result._replace(number=abs(result.number))

    def _converts(self, figure: Figure, result: Quantity) -> bool:
        """Return whether a constant such as 12 months turns one unit of time into another."""
        of_time = figure.unit in time_units() and result.unit in time_units()
        return of_time and any(map(self._tree.holds, _OF_TIME))

    def _is_named(self, result: Quantity, operands: Sequence[Quantity | None]) -> bool:
        """Return whether the value is a name beside the smallest or largest of some numbers."""
        if self._tree.kind not in {"min", "max"} or figures(self._value):
            return False
        name = _as_a_whole(self._value)
        pairs = zip(self._operands, operands, strict=True)
        named = [each == result for operand, each in pairs if name.search(operand.stands)]
        return bool(named) and all(named)

    def _end(self) -> int:
        """Return the end of the first value, including its unit."""
        start, end = self._place
        behind = _BEHIND.match(self._sentence, end)
        alone = figures(self._value)
        longer = figures(self._sentence[start : behind.end()]) if behind else []
        has_unit = len(longer) == len(alone) == 1 and longer[0].unit and not alone[0].unit
        end = behind.end() if behind and has_unit else end
        rest = _REST_OF_UNIT.match(self._sentence, end)
        return rest.end() if rest else end

    def _carried(self) -> Iterator[tuple[int, int]]:
        """Yield the places of the value's figures, and of words such as "quarter" that say a constant."""
        start, end = self._place
        if _fraction(self._value) is not None:
            yield start, end
        for figure in figures(self._value):
            yield start + figure.start, start + figure.end
        if any(map(self._tree.holds, (2, 3, 4))):
            for match in PARTS.finditer(self._sentence):
                if not _overlaps(match.span(), (self._place,)):
                    yield match.span()


def _counts_both_ends(said: str) -> bool:
    """Return whether words say, without a denial, that the first and the last day count."""
    return any(
        NOT_INCLUSIVE.search(said[max(0, found.start() - _DENIED) : found.end() + _DENIED]) is None
        for found in INCLUSIVE.finditer(said)
    )


def _overlaps(span: Sequence[int], others: Iterable[Sequence[int]]) -> bool:
    return any(span[0] < other[1] and other[0] < span[1] for other in others)


def _is_part(day: Day, other: Day) -> bool:
    """Return whether a date is another one, written as exactly or less."""
    return all(mine in (None, theirs) for mine, theirs in zip(day, other, strict=True))


def _singular(word: str) -> str:
    return word.casefold().removesuffix("s")


def _months(value: str) -> Decimal | None:
    """Return the months of years and months, such as "2 years and 1 month"."""
    said = figures(value)
    if [time_units().get(figure.unit) for figure in said] != ["year", "month"]:
        return None
    years, months = (figure.readings[0] for figure in said)
    return 12 * years + months


def _change(tree: Node) -> int:
    """Return 1 if an expression is (new - old) / old, -1 if it is divided by the new value.

    0 is another expression, or one that does not tell which is the old.
    """
    kind, parts = tree.kind, tree.parts
    if kind == "negative":
        return -_change(parts[0])
    varying = [part for part in parts if not part.is_constant]
    if kind == "*" and len(varying) == 1:  # (new - old) / old * 100
        return _change(varying[0])
    if kind == "-" and len(varying) == 1:  # new / old - 1
        sign = 1 if varying[0] is parts[0] else -1
        return sign if varying[0].kind in {"*", "/"} else 0
    return _change_over(*parts) if kind == "/" else 0


def _change_over(change: Node, base: Node) -> int:
    if change.kind == "negative":
        return -_change_over(change.parts[0], base)
    if change.kind == "*" and change.parts[1].is_constant:
        return _change_over(change.parts[0], base)
    if change.kind != "-":
        return 0
    new, old = change.parts
    return 1 if base == old else -(base == new)


def _as_a_whole(text: str) -> re.Pattern[str]:
    words = r"\s+".join(map(re.escape, text.split()))
    before = r"(?<!\d)(?<!\d[.,])" + (r"(?<![^\W\d_])" if text[:1].isascii() and text[:1].isalpha() else "")
    after = r"(?!\d|[.,]\d)" + (r"(?![^\W\d_])" if text[-1:].isascii() and text[-1:].isalpha() else "")
    return re.compile(f"{before}{words}{after}", re.IGNORECASE)


def _operand(citation: int, number: str, standing: Standing) -> _Operand:
    """Return an operand as written in the cited text.

    Raises:
        Unfounded: it does not.
    """
    stands, text = standing(citation), " ".join(number.split())
    if stands is None:
        raise Unfounded("its calculation cites evidence that does not exist")
    wanted = figures(text)
    if len(wanted) != 1:
        if text and not _as_a_whole(text).search(stands):
            raise Unfounded(f"{cut(text)} is not in the cited text")
        return _Operand(citation, text, None, stands)
    same = [figure for figure in _with_units(stands) if _is_same(figure, wanted[0])]
    if not same:
        raise Unfounded(f"{cut(text)} is not in the cited text")
    same.sort(key=lambda figure: (figure.text != wanted[0].text, figure.unit != wanted[0].unit))
    shown = text if _as_a_whole(text).search(stands) else wanted[0].text
    return _Operand(citation, shown, same[0], stands)


def _with_units(stands: str) -> Iterator[Figure]:
    """Yield the figures of a text; the first of "from 10,000 to 10,500 euros" has the unit of the second."""
    found = figures(stands)
    for figure, after in zip(found, [*found[1:], None], strict=True):
        joined = after is not None and _BETWEEN.fullmatch(stands, figure.end, after.start)
        is_bare = figure.readings and not figure.unit
        yield figure._replace(unit=after.unit) if after and joined and is_bare else figure


def _is_same(figure: Figure, wanted: Figure) -> bool:
    if wanted.unit and figure.unit and wanted.unit != figure.unit:
        return False
    return bool(set(figure.days) & set(wanted.days)) or bool(set(figure.readings) & set(wanted.readings))


def _is_dated(operand: _Operand) -> bool:
    return operand.figure is not None and operand.figure.day is not None


def _fraction(value: str) -> Decimal | None:
    return next((number for number, words in FRACTIONS if words.fullmatch(value)), None)


def _rounded_is(result: Decimal, said: Decimal, figure: Figure, *, about: bool) -> bool:
    step = _step(said, figure)
    is_rounded = (result / step).quantize(Decimal(1), ROUND_HALF_UP) * step == said
    if is_rounded and step <= 1:
        return True
    return (is_rounded and abs(result - said) <= NEAR * abs(result)) or (
        about and is_about(said, result, step)
    )


def _step(said: Decimal, figure: Figure) -> Decimal:
    """Return the precision of a written number: 0.1 for "4.3", 100,000 for "1.2 million"."""
    if said == int(said) and any(letter.isalpha() for letter in figure.text):
        for written in (each for found in _DIGITS.findall(figure.text) for each in figures(found)):
            for number in written.readings:
                ratio = said / number if number else Decimal()
                if ratio == Decimal(10) ** max(ratio.adjusted(), 0):
                    return ratio * Decimal(10) ** -_places(number, written)
    return Decimal(10) ** -_places(said, figure)


def _places(number: Decimal, figure: Figure) -> int:
    """Return the written decimals of a number with two readings."""
    return figure.places if len(figure.readings) == 1 else max(0, -int(number.as_tuple().exponent))


def _exact(result: Quantity) -> str:
    if result.day:
        return "-".join(f"{part:02d}" for part in result.day if part)
    with localcontext() as context:
        context.prec = _EXACT
        return _plain(+result.number)


def _plain(number: Decimal) -> str:
    text = f"{number:f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text) or "0"


def _in_words(result: Quantity, said: str) -> str:
    """Return a result for the writer, with its unit where another is said, or one of time."""
    if result.day:
        return _exact(result)
    number = result.number.quantize(Decimal(1).scaleb(-_PLACES), ROUND_HALF_UP)
    whole, _, part = _plain(number).partition(".")
    told = f"{int(whole):,}" + (f".{part}" if part else "")
    word = time_units().get(result.unit)
    if word:
        return f"{told} {word}{'' if told == '1' else 's'}"
    return f"{told} {result.unit}" if result.unit and said not in ("", result.unit) else told
