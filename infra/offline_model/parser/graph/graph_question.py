"""Reads a question to a graph: its target, relationships and names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from infra.offline_model.parser.graph.entities import Entity, entities
from infra.offline_model.parser.graph.graph_words import GraphWords, Kind, is_agent, root
from infra.offline_model.parser.question.figures import (
    COUNTED,
    Compared,
    compared,
    counted,
    each_of,
    how_many,
    measure_of,
    time_of,
)

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_WHO = re.compile(r"\b(?:who|whom|whose)\b", re.IGNORECASE)
_TALLY = re.compile(r"\bhow many\b|\bnumber of\b|\bcount (?:of|the|all)\b|^count\b", re.IGNORECASE)
_MOST = re.compile(
    r"\b(?:the )?(?:most|highest number of|largest number of)\b(?! (?:recent|common))", re.IGNORECASE
)
_FEWEST = re.compile(r"\b(?:the )?(?:fewest|least|lowest number of|smallest number of)\b", re.IGNORECASE)
_BY_NUMBER = re.compile(r"\bby (?:the )?number of\b|\bmost number of\b", re.IGNORECASE)
_EARLY = re.compile(
    r"\b(?:oldest|earliest|first(?! \d| three| five| two| four| ten)(?= [a-z]+))\b", re.IGNORECASE
)
_LATE = re.compile(r"\b(?:newest|latest|most recent(?:ly)?|last)\b", re.IGNORECASE)
_YOUNG = re.compile(r"\byoungest\b", re.IGNORECASE)
_HIGH = re.compile(r"\b(?:highest|largest|biggest|greatest|best|longest|tallest)\b", re.IGNORECASE)
_LOW = re.compile(r"\b(?:lowest|smallest|worst|shortest)\b", re.IGNORECASE)
_HOLDING = re.compile(
    r"(?P<how>\b(?:contain\w*|includ\w*|mention\w*|start\w* with)\b|(?<!\s))\s*+"
    r"(?:the (?:word|phrase|name|letter)\s*+)?['\"‘“]?$",
    re.IGNORECASE,
)
_AGED = re.compile(r"\bhow old\b|\bage\b", re.IGNORECASE)
_TAKES_PART = re.compile(r"\b(?:is|was|are|were)\b[^?]{0,200}\b(?P<link>in)\W*$", re.IGNORECASE)
_PLAYED = re.compile(r"\b(?:play|plays|played|portray|portrays|portrayed)\s+$", re.IGNORECASE)
_SAME_VERB = re.compile(r"\b(?:same|both)\b|\b(?:and|also)\b", re.IGNORECASE)
_NO_VERB = frozenset(("release", "birth", "name", "number"))


@dataclass(frozen=True)
class Meant:
    """A word of the question that means a relationship type."""

    kind: Kind
    word: str
    start: int
    end: int

    @property
    def agent(self) -> bool:
        """Whether it names the agent, like director, and not the action."""
        return is_agent(self.word)


@dataclass(frozen=True)
class GraphQuestion:
    """A question read against a schema."""

    text: str
    graph: GraphWords

    @cached_property
    def _named_entities(self) -> tuple[Entity, ...]:
        own = {kind.name.casefold() for kind in self.graph.types}
        return tuple(
            entity
            for entity in entities(self.text)
            if entity.name.casefold() not in own and (entity.quoted or not self.graph.label(entity.name))
        )

    @cached_property
    def rest(self) -> str:
        """The question with its names masked, character for character."""
        text = self.text
        for entity in self._named_entities:
            text = text[: entity.start] + "\x1a" * (entity.end - entity.start) + text[entity.end :]
        return text

    @cached_property
    def texts(self) -> tuple[tuple[Kind, str, str, Entity], ...]:
        """What a property is to hold: its owner, its name, CONTAINS, STARTS WITH or =, and the text."""
        texts = []
        for entity in self._named_entities:
            match = _HOLDING.search(self.rest[: entity.start]) if entity.quoted else None
            near = (
                -3 if match and match.group("how") else -1
            )  # whose tagline contains the word 'x'; the title 'x'
            words = _WORD.findall(self.rest[: match.start("how")])[near:] if match else []
            held = next((kept for word in reversed(words) if (kept := self.graph.property(word))), None)
            if match and held and held[0].type_of(held[1]) == "STRING":
                how = match.group("how").casefold()
                sign = "STARTS WITH" if how.startswith("start") else "CONTAINS" if how else "="
                texts.append((*held, sign, entity))
        return tuple(texts)

    @cached_property
    def played(self) -> Entity | None:
        """The role that somebody is said to play."""
        return next(
            (entity for entity in self._named_entities if _PLAYED.search(self.rest[: entity.start])), None
        )

    @cached_property
    def names(self) -> tuple[Entity, ...]:
        """The names of things in it, in order."""
        held = [*(entity for *_, entity in self.texts), self.played]
        return tuple(entity for entity in self._named_entities if entity not in held)

    @cached_property
    def spoken(self) -> tuple[tuple[str, int, int], ...]:
        """Its words outside names, with their positions."""
        return tuple((match.group(), match.start(), match.end()) for match in _WORD.finditer(self.rest))

    @cached_property
    def types(self) -> tuple[Meant, ...]:
        """The relationship types that its words mean, in order, each once; verbs before nouns of the same."""
        mentions: dict[str, Meant] = {}
        for verb in self._verbs:
            before = mentions.get(verb.kind.name)
            if before is None or (before.agent and not verb.agent):
                mentions[verb.kind.name] = verb
        if not mentions and (part := _TAKES_PART.search(self.rest)):
            within = (kind for kind in self.graph.types if kind.name.casefold().endswith("_in"))
            mentions = {kind.name: Meant(kind, "in", *part.span("link")) for kind in within}
        if not mentions:
            owners = [kind for kind, _ in self.properties if kind in self.graph.types]
            mentions = {kind.name: Meant(kind, "", len(self.text), len(self.text)) for kind in owners[:1]}
        return tuple(sorted(mentions.values(), key=lambda mention: mention.start))

    @cached_property
    def _verbs(self) -> tuple[Meant, ...]:
        matches = ((self.graph.type(word), word, start, end) for word, start, end in self.spoken)
        return tuple(
            Meant(kind, word, start, end)
            for kind, word, start, end in matches
            if kind and not self.graph.label(word) and root(word) not in _NO_VERB
        )

    @cached_property
    def labels(self) -> tuple[tuple[Kind, str, int], ...]:
        """The labels that its words mean, each with the word and its position."""
        matches = ((self.graph.label(word), word, start) for word, start, _ in self.spoken)
        return tuple((kind, word, start) for kind, word, start in matches if kind)

    @cached_property
    def properties(self) -> tuple[tuple[Kind, str], ...]:
        """The properties that its words mean, in order."""
        aged = (
            "birth" if _AGED.search(self.rest) and root(word) == "age" else word for word, *_ in self.spoken
        )
        matches = (self.graph.property(word) for word in aged if not self.graph.label(word))
        return tuple(dict.fromkeys(match for match in matches if match))

    @property
    def is_tally(self) -> bool:
        """Whether it asks how many."""
        return bool(_TALLY.search(self.text)) and not _BY_NUMBER.search(self.text)

    @property
    def asks_who(self) -> bool:
        """Whether it asks for somebody."""
        return bool(_WHO.search(self.rest))

    @cached_property
    def wanted(self) -> tuple[Kind | None, str]:
        """The wanted label and its word: the first label or agent in the question."""
        agents = [(self._source(verb.kind), verb.word, verb.start) for verb in self._verbs if verb.agent]
        candidates = sorted(
            [*self.labels, *((kind, word, at) for kind, word, at in agents if kind)], key=_place
        )
        who = _WHO.search(self.rest)
        first_verb = self.types[0].start if self.types else len(self.text)
        if who and self.types and not any(place < who.start() for _, _, place in candidates):
            nearest = self._who(who.group().casefold(), first_verb)
            if nearest:
                return nearest, nearest.name.casefold()
        if candidates:
            return candidates[0][0], candidates[0][1]
        if self.types and not self.types[0].word:
            return self._target(self.types[0].kind), ""  # a rating is of what is rated
        if self.types and self.names:
            kind = self.types[0].kind
            side = self.is_source(self.names[0], self.types[0])
            return (self._target(kind) if side else self._source(kind)), ""
        return (self._owner(), "")

    def _who(self, pronoun: str, verb_start: int) -> Kind | None:
        kind = self.types[0].kind
        asked_of = (
            self.names and self.names[0].start < verb_start and self.is_source(self.names[0], self.types[0])
        )
        return self._target(kind) if pronoun == "whom" or asked_of else self._source(kind)

    def _owner(self) -> Kind | None:
        labels = [kind for kind, _ in self.properties if kind in self.graph.labels]
        return labels[0] if labels else None

    def _source(self, kind: Kind) -> Kind | None:
        return self.graph.named(kind.joins[0][0]) if kind.joins else None

    def _target(self, kind: Kind) -> Kind | None:
        return self.graph.named(kind.joins[0][1]) if kind.joins else None

    def is_source(self, name: Entity, verb: Meant) -> bool:
        """Return whether a name is the agent of the verb, not its object."""
        before = self.rest[: name.start]
        if re.search(r"\bby\s+(?:the\s+)?$", before):
            return True
        if verb.start > name.start:
            passive = re.search(r"\b(?:was|were|is|are)\s", self.rest[: verb.start])
            return verb.agent is False and not (passive and re.search(r"(?:ed|en|ote)$", verb.word))
        return False

    @cached_property
    def conditions(self) -> tuple[Compared, ...]:
        """Properties compared with numbers."""
        return tuple(compared(self.rest, self.graph, self.wanted[0]))

    @cached_property
    def values(self) -> tuple[tuple[Kind, str, str], ...]:
        """Known property values that occur in the question, each as label, property, text."""
        values = []
        for label, name, value in self.graph.values:
            kind = self.graph.named(label)
            if kind and re.search(rf"(?<!\w){re.escape(value)}(?!\w)", self.rest, re.IGNORECASE):
                values.append((kind, name, value))
        return tuple(values)

    @property
    def limit(self) -> int | None:
        """The requested number of results, if given."""
        return how_many(self.rest)

    @property
    def having(self) -> tuple[str, str] | None:
        """How many of the others there have to be: more than five movies."""
        return counted(self.rest, self.graph)

    @property
    def by_count(self) -> str:
        """DESC if the question asks for the most of something, ASC for the fewest; else empty."""
        if _FEWEST.search(self.rest):
            return "ASC"
        return "DESC" if _MOST.search(self.rest) or _BY_NUMBER.search(self.rest) else ""

    @property
    def measure(self) -> str:
        """avg, sum, min or max, if the question asks for such a value of a property."""
        return measure_of(self.rest)

    @cached_property
    def extreme(self) -> tuple[Kind, str, str] | None:
        """The property that is to be the highest or lowest, its owner, and the order to sort in."""
        label = self.wanted[0]
        time = time_of(label)
        rest = COUNTED.sub("", self.rest)  # the first three movies are any three
        for pattern, order in ((_YOUNG, "DESC"), (_LATE, "DESC"), (_EARLY, "ASC")):
            if pattern.search(rest) and time and label:
                return label, time, order
        for pattern, order in ((_HIGH, "DESC"), (_LOW, "ASC")):
            held = next(self._measured(), None)
            if pattern.search(self.rest) and held:
                return (*held, order)
        return None

    def _measured(self) -> Iterator[tuple[Kind, str]]:
        return ((kind, name) for kind, name in self.properties if kind.type_of(name) in ("INTEGER", "FLOAT"))

    @property
    def says_same(self) -> bool:
        """Whether several conditions apply to the same nodes."""
        if len(self.types) < 2:  # noqa: PLR2004 - of two verbs
            return False
        between = self.rest[self.types[0].end : self.types[1].start]
        return bool(_SAME_VERB.search(between)) or " same " in self.rest

    @property
    def touches(self) -> bool:
        """Whether any of its words means something of the schema."""
        return bool(self.types or self.labels or self.properties)

    @property
    def grouped_by(self) -> Kind | None:
        """The label that a count is wanted for each of: how many contracts expire in each year, or when."""
        return each_of(self.rest, self.graph, self._target(self.types[0].kind) if self.types else None)


def _place(candidate: tuple[Kind | None, str, int]) -> int:
    return candidate[2]
