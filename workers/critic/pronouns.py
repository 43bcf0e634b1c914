"""Checks whom a pronoun refers to when an answer replaces it by a name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from workers.core.answers.check import begins_no_name
from workers.core.answers.lexical_rank import overlap, terms
from workers.core.language.dates import month_of
from workers.core.language.genders import Gender, gender_of, may_be_work
from workers.core.language.text import sentences
from workers.core.records import FactSource
from workers.critic.context import Around, Source, place_in, text_before

_WORD = r"[^\W\d_a-z][\w'’-]*(?:\.(?= [A-Z]))?"
_NAME = re.compile(
    rf"\b{_WORD}"
    rf"(?:(?: (?:of|de|del|della|van|von|der|den|the|la|le|du|da|di|bin|al))* {_WORD})*"
)
_SUBJECT = re.compile(r"\b(?P<word>he|she|it|they|his|her|its|their)\b", re.IGNORECASE)
_HAN_SUBJECT = re.compile(r"^[^他她它]{0,14}(?P<word>他们|她们|它们|他|她|它)")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff·•]+")
_HAN_NAME = re.compile(r"[\u4e00-\u9fff]{2,6}[·•][\u4e00-\u9fff·•]{1,12}")
_GENDERS: dict[str, Gender] = {
    **dict.fromkeys(("he", "his", "他"), "m"),
    **dict.fromkeys(("she", "her", "她"), "f"),
    **dict.fromkeys(("it", "its", "它"), "thing"),
    **dict.fromkeys(("they", "their", "他们", "她们", "它们"), "several"),
}
_APART = re.compile(r",| \(")  # Durham, Maine; Mercury (planet)
_NEAR = 60  # characters before a pronoun that stands for the subject
_LEADING = 30  # characters before a subject that is named
_SHORTEST_HAN = 2


class Replaced(NamedTuple):
    """A name that a sentence uses in place of its source's pronoun."""

    name: str
    gender: Gender  # of the pronoun
    before: str  # the text of the chunk before the quote


def replaced(sentence: str, source: Source, around: Around) -> Replaced | None:
    """Return the name that a sentence uses in place of a pronoun in its quote; None if there is none."""
    if not isinstance(source, FactSource):
        return None
    gender = _pronoun(source.quote)
    if not gender:
        return None
    is_han = _HAN.search(source.quote)
    names = _new_han(sentence, source, around) if is_han else _names(sentence)
    quote = source.quote.casefold()
    new = [name for name in names if not any(word in quote for word in _words(name))]
    if len(new) == 1 or (new and sentence.find(new[0]) <= _LEADING and names[0] == new[0]):
        return Replaced(new[0], gender, text_before(source, around))
    return None


def mistaken(sentence: str, sources: Sequence[Source], around: Around) -> str | None:
    """Return why a name cannot be the person meant by the pronoun of a cited sentence; None if it can.

    Among several sources, the one that shares most with the sentence counts.
    """
    if not sources:
        return None
    wanted = terms(sentence)
    source = max(sources, key=lambda each: overlap(wanted, each.quote))
    if not isinstance(source, FactSource):
        return None
    found = replaced(sentence, source, around)
    name = found.name if found else _relative(sentence, source, around)
    if not name or any(name in other.stands for other in sources if other is not source):
        return None
    if found and not _is_other(found, source.title):
        return None
    return f"the cited text does not say that of {name}"


def introduction(found: Replaced, source: Source, around: Around) -> FactSource | None:
    """Return the sentence before a quote that names the person its pronoun means; None if the title does."""
    if not isinstance(source, FactSource) or _is_of(found.name, source.title):
        return None
    for chunk in around([source.chunk_id]):
        for start, end in sentences(chunk.text):
            place = place_in(chunk, start, end, source)
            if place.end <= source.start and found.name in " ".join(place.quote.split()):
                return place
    return None


def _relative(sentence: str, source: FactSource, around: Around) -> str:
    """Return a relative wrongly put for a pronoun, as the sentence before names somebody else; else ""."""
    gender, quoted = _pronoun(source.quote), _names(source.quote)
    known, surnames = [*quoted, *_names(source.title)], {name.split()[-1] for name in quoted}
    new = [name for name in _names(sentence) if not any(_is_same(name, other) for other in known)]
    if gender not in {"f", "m"} or len(new) != 1 or new[0].split()[-1] not in surnames:
        return ""
    before = text_before(source, around)
    last = _last_sentence(before)
    others = _names(last)
    if any(_GENDERS[word.casefold()] == gender for word in _SUBJECT.findall(last)):
        return ""
    if any(_is_same(new[0], other) for other in others):
        return ""
    return new[0] if any(gender_of(other, before).gender == gender for other in others) else ""


def _is_same(name: str, other: str) -> bool:
    mine, theirs = set(_words(name)), set(_words(other))
    return mine <= theirs or theirs <= mine


def _pronoun(quote: str) -> Gender:
    """Return the gender of the pronoun that is a quote's subject, before any name."""
    if _HAN.search(quote):
        match = _HAN_SUBJECT.match(quote)
        return _GENDERS[match["word"]] if match else ""
    match = _SUBJECT.search(quote, 0, _NEAR)
    if match is None or _names(quote[: match.start()]):
        return ""
    return _GENDERS[match["word"].casefold()]


def _names(text: str) -> list[str]:
    """Return the names of a text in its order."""
    found = []
    for match in (match for span in sentences(text) for match in _NAME.finditer(text, *span)):
        name = match.group()
        while name and (begins_no_name(name.split()[0], "") or month_of(name.split()[0].casefold())):
            name = name.partition(" ")[2]  # "In March Ada"
        while name and name.split()[0].islower():
            name = name.partition(" ")[2]
        name = re.sub(r"['’]s$", "", name)
        if len(name) > 1:
            found.append(name)
    return found


def _new_han(sentence: str, source: FactSource, around: Around) -> list[str]:
    """Return the longest pieces of a Chinese sentence that occur in the text before a quote."""
    before = f"{source.title}\n{text_before(source, around)}"
    pieces = []
    for run in _HAN.findall(sentence):
        at = 0
        while at < len(run):
            end = at
            while end < len(run) and run[at : end + 1] in before:
                end += 1
            if end - at >= _SHORTEST_HAN:
                pieces.append(run[at:end])
            at = max(end, at + 1)
    return pieces


def _words(name: str) -> list[str]:
    return [word for word in name.casefold().split() if len(word) > 1 and not word.endswith(".")] or [name]


def _is_of(name: str, title: str) -> bool:
    """Return whether a document's title is about somebody of this name."""
    folded = title.casefold()
    return any(word in folded for word in _words(name) if word[:1].isalpha() and word not in {"of", "the"})


def _is_other(found: Replaced, title: str) -> bool:
    """Return whether a pronoun means somebody else than the one named."""
    text = f"{found.before}\n{title}"
    named, wanted = gender_of(found.name, text), found.gender
    titled = [title] if _HAN.search(title) else _names(title)
    others = [
        (other, gender_of(other, text))
        for other in (*titled, *_found(found.before))
        if not set(_words(other)) & set(_words(found.name))
    ]
    fitting = [other for other, known in others if known.gender == wanted]
    is_open = wanted in {"thing", "several"} and (_is_of(found.name, title) or may_be_work(found.name))
    if wanted == "several":
        return named.gender in {"f", "m"} and not is_open and bool(fitting)
    if named.gender not in {"", wanted} and not is_open:
        return bool(fitting) or (named.is_told and named.gender != "several")
    last = _last_sentence(found.before)
    subject = _leading_name(last)
    is_of_title = bool(subject) and _is_of(subject, title) and not _is_of(found.name, subject)
    if _is_of(found.name, title) or (_is_of(found.name, last) and (is_open or not is_of_title)):
        return False
    return _may_mean(title, wanted, found.before) or (wanted != "thing" and subject in fitting)


def _may_mean(title: str, wanted: Gender, before: str) -> bool:
    """Return whether a pronoun can refer to a document's subject, named by its title."""
    name = _APART.split(title)[0].removeprefix("The ").strip()
    if not name:
        return False
    gender = gender_of(name, before).gender
    if wanted == "thing":
        return name in before and gender in {"thing", ""}
    return gender == wanted or (not gender and before.lstrip("# \n").startswith(name))


def _found(text: str) -> list[str]:
    return _HAN_NAME.findall(text) if _HAN.search(text) else _names(text)


def _last_sentence(text: str) -> str:
    spans = list(sentences(text))
    return text[slice(*spans[-1])] if spans else ""


def _leading_name(sentence: str) -> str:
    """Return the name that a sentence begins with; empty if it begins with none."""
    names = _found(sentence)
    return names[0] if names and sentence.find(names[0]) <= _LEADING else ""
