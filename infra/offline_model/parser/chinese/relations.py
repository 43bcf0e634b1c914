"""Finds relations between entities in a Chinese statement, by the words between them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from infra.offline_model.parser.chinese.cast import ChineseCast
from infra.offline_model.parser.chinese.words import CALLINGS, CHIEFS, KIN, SPOUSES
from infra.offline_model.parser.statements.relations import Marked, Related, stated_by, with_marks

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
    """Return a statement with «0», «1» in place of its members, without the quotation marks around them."""
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
    """Return the regular expression behind a pattern."""
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
