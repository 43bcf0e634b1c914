"""Classifies a question in Chinese by its form: which use of a tool fits, and with what arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from infra.offline_model.parser.chinese.steps import is_chinese
from infra.offline_model.parser.graph.graph_words import GraphWords

_MARKS = ' ，。？！?!、“”"「」'
_NAME = r"[^，。？！?!的]{1,12}?"
_CONNECTED = re.compile(
    rf"^(?P<a>{_NAME})(?:和|与|跟|同)(?P<b>{_NAME})(?:之间)?(?:的关系)?(?:是|有|存在|怎么|如何)?"
    r"(?:着)?(?:什么|哪些|怎样的?|何种|怎么样的?)?(?:关系|联系|关联|相连|认识)"
)
_CHANGED = re.compile(
    rf"^(?P<a>{_NAME})(?:(?:和|与|跟|同)(?P<b>{_NAME}))?(?:之间)?的?(?:关系)?(?:是)?"
    r"(?:怎样|如何|怎么)(?:变化|发展|演变)|^(?P<c>[^，。？！?!的]{1,12}?)后来(?:怎么样|怎样|如何)"
)
_HAPPENED = re.compile(
    rf"^(?P<a>{_NAME})(?:发生|经历|遭遇|遇到)(?:了|过)?(?:什么|哪些)|^(?P<b>{_NAME})(?:有|中有|里有)(?:哪些|什么)(?:重大)?事件"
)
_MEMBERS = re.compile(rf"^(?P<a>{_NAME})(?:都|里|中)?(?:有|包括|包含)(?:了)?(?:哪些|什么)?(?:成员|人员|人)")
_PLACES = re.compile(
    rf"^(?P<a>{_NAME})(?:曾|都|曾经)?(?:在|去过|到过|出现在|住在|设在|设于|来自)(?:了)?(?:哪些?|什么|哪里|哪儿)(?:地点|地方|场所)?"
)
_WHO_DID = re.compile(r"^谁(?:是)?(?P<verb>[^，。？！?!]{1,3}?)(?:了|过|着|给)(?P<a>[^，。？！?!]{1,12})$")
_IS = re.compile(
    rf"^(?:谁是(?P<a>[^，。？！?!]{{1,12}})|(?P<b>{_NAME})(?:是|到底是)(?:谁|什么人))(?:$|[，。？！?!])"
)
_LIST = re.compile(
    r"^(?:请)?(?:列出|列举|罗列|显示|给出|查询)(?:一下)?(?:所有|全部)?的?(?P<a>[^，。？！?!的]{1,6})$"
    r"|^(?:一共|总共)?有(?:哪些|多少个?|几个)(?P<b>[^，。？！?!的]{1,6})$"
)
_DETAIL = re.compile("为什么|为何|怎么(?!样)|如何|用什么|多大|多长|原文|说明|描述")
_WHOLE = frozenset(("故事", "故事里", "故事中", "书中", "书里", "小说", "小说里", "小说中", "全书", "这里"))
# What people call the kinds of node.
_LABELS = {
    "组织": ("organization", "organisation", "group", "guild", "faction"),
    "团体": ("group", "organization"),
    "机构": ("institution", "organization"),
    "公司": ("company", "organization"),
    "人物": ("character", "person"),
    "角色": ("character", "role"),
    "人": ("person", "character"),
    "演员": ("actor", "person"),
    "地点": ("place", "location"),
    "地方": ("place", "location"),
    "事件": ("majorevent", "event"),
    "重大事件": ("majorevent", "event"),
    "物品": ("item", "object", "artifact"),
    "东西": ("item", "object"),
    "国家": ("nation", "country"),
    "地区": ("region",),
    "电影": ("movie", "film"),
    "任务": ("task", "quest", "mission"),
}
_EVENTS = {
    "sacrifice": "牺牲|献出",
    "loss": "失去|丢失",
    "acquisition": "获得|得到",
    "conflict": "冲突|打斗|战斗",
    "encounter": "相遇|遇见",
    "revelation": "揭示|得知|发现",
    "transformation": "转变|变成",
    "milestone": "里程碑",
}
_OF_MEMBERS = ("MEMBER_OF", "BELONGS_TO", "PART_OF")
Use = Literal["connect", "journey", "events", "look_up", "write", "search"]


class Shape(NamedTuple):
    """A use of a tool with its arguments."""

    use: Use
    arguments: dict[str, str]


def chinese_uses(text: str, graph: GraphWords) -> Iterator[Shape]:
    """Yield the uses of tools that fit a question in Chinese, the best first."""
    if not is_chinese(text):
        return
    question = text.strip(_MARKS)
    yield from _between(question, graph)
    yield from _of_events(question)
    if listed(text, graph):
        yield Shape("write", {"question": text})
    if _DETAIL.search(question):
        yield Shape("search", {"question": text})
        return
    for pattern in (_PLACES, _WHO_DID, _IS):
        if match := pattern.match(question):
            yield Shape("look_up", {"entity": match["a"] or match.groupdict().get("b") or ""})


def _between(question: str, graph: GraphWords) -> Iterator[Shape]:
    """Yield uses for connections between two names, and for members of something."""
    if match := _CHANGED.match(question):
        target = {"target": match["b"]} if match["b"] else {}
        yield Shape("journey", {"entity": match["a"] or match["c"], **target})
    if (match := _CONNECTED.match(question)) and match["b"] not in {"别人", "其他人", "他人"}:
        yield Shape("connect", {"entity1": match["a"], "entity2": match["b"]})
    if match := _MEMBERS.match(question):
        relation = next((name for name in _OF_MEMBERS if any(kind.name == name for kind in graph.types)), "")
        yield Shape("look_up", {"entity": match["a"], **({"relation": relation} if relation else {})})


def _of_events(question: str) -> Iterator[Shape]:
    told = ((kind, re.search(words, question)) for kind, words in _EVENTS.items())
    kind = next((kind for kind, said in told if said and question.startswith("谁")), "")
    if kind:
        yield Shape("events", {"event_type": kind})
    if match := _HAPPENED.match(question):
        who = match["a"] or match["b"]
        named = {} if who in _WHOLE else {"entity": who}
        yield Shape("events", named)
        if named:
            yield Shape("journey", named)


def label_called(called: str, graph: GraphWords) -> str:
    """Return the label for a Chinese word; empty if the schema has none."""
    wanted = (called, *_LABELS.get(called, ()))
    labels = {label.name.casefold(): label.name for label in graph.labels}
    return next((labels[word] for word in wanted if word in labels), "")


def listed(text: str, graph: GraphWords) -> str:
    """Return the label whose nodes a Chinese question wants listed; empty if it wants no list."""
    match = _LIST.match(text.strip(_MARKS)) if is_chinese(text) else None
    return label_called(match["a"] or match["b"], graph) if match else ""
