"""The words of a text as the full-text indexes store them, and the words worth searching for.

The tokenizer of the indexes takes each Chinese character and each hiragana alone, a run of katakana or hangul
as a word, a word of Arabic or of the scripts of India with all its signs, and a run of Thai as one word, so
that Thai and its neighbours have an index of pairs. The indexes hold all languages, so none has the
analyzer of one: what a language joins to its words is taken off, or added, when a question is asked.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from workers.core.language.languages import function_words
from workers.core.language.text import CHINESE, normalise

_SIGNS = "".join(chr(code) for code in range(0x0900, 0x17F0) if unicodedata.category(chr(code))[0] == "M")
_LETTERS = rf"(?:[^\W_]|[{_SIGNS}])+"
_WORD = re.compile(rf"{_LETTERS}(?:['’.-]{_LETTERS})*")
# What Arabic, and Hebrew, write above and below letters, or to fill a line; texts mostly do without.
_POINTS = re.compile("[\u0591-\u05bd\u05bf-\u05c7\u0640\u064b-\u0652\u0670]")
_ARABIC = re.compile("[\u0621-\u064a]{2,}")
_ARTICLE = re.compile("^[وف]?(?:[بك]?ال|لل)(?=..)")
_JOINED = ("", "ال", "وال", "بال", "لل", "و", "ب", "ل")  # that a text may have before a word
_ARABIC_STOPS = function_words("ar")
_HANGUL = re.compile("[\uac00-\ud7a3]{2,}")
# What Korean joins to a noun: as long as two characters are left.
_PARTICLE = re.compile(
    "(?<=[\uac00-\ud7a3]{2})(?:으로부터|에서는|으로는|에게서|입니까|인가요|에서|에게|부터|까지|으로|이나|보다|처럼"
    "|은|는|이|가|을|를|의|에|와|과|도|만|로)$"
)
_TONE = re.compile("[\u0300\u0301\u0303\u0309\u0323]")  # of Vietnamese
_RUN = re.compile("[\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff]{2,}")
_LEADING = "เแโใไ"  # vowels of Thai that are written before their consonant
_SHORTEST_RUN, _BEGINNING = 3, 4  # signs of Thai and its neighbours that a name has, and that tell it
_KOREAN_NAME = 3  # syllables
# What Hebrew and Arabic join to the front of a name.
_PROCLITIC = re.compile("[והבלמשכ](?=[\u05d0-\u05ea]{3,}$)|[وفبلك](?=[\u0621-\u064a]{3,}$)")
# One script each: Chinese characters, katakana, anything else.
_ALIKE = re.compile(rf"{CHINESE.pattern}+|[\u30a0-\u30ff]+|(?:(?!{CHINESE.pattern}|[\u30a0-\u30ff]).)+")
_HIRAGANA = re.compile("[\u3041-\u3096]+")
# Chinese characters stand alone in the index, so that pairs of them are what words are elsewhere.
_CHINESE = re.compile(CHINESE.pattern + "{3,}")


def unspaced_pairs(text: str) -> list[str]:
    """Return every two neighbouring signs of Thai, Lao, Burmese and Khmer, which write without spaces."""
    if not _RUN.search(text):
        return []
    runs = (run.group() for run in _RUN.finditer(unicodedata.normalize("NFKC", text)))
    return [run[at : at + 2] for run in runs for at in range(len(run) - 1)]


def index_words(text: str) -> list[str]:
    """Return the words of a text, normalised, with the signs that belong to them."""
    return _WORD.findall(_POINTS.sub("", normalise(text)))


def written_ways(word: str) -> list[str]:
    """Return the ways in which texts may write a word's letters, the composed one (NFC) first.

    Files of macOS separate letters and accents (NFD), and Windows-1258 separates the tones of Vietnamese. The
    indexes contain texts as stored, in their original form.
    """
    if word.isascii():
        return [word]
    apart = [unicodedata.normalize("NFD", sign) for sign in unicodedata.normalize("NFC", word)]
    toned = "".join(
        unicodedata.normalize("NFC", _TONE.sub("", signs)) + "".join(_TONE.findall(signs)) for signs in apart
    )
    return list(dict.fromkeys((unicodedata.normalize("NFC", word), "".join(apart), toned)))


def sought(word: str) -> Iterator[str]:
    """Yield the forms in which the indexes may contain a question's word; none for a stop word."""
    if _ARABIC.fullmatch(word):
        if word not in _ARABIC_STOPS:
            stem = _ARTICLE.sub("", word)
            yield from dict.fromkeys((word, *(f"{before}{stem}" for before in _JOINED)))
    elif _HANGUL.fullmatch(word):
        yield bare(word)
    else:  # of Japanese, hiragana are endings and particles where other signs stand by
        for part in _HIRAGANA.sub(" ", word).split() or [word]:
            yield from _CHINESE.sub(_pairs, part).split()


def name_words(text: str) -> list[str]:
    """Return the words by which the index of names finds those in a text, once each.

    If words have no spaces or attached particles, names are inside longer runs, so runs are divided: pairs of
    Chinese characters, possible beginnings of Thai names, beginnings of Korean words.
    """
    return list(dict.fromkeys(piece for word in index_words(text) for piece in _name_pieces(word)))


def _name_pieces(word: str) -> Iterator[str]:
    if word.isascii():
        yield word
    elif _HANGUL.fullmatch(word):
        yield from (bare(word), word[:_KOREAN_NAME])
    elif _RUN.fullmatch(word):
        yield from _beginnings(word)
    elif begun := _PROCLITIC.match(word):
        yield from (word, word[begun.end() :], *_stems(word))
    elif _ARABIC.fullmatch(word):
        yield from (word, *_stems(word))
    else:
        yield from (piece for part in sought(word) for same in _ALIKE.findall(part) for piece in sought(same))


def _stems(word: str) -> Iterator[str]:
    if _ARABIC.fullmatch(word):
        stem = _ARTICLE.sub("", word)
        yield from (stem, f"ال{stem}")


def _beginnings(run: str) -> Iterator[str]:
    for at in range(max(1, len(run) - _SHORTEST_RUN + 1)):
        if unicodedata.category(run[at])[0] != "M" and (not at or run[at - 1] not in _LEADING):
            yield run[at : at + _BEGINNING]
            yield run[at : at + _SHORTEST_RUN]


def begins_name(word: str) -> bool:
    """Return whether a word of `name_words` may be the beginning of a single word in the index."""
    return is_beginning(word) or (len(word) == _BEGINNING and _RUN.fullmatch(word) is not None)


def bare(word: str) -> str:
    """Return a word without what Korean joins to its end."""
    return _PARTICLE.sub("", word) if _HANGUL.fullmatch(word) else word


def is_beginning(word: str) -> bool:
    """Return whether texts join others to the end of a word, as in Korean."""
    return _HANGUL.fullmatch(word) is not None


def _pairs(run: re.Match[str]) -> str:
    characters = run.group()
    return " ".join(["", *(characters[at : at + 2] for at in range(len(characters) - 1)), ""])
