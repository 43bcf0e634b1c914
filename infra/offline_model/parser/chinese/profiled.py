"""Extracts typed relations and turning points from the statements of a Chinese chunk."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

from infra.offline_model.parser.chinese.cast import GENDERS, ChineseCast
from infra.offline_model.parser.chinese.words import CALLINGS, CHIEFS, KIN, SPOUSES
from infra.offline_model.parser.extracted_facts import LONGEST, closed
from infra.offline_model.parser.statements.cast import Member
from infra.offline_model.parser.statements.names import foreign_terms, quoted
from infra.offline_model.parser.statements.relations import Marked, Related, Stated, stated_by, with_marks
from infra.offline_model.parser.statements.turning_points import participant, takes_part, unmarked

_FEW = 3  # terms of a statement that names nobody
_LONGEST_TERM = 8  # characters of a run between marks that may serve as a name


def read_chinese(sentences: list[str], relations: Sequence[str], events: Sequence[str]) -> Iterator[Stated]:
    """Yield the statements of a text with the relations and events of these types."""
    cast = ChineseCast(sentences)
    for statement, sentence in ChineseStatements(cast).of(sentences):
        fact = closed(statement.strip("，；：、"), sentence)[:LONGEST]
        marked_statement = marked(fact, cast)
        related, event = list(relations_of(marked_statement, relations)), event_of(marked_statement, events)
        yield Stated(fact, related, event, marked_statement.members, _elements(fact, cast))


def _elements(fact: str, cast: ChineseCast) -> list[str]:
    named = [member.name for member in cast.mentioned(fact)]
    short = [phrase for phrase in quoted(fact) if len(phrase) <= _LONGEST_TERM]
    return named or short or [term for term in foreign_terms(fact) if len(term) <= _LONGEST_TERM][:_FEW]


# A and B are members; ~ from whom, with whom or where; _ a few characters without a denial; a pattern that
# ends in < tells it of B and A.
_PATTERNS: dict[str, str] = {
    "FAMILY_OF": """
        A的KIN(?:是|就是|叫|，)?B | A_是B的_KIN | A，_B的KIN | A_收养了?B
        A[和与跟同]B是(?:兄妹|姐妹|兄弟|姐弟|父子|父女|母子|母女)
        """,
    "PARTNER_OF": """
        A_(?:娶了?|嫁给了?|嫁了)B | A_爱上了?B | A的SPOUSE(?:是|，)?B | A_是B的_SPOUSE
        A[和与跟同]B_~(?:成了?亲|结了?婚|结为夫妻|订了?婚|定了亲|相爱|是夫妻)
        """,
    "FRIEND_OF": """
        A[和与跟同]B_(?:成了|成为|结为|做了|是|又是)_(?:朋友|好友|盟友|伙伴|知己)
        A_是B的_(?:朋友|好友|盟友|伙伴) | A的(?:朋友|好友|伙伴)(?:，|是)?B
        A[和与跟同]B_(?:和好|讲和|言和|和解) | A_(?:原谅|宽恕)了?B
        """,
    "ENEMY_OF": """
        A_(?:背叛|出卖|攻打|攻击|袭击|仇视|打败|击败)了?B | A_恨B
        A[和与跟同]B_(?:成了|成为|结成|是)_(?:仇人|仇敌|敌人|对头|死对头|对手)
        A_是B的_(?:仇人|仇敌|敌人|对头|死对头|对手) | A[和与跟同]B_结了仇
        A[和与跟同]B_(?:打了一架|打了起来|交手|对峙|决斗|交战|开战)
        """,
    "MENTOR_OF": """
        A_(?:教会|教导|教|训练|指点|培养)了?B | A_是B的_(?:师父|师傅|老师|恩师|导师)
        A拜B为师 < | A_收B为徒 | A_是B的_(?:徒弟|学生|弟子|学徒) <
        A的(?:徒弟|学生|弟子|学徒)B | A的(?:师父|师傅|老师|恩师)B <
        """,
    "LEADER_OF": """
        A_(?:率领|统领|带领|领导|统治|掌管|执掌|指挥)着?了?B | B的?CHIEFA
        A_是B的?_CHIEF | A_(?:当上|做|成为|成|当选为?)了?B的?_CHIEF
        """,
    "MEMBER_OF": """
        A_(?:加入|投奔|参加|属于)了?B | B的(?:成员|会员|队员)A
        A_是B_(?:的|里的|中的)?_(?:一员|成员|会员|队员|传人|弟子)
        """,
    "LIVES_IN": "A_(?:住在|定居在?|搬到|搬进|隐居在?|落户|安家在?)了?B",
    "LOCATED_IN": "A_(?:位于|坐落在|坐落于|悬在|立在|建在|矗立在|挂在)B | B的A",
    "OWNS": "A~_(?:拥有|继承了|得到了?|收到了?|买下了?|买了|珍藏着)_B | A的_B | B_属于A",
    "INTERACTS_WITH": """
        A_(?:遇见|遇到|碰见|拜访|帮助|询问|警告|感谢|照料|救起|救出|救|告诉|问)了?B
        A[和与跟同]B_(?:商量|交谈|谈|见面|同行|一起) | A给B_(?:端|送|带|打) | A带着B
        """,
}
_GAP = r"(?:(?![没不未别勿非]|拒绝|从来)[^«»，。；：！？“”「」]){0,8}?"
# What somebody is says nothing of how two stand to one another; what somebody leads does.
_CALLING = re.compile(rf"(?!(?:{CHIEFS})«)(?:{CALLINGS})(?=«\d+»)")
_MARKED = re.compile(r"[“「](«\d+»)[”」]")


def marked(statement: str, cast: ChineseCast) -> Marked:
    """Return a statement with its members replaced by «0», «1», without quotation marks around them."""
    marked_statement = with_marks(statement.replace("«", "“").replace("»", "”"), cast)
    return marked_statement._replace(text=_CALLING.sub("", _MARKED.sub(r"\1", marked_statement.text)))


def relations_of(statement: Marked, types: Sequence[str]) -> Iterator[Related]:
    """Yield the relations of these types that a statement states, each once."""
    return stated_by(statement, types, _compiled)


@cache
def _compiled(kind: str) -> tuple[tuple[re.Pattern[str], bool], ...]:
    lines = _PATTERNS.get(kind, "").split("\n")
    patterns = [pattern.strip() for line in lines for pattern in line.split(" | ") if pattern.strip()]
    return tuple(
        (re.compile(_expanded(pattern.removesuffix("<").strip())), pattern.endswith("<"))
        for pattern in patterns
    )


def _expanded(pattern: str) -> str:
    """Expand a pattern to a regular expression."""
    known = {
        "KIN": f"(?:{KIN})",
        "SPOUSE": f"(?:{SPOUSES})",
        "CHIEF": f"(?:{CHIEFS})",
        "A": r"(?<![从向给对被为替把在])«(?P<a>\d+)»",
        "~": rf"(?:[从在向和]«\d+»{_GAP})?",
        "B": r"«(?P<b>\d+)»",
        "_": _GAP,
    }
    return re.sub("KIN|SPOUSE|CHIEF|A|B|_|~", lambda match: known[match[0]], pattern)


_LONGEST = 600  # characters; no sentence that rules understand is longer
_SHORTEST = 5  # characters of a statement
_QUOTED = re.compile(rf"[“「][^”」]{{0,{_LONGEST}}}+[”」]")
_LEAD = r"于是|然后|后来|可是|但是|但|因为|所以|接着|就|[一-龥]{1,6}，"
_PRONOUN = re.compile(rf"^(?:{_LEAD})?(?P<word>[他她])(?!们)")
_INSIDE = re.compile(r"(?<=[：，])(?P<word>[他她])(?!们|的)")
# What somebody does next, said without a subject.
_NEXT = re.compile(
    r"(?:又|还|也|并|后来|然后|随后|接着|从此)?"
    r"(?:加入|投奔|离开|娶|嫁|教会|当上|成为|成了|失去|得到|找到|继承|背叛|住在|搬到)"
)
_OWNED = re.compile(r"(?P<word>[他她])(?=的)")
_SAYING = re.compile(r"(?P<who>.{0,8})(?:说|问|答|喊|道)[。！？]?$")
_RECENT = 5  # of those spoken of


class ChineseStatements:
    """Tracks the subject of a text, sentence by sentence.

    Args:
        cast: cast of the text.
    """

    def __init__(self, cast: ChineseCast) -> None:
        self._cast = cast
        self._spoken_of: list[Member] = []  # the last one last

    def of(self, sentences: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yield each statement with its sentence."""
        for sentence in sentences:
            self._cast.called(sentence, self._spoken_of[-1] if self._spoken_of else None)
            for piece in self._pieces(sentence):
                resolved = self._resolved(piece)
                self._follow(resolved)
                if len(resolved) >= _SHORTEST and not _only_speech(resolved):
                    yield resolved, sentence

    def _pieces(self, sentence: str) -> Iterator[str]:
        """Split at a semicolon, and at a comma after which somebody is named or does something else."""
        if len(sentence) > _LONGEST:
            yield sentence
            return
        hidden = _QUOTED.sub(lambda match: "〇" * len(match[0]), sentence)
        begin, subject = 0, ""
        for match in re.finditer(r"[；，]", hidden):
            piece, after = sentence[begin : match.start()], sentence[match.end() :]
            people = self._people(subject + piece)
            follows = people and _NEXT.match(after)
            if match[0] == "；" or follows or (people and self._begins_anew(after)):
                yield subject + piece
                begin, subject = match.end(), people[0].name if follows else ""
        yield subject + sentence[begin:]

    def _begins_anew(self, text: str) -> bool:
        """Return whether a text begins with a person and their action."""
        match = self._cast.pattern.match(text)
        member = self._cast.named(match[0]) if match else None
        if match is None or member is None or member.sort != "person":
            return bool(re.match(r"[他她](?!们|的)", text))
        return text[match.end() : match.end() + 1] not in {"", "，", "。", "、"}

    def _resolved(self, piece: str) -> str:
        match = _PRONOUN.search(piece)
        if match and (meant := self._meant(match["word"])):
            piece = f"{piece[: match.start('word')]}{meant.name}{piece[match.end('word') :]}"
        if (inside := _INSIDE.search(piece)) and (people := self._people(piece[: inside.start()])):
            name = people[0].name if _may_be(people[0], inside["word"]) else inside["word"]
            piece = f"{piece[: inside.start()]}{name}{piece[inside.end() :]}"
        owned = _OWNED.search(piece)
        if owned:
            before = self._people(piece[: owned.start()])
            meant = before[0] if before else self._meant(owned["word"])
            # Of whom nothing is known, it may be another's as well.
            if meant and meant.gender == GENDERS[owned["word"]]:
                piece = f"{piece[: owned.start()]}{meant.name}{piece[owned.end() :]}"
        return piece

    def _meant(self, pronoun: str) -> Member | None:
        latest = self._spoken_of[::-1]
        gender = GENDERS[pronoun]
        known = [member for member in latest[:_RECENT] if member.gender == gender]
        for member in known or latest:
            if _may_be(member, pronoun):
                member.gender = gender
                return member
        return None

    def _follow(self, statement: str) -> None:
        """Record the named people; the first is the subject."""
        outside = _QUOTED.sub("", statement)
        for member in reversed(self._people(outside)):
            self._spoken_of = [*(known for known in self._spoken_of if known is not member), member]

    def _people(self, text: str) -> list[Member]:
        return [member for member in self._cast.mentioned(text) if member.sort == "person"]


def _may_be(member: Member, pronoun: str) -> bool:
    return member.gender in {GENDERS[pronoun], ""}


def _only_speech(statement: str) -> bool:
    """Return whether a statement only names the speaker: 柳青禾说."""
    left = _QUOTED.sub("", statement)
    return bool(_SAYING.fullmatch(left.strip("，。！？")))


# The first pattern that matches is used. The text after the verb is the object.
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
_TURN_GAP = r"(?:(?![没不未别勿非]|从来|差点)[^«»，。；：！？“”「」]){0,8}?"
_BESIDE = rf"(?:(?:从|和|与|跟|同|为|替|向|对|在|被|把)«\d+»{_TURN_GAP}){{0,2}}"
_ENDS = re.compile(r"[，；：。！？]")
_NAME = 40  # characters of an event's name
_WITH = frozenset(("encounter", "conflict"))


class _Told(NamedTuple):
    type: str
    who: Member
    start: int  # of who, in the marked text
    verb: int  # where the verb begins
    end: int  # of the verb


def event_of(statement: Marked, types: Sequence[str]) -> dict[str, Any] | None:
    """Return {type, name, participants} of a statement's event; None if it has none."""
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
        "name": unmarked(statement, statement.text[event.start : until])[:_NAME],
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
    return re.compile(rf"(?<![从向给对被为替把在])«(?P<who>\d+)»{_TURN_GAP}{_BESIDE}(?P<verb>{_VERBS[kind]})")


def _outcome(statement: Marked, event: _Told, until: int) -> str:
    """Return the outcome for the actor, if the verb itself states it."""
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
