"""Tells which relations have one value at a time, so that two values of them contradict each other."""

from __future__ import annotations

import re
from typing import NamedTuple

from workers.critic.values import MARK

# As Ada Lovelace, or Isle of Man.
_NAME = r"[A-Z][\w.'’-]*(?: (?:(?:of|de|van|von|the|al|la|del|der) )?[A-Z][\w.'’-]*)*"
_TAIL = rf"(?P<tail>(?:,? (?:in|on|since|as of|until)? ?{MARK})?)"
# Roles that one holds for good, and roles that another may hold later.
_LASTING = "architect|author|composer|designer|inventor|father|mother|birthplace"
_CURRENT = (
    "(?:general |managing )?manager|(?:managing )?director|chief executive(?: officer)?|CEO|chair(?:wo)?man|"
    "chair|president|mayor|governor|headmaster|headmistress|owner|landlord|tenant|contact|"
    "legal representative|husband|wife|capital|headquarters|head office|place of jurisdiction"
)
_ROLE = rf"(?:(?:{_LASTING}) (?:of|for|at) [^,;]+ (?:is|was)|(?:{_CURRENT}) (?:of|for|at) [^,;]+ is)"
_OWNED = rf"(?:(?:{_LASTING}) (?:is|was)|(?:{_CURRENT}) is)"
_SEATED = "headquartered|buried|born"
_SEAT = "has its (?:seat|head office|headquarters)"
_PLACED = rf"(?:(?:was|is|are|were) (?:{_SEATED})|died|{_SEAT}) (?:in|at|near)"
_ENGLISH = (
    re.compile(rf"^(?P<frame>[Tt]he {_ROLE}) (?P<name>{_NAME}){_TAIL}\.?$"),
    re.compile(rf"^(?P<frame>[^,;]+['’]s {_OWNED}) (?P<name>{_NAME}){_TAIL}\.?$"),
    re.compile(
        rf"^(?P<name>{_NAME}) (?:is|serves as) "
        rf"(?P<frame>the (?:{_LASTING}|{_CURRENT}) (?:of|for|at) [^,;]+?){_TAIL}\.?$"
    ),
    re.compile(rf"^(?P<frame>[^,;]+ {_PLACED}) (?P<name>{_NAME}){_TAIL}\.?$"),
)
_ROLES = (
    "首席执行官|总经理|董事长|副董事长|负责人|联系人|经理|校长|院长|市长|总统|主席|总理|首相|部长|局长|馆长|主任|"
    "秘书长|总裁|首都|首府|省会|总部|作者|导演|主编|设计师|建筑师|总工程师|法定代表人|代表人|甲方|乙方|出生地|"
    "所在地|注册地|地址|籍贯|承运人|受益人|监护人|丈夫|妻子|父亲|母亲|收货地|交货地点|仲裁地"
)
_HAN_NAME = r"[^\s,。;、:和与及或等的是为]{1,20}?"
_HAN_TAIL = r"(?P<tail>)"
_CHINESE = (
    re.compile(
        rf"^(?P<frame>.+的(?:{_ROLES})(?:现在|目前)?(?:是|为|由|在))(?P<name>{_HAN_NAME}){_HAN_TAIL}。?$"
    ),
    re.compile(
        rf"^(?P<frame>[^,。;]+?(?:出生于|生于|出生在|葬于|总部位于|总部设在))(?P<name>{_HAN_NAME})"
        rf"{_HAN_TAIL}。?$"
    ),
    re.compile(
        rf"^(?P<name>{_HAN_NAME})(?:现在|目前)?(?:是|担任|任)(?P<frame>.+的(?:{_ROLES})){_HAN_TAIL}。?$"
    ),
)
# What a number is said of as a state; what was done once may be done again with another number.
_STATE = re.compile(
    r"\b(?:is|are|was|were|has|have|had|holds?|seats?|measures?|weighs?|costs?|lasts?|runs|takes|covers?|spans?|"
    r"contains?|comprises?|employs?|amounts?|requires?|allows?|lies|stands|must|shall|may|will|within|stretches|"
    rf"consumes|pays|charges|offers|needs|owns|produces|serves|carries|accommodates|equals)\b|"
    rf"\b(?:of|at|to) {MARK}"
)
_DONE = re.compile(rf"了[^,。]{{0,4}}{MARK}")
# What happens to a thing once.
_ONCE = re.compile(
    r"\b(?:born|died|founded|established|opened|built|completed|inaugurated|signed|launched|invented|discovered|"
    r"incorporated|consecrated|demolished|abolished|ratified|effective|expires?|expired|ends|ended|premiered|"
    r"commissioned|created|dissolved|discontinued|retired|expiry)\b|"
    r"生于|出生|逝世|去世|成立|建成|竣工|落成|开业|开放|通车|签订|签署|生效|到期|届满|创立|创建|始建|启用|交付|上市"
)
# What is denied, supposed, planned, or only somebody's words.
_UNSURE = re.compile(
    r"\b(?:not|no|never|neither|if|unless|would|could|might|said|says|claims?|claimed|according|expected|expects|"
    r"planned|estimated)\b|n['’]t\b|[不未若]|如果|预计|计划|据说|据称",
    re.IGNORECASE,
)
_AGAIN = re.compile(
    r"\b(?:again|every|each|another|also|twice|(?:opened|built|launched|released|"
    r"published|founded|established|created|signed|completed|opens) (?:a|an|new|more|several|some|two|its)|"
    r"between|renewed|meetings?|visited)\b|每|再次|又|另|一家|一个|一座|之间|重新"
)
_PERIODIC = re.compile(r"\b(?:annual(?:ly)?|yearly|monthly|weekly)\b")
_GENERIC = frozenset(
    """delivery payment notice contract agreement price fee term interest rent warranty deadline order
    shipping invoice budget salary staff employees customers members tickets total production training work
    construction revenue profit sales turnover guarantee insurance tax approval he she it they we you i
    this that these those our my his her their its there""".split()  # noqa: SIM905
)
_GENERIC_HAN = re.compile(
    r"(?:本|该|此|其|我|你|他|她|它|双方|甲方|乙方|合同|协议|公司|价格|总价|金额|费用|租金|租期|期限|有效期|通知期|付款|"
    r"交货|交付|保修|违约金|利率|工期|员工|押金|这)"
)
_ARTICLES = frozenset(("the", "a", "an", "all"))
_LEADING = frozenset(
    """he she it they we you i this that these those our my his her their its there in on at as by according
    along when while after before during since from for with approximate approximately population
    attendance""".split()  # noqa: SIM905
)
_LED_IN = re.compile(rf"(?:In|On|By|Since|As of|Until|At) {MARK},? ")
_SUBJECT = re.compile(
    r"(?:(?!\b(?:is|are|was|were|has|have|had|must|shall|will|may|can|does|did)\b)[^,;]){1,80}"
)


class NamedValue(NamedTuple):
    """A name that is the one value of a relation, with the rest of the statement."""

    name: str
    frame: str


def named_value(text: str) -> NamedValue | None:
    """Return the name that a statement gives as the one value of something; None where it gives none.

    Args:
        text: shaped, its numbers and dates marked.
    """
    for nth, pattern in enumerate((*_ENGLISH, *_CHINESE)):
        match = pattern.match(text)
        if match is None:
            continue
        part = match.groupdict()
        return NamedValue(part["name"].rstrip("."), f"{nth} {part['frame']} {part['tail']}")
    return None


def is_other_name(name: str, other: str) -> bool:
    """Return whether two names share no word and neither is a part of the other."""
    words, others = set(name.casefold().split()), set(other.casefold().split())
    return not (words & others or name in other or other in name)


def is_unsure(text: str) -> bool:
    """Return whether a statement denies, supposes or reports, so that another contradicts nothing."""
    return _UNSURE.search(text) is not None


def states_one_amount(text: str, *, is_chinese: bool) -> bool:
    """Return whether a statement, its values marked, says an amount of which a thing has one."""
    if _AGAIN.search(text):
        return False
    return not _DONE.search(text) if is_chinese else _STATE.search(text) is not None


def states_one_date(text: str) -> bool:
    """Return whether a statement, its values marked, says when something happens once."""
    repeated = _AGAIN.search(text) or _PERIODIC.search(text)
    return _ONCE.search(text) is not None and not repeated


def names_its_subject(text: str, *, is_chinese: bool) -> bool:
    """Return whether it can be told by a statement alone whom it speaks of: not "The price is 300 euros"."""
    if is_chinese:
        return _GENERIC_HAN.match(text) is None
    match = _SUBJECT.match(_LED_IN.sub("", text, count=1))
    words = match.group().split() if match else []
    if not words or words[0].casefold() in _LEADING:
        return False
    named = words[1:] if words[0].casefold() in _GENERIC | _ARTICLES else words
    return any(word[0].isupper() for word in named)
