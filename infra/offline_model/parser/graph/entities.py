"""Finds names of graph entities in a question; titles are longer and odder than names in documents."""

from __future__ import annotations

import re
from dataclasses import dataclass

from infra.offline_model.parser.statements.names import CAPITALS, QUOTED

_WORD = rf"[{CAPITALS}](?:[^\W_]|['’.&/-](?=[^\W_]))*"
_APART = re.compile(rf"\b(?:Jr|Sr|Dr|Mr|Mrs|Ms|St|[{CAPITALS}])$")  # a full stop that ends no sentence
_JOINING = r"(?:of the|for the|on the|von der|of|for|the|on|de|la|del|der|von|van)"
_TOKEN = re.compile(
    rf"(?P<word>{_WORD})|(?P<number>\b\d{{1,3}}\b)|(?P<joining>\b{_JOINING}\b)|(?P<in>\bin\b|\bas\b)"
)
# Han with its digits, Hangul, kana: a run among Latin words is a name.
_DENSE = re.compile(r"[\u3400-\u9fff][\u3400-\u9fff·]*|[\uac00-\ud7af]+|[\u3041-\u30ff][\u30a0-\u30ff]+")
_OPENERS = frozenset(
    """
    who whom whose what which when where how why did does do is are was were has have had can could would
    and or but in of from for on at by with to compare list name show find give tell describe count return
    please then also display retrieve identify
    between among about all any the a an top i i'm
    thanks thank hello hi
    """.split()  # noqa: SIM905 - a list of words reads best
)
_PLAYS = re.compile(r"\b(?:play|played|plays|portray|portrayed|portrays|as)\s+$", re.IGNORECASE)
_PERSONAL = frozenset(("it", "i", "his", "her", "their", "its", "he", "she", "they"))
_KINDS = re.compile(r"^\((?P<label>[\w ]+)\)")


@dataclass(frozen=True)
class Entity:
    """A name with its position in the question."""

    name: str
    start: int
    end: int
    quoted: bool = False


def entities(text: str) -> list[Entity]:
    """Return the names of a question in order: quoted texts, then runs of capitalised words."""
    names = [
        Entity(match.group(1), match.start(), match.end(), quoted=True) for match in QUOTED.finditer(text)
    ]
    names += [
        Entity(match.group(1), match.start(), match.end(), quoted=True) for match in _single_quoted(text)
    ]
    covered = [(name.start, name.end) for name in names]
    for run in _runs(text):
        entity = _tidy(text, *run)
        if entity and not any(start < entity.end and entity.start < end for start, end in covered):
            names.append(entity)
            covered.append((entity.start, entity.end))
    for match in _DENSE.finditer(text):
        if not any(start < match.end() and match.start() < end for start, end in covered):
            names.append(Entity(match.group(), match.start(), match.end()))
    return sorted(names, key=lambda name: name.start)


def _single_quoted(text: str) -> list[re.Match[str]]:
    return list(re.finditer(r"(?<!\w)['‘]((?:[^'’]|['’](?=\w)){2,80})['’](?!\w)", text))


def _runs(text: str) -> list[tuple[int, int]]:
    """Return the positions of runs of capitalised words, with function words and numbers within."""
    runs: list[list[int]] = []
    waiting = False  # small words since the run's last capitalised one
    for token in _TOKEN.finditer(text):
        inside = bool(runs) and _adjoins(text, runs[-1], token.start())
        if token.lastgroup == "word":
            joined = runs and inside and not (waiting and token.group().casefold() in _OPENERS - {"the"})
            if joined:
                runs[-1][1] = runs[-1][2] = token.end()
            else:
                runs.append([token.start(), token.end(), token.end()])
            waiting = False
        elif token.lastgroup == "number":
            if inside and not waiting:
                runs[-1][1] = runs[-1][2] = token.end()
        elif inside and (token.lastgroup == "joining" or _joins(text, runs[-1], token)):
            runs[-1][2] = token.end()
            waiting = True
    return [(start, end) for start, end, _ in runs]


def _adjoins(text: str, run: list[int], start: int) -> bool:
    between = text[run[2] : start]
    return between == " " or (between == ". " and bool(_APART.search(text[run[0] : run[2]])))


def _joins(text: str, run: list[int], token: re.Match[str]) -> bool:
    """Return whether "in" or "as" is part of a title: Sleepless in Seattle, but not Neo in The Matrix."""
    phrase = text[run[0] : run[1]]
    if token.group() == "as":
        return phrase.startswith("As ") or re.match(r" It\b", text[token.end() :]) is not None
    small = phrase.split()
    after = text[token.end() :]
    return len(small) == 1 and not after.startswith(" The ") and not _PLAYS.search(text[: run[0]])


def _tidy(text: str, start: int, end: int) -> Entity | None:
    name = text[start:end]
    begins = not text[:start].strip(" \"“'(") or text[:start].rstrip()[-1:] in ".!?:;"
    while begins and name.split(" ")[0].casefold() in _OPENERS - {"the", "a", "an"}:
        name = name.partition(" ")[2].lstrip()
    if not any(mark.isupper() for mark in name) or (begins and name.casefold() in _OPENERS):
        return None
    if (
        name.casefold() in _PERSONAL
        or name.casefold() in _OPENERS
        or re.fullmatch(r"[A-Z]+(?:_[A-Z]+)+", name)
    ):
        return None
    start = end - len(name)
    bare = re.sub(r"(?:['’]s|(?<=s)['’])$", "", name)
    if re.search(r"\b(?:Jr|Sr)$", bare) and text[end : end + 1] == "." and text[end + 1 : end + 2]:
        return Entity(f"{bare}.", start, end + 1)
    return Entity(bare, start, start + len(bare))
