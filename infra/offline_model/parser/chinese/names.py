"""Finds names in a Chinese text by the words that repeatedly occur beside them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from infra.offline_model.parser.chinese.words import (
    AFTER,
    BEFORE,
    CALLINGS,
    DEEDS,
    DOUBLE_SURNAMES,
    ENDINGS,
    HAN,
    KIN,
    MEASURES,
    NO_NAMES,
    NOUNS_TOO,
    PREFIXES,
    SURNAMES,
    TITLES,
)

_OPEN = "“‘「『《"
_SURNAME = rf"(?:{'|'.join(DOUBLE_SURNAMES)}|[{''.join(sorted(SURNAMES))}])"
_PERSON = re.compile(rf"(?={_SURNAME}(?:{TITLES})|{_SURNAME}[{HAN}]{{1,2}}|[{PREFIXES}][{HAN}])")
_TITLED = re.compile(rf"{_SURNAME}(?:{TITLES})")
_ROLE = re.compile(rf"(?:{CALLINGS}|{KIN})[{_OPEN}]?$")
_BEFORE = re.compile(rf"(?:^|[^{HAN}]|{BEFORE})$")
_AFTER = re.compile(AFTER)
_DEEDS = re.compile(DEEDS)
_ENDINGS = (ending for endings in ENDINGS.values() for ending in endings.split("|"))
_ENDED = re.compile("|".join(sorted(_ENDINGS, key=len, reverse=True)))
_COUNTED = re.compile(rf"[一两几这那][{MEASURES}](?P<thing>[{HAN}]{{1,4}})")
_LONGEST_HEAD = 4  # characters of a name before its ending
_FULL = 3  # characters of a name with a given name of two
_LOOKED_AT = 6  # characters before a name, for the word that ends there
_NO_HEAD = re.compile(
    "[的了着和与跟在从到往是有这那一二三四五六七八九十几两每各全整本某把被给向对为她他它们我你个"
    "大小新旧老满半座条只上下前后里外过深学开吃看听说问送等写读]"
)
_NOT_GIVEN = re.compile("[的了着和与跟同在从到是有说问答把被给向对为也又还就都不没这那]")
_NO_PART = re.compile("[的了着要靠都会吹送教在到和从不没把被给]")  # of a thing or a group
_OFTEN = 2  # times that a name occurs before its borders are believed


def people(text: str) -> list[str]:
    """Return the full names of people in the order in which they occur.

    A surname with one or two characters behind it is a name where words stand around it that may, and it
    occurs again or stands behind what somebody is.
    """
    fitting: Counter[str] = Counter()
    sure: set[str] = set()
    for match in _PERSON.finditer(text):
        for name in _persons_at(text, match.start()):
            before = text[max(0, match.start() - _LOOKED_AT) : match.start()]
            after = text[match.start() + len(name) :]
            role = _ROLE.search(before)
            if _AFTER.match(after) and (role or _BEFORE.search(before)):
                fitting[name] += 1
                if role or _TITLED.fullmatch(name) or _begins(text, match.start(), name):
                    sure.add(name)
    often = (name for name in fitting if text.count(name) >= _OFTEN and name[0] not in NOUNS_TOO)
    believed = list(dict.fromkeys((*often, *(name for name in fitting if name in sure))))
    return sorted(_without_parts(believed, text), key=text.index)


def _begins(text: str, start: int, name: str) -> bool:
    """Tell whether a name begins a phrase, a full one or before what somebody does: once is enough."""
    if name[0] in NOUNS_TOO or name[0] in PREFIXES or (start and re.match(f"[{HAN}]", text[start - 1])):
        return False
    return len(name) >= _FULL or _DEEDS.match(text, start + len(name)) is not None


def _persons_at(text: str, start: int) -> Iterable[str]:
    if NO_NAMES.match(text, start):
        return []
    titled = _TITLED.match(text, start)
    if titled:
        return [titled[0]]
    head = next((surname for surname in DOUBLE_SURNAMES if text.startswith(surname, start)), text[start])
    sizes = (1,) if head in PREFIXES else (1, 2)
    names = (text[start : start + len(head) + size] for size in sizes)
    return [
        name for name in names if re.fullmatch(rf"[{HAN}]{{2,4}}", name) and not _NOT_GIVEN.search(name[1:])
    ]


def _without_parts(names: list[str], text: str) -> Iterator[str]:
    """Drop the beginning of a longer name that is as often there: 柳青 beside 柳青禾; else the longer one."""
    for name in names:
        longer = [other for other in names if other != name and other.startswith(name)]
        shorter = [other for other in names if other != name and name.startswith(other)]
        if not any(_is_whole(other, name, text) for other in longer) and all(
            _is_whole(name, other, text) for other in shorter
        ):
            yield name


def _is_whole(longer: str, shorter: str, text: str) -> bool:
    """Tell which of two is the name: 李明走了 once is said of 李明, 李明生 again and again is one."""
    times = text.count(longer)
    return times == text.count(shorter) and (times >= _OFTEN or not _AFTER.match(longer[len(shorter) :]))


def ended(text: str) -> list[str]:
    """Return names that end in what they are, as 断云谷 does: said again, or between borders."""
    names: dict[str, None] = {}
    for match in _ENDED.finditer(text):
        if _ENDED.match(text, match.end()):
            continue  # 石桥 of 石桥帮
        if name := _before_ending(text, match.start(), match.end()):
            names[name] = None
    return list(names)


def _before_ending(text: str, start: int, end: int) -> str:
    """Return the longest name that ends here and occurs as often as any shorter one."""
    best, most = "", 1
    for size in range(1, _LONGEST_HEAD + 1):
        head = text[max(0, start - size) : start]
        if len(head) < size or not re.fullmatch(rf"[{HAN}]+", head) or _NO_HEAD.match(head):
            break
        name = head + text[start:end]
        if _NO_PART.search(head):
            break
        times = text.count(name)
        bordered = _BEFORE.search(text[max(0, start - size - _LOOKED_AT) : start - size]) is not None
        if times >= max(most, _OFTEN) or (bordered and times >= most and not best):
            best, most = name, times
    return best


def counted(text: str) -> list[str]:
    """Return the things that a text counts: 铜哨 of 一支铜哨."""
    return list(dict.fromkeys(_thing(match["thing"]) for match in _COUNTED.finditer(text)))


def _thing(run: str) -> str:
    ending = re.match(rf"[新旧大小]?(?P<thing>[{HAN}]{{1,3}}?(?:{ENDINGS['item']}))", run)
    return ending["thing"] if ending else ""
