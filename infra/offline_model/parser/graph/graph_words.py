"""Reads the names in a schema's text, and matches words of a question to them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from infra.offline_model.parser.question.synonyms import RELATIONS, concept
from workers.core.language.text import words

# One line per matter that people call by several words, beside those of `concepts`.
_SAME = """
person person persons people human humans somebody someone anybody
movie movie movies film films picture pictures
act act acts acted acting actor actors actress actresses star stars starred starring appear appears appeared
    cast casts play plays played player players playing
review review reviews reviewed reviewing reviewer reviewers critic critics
rate rate rated rates rating ratings
release release releases released
man man men
woman woman women
member member members membership belong belongs belonged
friend friend friends friendship befriend befriended
enemy enemy enemies
family family families relative relatives related
"""
_AGENT = re.compile(r"(?:er|or|ress|ic)(?:s|es)?$|^(?:cast|star|stars)$")
_PARTICLES = frozenset("in of to by at on for with is has was from a the".split())  # noqa: SIM905 - as a text
_SHORTEST = 3
_NAME = r"(?:(?<!`)`(?:[^`]|``)++`|\b[^\W\d]\w*+)"
_NODE = re.compile(rf"^\(:({_NAME})(?: \{{(.*)\}})?\)$")
_JOIN = re.compile(rf"^\((?::({_NAME}))?\)-\[:({_NAME})(?: \{{(.*)\}})?\]->\((?::({_NAME}))?\)$")
_VALUE = re.compile(rf'^({_NAME})\.({_NAME}): (".+")$')
_PROPERTY = re.compile(rf"({_NAME}): ([A-Z|<> _]+)")
_NAMING = ("name", "title", "label", "key", "id")
NUMBERS = ("INTEGER", "FLOAT")


@cache
def _same() -> dict[str, str]:
    lines = " ".join(_SAME.replace("\n    ", " ").splitlines(keepends=True)).splitlines()
    parted = [line.split() for line in lines if line.split()]
    return {word: name for name, *line in parted for word in line}


@lru_cache(maxsize=4096)
def root(word: str) -> str:
    """Return the root of a word in a question or a schema: acted, actor, ACTED → act."""
    small = word.casefold().removesuffix("'s").removesuffix("’s")
    if small in _same():
        return _same()[small]
    known = next(
        (
            relation
            for relation in (concept(small), concept(small.removesuffix("s")))
            if relation in RELATIONS
        ),
        "",
    )
    if known:
        return known
    for ending in ("s", "ing", "ed", "er", "ie", "e", "y"):
        if small.endswith(ending) and len(small) - len(ending) >= _SHORTEST and not small.endswith("ss"):
            small = small.removesuffix(ending)
    return small


def roots(text: str) -> tuple[str, ...]:
    """Return the roots of a text's words, in order, without those that only join."""
    parted = re.sub(r"_|(?<=[a-z])(?=[A-Z])", " ", text)
    return tuple(root(word) for word in words(parted) if word not in _PARTICLES)


def is_agent(word: str) -> bool:
    """Return whether a word is an agent noun: director, actors, cast."""
    return bool(_AGENT.search(word.casefold()))


@dataclass(frozen=True)
class Kind:
    """A label or relationship type: properties with their types; of a type, the labels that it joins."""

    name: str
    properties: tuple[tuple[str, str], ...] = ()
    joins: tuple[tuple[str, str], ...] = ()

    @property
    def naming(self) -> str:
        """The property with a node's name; empty if there is none."""
        own = [name for name, _ in self.properties]
        texts = [name for name, kind in self.properties if kind == "STRING"]
        return next((name for name in _NAMING if name in own), next(iter(texts), ""))

    def type_of(self, name: str) -> str:
        """Return the type of a property's values."""
        return dict(self.properties).get(name, "")


@dataclass(frozen=True)
class GraphWords:
    """A schema as it can be matched with words."""

    labels: tuple[Kind, ...]
    types: tuple[Kind, ...]
    values: tuple[tuple[str, str, str], ...] = ()  # label, property, and a text that some node has there

    def label(self, word: str) -> Kind | None:
        """Return the label that a word means: movies → Movie."""
        wanted = root(word)
        return next((label for label in self.labels if roots(label.name)[-1:] == (wanted,)), None)

    def type(self, word: str) -> Kind | None:
        """Return the relationship type that a word means: directed, director → DIRECTED."""
        wanted = root(word)
        return next((kind for kind in self.types if wanted in roots(kind.name)), None)

    def property(self, word: str) -> tuple[Kind, str] | None:
        """Return the label or type with a property that a word means, and the property."""
        wanted = root(word)
        held = ((kind, name) for kind in (*self.labels, *self.types) for name, _ in kind.properties)
        return next(((kind, name) for kind, name in held if wanted in roots(name)), None)

    def named(self, name: str) -> Kind | None:
        """Return the label or type that is spelled so."""
        return next((kind for kind in (*self.labels, *self.types) if kind.name == name), None)

    def knows(self, word: str) -> bool:
        """Return whether a word means anything of the schema."""
        return bool(self.label(word) or self.type(word) or self.property(word))


@lru_cache(maxsize=64)
def read_schema(text: str) -> GraphWords:
    """Read a schema out of its text: a pattern of Cypher a line."""
    labels: dict[str, Kind] = {}
    types: dict[str, Kind] = {}
    values: list[tuple[str, str, str]] = []
    for line in text.splitlines():
        if node := _NODE.match(line.strip()):
            name = _bare(node.group(1))
            labels[name] = Kind(name, _properties(node.group(2)))
        elif join := _JOIN.match(line.strip()):
            source, name, properties, target = join.groups()
            kind = _bare(name)
            before = types.get(kind, Kind(kind))
            ends = ((_bare(source), _bare(target)),) if source and target else ()
            types[kind] = Kind(kind, before.properties or _properties(properties), (*before.joins, *ends))
        elif held := _VALUE.match(line.strip()):
            label, name, texts = held.groups()
            values += [
                (_bare(label), _bare(name), value) for value in re.findall(r'"(.{1,500}?)"(?:, |$)', texts)
            ]
    return GraphWords(tuple(labels.values()), tuple(types.values()), tuple(values))


def _properties(text: str | None) -> tuple[tuple[str, str], ...]:
    return tuple((_bare(name), kind.strip()) for name, kind in _PROPERTY.findall(text or ""))


def _bare(name: str) -> str:
    return name[1:-1].replace("``", "`") if name.startswith("`") else name
