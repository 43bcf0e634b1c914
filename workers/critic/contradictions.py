"""Finds statements that may give different values for the same thing, by rules and without a model.

Two statements may contradict each other if they differ only in the last number or date, or in one name, and
if the relation has a single value: "The notice period of the Marlow contract is 180 days" and "… is 270
days". The rules only propose: they compare words, and do not know about editions or different subjects with
the same name.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from workers.core.language.languages import function_words, language_of
from workers.core.language.text import CHINESE, UNSPACED, normalise
from workers.critic.relations import (
    is_other_name,
    is_unsure,
    named_value,
    names_its_subject,
    states_one_amount,
    states_one_date,
)
from workers.critic.values import MARK, Likeness, Value, is_equal, likeness, masked, shaped, values

_LONGEST = 400  # characters of a statement that is read
_MOST_SIDES = 4  # values of one thing; where there are more, it has several
_TOKEN = re.compile(rf"{MARK}|[{UNSPACED}]|[^\W_{UNSPACED}]+(?:['’.-][^\W_{UNSPACED}]+)*")
# Words by which two statements of the same may differ.
_SPARE = frozenset(
    """a an the of in on at to for is are was were be been has have had will now currently presently
    today amended changed extended raised increased reduced lowered shortened revised updated set fixed
    according exactly as that 的 了 是 为""".split()  # noqa: SIM905
)
_SPARE_HAN = re.compile("现在|目前|现已|已经|修改|变更|调整|延长|缩短|提高|降低|更新|现为|改为")
# Parts in which two titles of the same matter may differ.
_VERSION = re.compile(
    r"\b(?:19|20)\d\d\b|\bv\d+\b|\b(?:version|draft|final|amend\w*|copy|revis\w*|rev|update\w*|edition|"
    r"contract|agreement)\b|年|修订|补充|更新|修正|版|协议|合同"
)


class Statement(NamedTuple):
    """A statement with the documents that contain it, the title of the first one, and the table row there."""

    text: str
    document_ids: frozenset[str] = frozenset()
    title: str = ""
    row: str = ""  # what its first cell says; "" where it is no row of a table

    def is_of_other_row(self, other: Statement) -> bool:
        """Return whether both are rows of tables that describe different things."""
        return bool(self.row and other.row) and normalise(self.row) != normalise(other.row)


class StatedValue(NamedTuple):
    """A value, and the statement that gives it."""

    n: int  # place of the statement among all
    value: str  # as written


Group = tuple[tuple[StatedValue, ...], ...]  # per value who states it, two values or more


class _Reading(NamedTuple):
    n: int
    statement: Statement
    values: tuple[Value, ...]
    name: str  # "" where statements are compared by values
    language: str

    @property
    def value(self) -> str:
        return self.name or self.values[-1].text

    @property
    def is_named(self) -> bool:
        """Whether the statement names its subject."""
        return names_its_subject(shaped(self.statement.text), self.language)


def contradictions(statements: Sequence[Statement]) -> list[Group]:
    """Return groups of statements that may not all be true, ordered by the first statement of each."""
    alike: dict[tuple[str, ...], list[_Reading]] = defaultdict(list)
    for n, statement in enumerate(statements):
        for frame, reading in _readings(n, statement):
            alike[frame].append(reading)
    groups = [group for readings in alike.values() if (group := _group(readings))]
    return sorted(groups, key=lambda group: min(stated.n for side in group for stated in side))


def _readings(n: int, statement: Statement) -> Iterator[tuple[tuple[str, ...], _Reading]]:
    if len(statement.text) > _LONGEST or MARK in statement.text:
        return
    text = shaped(statement.text)
    text_values = tuple(values(text))
    rest = masked(text, text_values)
    name = named_value(rest)
    if not name and not text_values:
        return
    language = "zh" if CHINESE.search(text) and language_of(text) != "ja" else language_of(text)
    if is_unsure(text, language):
        return
    if text_values and _has_one(text_values, rest, language):
        yield ("value", *_frame(rest, language)), _Reading(n, statement, text_values, "", language)
    if name:
        yield (
            ("name", *_frame(name.frame, language)),
            _Reading(n, statement, text_values, name.name, language),
        )


def _has_one(text_values: Sequence[Value], rest: str, language: str) -> bool:
    """Return whether a thing has only one such value; for dates only if no other value is stated."""
    if text_values[-1].days:
        return len(text_values) == 1 and states_one_date(rest, language)
    return states_one_amount(rest, language)


def _frame(text: str, language: str) -> tuple[str, ...]:
    tokens = _TOKEN.findall(_SPARE_HAN.sub("", text).casefold().replace("'s", ""))
    spare = _SPARE if language in ("en", "zh") else function_words(language)
    return tuple(token for token in tokens if token not in spare and token != MARK)


def _group(readings: Sequence[_Reading]) -> Group | None:
    """Return the values that statements of one frame give, if these may contradict one another."""
    sides: list[list[_Reading]] = []
    for reading in readings:
        likes = [_likeness(side[0], reading) for side in sides]
        if "same" in likes:
            sides[likes.index("same")].append(reading)
        elif "unlike" not in likes:
            sides.append([reading])
        if len(sides) > _MOST_SIDES:
            return None
    documents = [frozenset().union(*(reading.statement.document_ids for reading in side)) for side in sides]
    # What one document says twice is true twice: in two places, of two editions.
    if len(sides) < 2 or any(ids & other for ids, other in combinations(documents, 2)):  # noqa: PLR2004
        return None
    return tuple(tuple(StatedValue(reading.n, reading.value) for reading in side) for side in sides)


def _likeness(reading: _Reading, other: _Reading) -> Likeness:
    if reading.statement.is_of_other_row(other.statement):
        return "unlike"
    if len(reading.values) != len(other.values) or not _is_same_subject(reading, other):
        return "unlike"
    end = None if reading.name else -1  # of values only the last may differ
    pairs = zip(reading.values[:end], other.values[:end], strict=True)
    if not all(is_equal(mine, theirs) for mine, theirs in pairs):
        return "unlike"
    if not reading.name:
        return likeness(reading.values[-1], other.values[-1])
    if reading.name == other.name:
        return "same"
    return "other" if is_other_name(reading.name, other.name) else "unlike"


def _is_same_subject(reading: _Reading, other: _Reading) -> bool:
    """Return whether both name their subject, or their documents' titles differ in the version only."""
    if reading.is_named and other.is_named:
        return True
    titles = [_TOKEN.findall(_VERSION.sub(" ", side.statement.title.casefold())) for side in (reading, other)]
    return bool(titles[0]) and titles[0] == titles[1]
