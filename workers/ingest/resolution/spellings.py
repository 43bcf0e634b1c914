"""Recognises spelling variants of a name: hyphens, spaces, British and American forms, typos."""

from __future__ import annotations

import re

from hopline.models.merges import Rule
from workers.core.language.dates import is_time
from workers.core.language.name_words import COUNTED, GIVEN_NAMES, JOINING
from workers.core.language.text import normalise
from workers.ingest.resolution.names import parts

_MARKS = re.compile(r"[^\w]|_")
_SAME = {"st": "saint", "mt": "mount", "ft": "fort", "jr": "junior", "sr": "senior", "dept": "department"}
_ENDINGS = (("our", "or"), ("tre", "ter"), ("ise", "ize"), ("yse", "yze"), ("isation", "ization"))
_ENDING_FROM = 5  # letters: four or our are no British or and for
_SKELETON_FROM = 6  # letters; shorter ones meet by chance
_SLIP_FROM = 6  # letters of a word that one slip may stand in
_SLIP_NAME_FROM = 8  # letters of the whole name
_INNER = 2  # letters at a word's end that tell forms apart: German, Germany; Maria, Marie


def spelled_alike(name: str, other: str) -> Rule | None:
    """Return the rule by which two normalised names are the same; None if there is none.

    spelling: the same letters but for hyphens, gaps, apostrophes, points and known variants; typo: one letter
    too many, missing, wrong or swapped with its neighbour, inside a long word. Numbers, and words that tell
    one of a row from the next, must be the same in both.
    """
    if (
        name == other
        or is_time(name)
        or is_time(other)
        or _list_fixed_parts(name) != _list_fixed_parts(other)
    ):
        return None
    left, right = _skeleton(name), _skeleton(other)
    if left == right:
        return "spelling" if len(left) >= _SKELETON_FROM and not left.isdigit() else None
    return "typo" if _one_slip(parts(name).words, parts(other).words) else None


def only_a_gap(name: str, other: str) -> bool:
    """Return whether two spellings differ by a space between real words: red wood is not redwood."""
    return len(_pieces(name)) != len(_pieces(other))


def _pieces(name: str) -> list[str]:
    return [piece for piece in re.split(r"[\s-]+", name) if piece]


def _list_fixed_parts(name: str) -> list[str]:
    """Return what must be the same in both: numbers, numerals, single letters."""
    numbers = re.findall(r"\d+", name)
    held = parts(name.replace("-", " ").replace("/", " ")).words
    return numbers + [word for word in held if word in COUNTED or (len(word) == 1 and word.isalpha())]


def _skeleton(name: str) -> str:
    return _MARKS.sub("", "".join(_variant(word) for word in _pieces(name)))


def _variant(word: str) -> str:
    bare = normalise(word)
    if bare in _SAME:
        return _SAME[bare]
    for british, american in _ENDINGS:
        if len(bare) >= _ENDING_FROM and bare.endswith(british):
            return bare[: -len(british)] + american
    return bare


def _one_slip(words: tuple[str, ...], other: tuple[str, ...]) -> bool:
    if len(words) != len(other):
        return False
    differing = [(a, b) for a, b in zip(words, other, strict=True) if a != b]
    if len(differing) != 1 or sum(map(len, words)) < _SLIP_NAME_FROM:
        return False
    first, second = differing[0]
    if len(words) == 1 or min(len(first), len(second)) < _SLIP_FROM:
        return False
    if any(word in GIVEN_NAMES | JOINING for word in differing[0]):
        return False
    return _is_slip(*sorted(differing[0], key=len))


def _is_slip(short: str, long: str) -> bool:
    """Return whether one edit inside the word, not at its ends, makes one of the other."""
    begin = next(
        (at for at, pair in enumerate(zip(short, long, strict=False)) if pair[0] != pair[1]), len(short)
    )
    rest_short, rest_long = short[begin:], long[begin:]
    if begin < 1:
        return False
    if len(short) == len(long):
        swapped = rest_short[:2] == rest_long[1::-1] and rest_short[2:] == rest_long[2:]
        tail = rest_short[2:] if swapped else rest_short[1:]
        return (swapped or tail == rest_long[1:]) and len(tail) >= _INNER
    return len(long) - len(short) == 1 and rest_short == rest_long[1:] and len(rest_short) >= _INNER
