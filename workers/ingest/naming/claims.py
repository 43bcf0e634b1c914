"""Finds the sentences of a chunk that state another name of somebody."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from hopline.models.documents import KeyElement
from workers.core.graph.aliases import NameClaim
from workers.core.graph.elements import normalise_element
from workers.core.language.person_names import short_forms
from workers.core.language.text import CHINESE, is_unspaced, sentences
from workers.core.records import AtomicFact
from workers.ingest.naming.patterns import CHINESE as CHINESE_PHRASES
from workers.ingest.naming.patterns import HAN_NOUNS, HAN_OFFICES, NO_STATEMENT, OFFICES, PHRASES, Phrase

_MOST_NAMES = 60  # of a chunk that are looked for
_LONGEST = 60  # characters of a name
_NEAR = 80  # characters between two names of a phrase
_AROUND = 60  # characters before a name that decide what is said of it
_MARK = 16  # of these, what may be its article and quotes
_HAN_WORD = 2  # characters
_HINT = re.compile(
    r"call|known|know|nickname|by-?name|name|alias|aka|a\.k\.a|dubbed|christened|baptis|baptiz|n(?:ée?|ee) |"
    r"answer|went by|goes by|going by|in truth|really|actually|in fact|none other|born|becam|crowned|elected|"
    r"appointed|chosen|proclaimed|succeeded|took over|served as|genannt|nannte|nennt|nennen|rief|hieß|"
    r"heißt|bekannt|berühmt|Name|Spitzname|Beiname|eigentlich|gebürtig|niemand anderes|kein anderer|"
    r"wurde zu|dite?\b|surnomm|connu|appelé|nom\b|apodad|llamad|conocid|nombre|人称|外号|绰号|綽號|"
    r"外號|诨|别名|別名|又名|又叫|又称|化名|号|字|小名|乳名|被|称|叫|唤|管|本名|原名|真名|真实姓名|"
    r"大名|俗名|就是|正是|乃是|便是|成为|成了|当上|做了|接任|继任|就任"
)
_ARTICLE = r"(?:(?:the|The|der|die|das|den|dem|Der|Die|Das|le|la|Le|La|el|El|los|las|il|lo) |l['’])?"
_QUOTE = "[\"'“”‘’«»„「」『』《》]"
_OPENING = re.compile(rf"{_QUOTE}{{0,3}}{_ARTICLE}{_QUOTE}{{0,3}}$")
_CLOSING = re.compile(rf"(?:(?!['’]s\b){_QUOTE}){{0,3}}")
_AROUND_NAME = re.compile(rf"^{_QUOTE}*{_ARTICLE}{_QUOTE}*|(?<!{_QUOTE}){_QUOTE}*+$")
_WORD = re.compile(r"\w")
_OR = re.compile(r",? (?:or|oder) (?:also |simply |just |auch )?")
# Who is named after one of these is not who is meant: the brother of Corvin Drake, called the Heron.
_DEPENDENT = re.compile(
    r"(?:\b(?:of|in|from|at|near|on|to|for|and|or|an?|von|aus|bei|zu|und|oder|eine?|de|du|des|del|et|un|une|y|una)|"
    r"[和与跟及])\s*$|(?-i:[A-Z][\w'’.-]{0,100}), $",  # a store in Richmond, California, called …
    re.IGNORECASE,
)

# Nor is who stands in a clause, or after a preposition and a noun, the subject of what follows: the disease
# that killed Corvin Drake is known as …, the daughter of the smith Corvin Drake was called …
_NO_SUBJECT = re.compile(
    r"\b(?:who|whom|whose|which|that(?! (?:day|night|time|year|morning|evening|moment)\b)) "
    r"[^,.;:]{0,300}\w[^,.;:\w]{0,20}$|"
    r"\b(?:by|with|against|starring|featuring|mit|gegen|durch|für) $|"
    r"\b(?:of|in|from|at|near|on|to|for|by|with|about|against|under|von|aus|bei|zu|mit|für|gegen) "
    r"(?:the|an?|his|her|its|their|my|our|de[rmn]|die|das|eine[rmn]?|seine[rmn]?|ihre[rmn]?) "
    r"(?:[\w-]+ ){1,3}$|"
    r"\bdes (?:[\w-]+ ){1,2}$"
)
# What is known by another name may be a work and not whose it is.
_WORKS = re.compile(
    r"\b(?:starring|featuring|(?:novel|novella|book|film|movie|series|song|album|play|opera|poem|painting|story|"
    r"symphony|work|piece) by) $"
)


class _Place(NamedTuple):
    """The position of a name in a sentence, including its article and quotes."""

    start: int
    end: int
    element: KeyElement
    spelled: str
    mark: str  # its article and quotes before it


def find_claims(text: str, facts: Sequence[AtomicFact]) -> tuple[NameClaim, ...]:
    """Return the statements in a chunk's sentences about names that are key elements of its facts, each once.

    Args:
        text: text of the chunk.
        facts: facts of the chunk.
    """
    if _HINT.search(text) is None:
        return ()
    names = _Names(facts)
    claims: dict[tuple[str, str], NameClaim] = {}
    for start, end in sentences(text):
        sentence = text[start:end]
        if _HINT.search(sentence) and NO_STATEMENT.search(sentence) is None:
            for claim in _claims_of(sentence, names, start):
                claims.setdefault((claim.alias, claim.name), claim)
    return tuple(claims.values())


class _Names:
    """The names of a chunk's facts, as spelled."""

    def __init__(self, facts: Iterable[AtomicFact]) -> None:
        self._elements: dict[str, KeyElement] = {}
        own: list[tuple[str, KeyElement]] = []
        others: list[tuple[str, KeyElement]] = []
        for element in dict.fromkeys(element for fact in facts for element in fact.key_elements):
            for alias in element.aliases:
                spelled = _bare(alias) if len(alias) <= 2 * _LONGEST else ""
                if _is_name(spelled):
                    # What is an element's own name means that one, though it be an alias of another as well.
                    is_own = len(element.aliases) == 1 or normalise_element(alias) == element.name
                    (own if is_own else others).append((spelled, element))
        for spelled, element in (*own, *others):
            if len(self._elements) < _MOST_NAMES:
                self._elements.setdefault(spelled, element)

    def places(self, sentence: str) -> list[_Place]:
        """Return where names occur, the longest at each position, in order."""
        places = []
        for first, spelled in places_apart(self._elements, sentence):
            last = first + len(spelled)
            opening = _OPENING.search(sentence, max(0, first - _MARK), first)
            closing = _CLOSING.match(sentence, last)
            start = opening.start() if opening else first
            end = closing.end() if closing else last
            places.append(_Place(start, end, self._elements[spelled], spelled, sentence[start:first]))
        return places


def places_apart(names: Iterable[str], sentence: str) -> Iterator[tuple[int, str]]:
    """Yield names with their positions, the longest at each, none beginning within another.

    A pattern of all of them would do the same; compiling it for each chunk took longer than all the rest.
    """
    end = 0
    places = [(start, -len(name), name) for name in names for start in _starts(name, sentence)]
    for start, _length, longest in sorted(places):
        if start >= end:
            yield start, longest
            end = start + len(longest)


def _starts(name: str, sentence: str) -> Iterator[int]:
    """Yield where a name begins: as whole words, where its script has spaces."""
    start = sentence.find(name)
    while start >= 0:
        end = start + len(name)
        beside = sentence[start - 1 : start] + sentence[end : end + 1]
        if _WORD.search(beside) is None or is_unspaced(name):
            yield start
        start = sentence.find(name, start + 1)


def _claims_of(sentence: str, names: _Names, offset: int) -> Iterator[NameClaim]:
    places = names.places(sentence)
    for nth, first in enumerate(places):
        for at, second in enumerate(places[nth + 1 :], nth + 1):
            if second.start - first.end > _NEAR:
                break
            if second.start < first.end or (phrase := _phrase_of(sentence, first, second)) is None:
                continue
            name, alias = (first, second) if phrase.name_first else (second, first)
            others = _continued(sentence, places[at:]) if phrase.name_first else []
            for other in (alias, *others):
                if claim := _claim(sentence, phrase, name, other, offset):
                    yield claim


def _phrase_of(sentence: str, first: _Place, second: _Place) -> Phrase | None:
    if first.element.id == second.element.id:
        return None
    return next((each for each in _phrases(sentence) if _fits(each, sentence, first, second)), None)


def _continued(sentence: str, places: Sequence[_Place]) -> list[_Place]:
    """Return the names in a list with the first: known as the Heron or the Fox."""
    more: list[_Place] = []
    for before, place in pairwise(places):
        joined = _OR.fullmatch(sentence, before.end, place.start)
        if not (joined and before.mark and place.mark) or _goes_on(sentence, place.end):
            break
        more.append(place)
    return more


def _claim(sentence: str, phrase: Phrase, name: _Place, alias: _Place, offset: int) -> NameClaim | None:
    if name.element.id == alias.element.id:
        return None
    is_anybodys = _is_anybodys(alias.spelled)
    if phrase.passes and not (is_anybodys or alias.mark):
        return None  # became Venice's ally
    return NameClaim(
        alias=alias.element.id,
        name=name.element.id,
        alias_spelled=alias.spelled,
        name_spelled=name.spelled,
        start=offset,
        end=offset + len(sentence),
        passes=phrase.passes or is_anybodys,
    )


def _phrases(sentence: str) -> Iterator[Phrase]:
    return iter(CHINESE_PHRASES if CHINESE.search(sentence) else PHRASES)


def _fits(phrase: Phrase, sentence: str, first: _Place, second: _Place) -> bool:
    around = max(0, first.start - _AROUND)
    return bool(
        phrase.between.fullmatch(sentence, first.end, second.start)
        and (phrase.before is None or phrase.before.search(sentence, around, first.start))
        and (phrase.after is None or phrase.after.match(sentence, second.end))
        and not (phrase.before is None and _is_no_subject(phrase, sentence, around, first))
        and not _goes_on(sentence, second.end)
        and _is_fit(phrase, first, second)
    )


def _is_no_subject(phrase: Phrase, sentence: str, around: int, first: _Place) -> bool:
    """Return whether the first words only belong to the subject of a phrase."""
    is_subject = phrase.finite and not sentence.startswith((" who ", ", who "), first.end)
    kinds = (_DEPENDENT, _NO_SUBJECT if is_subject else _WORKS)
    return any(kind.search(sentence, around, first.start) for kind in kinds)


def _is_fit(phrase: Phrase, first: _Place, second: _Place) -> bool:
    """Return whether the context is what a weak phrase needs."""
    match phrase.needs:
        case "person":
            return bool(short_forms(second.element.name)) and not _is_han_word(first)
        case "mark":
            return bool(second.mark)
        case "quote":
            return re.search(_QUOTE, second.mark) is not None
        case None:
            return True


def _is_han_word(place: _Place) -> bool:
    """Return whether it looks like a Chinese word rather than a name: most words have two characters."""
    return len(place.spelled) <= _HAN_WORD and is_unspaced(place.spelled) and not place.mark


def _goes_on(sentence: str, end: int) -> bool:
    """Return whether a name is only the beginning of a longer one: the Heron Inn, the Heron's brother."""
    rest = sentence[end : end + 3]
    return re.match(r" [A-Z]|['’]s\b|-\w", rest) is not None and not is_unspaced(sentence[max(0, end - 1)])


def _is_anybodys(spelled: str) -> bool:
    """Return whether others may be called so: by an office, or by a noun of a script without capitals."""
    words = re.split(r"[\s-]+", spelled.casefold())
    if any(word in OFFICES for word in words):
        return True
    return any(nouns.search(spelled) for nouns in (HAN_OFFICES, HAN_NOUNS))


def _is_name(spelled: str) -> bool:
    """Return whether a spelling is a name's: it has a capital, or its script has none; and no digit."""
    if not 1 < len(spelled) <= _LONGEST or any(map(str.isdigit, spelled)):
        return False
    return is_unspaced(spelled) or (spelled[0].isupper() and spelled.rsplit(maxsplit=1)[-1][0].isupper())


def _bare(alias: str) -> str:
    """Return a spelling without article and quotes."""
    stripped = _AROUND_NAME.sub("", " ".join(alias.split()))
    return stripped.removesuffix("'s").removesuffix("’s")
