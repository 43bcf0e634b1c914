"""Finds turning points in a Chinese statement: a verb of change, the actor, and who is affected."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

from infra.offline_model.parser.chinese.words import CALLINGS, CHIEFS
from infra.offline_model.parser.statements.cast import Member
from infra.offline_model.parser.statements.relations import Marked
from infra.offline_model.parser.statements.turning_points import participant, takes_part, unmarked

# The first that fits is told. What follows the verb is the object.
_VERBS = {
    "sacrifice": r"(?:献出|牺牲|舍弃|付出)了?(?:自己的?)?(?:生命|性命|自由|一切)?|舍身救",
    "revelation": (
        r"说出了?(?:一个)?(?:秘密|真相|实情)|(?:透露|揭露|承认|坦白|供认|道出)了?|"
        r"(?:得知|发现|查明)了?(?:真相|秘密)"
    ),
    "milestone": r"成了?亲|结了?婚|订了?婚|登基|加冕|即位|宣誓|立誓|创立|创办|建立|当选|毕业|受封",
    "transformation": (
        r"(?:成为|成了|变成|变成了|化作|当上)了?(?:一[名个位])?"
        rf"(?:[^«»，。；：！？]{{0,6}}(?:{CALLINGS}|{CHIEFS}))"
    ),
    "conflict": (
        r"打了一架|打了起来|打起来|背叛了?|出卖了?|攻打了?|攻击了?|袭击了?|决斗|交战|交手|对峙|击败了?|打败了?|争吵"
    ),
    "loss": r"失去了?|丢失?了|被抢走了?|输掉了?|痛失",
    "acquisition": r"得到了?|收到了?|继承了?|找到了?|获得了?|赢得了?|买下了?|夺得了?",
    "encounter": r"遇见了?|遇到了?|碰见了?|碰到了?|邂逅了?|结识了?|初见",
}
# (who acts, to whom it happens)
_ROLES = {
    "sacrifice": ("牺牲者", "获救者"),
    "revelation": ("说出真相的人", "当事人"),
    "milestone": ("", ""),
    "transformation": ("改变者", ""),
    "conflict": ("动手的人", "对手"),
    "loss": ("失去者", ""),
    "acquisition": ("得到者", "给予者"),
    "encounter": ("相遇者", "相遇者"),
}
_LEARNED = re.compile(r"(?:得知|发现|查明)了?(?:真相|秘密)$")
_LEARNS = ("得知真相的人", "说出真相的人")
_GAP = r"(?:(?![没不未别勿非]|从来|差点)[^«»，。；：！？“”「」]){0,8}?"
_BESIDE = rf"(?:(?:从|和|与|跟|同|为|替|向|对|在|被|把)«\d+»{_GAP}){{0,2}}"
_ENDS = re.compile(r"[，；：。！？]")
_LONGEST = 40  # characters of an event's name
_WITH = frozenset(("encounter", "conflict"))


class _Told(NamedTuple):
    type: str
    who: Member
    start: int  # of who, in the marked text
    verb: int  # where the verb begins
    end: int  # of the verb


def event_of(statement: Marked, types: Sequence[str]) -> dict[str, Any] | None:
    """Return {type, name, participants} of the event that a statement tells; None where it tells none."""
    event = _first(statement, types)
    if event is None:
        return None
    ends = _ENDS.search(statement.text, event.end)
    if ends and ends[0] == "：" and event.type == "revelation":
        ends = _ENDS.search(statement.text, ends.end())
    until = ends.start() if ends else len(statement.text)
    others = [
        statement.members[int(mark)] for mark in re.findall(r"«(\d+)»", statement.text[event.start : until])
    ]
    people = [member for member in dict.fromkeys(others) if takes_part(event.type, event.who, member)]
    if not people and event.type in _WITH:
        return None  # of what nobody else takes part in, neither is one
    roles = _LEARNS if _LEARNED.search(statement.text[: event.end]) else _ROLES.get(event.type, ("", ""))
    outcome = _outcome(statement, event, until)
    return {
        "type": event.type,
        "name": unmarked(statement, statement.text[event.start : until])[:_LONGEST],
        "participants": [
            participant(event.who, roles[0], outcome),
            *(
                participant(member, roles[1], outcome if event.type == "milestone" else "")
                for member in people
            ),
        ],
    }


def _first(statement: Marked, types: Sequence[str]) -> _Told | None:
    for kind in (kind for kind in _VERBS if kind in types):
        for match in _pattern(kind).finditer(statement.text):
            who = statement.members[int(match["who"])]
            if who.sort in {"person", "group"}:
                return _Told(kind, who, match.start(), match.start("verb"), match.end())
    return None


@cache
def _pattern(kind: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![从向给对被为替把在])«(?P<who>\d+)»{_GAP}{_BESIDE}(?P<verb>{_VERBS[kind]})")


def _outcome(statement: Marked, event: _Told, until: int) -> str:
    """Return what becomes of the one who acts, where the verb itself says it."""
    after = unmarked(statement, statement.text[event.end : until]).strip("“”「」")
    verb = statement.text[event.verb : event.end]
    if event.type == "loss" and after:
        return f"没有了{after}"
    if event.type == "acquisition" and after:
        return f"有了{after}"
    if event.type == "transformation":
        return verb
    if event.type == "sacrifice" and ("命" in verb or verb.startswith("舍身")):
        return "死去"
    return "成亲" if event.type == "milestone" and re.match("成了?亲|结了?婚", verb) else ""
