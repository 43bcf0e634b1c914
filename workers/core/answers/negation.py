"""Detects sentences that deny what a quote affirms in the same words, or affirm what it denies."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from workers.core.answers.lexical_rank import STOP_WORDS
from workers.core.language.denials import (
    ALLOWED,
    BEGINS_CLAUSE,
    BY_MEANING,
    CLAUSE,
    NEGATIONS,
    OTHER_CLAUSE,
    THERE_IS,
    UNSPACED_NEGATIONS,
)
from workers.core.language.figures.figures import figures
from workers.core.language.forms import is_form
from workers.core.language.languages import function_words, language_of
from workers.core.language.plurals import is_verb_form
from workers.core.language.text import normalise, pieces

_SENTENCE = re.compile(r"[.!?。！？।\n](?!\d)")
_YES_NO = re.compile(
    r"^(?:yes|no|ja|nein|oui|non|sí|si|no|sim|não|da|да|нет|tak|nie|nee|evet|hayır|nem|igen)\s*[,.:;!–—]\s*",
    re.IGNORECASE,
)
_DO = re.compile(r"\b(do|does|did)(?:n['’]t| not| never)\b")  # what English denies a verb with
_TURKISH = re.compile(r"(?<=\w{2})m[aeıiuü](?=d[ıiuü]|m[ıi]ş|y[ae]c)|(?<=\w{3})m[ae]z(?=l[ae]r|d[ıi]|\b)")
_PREFIXING = {"cs": "není", "sk": "nie"}  # languages that deny a verb with ne- before it; a word that denies
_PREFIXED = re.compile(r"\bne(?!j)(\w{3,30})", re.IGNORECASE)
_ELIDED = re.compile(r"(?<!\w)(?:[cdjlmnst]|qu|un|all|dell|nell)['’]")
_SHORT, _LAST_LATIN = 2, "\u024f"  # letters of a word that carries no content, in Latin script
_STOP_WORDS = STOP_WORDS - {"own"}  # which may be the verb
_LEAST = 2  # content words that both have
_SURE, _ADDED = 3, 3  # words that a sentence shares with a denial, and those beside its subject that it omits
_STEM = 5  # letters that forms of a word share at least, where all words of two clauses are compared
_DECLINING, _SHORTEST_STEM = frozenset("ru uk bg pl cs sk".split()), 3  # вода and воды are forms  # noqa: SIM905
_JOINED_LETTERS = {"he": "והבלכמש", "ar": "وفبلك"}  # written as one with the word behind
# What does not exist, and forms that say it does. It follows the verb in Chinese and Thai, not in Japanese.
_NOTHING = (
    (re.compile(r"(?:没有|沒有|ไม่มี)(\w{2,12})$"), ("有{}", "มี{}")),
    (
        re.compile(r"(\w{2,12}?)[はがも](?:ない|なく|なかった|ありません)"),
        ("{}がある", "{}があり", "{}はある", "{}もあり", "{}もある"),
    ),
)
_JOINED = 3  # pieces of a sentence before a denial that may hold its subject
_LONG = 4  # letters of a word that is denied by itself: no lift
_LEAST_UNSPACED = 4  # characters


class _Clause(NamedTuple):
    words: tuple[str, ...]  # of its content; of a script without spaces the whole, and without its dates
    free: frozenset[str]  # those of them that may be added: names, numbers, dates
    denies: bool
    auxiliary: str = ""  # do, does or did, with which English denies
    text: str = ""  # normalised
    before: frozenset[str] = frozenset()  # those of its words that stand before what denies, but dates


def contradicts(sentence: str, quotes: Sequence[str]) -> bool:
    """Return whether a sentence certainly says the opposite of a quote.

    It is certain if only one of them denies, the affirming one has all content words of the other (who pays
    in May pays), or they differ only in added names, numbers and dates, and no clause of the quotes says the
    same as the sentence. Words that may or may not deny ("not only", "until") leave it open.
    """
    language = language_of("\n".join(quotes))
    if not any(may_deny(text, language) for text in (sentence, *quotes)):
        return False
    whole = _YES_NO.sub("", sentence)
    if language in _PREFIXING:
        whole, quotes = (
            _unprefixed(whole, quotes, language),
            [_unprefixed(quote, (whole,), language) for quote in quotes],
        )
    clauses = [clause for quote in quotes for clause in _clauses(quote, language)]
    for text in dict.fromkeys((whole, *_split(whole, language))):
        told = _clause(text, language)
        if told is None:
            continue
        opposed = agreeing = False
        for clause in clauses:
            if clause.denies == told.denies:
                agreeing = agreeing or _is_same(told, clause, language) or _carries(clause, told)
            else:
                opposed = opposed or _is_same(told, clause, language) or _is_opposed(told, clause, language)
        if opposed and not agreeing:
            return True
    return False


def _unprefixed(text: str, others: Iterable[str], language: str) -> str:
    """Return a text with a denying word instead of a denying prefix on verbs that another text has."""
    known = {word for other in others for word in pieces(normalise(other))}

    def written(match: re.Match[str]) -> str:
        is_known = any(is_form(match[1], word) for word in known)
        return f"{_PREFIXING[language]} {match[1]}" if is_known else match[0]

    return _PREFIXED.sub(written, text)


def _split(text: str, language: str) -> list[str]:
    """Return the clauses of a sentence, without the words that join them."""
    but = BEGINS_CLAUSE.get(language)
    found = CLAUSE.get(language, OTHER_CLAUSE).split(text)
    return [piece for each in found if (piece := (but.sub("", each) if but else each).strip())]


def _clauses(quote: str, language: str) -> Iterator[_Clause]:
    """Yield the clauses of a text; a denying clause also together with what precedes it in its sentence."""
    for sentence in _SENTENCE.split(quote):
        found = _split(sentence, language)
        for place, text in enumerate(found):
            clause = _clause(text, language)
            if clause is not None:
                yield clause
            if clause is not None and clause.denies and language not in UNSPACED_NEGATIONS:
                subject = next(iter(_content(normalise(found[0]), language)), "") if place else ""
                ahead = [
                    *(" ".join(found[first:place]) for first in range(max(0, place - _JOINED), place)),
                    subject,
                ]
                for words in filter(None, ahead):
                    joined = _clause(f"{words} {text}", language)
                    if joined is not None:
                        yield joined


def may_deny(text: str, language: str) -> bool:
    """Return whether a text contains a denying word of its language."""
    denies, *_ = UNSPACED_NEGATIONS.get(language) or NEGATIONS.get(language) or (None,)
    if denies is None:
        return False
    folded = normalise(text)
    return (
        bool(denies.search(folded))
        or (language == "tr" and bool(_TURKISH.search(folded)))
        or (language in _PREFIXING and bool(_PREFIXED.search(folded)))
        or any(
            allowed.search(folded) and denies.search(instead)
            for allowed, instead in ALLOWED.get(language, ())
        )
    )


def _clause(text: str, language: str) -> _Clause | None:
    """Return the content of a clause; None if it is unclear whether it denies."""
    for allowed, instead in ALLOWED.get(language, ()):
        text = allowed.sub(instead, text)
    if language in UNSPACED_NEGATIONS:
        denies, unclear, particles = UNSPACED_NEGATIONS[language]
        folded = "".join(normalise(text).split())
        if unclear.search(folded):
            return None
        undated = "".join(normalise(_without(_dates(text), text)).split())
        left, shorter = (
            re.sub(r"\W", "", particles.sub("", denies.sub("", part))) for part in (folded, undated)
        )
        return _Clause((left, shorter), frozenset(), denies.search(folded) is not None, text=folded)
    if language not in NEGATIONS:
        return None
    denying, unclear = NEGATIONS[language]
    folded = normalise(text)
    if unclear.search(folded):
        return None
    first_denial = denying.search(folded)
    left = _ELIDED.sub(" ", denying.sub(" ", folded))
    negated = first_denial is not None
    if language == "tr" and _TURKISH.search(left):
        left, negated = _TURKISH.sub("", left), True
    words = tuple(dict.fromkeys(_content(left, language)))
    first, *others = [*re.findall(r"[^\W_]+", text), ""]
    capital = {word.casefold() for word in others if word[:1].isupper()} - {first.casefold()}
    dated = {word for start, end in _dates(text) for word in pieces(normalise(text[start:end]))}
    free = frozenset(word for word in words if word in capital or word in dated or word[0].isdigit())
    auxiliary = _DO.search(folded) if language == "en" else None
    ahead = set(pieces(folded[: first_denial.start()])) - dated if first_denial else set()
    return _Clause(words, free, negated, auxiliary[1] if auxiliary else "", folded, frozenset(ahead))


def _dates(text: str) -> list[tuple[int, int]]:
    return [(figure.start, figure.end) for figure in figures(text) if figure.day]


def _without(spans: Sequence[tuple[int, int]], text: str) -> str:
    for start, end in reversed(spans):
        text = f"{text[:start]} {text[end:]}"
    return text


def _content(text: str, language: str) -> Iterator[str]:
    common = function_words(language)
    for word in pieces(text):
        if (
            word not in _STOP_WORDS
            and word not in common
            and (len(word) > _SHORT or word.isdigit() or word[0] > _LAST_LATIN)
        ):
            yield word


def _is_same(one: _Clause, other: _Clause, language: str) -> bool:
    if language in UNSPACED_NEGATIONS:
        whole, other_whole = one.words[0], other.words[0]
        is_long = min(len(one.words[-1]), len(other.words[-1])) >= _LEAST_UNSPACED
        return is_long and (whole in other.words or other_whole in one.words)
    smaller, larger = sorted((one, other), key=lambda clause: len(clause.words))
    if len(smaller.words) < _LEAST:
        return False
    left = list(larger.words)
    for word in smaller.words:
        match = next((other for other in left if _is_form(word, smaller, other, larger)), None)
        if match is None:
            return False
        left.remove(match)
    return all(word in larger.free for word in left)


def _is_opposed(told: _Clause, clause: _Clause, language: str) -> bool:
    """Return whether the affirming clause of two says at least what the other denies."""
    affirming, denying = (clause, told) if told.denies else (told, clause)
    by_meaning = BY_MEANING.get(language)
    if by_meaning and (by_meaning.search(affirming.text) or by_meaning.search(denying.text)):
        return False
    if language in UNSPACED_NEGATIONS:
        whole = denying.words[-1]
        return _has_denied(affirming.text, denying.text) or (
            len(whole) > _LEAST_UNSPACED and whole in affirming.words[0]
        )
    there_is = THERE_IS.get(language)
    having = [bool(there_is and there_is.search(clause.text)) for clause in (denying, affirming)]
    is_about_having, has_both = having[0], all(having)
    lacking = _unmatched(denying.words, affirming.words, language)
    if not lacking:
        if len(denying.words) == 1:
            return has_both and len(denying.words[0]) >= _LONG
        return len(denying.words) >= _LEAST and (has_both or not is_about_having)
    shared = len(denying.words) - len(lacking)
    return (
        not told.denies
        and shared >= _SURE
        and len(lacking) <= _ADDED
        and denying.before.issuperset(lacking)
        and not _unmatched(affirming.words, denying.words, language)
    )


def _has_denied(affirming: str, denying: str) -> bool:
    """Return whether a text without spaces affirms that something exists, and another denies it."""
    return any(
        form.format(thing) in affirming
        for pattern, forms in _NOTHING
        for thing in pattern.findall(denying)
        for form in forms
    )


def _unmatched(words: Iterable[str], others: Sequence[str], language: str) -> list[str]:
    """Return the words that have no form among the others."""
    return [word for word in words if not any(_is_like(word, other, language) for other in others)]


def _is_like(word: str, other: str, language: str) -> bool:
    if is_form(word, other):
        return True
    if language in _JOINED_LETTERS:
        bare = [each.lstrip(_JOINED_LETTERS[language]) for each in (word, other)]
        return len(bare[0]) > _SHORT and bare[0] == bare[1]
    pairs = zip(word, other, strict=False)
    shared = next((n for n, (one, two) in enumerate(pairs) if one != two), min(len(word), len(other)))
    longest = max(len(word), len(other))
    if language in _DECLINING and shared >= _SHORTEST_STEM and longest - shared <= _SHORT:
        return True
    return shared >= _STEM and shared * 5 >= longest * 3


def _carries(clause: _Clause, told: _Clause) -> bool:
    """Return whether a clause of the same polarity says everything that a sentence says."""
    return len(told.words) >= _LEAST and not _unmatched(told.words, clause.words, "")


def _is_form(word: str, clause: _Clause, other_word: str, other: _Clause) -> bool:
    return (
        is_form(word, other_word)
        or _is_denied(word, clause.auxiliary, other_word)
        or _is_denied(other_word, other.auxiliary, word)
    )


def _is_denied(verb: str, auxiliary: str, word: str) -> bool:
    """Return whether a word is the form that an auxiliary stands for: pays for does pay, paid for did pay."""
    if not auxiliary or auxiliary == "do":
        return False
    is_present, is_past = word.endswith("s"), not word.endswith(("s", "ing"))
    return (is_present if auxiliary == "does" else is_past) and is_verb_form(word, verb)
