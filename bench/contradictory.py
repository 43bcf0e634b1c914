"""Pairs of statements of two documents that contradict or seem to, and what the writer makes of them."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple, cast

from hopline.models.documents import Chunk, Document
from hopline.models.jobs import Usage
from hopline.models.metadata import Value
from infra.offline_model.replies import KINDS
from workers.core.graph.vectors import Vectors
from workers.core.jobs.work import Job
from workers.core.language.text import CHINESE
from workers.core.ports import Answered, Blobs, Graph, Limits, Model, Ports
from workers.core.prompts import Prompt
from workers.core.records import FactSource, Hit, ScoredFact
from workers.critic.synthesize import WritingInput, WritingResult, synthesize

_PLACES = ("Alder", "Birch", "Cedar", "Dorn", "Esk", "Fenn", "Garth", "Holm", "Isel", "Kell", "Lorn", "Marl")
_KINDS = ("Hall", "Bridge", "Tower", "Mill", "Works", "Station")
_GIVEN = ("Ada", "Bruno", "Clara", "Dirk", "Elsa", "Felix", "Greta", "Hugo", "Iris", "Jonas", "Karin", "Lars")
_FAMILY = ("Abel", "Brandt", "Carlsen", "Dahl", "Eriksen", "Falk", "Grieg", "Holt", "Ibsen", "Juhl", "Krog")
_TOWNS = ("Vestby", "Ostrava", "Lindau", "Morez", "Tarnow", "Vilnes", "Corvo", "Dunlin", "Essen", "Fallun")
_MONTHS = ["January", "March", "April", "June", "July", "September", "October", "December"]
_HAN = ("海蓝", "金桥", "东方", "长风", "明远", "天宇", "华信", "瑞丰", "新港", "白山", "青石", "云岭")
_HAN_KINDS = ("公司", "大厦", "电站", "大桥", "学院", "仓库")
_HAN_PEOPLE = ("张伟", "李娜", "王强", "刘洋", "陈静", "杨帆", "赵磊", "黄敏", "周涛", "吴霞", "徐明", "孙丽")
_HAN_TOWNS = ("南京", "杭州", "成都", "西安", "大连", "青岛", "厦门", "长沙", "昆明", "兰州")
_TITLES = {"en": ("Notes of the archive", "Letter to the board"), "zh": ("档案笔记", "致董事会函")}
_NEAR_MISSES = Path(__file__).with_name("near_misses.txt")
Fill = Callable[[random.Random, str], tuple[str, str, str]]  # a thing's name -> question and two statements


class Pair(NamedTuple):
    """A question, and what two documents say to it."""

    kind: str  # number, date, name or near miss
    language: str  # en or zh
    question: str
    statements: tuple[str, str]
    titles: tuple[str, str]
    metadata: tuple[dict[str, Value], dict[str, Value]]  # of the two documents
    contradicts: bool

    @property
    def newer(self) -> int | None:
        """The place of the statement that comes first by its document; None where neither does."""
        days = [fields.get("date") for fields in self.metadata]
        ranks = [(fields.get("priority", 0), day) for fields, day in zip(self.metadata, days, strict=True)]
        if None in days or ranks[0] == ranks[1]:
            return None
        return int(ranks[1] > ranks[0])


def contradictory_pairs(number: int, seed: int) -> list[Pair]:
    """Return as many pairs as asked for that contradict, and all near misses of the file."""
    chance = random.Random(seed)
    return [_pair(chance, nth) for nth in range(number)] + near_misses()


def near_misses() -> list[Pair]:
    """Return the pairs of the file: alike, but true of both."""
    lines = _NEAR_MISSES.read_text("utf-8").splitlines()
    return [_near_miss(line) for line in lines if line and not line.startswith("#")]


def _near_miss(line: str) -> Pair:
    statement, other = line.split(" | ")
    language = "zh" if CHINESE.search(statement) else "en"
    return Pair(
        "near miss", language, statement, (statement, other), _TITLES[language], ({}, {}), contradicts=False
    )


def _pair(chance: random.Random, nth: int) -> Pair:
    language = ("en", "zh")[nth % 2]
    kind, fill = _TRUE[language][nth // 2 % len(_TRUE[language])]
    if language == "en":
        name = f"{chance.choice(_PLACES)}{chance.choice(('mouth', 'ford', 'by'))} {chance.choice(_KINDS)}"
    else:
        name = f"{chance.choice(_HAN)}{chance.choice(_HAN_KINDS)}"
    question, statement, other = fill(chance, name)
    return Pair(
        kind, language, question, (statement, other), _TITLES[language], _dated(chance, nth), contradicts=True
    )


def _dated(chance: random.Random, nth: int) -> tuple[dict[str, Value], dict[str, Value]]:
    """Return metadata: of every third pair none, of every sixth one with a priority that outdoes the date."""
    if nth % 3 == 2:
        return {}, {}
    first = date(2010, 1, 1) + timedelta(days=chance.randrange(1500))
    second = first + timedelta(days=chance.randrange(400, 2500))
    metadata: dict[str, Value] = {"date": first}
    other: dict[str, Value] = {"date": second}
    if nth % 6 == 3:
        metadata["priority"] = 5
    return (metadata, other) if chance.random() < 0.5 else (other, metadata)


def _two(chance: random.Random, pool: range) -> tuple[int, int]:
    number, other = chance.sample(pool, 2)
    return number, other


def _number(question: str, template: str, pool: range) -> Fill:
    def fill(chance: random.Random, name: str) -> tuple[str, str, str]:
        number, other = _two(chance, pool)
        return question.format(name), template.format(name, number), template.format(name, other)

    return fill


def _amended(question: str, template: str, later: str, pool: range) -> Fill:
    def fill(chance: random.Random, name: str) -> tuple[str, str, str]:
        number, other = _two(chance, pool)
        return question.format(name), template.format(name, number), later.format(name, other)

    return fill


def _chosen(question: str, template: str, pool: tuple[str, ...]) -> Fill:
    def fill(chance: random.Random, name: str) -> tuple[str, str, str]:
        choice, other = chance.sample(pool, 2)
        return question.format(name), template.format(name, choice), template.format(name, other)

    return fill


def _person(question: str, template: str) -> Fill:
    def fill(chance: random.Random, name: str) -> tuple[str, str, str]:
        forenames, family = chance.sample(_GIVEN, 2), chance.sample(_FAMILY, 2)
        person, other = (" ".join(full) for full in zip(forenames, family, strict=True))
        return question.format(name), template.format(name, person), template.format(name, other)

    return fill


def _day(question: str, template: str) -> Fill:
    def fill(chance: random.Random, name: str) -> tuple[str, str, str]:
        days = [
            f"{chance.randint(1, 28)} {month} {chance.randint(1850, 1990)}"
            for month in chance.sample(_MONTHS, 2)
        ]
        return question.format(name), template.format(name, days[0]), template.format(name, days[1])

    return fill


def _han_day(question: str, template: str) -> Fill:
    def fill(chance: random.Random, name: str) -> tuple[str, str, str]:
        years = chance.sample(range(1950, 2015), 2)
        days = [f"{year}年{chance.randint(1, 12)}月{chance.randint(1, 28)}日" for year in years]
        return question.format(name), template.format(name, days[0]), template.format(name, days[1])

    return fill


_Table = dict[str, list[tuple[str, Fill]]]
_TRUE: _Table = {
    "en": [
        ("number", _number("How many seats does {} have?", "{} has {} seats.", range(120, 900))),
        ("date", _day("When was {} opened?", "{} was opened on {}.")),
        ("name", _person("Who is the manager of {}?", "The manager of {} is {}.")),
        (
            "number",
            _amended(
                "What is the notice period of the {} lease?",
                "The notice period of the {} lease is {} days.",
                "The notice period of the {} lease was extended to {} days.",
                range(30, 360, 30),
            ),
        ),
        (
            "date",
            _chosen("When was {} founded?", "{} was founded in {}.", tuple(map(str, range(1850, 1990)))),
        ),
        ("name", _chosen("Where is {} headquartered?", "{} is headquartered in {}.", _TOWNS)),
        ("number", _number("How high is {}?", "{} is {} metres high.", range(40, 170))),
        ("date", _day("When does the {} licence expire?", "The {} licence expires on {}.")),
        ("name", _person("Who is the architect of {}?", "The architect of {} was {}.")),
        (
            "number",
            _number(
                "What is the annual rent of {}?", "The annual rent of {} is {},000 euros.", range(110, 300)
            ),
        ),
    ],
    "zh": [
        ("number", _number("{}的通知期是多少天？", "{}的通知期为{}天。", range(30, 360, 15))),
        ("date", _han_day("{}成立于什么时候？", "{}成立于{}。")),
        ("name", _chosen("{}的负责人是谁？", "{}的负责人是{}。", _HAN_PEOPLE)),
        ("number", _number("{}的年租金是多少？", "{}的年租金为{}万元。", range(110, 300))),
        ("date", _han_day("{}何时竣工？", "{}于{}竣工。")),
        ("name", _chosen("{}的总部位于哪里？", "{}的总部位于{}。", _HAN_TOWNS)),
        (
            "number",
            _amended(
                "{}的保修期是多久？", "{}的保修期为{}个月。", "{}的保修期现已延长为{}个月。", range(6, 60, 3)
            ),
        ),
        ("date", _han_day("{}的许可证何时到期？", "{}的许可证于{}到期。")),
        ("name", _chosen("{}的设计师是谁？", "{}的设计师是{}。", _HAN_PEOPLE)),
        ("number", _number("{}有多少名员工？", "{}有{}名员工。", range(120, 900))),
    ],
}


class Shelf:
    """The two documents of a pair, each of one statement, as much of a graph as the writer reads."""

    def __init__(self, pair: Pair) -> None:
        self._documents = [
            Document(
                id=f"d{n}",
                collection="default",
                uri=f"file:{title}",
                title=title,
                content_hash="",
                metadata=dict(fields),
            )
            for n, (title, fields) in enumerate(zip(pair.titles, pair.metadata, strict=True))
        ]
        self._texts = pair.statements
        self.reads = 0  # of documents' metadata

    def documents_of(self, ids: Sequence[str]) -> list[Document]:
        """Return documents by id."""
        self.reads += 1
        return [document for document in self._documents if document.id in ids]

    def fact_sources(self, _collection: str, fact_ids: Sequence[str]) -> list[FactSource]:
        """Return the places of facts."""
        return [self._source(n) for n in range(2) if f"f{n}" in fact_ids]

    def chunks(self, _collection: str, chunk_ids: Sequence[str]) -> list[tuple[Chunk, Document]]:
        """Return chunks, each of a statement."""
        return [(self._chunk(n), self._documents[n]) for n in range(2) if f"c{n}" in chunk_ids]

    def names_in(self, _collection: str, _chunk_ids: Sequence[str]) -> dict[str, list[tuple[str, ...]]]:
        """Return no other names."""
        return {}

    def elements_like(self, _collection: str, _text: str, _limit: int) -> list[Hit]:
        """Return no key elements."""
        return []

    def _chunk(self, n: int) -> Chunk:
        text = self._texts[n]
        return Chunk(id=f"c{n}", index=0, text=text, start=0, end=len(text), tokens=1, content_hash="")

    def _source(self, n: int) -> FactSource:
        text, document = self._texts[n], self._documents[n]
        return FactSource(
            fact_id=f"f{n}",
            fact=text,
            chunk_id=f"c{n}",
            document_id=document.id,
            title=document.title,
            uri=document.uri,
            start=0,
            end=len(text),
            match=1.0,
            grounded=True,
            quote=text,
        )


class OfflineReader:
    """The offline model without its server."""

    def __init__(self) -> None:
        self.shown = False  # whether a possible contradiction was

    def ask(self, _prompt: Prompt, material: Mapping[str, Any], reply: type[Any], **_: Any) -> Answered[Any]:
        """Return a reply of the rule-based reader."""
        fields = json.loads(json.dumps(dict(material), default=str))
        self.shown |= "possible_contradictions" in fields
        return Answered(value=reply.model_validate(KINDS[reply.__name__](fields)), usage=Usage())


class Outcome(NamedTuple):
    """What became of a pair."""

    proposed: bool  # to the writer, as a possible contradiction
    both: bool  # documents are cited
    ordered: bool | None  # the first of them first; None where neither is first
    text: str
    reads: int  # of metadata


def outcome_of(pair: Pair) -> Outcome:
    """Return what the writer makes of a pair."""
    shelf, model = Shelf(pair), OfflineReader()
    graph = SimpleNamespace(store=shelf, nodes=shelf, merging=shelf)
    ports = Ports(
        job=Job(id="bench", kind="query", collection="default", params={"question": pair.question}),
        graph=cast("Graph", graph),
        vectors=cast("Vectors", None),
        model=cast("Model", model),
        blobs=cast("Blobs", None),
        limits=Limits(),
    )
    facts = tuple(_fact(n, text) for n, text in enumerate(pair.statements))
    writing = WritingInput(question=pair.question, sub_questions=(), facts=facts)
    result = cast("WritingResult", synthesize(writing, ports).result)
    cited = [citation["document"]["id"] for citation in result.citations]
    first = pair.newer
    return Outcome(
        proposed=model.shown,
        both=len(set(cited)) > 1,
        ordered=None if first is None else cited[:1] == [f"d{first}"],
        text=result.text or f"({result.reason})",
        reads=shelf.reads,
    )


def _fact(n: int, text: str) -> ScoredFact:
    return ScoredFact(
        fact_text=text,
        source_node_id="k",
        source_fact_id=f"f{n}",
        extracted_from_depth=0,
        score=0.9,
        source_description="",
        scored_by="critic",
    )
