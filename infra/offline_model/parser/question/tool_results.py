"""Reads names from a tool's result in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator

from infra.offline_model.parser.graph.entities import entities
from infra.offline_model.parser.graph.graph_words import is_agent, root, roots
from infra.offline_model.parser.question.synonyms import KINDS, STOP_WORDS
from workers.core.language.text import normalise, words

_RELATION = re.compile(
    r"^- (?:[^·]* · )?(?P<relation>[\w` ]+) [→←] \*\*(?P<name>.+?)\*\*(?: \((?P<kind>[^)]*)\))?"
)
_ITEM = re.compile(r"^- (?P<first>[^·|]+?)(?P<rest>(?: · [^·]+)*)$")
_PASSAGE = re.compile(r"^   - (?P<fact>.+)$")
_CELL = re.compile(r"(?<!\\)\|")
_NOTHING = re.compile(
    r"^\W*(?:$|nothing\b|no node is named|no statement could|no document speaks|there is no |no data"
    r"|the graph was not asked|this graph has no|it was not finished)"
    r"|\bit has no relations?\b|nothing in the graph fits",
    re.IGNORECASE,
)
_SIMILAR = re.compile(
    r"No node is named [“\"](?P<said>.+?)[”\"]\. Similar names?: (?P<name>[^;(]+?)\s*(?:\(|;|\.)"
)
_MAIN = re.compile(r"\bthe (?:main|lead|leading|principal) [a-z]+\b", re.IGNORECASE)  # told first
Words = frozenset[str]
_OF_A_ROW = re.compile(r" \(\w+\)(?: \{.{0,1000}\})?$")
_MOST = 10


def is_nothing(result: str) -> bool:
    """Return whether a tool found nothing."""
    text = result.strip()
    return bool(
        _NOTHING.match(text) or (_NOTHING.search(text) and not re.search(r"^- |^\|", text, re.MULTILINE))
    )


def similar_name(result: str) -> tuple[str, str] | None:
    """Return a name missing in the graph and the nearest existing one, if the tool names them."""
    match = _SIMILAR.search(result)
    return (match.group("said"), match.group("name").strip()) if match else None


def matters(question: str) -> frozenset[str]:
    """Return the roots of a question's content words, without names."""
    rest = question
    for entity in reversed(entities(question)):
        rest = rest[: entity.start] + " " + rest[entity.end :]
    return frozenset(root(word) for word in words(rest) if word not in STOP_WORDS and word not in KINDS)


def names_found(question: str, result: str) -> list[str]:
    """Return the names in a result that answer a question, best first; the question's own are none."""
    if is_nothing(result):
        return []
    own = frozenset(normalise(entity.name) for entity in entities(question))
    question_roots = matters(question)
    lines = result.splitlines()
    for reading in (_of_table, _of_relations, _of_items, _of_passages):
        names = [
            name for name in dict.fromkeys(reading(lines, question_roots, own)) if normalise(name) not in own
        ]
        if names:
            return names[: 1 if _MAIN.search(question) else _MOST]
    return []


def _of_table(lines: list[str], _question_roots: Words, _own: Words) -> Iterator[str]:
    rows = [line for line in lines if line.startswith("|")]
    for line in rows[2:]:
        first = _CELL.split(line)[1].strip().replace("\\|", "|")
        if first and not re.fullmatch(r"[\d.,]+", first):
            yield _OF_A_ROW.sub("", first)


def _of_relations(lines: list[str], question_roots: Words, _own: Words) -> Iterator[str]:
    matched = [match for line in lines if (match := _RELATION.match(line))]
    fitting = [edge for edge in matched if question_roots & set(roots(edge.group("relation")))]
    kinds = [
        edge for edge in fitting if edge.group("kind") and question_roots & set(roots(edge.group("kind")))
    ]
    for edge in (
        kinds or fitting or (matched if len({edge.group("relation") for edge in matched}) == 1 else [])
    ):
        yield edge.group("name")


def _of_items(lines: list[str], question_roots: Words, own: Words) -> Iterator[str]:
    """Yield names of list items: the value of the wanted key, else the beginning of each item."""
    items = [match for line in lines if "→" not in line and (match := _ITEM.match(line))]
    for item in items:
        fields = dict(part.split(": ", 1) for part in item.group("rest").split(" · ") if ": " in part)
        keyed = [value for key, value in fields.items() if is_agent(key) and question_roots & set(roots(key))]
        names = [re.split(r" as |: ", name)[0] for value in keyed[:1] for name in value.split(", ")]
        if any(normalise(name) not in own for name in names):
            yield from names
        else:
            yield item.group("first").strip()


def _of_passages(lines: list[str], question_roots: Words, _own: Words) -> Iterator[str]:
    for line in lines:
        match = _PASSAGE.match(line)
        if match and question_roots & set(roots(match.group("fact"))):
            yield from (entity.name for entity in entities(match.group("fact")))
