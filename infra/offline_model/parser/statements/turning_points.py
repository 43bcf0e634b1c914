"""Finds turning points in a statement: a verb of change, the actor and the person affected."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

from infra.offline_model.parser.statements.cast import Member
from infra.offline_model.parser.statements.relations import Marked

# The first pattern that matches is used. The text after the verb is the object.
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


def event_of(statement: Marked, types: Sequence[str]) -> dict[str, Any] | None:
    """Return {type, name, participants} of a statement's event; None if it has none."""
    event = _first(statement, types)
    if event is None:
        return None
    ends = _ENDS.search(statement.text, event.end)
    if event.type == "revelation" and (that := _THAT.search(statement.text, event.end)):
        ends = _ENDS.search(statement.text, that.end())
    until = ends.start() if ends else len(statement.text)
    others = [
        statement.members[int(mark)] for mark in re.findall(r"«(\d+)»", statement.text[event.end : until])
    ]
    name = _spelled(statement, event.start, until)
    people = [member for member in dict.fromkeys(others) if takes_part(event.type, event.who, member)]
    if not people and event.type in {"encounter", "conflict"}:
        return None  # of what nobody else takes part in, neither is one
    roles = _LEARNS if _LEARNED.search(statement.text[: event.end]) else _ROLES.get(event.type, ("", ""))
    return {
        "type": event.type,
        "name": name,
        "participants": [
            participant(event.who, roles[0], _outcome(statement, event, until)),
            *(participant(member, roles[1], "") for member in people),
        ],
    }


def _first(statement: Marked, types: Sequence[str]) -> _Told | None:
    for kind in [
        *(kind for kind in _VERBS if kind in types),
        *(kind for kind in types if kind not in _VERBS),
    ]:
        for match in _pattern(kind).finditer(statement.text):
            who = statement.members[int(match["who"])]
            if who.sort in {"person", "group", None}:
                return _Told(kind, who, match.start(), match.end())
    return None


@cache
def _pattern(kind: str) -> re.Pattern[str]:
    verbs = _VERBS.get(kind) or rf"{re.escape(kind.replace('_', ' ').removesuffix('e'))}\w*"
    return re.compile(
        rf"«(?P<who>\d+)»(?:,[^«».;]{{0,60}},)?(?: (?!was|were|had|not|never)\w+){{0,2}}? (?:{verbs})\b"
    )


def takes_part(kind: str, who: Member, member: Member) -> bool:
    """Return whether a mentioned member takes part in an event besides the actor."""
    if member is who:
        return False
    return member.sort in {"person", "group"} or (kind == "sacrifice" and member.sort in {"place", "nation"})


def participant(member: Member, role: str, outcome: str) -> dict[str, str]:
    """Return {name, role, outcome}; a known trade is the role."""
    return {"name": member.name, "role": member.calling or role, "outcome": outcome}


def _outcome(statement: Marked, event: _Told, until: int) -> str:
    """Return the outcome for the actor, if the verb itself states it."""
    after = unmarked(statement, statement.text[event.end : until]).strip()
    verb = statement.text[: event.end].rpartition(" ")[2]
    if event.type == "transformation":
        return f"is {after}"
    if event.type == "loss":
        return f"is without {after}"
    if event.type == "acquisition":
        return f"has {after.partition(' from ')[0]}"
    if event.type == "sacrifice" and ("life" in statement.text[: event.end] or verb in {"for", "save"}):
        return "dies"
    return f"marries {after.partition(' under ')[0]}" if verb == "married" else ""


def _spelled(statement: Marked, start: int, end: int) -> str:
    text = unmarked(statement, statement.text[start:end]).strip()
    if len(text) <= _LONGEST:
        return text
    return text[:_LONGEST].rpartition(" ")[0]


def unmarked(statement: Marked, text: str) -> str:
    """Return a marked text with names in the places of marks."""
    return re.sub(r"«(\d+)»", lambda match: statement.members[int(match[1])].name, text)
