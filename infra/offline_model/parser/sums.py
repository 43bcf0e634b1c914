"""Plain arithmetic over the evidence: differences, sums, shares, ages and spans, with their calculations."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, NamedTuple

from workers.core.answers.lexical_rank import overlap, terms
from workers.core.language.figures.figures import Figure, figures
from workers.critic.expressions import Node, evaluated
from workers.critic.spans import Quantity, Unfounded

_THAN = re.compile(
    r"\bhow (?:much|many) (?:more|less|fewer|longer|taller|higher|larger|older|heavier|shorter|wider)\b"
    r"(?P<first>.{1,200}?)\bthan (?P<second>[^?]+)",
    re.IGNORECASE,
)
_DIFFERENCE = re.compile(r"\bdifference between (?P<first>.{1,200}?) and (?P<second>[^?]+)", re.IGNORECASE)
_TOGETHER = re.compile(
    r"\bhow (?:much|many) (?P<first>.{1,200}?) and (?P<second>.{1,200}?) "
    r"(?:together|in total|combined|in all|altogether)\b",
    re.IGNORECASE,
)
_SHARE = re.compile(
    r"\b(?:what|which) (?:share|percentage|percent|part) of (?P<second>.{1,200}?) "
    r"(?:is|was|were|are) (?P<first>[^?]+)",
    re.IGNORECASE,
)
_TIMES = re.compile(
    r"\bhow many times (?:larger|longer|more|higher|the size)?(?P<first>.{1,200}?)"
    r"\b(?:than|of) (?P<second>[^?]+)",
    re.IGNORECASE,
)
_AGE = re.compile(
    r"\bhow old (?:was|is) (?P<who>.{1,200}?) when (?:he|she|they) (?P<did>[^?]+)", re.IGNORECASE
)
_SPAN = re.compile(
    r"\bhow many (?P<unit>years|months|weeks|days) (?:passed |were there |lie |are there )?"
    r"(?:between (?P<first>.{1,200}?) and (?P<second>[^?]+)"
    r"|after (?P<third>.{1,200}?) (?:was|did|were) (?P<fourth>[^?]+))",
    re.IGNORECASE,
)
_COUNT = re.compile(r"^\W*how many (?P<noun>[a-z]+) (?P<did>[^?]+)", re.IGNORECASE)
_OF = re.compile(r"\b(?:of|on|in)\b")
_IS = re.compile(r"^(?:is|are|was|were|did|does|do) ", re.IGNORECASE)
_ENOUGH = 0.5  # of the words of a side that its evidence says
_UNIT = re.compile(r"\s?(?:[%‰]|[^\W\d_]+)")
_BORN = "born"


class _Found(NamedTuple):
    n: int
    quote: str
    figure: Figure

    @property
    def operand(self) -> dict[str, Any]:
        return {"citation": self.n, "number": self.figure.text}


def draft_sum(question: str, evidence: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Return a draft's sentence with its calculation; None if the question needs none.

    Args:
        question: the question, in English.
        evidence: evidence of the draft: {n, fact, quote, source}.
    """
    for pattern, build in _KINDS:
        match = pattern.search(question)
        if match and (sentence := build(match, evidence)):
            return sentence
    return None


def parts_of_sum(question: str) -> list[str]:
    """Return the questions whose answers a calculation needs; none if the question needs no calculation."""
    if match := _AGE.search(question):
        return [f"When was {match['who']} born?", f"When did {match['who']} {match['did']}?"]
    matches = (pattern.search(question) for pattern in (_TIMES, _THAN, _DIFFERENCE, _TOGETHER, _SHARE))
    match = next(filter(None, matches), None)
    return [f"What is {_IS.sub('', side)}?" for side in _sides(match)] if match else []


def _difference(match: re.Match[str], evidence: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    pair = _pair(match, evidence)
    if pair is None:
        return None
    larger, smaller = sorted(pair, key=_number, reverse=True)
    value = _with_unit(_number(larger) - _number(smaller), larger)
    return _sentence(f"The difference is {value}.", value, (larger, smaller), "{} - {}")


def _total(match: re.Match[str], evidence: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    pair = _pair(match, evidence)
    if pair is None:
        return None
    value = _with_unit(sum(map(_number, pair), Decimal()), pair[0])
    return _sentence(f"Together it is {value}.", value, pair, "{} + {}")


def _share(match: re.Match[str], evidence: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    pair = _pair(match, evidence)
    if pair is None or not _number(pair[1]):
        return None
    value = f"{_rounded(100 * _number(pair[0]) / _number(pair[1]))}%"
    return _sentence(f"The share is {value}.", value, pair, "{} / {} * 100")


def _times(match: re.Match[str], evidence: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    pair = _pair(match, evidence)
    if pair is None or not _number(pair[1]):
        return None
    value = _rounded(_number(pair[0]) / _number(pair[1]))
    return _sentence(f"It is {value} times as much.", value, pair, "{} / {}")


def _age(match: re.Match[str], evidence: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    born = _best(f"{match['who']} {_BORN}", evidence, _is_date)
    did = _best(f"{match['who']} {match['did']}", evidence, _is_date)
    return _between(f"{match['who']} was {{}} old.", "years", born, did)


def _span(match: re.Match[str], evidence: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    first = _best(match["first"] or f"{match['third']} {_last_word(match)}", evidence, _is_date)
    second = _best(match["second"] or match["fourth"], evidence, _is_date)
    return _between("It was {}.", match["unit"].casefold(), first, second)


def _last_word(match: re.Match[str]) -> str:
    return match["fourth"].split()[-1]


def _count(match: re.Match[str], evidence: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Count the statements that match the whole question, if none of them gives the number."""
    wanted = frozenset(terms(f"{match['noun']} {match['did']}"))
    saying = [entry for entry in evidence if overlap(wanted, str(entry.get("quote") or "")) == 1]
    if len(saying) < 2 or any(figures(str(entry["quote"])) for entry in saying):  # noqa: PLR2004
        return None
    numbers = [int(entry["n"]) for entry in saying]
    calculation = {
        "value": str(len(numbers)),
        "expression": "count",
        "operands": [{"citation": n, "number": ""} for n in numbers],
    }
    text = f"There are {len(numbers)} {match['noun']}."
    return {"text": text, "citations": numbers, "calculations": [calculation]}


def _between(said: str, unit: str, first: _Found | None, second: _Found | None) -> dict[str, Any] | None:
    if first is None or second is None or first == second:
        return None
    days = [Quantity(Decimal(), day=found.figure.day) for found in (first, second)]
    span = Node(unit.removesuffix("s"), (Node("operand", nth=0), Node("operand", nth=1)))
    try:
        number = evaluated(span, days, ("", "")).number
    except Unfounded:
        return None
    value = f"{_rounded(number)} {unit}"
    return _sentence(said.format(value), value, (first, second), f"{unit}({{}}; {{}})")


_Build = Callable[[re.Match[str], Sequence[Mapping[str, Any]]], dict[str, Any] | None]
_KINDS: Sequence[tuple[re.Pattern[str], _Build]] = (
    (_TIMES, _times),
    (_THAN, _difference),
    (_DIFFERENCE, _difference),
    (_TOGETHER, _total),
    (_SHARE, _share),
    (_AGE, _age),
    (_SPAN, _span),
    (_COUNT, _count),
)


def _sides(match: re.Match[str]) -> tuple[str, str]:
    """Return the subjects of a question's two sides; "that of Y" refers to the same property as X."""
    first, second = match["first"].strip(), match["second"].strip()
    shared = re.match(r"(?:that|those|the one) (?:of|on|in) ", second, re.IGNORECASE)
    return first, f"{_OF.split(first)[0]}of {second[shared.end() :]}" if shared else second


def _pair(match: re.Match[str], evidence: Sequence[Mapping[str, Any]]) -> tuple[_Found, _Found] | None:
    """Return the numbers of the two sides of a question, of one unit."""
    first, second = _sides(match)
    one = _best(first, evidence, _is_number)
    other = _best(second, [entry for entry in evidence if one is None or entry["n"] != one.n], _is_number)
    if one is None or other is None or one.figure.unit != other.figure.unit:
        return None
    return one, other


def _best(side: str, evidence: Sequence[Mapping[str, Any]], fits: Callable[[Figure], bool]) -> _Found | None:
    """Return the figure of the evidence that speaks most of a side; one with a unit before another."""
    wanted = frozenset(terms(side))
    found = [
        (overlap(wanted, _told(entry)), bool(figure.unit), entry, figure)
        for entry in evidence
        for figure in figures(str(entry.get("quote") or ""))
        if fits(figure)
    ]
    best = max(found, key=lambda each: each[:2], default=None)
    if best is None or best[0] < _ENOUGH:
        return None
    return _Found(int(best[2]["n"]), str(best[2]["quote"]), best[3])


def _told(entry: Mapping[str, Any]) -> str:
    return " ".join(str(entry.get(name) or "") for name in ("fact", "quote", "source"))


def _is_number(figure: Figure) -> bool:
    return bool(figure.readings) and not figure.day and any(map(str.isdigit, figure.text))


def _is_date(figure: Figure) -> bool:
    return bool(figure.day)


def _number(found: _Found) -> Decimal:
    return max(found.figure.readings)


def _with_unit(number: Decimal, found: _Found) -> str:
    """Return a number with the unit of another one."""
    text, quote = found.figure.text, found.quote
    at = quote.find(text)
    behind = _UNIT.match(quote, at + len(text)) if found.figure.unit and at >= 0 else None
    sign = quote[at - 1 : at] if found.figure.unit and at > 0 and quote[at - 1] in "$€£¥" else ""
    return f"{sign}{_rounded(number)}{behind.group() if behind and not sign else ''}"


def _rounded(number: Decimal) -> str:
    shown = number.quantize(Decimal("0.1"), ROUND_HALF_UP)
    return f"{int(shown):,}" if shown == int(shown) and number == int(number) else f"{shown:,}"


def _sentence(text: str, value: str, found: Sequence[_Found], expression: str) -> dict[str, Any]:
    calculation = {
        "value": value,
        "expression": expression.format(*(each.figure.text for each in found)),
        "operands": [each.operand for each in found],
    }
    cited = list(dict.fromkeys(each.n for each in found))
    return {"text": text, "citations": cited, "calculations": [calculation]}
