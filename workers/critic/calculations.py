"""Checks the calculations that a writer gives with a sentence, and shows them in it.

A sentence may state a value that no quote states if it follows from quoted values: every operand is looked up
in its quote, the expression is computed with decimals and dates, and the result is compared with the value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal, DecimalException, localcontext
from typing import NamedTuple

from workers.core.language.figures.figures import Figure, figures
from workers.core.language.text import normalise
from workers.critic.expressions import (
    PERCENT,
    SPANS,
    Day,
    Node,
    Parser,
    Quantity,
    Unfounded,
    evaluated,
    shown,
    time_units,
)
from workers.critic.schema import DraftCalculation

Standing = Callable[[int], str | None]  # what a number of the evidence cites; None where there is none

_PRECISION = 50  # digits
_EXACT = 28  # digits of a result that is told
_NEAR = Decimal("0.05")  # how far "about 4,000" may be from the result
_PLACES = 4  # of a result in a reason

_QUARTER = "quarter|quartal|viertel|trimest|kwarta|квартал|季|四半期|분기|quart|cuart|四分之"
_DAY = r"\bdays?\b|\bdail|\btage?|täglich|jour|\bd[ií]as?\b|giorn|\bdag|\bdni\b|дн|день|日|天|일"
# Numbers that may stand in an expression without a citation, by the words that must be said with them.
_CONSTANTS: Mapping[int, re.Pattern[str]] = {
    number: re.compile(words, re.IGNORECASE)
    for number, words in {
        2: r"\bhal[fvb]|hälfte|moiti|demi|mitad|medi[oa]|met[àa]\b|mezz|helft|połow|половин|半|二分之|절반|"
        r"\bdouble|twice|doppel|doble|doppi|dobro|dubbel|вдвое|倍|배",
        3: rf"third|drittel|tiers|tercio|terz[oi]|terço|derde|трет|三分之|triple|dreifach|{_QUARTER}",
        4: _QUARTER,
        7: rf"week|woche|semaine|semana|недел|周|週|{_DAY}",
        12: r"month|monat|\bmois\b|mensuel|\bmes(?:es)?\b|mensual|mes[ei]\b|mensil|"
        r"m[eê]s\b|maand|miesi|месяц|月|월",
        24: r"hour|stund|heure|\bhoras?\b|\bor[ae]\b|\buur|godzin|час|小时|時間|시간",
        52: r"week|woche|semaine|semana|settiman|tydzie|tygod|недел|周|週|星期|주",
        60: r"minut|second|sekund|минут|секунд|分|秒|분|초",
        100: r"",
        365: _DAY,
        1000: r"‰|per mille?\b|promille",
    }.items()
}
_SPAN = re.compile(r"\s*((?:day|week|month|year)s)\s*\([^()]*\)\s*$", re.IGNORECASE)
_OF_TIME = (7, 12, 24, 52, 60, 365)
_FRACTIONS: Sequence[tuple[Decimal, re.Pattern[str]]] = tuple(
    (Decimal(over) / Decimal(under), re.compile(words, re.IGNORECASE))
    for over, under, words in (
        (2, 3, r"two[ -]thirds|zwei drittel|deux tiers|dos tercios|三分之二|3分の2"),
        (3, 4, r"three[ -](?:quarters|fourths)|drei ?viertel|trois quarts|tres cuartos|四分之三|4分の3"),
        (1, 3, r"(?:(?:one|a)[ -])?third|(?:ein )?drittel|un tiers|un tercio|三分之一|3分の1"),
        (1, 4, r"(?:(?:one|a)[ -])?(?:quarter|fourth)|(?:ein )?viertel|un quart|un cuarto|四分之一|4分の1"),
        (1, 2, r"(?:one[ -])?half|(?:die )?hälfte|la moitié|la mitad|一半|半分"),
        (2, 1, r"double|twice|(?:das )?doppelte?|le double|el doble|两倍|兩倍|2倍"),
        (3, 1, r"triple|three times|(?:das )?dreifache|le triple|el triple|三倍|3倍"),
    )
)
# What a sentence says of a year's parts where it names no number: "one quarter's rent".
_PARTS = re.compile(r"\b(?:(?:one|a|per) )?(?:quarter|half|third|fourth)(?=\b|ly\b)", re.IGNORECASE)
_ABOUT = re.compile(
    r"(?:\b(?:about|around|roughly|approximately|nearly|almost|circa|ca\.?|rund|etwa|ungefähr|knapp|"
    r"environ|presque|près de|unos|unas|casi|alrededor de|quasi|aproximadamente|cerca de|ongeveer|około|"
    r"prawie)"
    r"|около|почти|примерно|大约|大約|约|約|およそ|ほぼ|약|~|≈)\s*$",
    re.IGNORECASE,
)
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_BEHIND = re.compile(r"[\s\u00a0-]?(?:[%‰]|[^\W\d_]+)|\s?[€$£¥₽₹]")  # a number, where its unit stands
_DIGITS = re.compile(r"\d[\d.,]*")
_ALIKE = str.maketrans({"÷": "/", "×": "*", "−": "-", "–": "-"})


class Checked(NamedTuple):
    """A correct calculation, and where its value stands in the sentence."""

    value: str
    expression: str  # as it is shown
    result: str  # exact, or to 28 digits
    operands: tuple[tuple[int, str], ...]  # number of the evidence, and what stands there
    end: int  # of the value with its unit
    carried: tuple[tuple[int, int], ...]  # the figures of the sentence that need no other source


def check_calculations(
    sentence: str, calculations: Sequence[DraftCalculation], standing: Standing, question: str
) -> list[Checked]:
    """Check a sentence's calculations and return them.

    Args:
        sentence: without markers.
        calculations: as the writer gave them.
        standing: the text that a number of the evidence cites: quote, row and title.
        question: its numbers may be used without a citation.

    Raises:
        Unfounded: one is wrong, uses what is not cited, or gives a value that the sentence does not state.
    """
    with localcontext() as context:
        context.prec = _PRECISION
        try:
            return [_Calculation(sentence, each, standing, question).checked() for each in calculations]
        except DecimalException as error:
            raise Unfounded("its calculation has numbers too large or too small to compute") from error


def without_values(sentence: str, checked: Iterable[Checked]) -> str:
    """Return a sentence without the figures that its calculations carry."""
    for start, end in sorted({span for each in checked for span in each.carried}, reverse=True):
        sentence = f"{sentence[:start]}{sentence[end:]}"
    return sentence


def with_operands(sentence: str, checked: Sequence[Checked]) -> str:
    """Return a sentence with operands in place of its calculated values, to compare it with its quotes."""
    operands = dict.fromkeys(text for each in checked for _citation, text in each.operands if text)
    return " ".join((without_values(sentence, checked), *(f"({text})" for text in operands)))


def with_calculations(sentence: str, checked: Iterable[Checked]) -> str:
    """Return a sentence with each calculation in parentheses after its value, unless it is there already."""
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
        """What it may mean: where a separator can be read in two ways, first that of thousands."""
        figure = self.figure
        if figure is None:
            return [None]
        if figure.day and not figure.readings:
            return [Quantity(Decimal(), "", day) for day in _days(figure)]
        return [Quantity(number, figure.unit) for number in sorted(figure.readings, reverse=True)]


class _Calculation:
    def __init__(self, sentence: str, given: DraftCalculation, standing: Standing, question: str) -> None:
        self._sentence = sentence
        self._value = " ".join(given.value.split())
        self._places = [match.span() for match in _as_a_whole(self._value).finditer(sentence)]
        if not self._places:
            self._find_value()
        self._operands = [_operand(each.citation, each.number, standing) for each in given.operands]
        if not self._operands:
            raise Unfounded("its calculation cites nothing")
        asked = {number for figure in figures(question) for number in figure.readings}
        said = " ".join((sentence, question, given.expression, *(each.text for each in self._operands)))

        def allows(number: Decimal) -> bool:
            words = _CONSTANTS.get(int(number)) if number == int(number) else None
            is_whole = number == 1 and self._unit() == PERCENT  # of a change: 1,750 / 1,250 - 1
            return number in asked or is_whole or bool(words and words.search(said))

        texts = [each.text for each in self._operands]
        try:
            tree = Parser(given.expression, texts, self._operand_of, allows).parse()
        except Unfounded:
            span = _SPAN.match(given.expression)
            if span is None or not all(map(_is_dated, self._operands)):
                raise
            tree = Parser(
                span[1], texts, self._operand_of, allows
            ).parse()  # dates may be written in any form
        if not tree.has_operand:
            raise Unfounded("its calculation uses nothing that it cites")
        self._tree = self._in_unit(tree)

    def _find_value(self) -> None:
        """Take a value that is written otherwise in the sentence as it stands there."""
        said = figures(self._value)
        same = [figure for figure in figures(self._sentence) if len(said) == 1 and _is_same(figure, said[0])]
        if not same:
            raise Unfounded(f"it does not say {self._value}, the value of its calculation")
        self._value = same[0].text
        self._places = [(same[0].start, same[0].end)]

    def _in_unit(self, tree: Node) -> Node:
        """Return a date less another as the span that the sentence says; a bare number is one of years."""
        dated = [part.kind == "operand" and _is_dated(self._operands[part.nth]) for part in tree.parts]
        if tree.kind != "-" or not all(dated):
            return tree
        unit = time_units().get(self._unit(), "year")
        return Node(unit, tree.parts[::-1]) if unit in SPANS and unit != "day" else tree

    def _unit(self) -> str:
        """Return the unit of the value, in it or beside it."""
        return next((figure.unit for figure in figures(self._value) if figure.unit), self._unit_beside())

    def _operand_of(self, text: str) -> int | None:
        """Return the operand that a number of the expression means, though it is written otherwise there."""
        numbers = {number for figure in figures(text) for number in figure.readings}
        for nth, operand in enumerate(self._operands):
            if operand.figure and numbers & set(operand.figure.readings):
                return nth
        return None

    def checked(self) -> Checked:
        """Return the calculation with its result.

        Raises:
            Unfounded: the sentence says something else.
        """
        first: Quantity | None = None
        for way in (0, -1):  # of reading separators, the same for all
            operands = [operand.readings[way] for operand in self._operands]
            result = evaluated(self._tree, operands, self._counted())
            first = first or result
            if self._is_said(result) or self._is_named(result, operands):
                return self._told(result)
        assert first is not None  # noqa: S101 - there is one reading at least
        expression = shown(self._tree, [operand.text for operand in self._operands])
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
        """Return what makes each operand one of its kind: its words, else what it cites.

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
        """Return whether the value is the result, rounded as it is written."""
        about = any(_ABOUT.search(self._sentence[:start]) for start, _end in self._places)
        if result.day:
            return any(result.day in _days(figure) for figure in figures(self._value))
        fraction = _fraction(self._value)
        if fraction is not None and not result.unit:
            return result.number == fraction or (about and _is_near(result.number, fraction))
        said = figures(self._value)
        if len(said) != 1:
            return False
        figure = said[0]._replace(unit=self._unit())
        number = result.number
        if figure.unit == PERCENT and not result.unit and not self._tree.holds(100):
            number *= 100
        elif (
            figure.unit and result.unit and figure.unit != result.unit and not self._converts(figure, result)
        ):
            return False
        return any(_rounded_is(number, reading, figure, about=about) for reading in figure.readings)

    def _converts(self, figure: Figure, result: Quantity) -> bool:
        """Return whether a constant such as 12 months turns one unit of time into another."""
        of_time = figure.unit in time_units() and result.unit in time_units()
        return of_time and any(map(self._tree.holds, _OF_TIME))

    def _is_named(self, result: Quantity, operands: Sequence[Quantity | None]) -> bool:
        """Return whether the value is a name that stands with the least or the greatest of some numbers."""
        if self._tree.kind not in {"min", "max"} or figures(self._value):
            return False
        name = _as_a_whole(self._value)
        pairs = zip(self._operands, operands, strict=True)
        named = [each == result for operand, each in pairs if name.search(operand.stands)]
        return bool(named) and all(named)

    def _unit_beside(self) -> str:
        """Return the unit that stands before or behind a bare value in the sentence."""
        beside = [
            figure.unit
            for figure in figures(self._sentence)
            for start, end in self._places
            if figure.start < end and start < figure.end
        ]
        return next(filter(None, beside), "")

    def _end(self) -> int:
        """Return where the first value ends, with the unit that follows it."""
        start, end = self._places[0]
        behind = _BEHIND.match(self._sentence, end)
        alone = figures(self._value)
        longer = figures(self._sentence[start : behind.end()]) if behind else []
        has_unit = len(longer) == len(alone) == 1 and longer[0].unit and not alone[0].unit
        return behind.end() if behind and has_unit else end

    def _carried(self) -> Iterator[tuple[int, int]]:
        """Yield the places of the value's figures, and of words such as "quarter" that say a constant."""
        for start, end in self._places:
            if _fraction(self._value) is not None:
                yield start, end
            for figure in figures(self._value):
                at = self._value.find(figure.text)
                if at >= 0:
                    yield start + at, start + at + len(figure.text)
        if any(map(self._tree.holds, (2, 3, 4))):
            for match in _PARTS.finditer(self._sentence):
                if not any(start < match.end() and match.start() < end for start, end in self._places):
                    yield match.span()


def _as_a_whole(text: str) -> re.Pattern[str]:
    words = r"\s+".join(map(re.escape, text.split()))
    before = r"(?<!\d)(?<!\d[.,])" + (r"(?<![^\W\d_])" if text[:1].isascii() and text[:1].isalpha() else "")
    after = r"(?!\d|[.,]\d)" + (r"(?![^\W\d_])" if text[-1:].isascii() and text[-1:].isalpha() else "")
    return re.compile(f"{before}{words}{after}", re.IGNORECASE)


def _operand(citation: int, number: str, standing: Standing) -> _Operand:
    """Return an operand as it stands in what is cited.

    Raises:
        Unfounded: it does not.
    """
    stands, text = standing(citation), " ".join(number.split())
    if stands is None:
        raise Unfounded("its calculation cites evidence that does not exist")
    wanted = figures(text)
    if len(wanted) != 1:
        if text and not _as_a_whole(text).search(stands):
            raise Unfounded(f"{text} is not in the cited text")
        return _Operand(citation, text, None, stands)
    same = [figure for figure in figures(stands) if _is_same(figure, wanted[0])]
    if not same:
        raise Unfounded(f"{text} is not in the cited text")
    same.sort(key=lambda figure: (figure.text != wanted[0].text, figure.unit != wanted[0].unit))
    shown = text if _as_a_whole(text).search(stands) else wanted[0].text
    return _Operand(citation, shown, same[0], stands)


def _is_same(figure: Figure, wanted: Figure) -> bool:
    if wanted.unit and figure.unit and wanted.unit != figure.unit:
        return False
    return bool(set(_days(figure)) & set(_days(wanted))) or bool(set(figure.readings) & set(wanted.readings))


def _days(figure: Figure) -> Sequence[Day]:
    """Return the days that a date may mean: 3/5/2019 is in March or in May."""
    return figure.days or ((figure.day,) if figure.day else ())


def _is_dated(operand: _Operand) -> bool:
    return operand.figure is not None and operand.figure.day is not None


def _fraction(value: str) -> Decimal | None:
    return next((number for number, words in _FRACTIONS if words.fullmatch(value)), None)


def _rounded_is(result: Decimal, said: Decimal, figure: Figure, *, about: bool) -> bool:
    step = _step(said, figure)
    is_rounded = (result / step).quantize(Decimal(1), ROUND_HALF_UP) * step == said
    return (is_rounded and step <= 1) or ((about or is_rounded) and _is_near(result, said))


def _is_near(result: Decimal, said: Decimal) -> bool:
    return abs(result - said) <= _NEAR * abs(result)


def _step(said: Decimal, figure: Figure) -> Decimal:
    """Return to what a number is rounded as it is written: 0.1 of "4.3", 100,000 of "1.2 million"."""
    if said == int(said) and any(letter.isalpha() for letter in figure.text):
        for written in (each for found in _DIGITS.findall(figure.text) for each in figures(found)):
            for number in written.readings:
                ratio = said / number if number else Decimal()
                if ratio == Decimal(10) ** max(ratio.adjusted(), 0):
                    return ratio * Decimal(10) ** -_places(number, written)
    return Decimal(10) ** -_places(said, figure)


def _places(number: Decimal, figure: Figure) -> int:
    """Return the decimals that are written, where a number is one of two readings."""
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
