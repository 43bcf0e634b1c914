"""Tells persons' full names from other names, and how a text uses their short forms."""

from __future__ import annotations

import re

from workers.core.language.name_words import (
    COUNTED,
    GENERIC,
    GIVEN_NAMES,
    HONORIFICS,
    JOINING,
    LEGAL_FORMS,
    PARTICLES,
)

_SHORTEST = 3  # letters of a word that stands for a person
_MOST_WORDS = 3
_OTHER = GENERIC | COUNTED | HONORIFICS | JOINING | LEGAL_FORMS | PARTICLES
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]+")
_LONGEST_HAN_ACT = 4  # characters before a name
_HAN_NAME = 3  # characters: a family name and a given name of two
# The commonest family names of one character; a name that is missing costs a merge, not an error.
_HAN_FAMILIES = frozenset(
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾萧田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭"
    "陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤柳裴霍"
)
# What a person does and a place does not, right after the name.
_ACTS = (
    "said|told|asked|went|came|took|saw|made|gave|found|knew|thought|left|felt|kept|held|brought|began|ran|sat|"
    "stood|lost|met|wrote|spoke|broke|drew|drove|flew|fell|fought|forgot|hid|laid|sang|sent|shook|slept|sold|"
    "spent|stole|swam|swore|taught|threw|woke|wore|built|bought|caught|chose|cut|dug|ate|drank|rode|rang|read|"
    "put|paid|bent|slid|crept|knelt|leapt|wept|led|shut|set|let|says|tells|asks|goes|comes|takes|sees|makes|gives|"
    "finds|knows|thinks|feels|keeps|holds|brings|runs|sits|stands|meets|writes|speaks|lives|works|loves|hates|"
    "wants|was born|is married|was married|was buried|was afraid|could not|"
    "sagte|ging|kam|nahm|sah|gab|fand|kannte|dachte|brachte|lief|stand|verlor|traf|schrieb|sprach|fuhr|fiel|"
    "schlief|trug|baute|fragte|holte|segelte|heiratete"
)
_BEFORE = "with|by|told|asked|met|helped|followed|thanked|married|warned|mit|von|traf|fragte"
_AFTERWARDS = rf",? (?:(?:[a-z]+ly|also|then|never|had|has) )?(?:{_ACTS}|[a-zäöü]+ed|[a-zäöü]+te)\b"
_BEFOREHAND = rf"\b(?:{_BEFORE}) "
_ACT_AFTER, _ACT_BEFORE = re.compile(_AFTERWARDS), re.compile(f"{_BEFOREHAND}$")
# The same in Chinese, where no capital tells names from words: what is said of 高承岳, and not 高血压
# (hypertension: 检查, 对…, 因…去世), nor of 白细胞 (a white cell: 离开, 杀死) or 胡萝卜 (a carrot: 煮, 吃了).
_HAN_ADVERBS = (
    "[，,]?(?:(?:又|也|都|便|就|却|才|已|曾|正|还|再|只|忙|将|会|要|想|已经|曾经|终于|立刻|马上|连忙|突然|忽然|慢慢|悄悄|"
    "从不|从来|没有|没|不|每天|当晚|早上|晚上|中午|后来|当时|于是|一边|独自|亲自){0,3})"
)
_HAN_ACTS = (
    "说(?!明|法|到底)|道[：:，“「]|问(?!题|世)|回答|答道|答应|笑[了着道]|大笑|微笑|苦笑|哭|喊|叫住|叫来|叫醒|叫道|骂|吼|"
    "走[了到进出过来去在上下向]|跑[了着到向过进出来去]|跳[上下进]|站[在起着住]|坐[在下着上到]|躺[在下着]|跪[在下着]|"
    "蹲[在下着]|睡[了着在]|醒[了来]|抱着|背着|扛着|牵着|举起|捡起|握[着住]|擦洗|写[了着信道下过]|唱[了着起道]|学会|教书|"
    "修好|修理|修补|检查了|打扫|打电话|做饭|喝酒|喝茶|穿着|戴着|给[^，。！？]{1,12}(?:写信|打电话)|看[着见到]|望[着见向]|"
    "盯着|听[着见到说]|闻到|知道|觉得|认为|相信|决定|告诉|打算|记得|忘[了记]|想[到起着念]|爱上|讨厌|生气|吃惊|惊讶|"
    "点[了]?点?头|摇[了]?摇?头|低[下]?头|抬[起]?头|转身|伸手|挥手|沉默|叹|嫁给|娶|结婚|出生[于在]|生于|毕业|担任|出任|当选|"
    "就任|回家|回来|去了|赶到|登上|驾[着驶]|骑[着上]|划[着船]|掌舵|率领|带[着领]|领着|陪[着同]|等[着了]|遇见|救[了出]|逃走|"
    "躲在|偷|骗了|住[在进]|[上下]了[^，。！？]{0,8}[船车马岸楼轿号]"
)
_HAN_ADDRESS = "先生|女士|小姐|夫人|太太|同志"
_HAN_AFTERWARDS = f"(?:{_HAN_ADVERBS}(?:{_HAN_ACTS})|{_HAN_ADDRESS})"
_HAN_BEFOREHAND = "(?:告诉|询问|质问|嫁给|娶了|遇见|拜访|感谢|请来|请教|叫来|派遣|陪着|陪同|跟着)"
_HAN_ACT_AFTER, _HAN_ACT_BEFORE = re.compile(_HAN_AFTERWARDS), re.compile(f"{_HAN_BEFOREHAND}$")
_KINDS = (
    "city|town|village|capital|river|country|state|province|county|district|island|lake|mountain|sea|region|"
    "company|firm|band|song|album|film|novel|book|ship|boat|planet|horse|dog|cat|team|club|school|street|"
    "Stadt|Dorf|Fluss|Land|Insel|Schiff"
)
# Normalised names of peoples and languages, which many things have in common.
GENERAL = r".*(?:ian|ean|ish|ese|can|ench|german|dutch|greek|swiss)"
_WITHIN = "in|into|within|throughout|outside|across|capital of|city of|town of|streets of|nach"


def short_forms(name: str) -> tuple[str, ...]:
    """Return the words by which a normalised name may be shortened, as a person's is; () if it is none.

    tobias renn: tobias, renn. 高承岳: 承岳.
    """
    if _HAN.fullmatch(name):
        return (name[1:],) if len(name) == _HAN_NAME and name[0] in _HAN_FAMILIES else ()
    held = name.split()
    if not 1 < len(held) <= _MOST_WORDS or any(word in _OTHER or not word.isalpha() for word in held):
        return ()
    if len(held) == _MOST_WORDS and held[0] not in GIVEN_NAMES:
        return ()
    return tuple(dict.fromkeys(word for word in (held[0], held[-1]) if len(word) >= _SHORTEST))


def is_full_name(name: str) -> bool:
    """Return whether a normalised name is surely a person's full one: red tam and 白狐狸 may be by-names."""
    return name.split(" ", maxsplit=1)[0] in GIVEN_NAMES and bool(short_forms(name))


def may_be_short_form(name: str) -> bool:
    """Return whether a normalised name may be a person's given or family name alone."""
    if _HAN.fullmatch(name):
        return len(name) == _HAN_NAME - 1
    return name.isalpha() and len(name) >= _SHORTEST and name not in _OTHER


def written(name: str) -> str:
    """Return a normalised name as a text writes a name: tobias renn is Tobias Renn."""
    return " ".join(word.capitalize() for word in name.split(" "))


def person_use(name: str) -> str:
    """Return patterns for Python and Java that match a whole text with a name used for a person.

    A point also matches line ends, and words have letters of all scripts.

    A common given name always means a person.
    """
    spelled = written(name)
    if _HAN.fullmatch(name):
        return f".*(?:{spelled}{_HAN_AFTERWARDS}|{_HAN_BEFOREHAND}{spelled}).*"
    if name.split(" ", maxsplit=1)[0] in GIVEN_NAMES:
        return f".*{spelled}.*"
    return rf".*(?:\b{spelled}{_AFTERWARDS}|{_BEFOREHAND}{spelled}\b).*"


def is_person_use(name: str, text: str) -> bool:
    """Return whether `person_use` finds a name in a text; without a pattern for every name."""
    spelled = written(name)
    if name.split(" ", maxsplit=1)[0] in GIVEN_NAMES:
        return spelled in text
    is_used = _is_han_act if _HAN.fullmatch(name) else _is_act
    at = text.find(spelled)
    while at >= 0:
        end = at + len(spelled)
        if is_used(text, at, end):
            return True
        at = text.find(spelled, at + 1)
    return False


def _is_act(text: str, start: int, end: int) -> bool:
    """Return whether the word acts, or is acted on, like a person."""
    whole = not (start and text[start - 1].isalnum())
    if whole and _ACT_AFTER.match(text, end):
        return True
    return _ACT_BEFORE.search(text, 0, start) is not None and not text[end : end + 1].isalnum()


def _is_han_act(text: str, start: int, end: int) -> bool:
    if _HAN_ACT_AFTER.match(text, end):
        return True
    return _HAN_ACT_BEFORE.search(text, max(0, start - _LONGEST_HAN_ACT), start) is not None


def other_use(name: str) -> str:
    """Return what finds the same word used for a place or a thing, in the same way."""
    spelled = written(name)
    if _HAN.fullmatch(name):
        return f".*(?:[在到去往从至]{spelled}|{spelled}[市城县河山省国镇村湖江岛]).*"
    thing = rf"\b{spelled} (?:is|was|ist|war) (?:[\w-]+ ){{0,4}}(?:{_KINDS})\b"
    return rf".*(?:\b(?:{_WITHIN}) {spelled}\b|{thing}|\b[Tt]he {spelled}\b|\b{name}s?\b).*"
