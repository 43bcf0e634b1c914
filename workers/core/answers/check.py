"""Checks that the names in a sentence appear in the text that it cites."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations, pairwise

from hopline.visible import visible
from workers.core.answers.cased import Capitalised, among_names, has_tones, is_other_tone
from workers.core.answers.lexical_rank import STOP_WORDS, terms
from workers.core.answers.spellings import (
    PARTICLES,
    TEXTS_KEPT,
    TOKEN,
    Spellings,
    bare,
    follows,
    phrase,
    spellings,
)
from workers.core.answers.uncased import lacking_uncased
from workers.core.language.numerals import is_month, is_spelled
from workers.core.language.sentence_words import is_legal_form, is_title, without_clitics
from workers.core.language.text import sentences

_MARKER = re.compile(r"(?<!\s)\s*+\[\d+(?:\s*[,;\-]\s*\d+)*\]")
# Words that a sentence may begin with although no source says them: they join, they do not tell.
_OPENERS = frozenset(
    """
    additionally according although another because besides consequently despite due finally furthermore
    hence however instead later like meanwhile moreover nevertheless next no one several similarly since
    still therefore thus today together two unlike upon yes yet first second within without among around
    along many every either overall across against alongside amid behind below beneath beside beyond except
    following given near onto outside past per plus prior regarding throughout toward towards via whereas
    whether whenever wherever early late soon often sometimes twice almost always never ever just even indeed
    rather perhaps maybe again thereafter afterwards elsewhere nonetheless otherwise much few fewer less least
    neither none nor nothing nobody everyone everybody everything someone something anyone here now tomorrow
    yesterday tonight above most half
    """.split()  # noqa: SIM905 - a list of words reads best
)
# Those of them that begin no name, also where one follows at once: Besides Africa, Unlike Germany.
_BEFORE_NAMES = frozenset(
    "according although among because besides despite unlike upon within without around".split()  # noqa: SIM905
)
# Behind a plural that begins a sentence: Decisions of states, Laws and rights.
_BEHIND_NOUNS = frozenset("of and or for are were that who which from against about".split())  # noqa: SIM905
_PLURAL = 4  # letters
_ORDINARY_ENDINGS = ("ly", "tion", "sion", "ing", "ment", "ness", "ship", "ances")


def without_markers(text: str) -> str:
    """Return a sentence on one line, without citation markers that its writer added."""
    return " ".join(_MARKER.sub("", text).split())


# 48 Mkr and Rp275.000 are numbers, see `missing_numbers`.
_MONEY = re.compile(
    r"M[dn]?(?:kr|SEK|NOK|DKK|EUR|USD|GBP)"
    r"|(?:Rp|Rs|TL|EUR|USD|GBP|CHF|CNY|RMB|JPY|INR|KRW|PLN|IDR|VND|THB|CZK|RON|BRL|MXN)\.?\d[\d.,]*"
)


def missing_names(sentence: str, stands: str, ordinary: str = "", known: Sequence[str] = ()) -> list[str]:
    """Return the names of a sentence that are missing in the text.

    Args:
        sentence: the sentence. Its names are its capitalised words; for languages and scripts in which
            capitals do not mark names, see `core.answers.cased` and `core.answers.uncased`.
        stands: the text that must contain them; see `core.answers.spellings`.
        ordinary: related text; a word that begins a sentence is not a name if it is lower-case there.
        known: names known to extraction and the graph.
    """
    lacking = lacking_names(sentence, stands, ordinary) if _unseen(sentence, stands) else []
    return lacking if sentence.isascii() else [*lacking, *lacking_uncased(sentence, stands, known)]


def lacking_names(sentence: str, stands: str, ordinary: str = "") -> list[str]:
    """Return the missing capitalised names, checking closely even if every word occurs in the text."""
    small = _small_words(f"{stands} {ordinary}")
    names = [
        [name for name in words if not (name.is_first and _is_ordinary(name, small))]
        for words in _joined(
            name
            for name in _capitalised(sentence)
            if not is_month(name.text) and not _MONEY.fullmatch(name.text)
        )
    ]
    if not any(names):
        return []
    held = spellings(stands)
    lacking = [
        name
        for words in names
        if not held.hold_together([name.text for name in words])
        for name in _lacking_of(words, held, stands)
    ]
    if lacking and stands:
        lacking = among_names(lacking, sentence, stands, small)
    return list(dict.fromkeys(name.text for name in lacking))


def _lacking_of(words: Sequence[Capitalised], held: Spellings, stands: str) -> list[Capitalised]:
    """Return the words of a name that a text lacks; none if only its number is missing, as in Unit Seven."""
    lacking = [word for word in words if not held.hold(word.text) or is_other_tone(word.text, stands)]
    is_number = len(lacking) < len(words) and all(is_spelled(word.text) for word in lacking)
    return [] if is_number else lacking


def _unseen(sentence: str, stands: str) -> bool:
    """Return whether a text lacks a possible name word of a sentence exactly as written.

    A text with the same words contains everything that is looked for. A word with a point inside may be two
    words.
    """
    tokens = set(TOKEN.findall(unicodedata.normalize("NFKC", visible(sentence))))
    missing = tokens - _tokens(stands) | {token for token in tokens if "." in token}
    return any(not (token.islower() or token.isdigit()) for token in missing)


@lru_cache(maxsize=TEXTS_KEPT)
def _tokens(text: str) -> frozenset[str]:
    return frozenset(TOKEN.findall(unicodedata.normalize("NFKC", visible(text))))


def fuller_names(sentence: str, quotes: Iterable[str], around: str) -> list[str]:
    """Return names of a sentence that a quote has only in part but the text around it in full.

    For example, a quote says "the brewery" and the text around it "the Kent Brewery". It does not apply if
    the quote says "the York Brewery", or the text around it also names that one.
    """
    alone, whole = spellings("; ".join(word for quote in quotes for word in _alone(quote))), phrase(around)
    longer = [name for name in map(_without_opener, _names_in(around)) if len(name) > 1]
    return [
        name
        for words in _names_in(sentence)
        for start, end in combinations(range(len(words) + 1), 2)
        if phrase(name := " ".join(words[start:end])) in whole
        and any(alone.hold(word) and _is_one(word, name, longer) for word in words[start:end])
    ]


def _alone(quote: str) -> Iterator[str]:
    """Yield the words of a quote that have no other name word beside them."""
    shaped = unicodedata.normalize("NFKC", visible(quote))
    matches = [match for match in TOKEN.finditer(shaped) if match.group() not in PARTICLES]
    beside = {
        place
        for place, (left, right) in enumerate(pairwise(matches))
        if follows(shaped[left.end() : right.start()])  # of one name, if both are of a name
    }
    for place, match in enumerate(matches):
        before = place - 1 in beside and _may_name(matches[place - 1].group())
        after = place in beside and _may_name(matches[place + 1].group())
        if not (before or after):
            yield match.group()


def _may_name(token: str) -> bool:
    return token[0].isupper() and bare(token) not in STOP_WORDS and bare(token) not in _OPENERS


def _names_in(text: str) -> list[list[str]]:
    return [[name.text for name in words] for words in _joined(_capitalised(text))]


def _without_opener(name: list[str]) -> list[str]:
    return name[1:] if name[0].casefold() in _OPENERS else name


def _is_one(word: str, name: str, longer: Iterable[Sequence[str]]) -> bool:
    """Return whether all names with a word are the same, in full or in part."""
    same = phrase(name)
    others = (phrase(" ".join(words)) for words in longer if phrase(word) in phrase(" ".join(words)))
    return all(same in other or other in same for other in others)


def begins_no_name(word: str, ordinary: str) -> bool:
    """Return whether the first word of a text is capitalised only because of its position.

    Args:
        word: as written.
        ordinary: related text in which it may be lower-case.
    """
    folded = word.casefold()
    return folded in STOP_WORDS or folded in _OPENERS or folded in _small_words(ordinary)


def absent(names: Sequence[str], text: str) -> list[str]:
    """Return the names that are missing in the text in any case, number or form."""
    known = spellings(text)
    return [name for name in dict.fromkeys(names) if not known.hold(name)]


def speaks_of(sentence: str, stands: str) -> bool:
    """Return whether a sentence shares at least one content word with its source."""
    content_words = terms(sentence)
    return not content_words or bool(content_words & terms(stands))


def _capitalised(text: str) -> Iterator[Capitalised]:
    """Yield the capitalised words of a text."""
    shaped = unicodedata.normalize("NFKC", visible(text))
    is_vietnamese = has_tones(shaped)
    for start, end in sentences(shaped):
        before = start
        matches = list(TOKEN.finditer(shaped, start, end))
        tokens = [match.group() for match in matches]
        for place, written in enumerate(tokens):
            token = without_clitics(written)
            if token.islower() or token.isdigit() or not any(letter.isupper() for letter in token):
                continue
            is_word = bare(token) in STOP_WORDS and not (place and is_vietnamese)  # An Văn To
            if len(token) == 1 or is_word or is_title(token):
                continue
            around = tokens[place - 1] if place else "", tokens[place + 1] if place + 1 < len(tokens) else ""
            if is_legal_form(token, *around):
                continue
            begins = place == 0 and token[1:].islower()
            word = token.casefold()
            comma = word in _OPENERS and shaped.startswith(",", matches[0].end())  # Yes, Ada did
            apart = comma or word in _BEFORE_NAMES
            first = begins and (apart or not (len(tokens) > 1 and tokens[1][0].isupper()))
            yield Capitalised(
                token,
                first,
                follows(shaped[before : matches[place].start()]),
                place,
                before=_beside(shaped, matches, place - 1)[0],
                after=_beside(shaped, matches, place)[1],
            )
            before = matches[place].end()


def _joined(names: Iterable[Capitalised]) -> list[list[Capitalised]]:
    """Return the words of each name together."""
    joined: list[list[Capitalised]] = []
    for name in names:
        if joined and name.follows:
            joined[-1].append(name)
        else:
            joined.append([name])
    return joined


def _beside(shaped: str, matches: Sequence[re.Match[str]], place: int) -> tuple[str, str]:
    """Return a word and the next one if only a space separates them; else two empty texts."""
    if not 0 <= place < len(matches) - 1:
        return "", ""
    left, right = matches[place], matches[place + 1]
    return (left.group(), right.group()) if not shaped[left.end() : right.start()].strip(" .") else ("", "")


def _is_ordinary(name: Capitalised, small: frozenset[str]) -> bool:
    word = name.text.casefold()
    return (
        word in _OPENERS
        or word in small
        or is_spelled(word)
        or word.endswith(_ORDINARY_ENDINGS)
        or (word.endswith("s") and len(word) >= _PLURAL and name.after in _BEHIND_NOUNS)
    )


@lru_cache(maxsize=TEXTS_KEPT)
def _small_words(text: str) -> frozenset[str]:
    return frozenset(token for token in _tokens(text) if token.islower())
