"""Reads a question: the names in it, its subject, and the kind of its answer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Literal

from infra.offline_model.parser.question.synonyms import (
    GERMAN_PARTICLES,
    GERMAN_STOP_WORDS,
    KINDS,
    STOP_WORDS,
    concept,
    concepts,
    is_dense,
)
from infra.offline_model.parser.statements.names import (
    CAPITALS,
    WORD_NUMBER,
    dates,
    names,
    numbers,
    quoted,
)
from workers.core.language.languages import language_of
from workers.core.language.text import words

Kind = Literal["date", "number", "person", "place", "any"]
_KINDS: tuple[tuple[Kind, re.Pattern[str], re.Pattern[str]], ...] = (  # in English, and in German
    (
        "date",
        re.compile(r"\bwhen\b|\b(?:what|which) (?:year|date|day|month|century|decade)\b", re.IGNORECASE),
        re.compile(r"\bwann\b", re.IGNORECASE),
    ),
    (
        "number",
        re.compile(
            r"\bhow (?:many|much|long|tall|high|old|far|big|large|deep|wide|heavy|often)\b", re.IGNORECASE
        ),
        re.compile(
            r"\bwie (?:viele?|lange?|hoch|alt|weit|groß|tief|breit|schwer|oft|teuer)\b", re.IGNORECASE
        ),
    ),
    (
        "place",
        re.compile(
            r"\bwhere\b|\b(?:what|which) (?:\w+ )?(?:city|town|country|village|state|place|region)\b",
            re.IGNORECASE,
        ),
        re.compile(r"\bwo(?:her|hin)?\b", re.IGNORECASE),
    ),
    (
        "person",
        re.compile(r"\bwho(?:m|se)?\b", re.IGNORECASE),
        re.compile(r"\b(?:we[rnm]|wessen)\b", re.IGNORECASE),
    ),
)
# In "the engineer who designed it" what was done tells who is meant; the facts need not call that one so.
_ROLE = re.compile(r"\bthe (\w+) (?:who|that|which)\b", re.IGNORECASE)

_GERMAN = re.compile(
    r"^\W*(?:we[rnm]|wessen|wann|wo(?:her|hin)?|wie|welche[rnms]?|warum|was(?= (?:ist|sind|war|wird)\b))\b",
    re.IGNORECASE,
)
# English questions that begin like German ones: "Was war declared?", "Wo Hop is ...", "Wen's brother ..."
_PERHAPS_ENGLISH = re.compile(
    rf"^\W*(?:(?i:was) (?:war (?![{CAPITALS}„])|[{CAPITALS}])"
    rf"|(?i:we[rnm]|wo|wie)(?:['’]| [{CAPITALS}]| (?:and|are|can|could|did|does|had|has|is|of|was|were)\b))"
)
_GERMAN_AFTER_PREPOSITION = re.compile(
    r"^\W*(?i:ab|an|auf|aus|bei|bis|durch|für|gegen|in|mit|nach|ohne|seit|über|um|von|vor|zu)"
    r" w(?:ann|e[nm]|essen|ie|o)\b"
)


@dataclass(frozen=True)
class Question:
    """A question as the parser takes it."""

    text: str
    names: tuple[str, ...]  # names, dates and quoted phrases in it
    matters: frozenset[str]  # concepts that an answer must speak of
    kind: Kind
    dense: bool  # a script without spaces: matters are pairs of characters

    @property
    def own(self) -> frozenset[str]:
        """The words of its names."""
        return frozenset(word for name in self.names for word in name_words(name))


@lru_cache(maxsize=1024)
def read_question(text: str) -> Question:
    """Take a question apart."""
    german = language_of(text) == "de"
    asking = _GERMAN.match(text)
    if asking and not german and _PERHAPS_ENGLISH.match(text):
        asking = None
    german = german or bool(asking or _GERMAN_AFTER_PREPOSITION.match(text))
    rest = text[asking.end() :] if asking else text
    phrases = [*quoted(rest), *names(rest), *dates(rest)]
    plain = [name for name in phrases if not any(name != other and name in other for other in phrases)]
    for name, ending in product(plain, ("'s", "’s", "")):
        rest = rest.replace(name + ending, " ")
    unasked = STOP_WORDS | KINDS | (GERMAN_STOP_WORDS if asking else frozenset())
    matters = {concept(word) for word in words(rest) if word not in unasked and not is_dense(word)}
    dense = is_dense(text)
    if dense:
        matters |= concepts(rest)
    kind = _kind_of(text, german=german)
    role = _ROLE.search(rest)
    if role and len(matters) > 1:
        matters.discard(concept(role.group(1).lower()))
    measure = re.search(r"\bhow (tall|high|long|old|heavy)\b", text, re.IGNORECASE)
    if measure:
        matters |= {concept(measure.group(1).lower().replace("heavy", "weigh"))}
    return Question(text, tuple(dict.fromkeys(plain)), frozenset(matters), kind, dense)


def _kind_of(text: str, *, german: bool) -> Kind:
    for kind, in_english, in_german in _KINDS:
        if in_english.search(text) or (german and in_german.search(text)):
            return kind
    return "any"


@lru_cache(maxsize=4096)
def name_words(name: str) -> tuple[str, ...]:
    """Return the words of a name that count when it is looked for."""
    unsaid = STOP_WORDS | GERMAN_PARTICLES
    return tuple(word.removesuffix("'s") for word in words(name) if word not in unsaid)


def mentions(name: str, text_words: frozenset[str]) -> bool:
    """Return whether a text has the name: all its words, or the last one of a name of several words."""
    wanted = name_words(name)
    if not wanted:
        return False
    if all(word in text_words for word in wanted):
        return True
    return len(wanted) > 1 and len(wanted[-1]) > 3 and wanted[-1] in text_words and wanted[0] in text_words  # noqa: PLR2004


def holds_kind(question: Question, text: str) -> bool:
    """Return whether a text has something of the wanted kind that the question lacks."""
    question_text = question.text
    if question.kind == "date":
        return any(date not in question_text for date in dates(text))
    if question.kind == "number":
        return any(number not in question_text for number in numbers(text)) or bool(WORD_NUMBER.search(text))
    if question.kind in ("person", "place"):
        own = question.own
        return any(not own.issuperset(name_words(name)) for name in names(text)) or question.dense
    return True
