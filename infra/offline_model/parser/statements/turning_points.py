"""Finds turning points in a statement: a verb of change, the actor, and who is affected."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

from infra.offline_model.parser.statements.cast import Member
from infra.offline_model.parser.statements.relations import Marked

# The first that fits is told. What follows the verb is the object.
_VERBS = {
    "sacrifice": (
        r"(?:gave|gives) (?:up )?(?:his|her|their) (?:own )?(?:life|freedom)|laid down (?:his|her) life|"
        r"sacrificed|died (?:for|to save)|(?:gave|gives) (?:himself|herself) up"
    ),
    "revelation": (
        r"revealed|confessed|admitted that|found out|learned (?:from|that|who|whose|the truth)|"
        r"discovered that|told (?:[^«».;]{0,20})the truth"
    ),
    "milestone": (
        r"married|was crowned|were crowned|founded|swore (?:an|the) oath|took (?:the|an|his|her) oath|"
        r"was elected|was sworn in|was knighted|graduated"
    ),
    "transformation": r"became|turned into|was changed into|was turned into|grew into",
    "conflict": r"fought|attacked|betrayed|quarrelled with|duelled|defeated|rose against|declared war on",
    "loss": r"lost|was robbed of|was banished from",
    "acquisition": r"received|inherited|was given|found|won|bought|came by",
    "encounter": r"met|came upon|ran into",
}
# (who acts, to whom it happens)
_ROLES = {
    "sacrifice": ("who gives", "who is saved"),
    "revelation": ("who tells", "whom it concerns"),
    "milestone": ("", ""),
    "transformation": ("who changes", ""),
    "conflict": ("who attacks", "who is attacked"),
    "loss": ("who loses", ""),
    "acquisition": ("who receives", "who gives"),
    "encounter": ("who meets", "who is met"),
}
_LEARNED = re.compile(r"(?:learned \w+|found out|discovered that)$")
_LEARNS = ("who learns", "who tells")
_LONGEST = 80  # characters of an event's name
_ENDS = re.compile(r"[,;:.!?]|,? (?:and|but|because|before|until|so that|when|while|who|which|where) ")
_THAT = re.compile(r"\b(?:that|whose|who|whom)\b")


class _Told(NamedTuple):
    type: str
    who: Member
    start: int  # of who, in the marked text
    end: int  # of the verb


def event_of(said: Marked, types: Sequence[str]) -> dict[str, Any] | None:
    """Return {type, name, participants} of the event that a statement tells; None where it tells none."""
    told = _first(said, types)
    if told is None:
        return None
    ends = _ENDS.search(said.text, told.end)
    if told.type == "revelation" and (that := _THAT.search(said.text, told.end)):
        ends = _ENDS.search(said.text, that.end())
    until = ends.start() if ends else len(said.text)
    others = [said.members[int(one)] for one in re.findall(r"«(\d+)»", said.text[told.end : until])]
    name = _spelled(said, told.start, until)
    people = [one for one in dict.fromkeys(others) if takes_part(told.type, told.who, one)]
    if not people and told.type in {"encounter", "conflict"}:
        return None  # of what nobody else takes part in, neither is one
    roles = _LEARNS if _LEARNED.search(said.text[: told.end]) else _ROLES.get(told.type, ("", ""))
    return {
        "type": told.type,
        "name": name,
        "participants": [
            participant(told.who, roles[0], _outcome(said, told, until)),
            *(participant(one, roles[1], "") for one in people),
        ],
    }


def _first(said: Marked, types: Sequence[str]) -> _Told | None:
    for kind in [*(one for one in _VERBS if one in types), *(one for one in types if one not in _VERBS)]:
        for match in _pattern(kind).finditer(said.text):
            who = said.members[int(match["who"])]
            if who.sort in {"person", "group", None}:
                return _Told(kind, who, match.start(), match.end())
    return None


@cache
def _pattern(kind: str) -> re.Pattern[str]:
    verbs = _VERBS.get(kind) or rf"{re.escape(kind.replace('_', ' ').removesuffix('e'))}\w*"
    return re.compile(
        rf"«(?P<who>\d+)»(?:,[^«».;]{{0,60}},)?(?: (?!was|were|had|not|never)\w+){{0,2}}? (?:{verbs})\b"
    )


def takes_part(event: str, who: Member, one: Member) -> bool:
    """Return whether one of those mentioned takes part in an event beside the one who acts."""
    if one is who:
        return False
    return one.sort in {"person", "group"} or (event == "sacrifice" and one.sort in {"place", "nation"})


def participant(one: Member, role: str, outcome: str) -> dict[str, str]:
    """Return {name, role, outcome}; a calling that is known is the role."""
    return {"name": one.name, "role": one.calling or role, "outcome": outcome}


def _outcome(said: Marked, told: _Told, until: int) -> str:
    """Return what becomes of the one who acts, where the verb itself says it."""
    after = unmarked(said, said.text[told.end : until]).strip()
    verb = said.text[: told.end].rpartition(" ")[2]
    if told.type == "transformation":
        return f"is {after}"
    if told.type == "loss":
        return f"is without {after}"
    if told.type == "acquisition":
        return f"has {after.partition(' from ')[0]}"
    if told.type == "sacrifice" and ("life" in said.text[: told.end] or verb in {"for", "save"}):
        return "dies"
    return f"marries {after.partition(' under ')[0]}" if verb == "married" else ""


def _spelled(said: Marked, start: int, end: int) -> str:
    text = unmarked(said, said.text[start:end]).strip()
    if len(text) <= _LONGEST:
        return text
    return text[:_LONGEST].rpartition(" ")[0]


def unmarked(said: Marked, text: str) -> str:
    """Return a marked text with names in the places of marks."""
    return re.sub(r"«(\d+)»", lambda match: said.members[int(match[1])].name, text)
