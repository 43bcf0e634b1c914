"""ExtractedFacts: extracts the statements of a chunk with their names, dates and numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from infra.offline_model.parser.chinese.steps import is_chinese, names_between
from infra.offline_model.parser.question.synonyms import KINDS, RELATIONS, STOP_WORDS, concept
from infra.offline_model.parser.statements.clauses import clauses
from infra.offline_model.parser.statements.names import dates, foreign_terms, names, numbers, quoted
from infra.offline_model.parser.statements.subjects import Subjects
from workers.core.language.text import CHINESE, sentences, words

MOST_FACTS = 200
LONGEST = 2000
_MOST_ELEMENTS = 12
_FEW = 3  # names; with fewer, the longest nouns help to hop
_MARKUP = re.compile(r"^[ \t]*(?:[-*+•][ \t]+|\d+[.)][ \t]+|>[ \t]*|\|)", re.MULTILINE)
_HEADING = re.compile(r"^[ \t]*#+[ \t].*$|^[ \t]*[=-]{3,}[ \t]*$", re.MULTILINE)
# A row of a table, as reported to a model: "Region: Hub; Units: 7".
_ROW = re.compile(r"^(?:[^:;\n]{1,80}: )?[^:;\n]{1,300}(?:; [^:;\n]{1,80}: [^;\n]{1,300})+$", re.MULTILINE)
# Words to whoever processes the text: they state nothing.
_TO_THE_READER = re.compile(
    r"(?:(?:please|now|important|attention|system|assistant)\b[:,!]?\s*)*"
    r"(?:(?:ignore|disregard|forget|override)\b.*\b(?:instructions?|rules?|prompts?|schema|documents?)\b"
    r"|(?:record|note down|write down|store|output|answer|reply|say) (?:that|only|with)\b)"
    r"|(?:请|現在|现在)?(?:忽略|无视|無視).*(?:指令|指示|规则|規則)|(?:请)?(?:记录|記錄|写下)[：:，,]?",
    re.IGNORECASE,
)
_BARE = re.compile(r"\d{1,3}(?:\.\d+)?")  # a number without a unit joins what has nothing in common
_NOUN = re.compile(
    r"\b(?:a|an|the|of|in|on|for|with|by|from|discovered|invented)\b(?: [a-z]+)?? ([a-z]{5,})\b"
)
# "The roof is round" in a document about a tower: what is described without a name belongs to its title.
_OF_THE_SUBJECT = re.compile(r"(?:The|Its|Their|This|These) (?:\w+ )?[a-z]{3,}\b")
_NO_NOUN = re.compile(r"(?:ly|ed|ing|ous|ful|ive|able|est|first|second|third|still)$")


def extract_facts(material: dict[str, Any]) -> dict[str, Any]:
    """Return {facts: [{text, key_elements}]} for {title, text}."""
    title, text = str(material.get("title") or ""), str(material.get("text") or "")
    subjects = Subjects(title)
    elements_by_fact: dict[str, list[str]] = {}
    for sentence in lines_of(text, title):
        resolved = subjects.resolved(sentence)
        for statement in [sentence] if _ROW.match(sentence) else clauses(resolved):
            fact = closed(subjects.resolved(statement), sentence)[:LONGEST]
            elements_by_fact.setdefault(fact, elements_of(fact, subjects.name))
        subjects.follow(resolved)
    facts = [{"text": fact, "key_elements": elements} for fact, elements in elements_by_fact.items()]
    return {"facts": facts[:MOST_FACTS]}


def lines_of(text: str, title: str) -> Iterator[str]:
    """Yield the sentences that may state something: no headings, no list marks, no orders to the reader.

    A row of a table is one; the title is one if it is all that the text says.
    """
    clean, place = _MARKUP.sub("", _HEADING.sub("\n\n", text)), 0
    if " ".join(clean.split()).casefold() == title.casefold():
        title = ""
    for row in _ROW.finditer(clean):
        yield from _sentences(clean[place : row.start()], title)
        yield row[0]
        place = row.end()
    yield from _sentences(clean[place:], title)


def _sentences(clean: str, title: str) -> Iterator[str]:
    for start, end in sentences(clean):
        sentence = " ".join(clean[start:end].split())[:LONGEST]
        dense_or_long = len(sentence.split()) > 2 or not sentence.isascii()  # noqa: PLR2004
        if dense_or_long and sentence.casefold() != title.casefold() and not _TO_THE_READER.match(sentence):
            yield sentence


def closed(statement: str, sentence: str) -> str:
    """Return a statement that ends as its sentence does."""
    statement = statement.strip(" ,;")
    end = sentence[-1] if sentence[-1] in "。！？!?" else "。" if CHINESE.match(sentence[-1]) else "."
    if statement.endswith((".", "!", "?", "。", "”", "」", '"', ")")) and not statement.endswith(")"):
        return statement
    return statement + ("" if statement.endswith(end) else end)


def elements_of(fact: str, title: str) -> list[str]:
    """Return the names, dates and numbers of a fact, and where these are few its nouns."""
    elements = [
        *names(fact),
        *dates(fact),
        *(number for number in numbers(fact) if not _BARE.fullmatch(number)),
        *quoted(fact),
    ]
    if title and (title.casefold() in fact.casefold() or _OF_THE_SUBJECT.match(fact)):
        elements = [title, *(name for name in elements if name.casefold() != title.casefold())]
    if not names(fact) and not fact.isascii():
        between = names_between(fact) if is_chinese(fact) else []
        elements += between[:_MOST_ELEMENTS] if len(between) > 1 else foreign_terms(fact)[:_FEW]
    elif len(elements) < _FEW:
        elements += _nouns(fact, taken=elements)[: _FEW - len(elements)]
    return list(dict.fromkeys(elements))[:_MOST_ELEMENTS]


def _nouns(fact: str, taken: list[str]) -> list[str]:
    known = {word for name in taken for word in words(name)}
    nouns = foreign_terms(fact) if fact.islower() else _NOUN.findall(fact)
    return [
        noun
        for noun in nouns
        if noun not in known
        and noun not in KINDS | STOP_WORDS
        and concept(noun) not in RELATIONS
        and not _NO_NOUN.search(noun)
    ]
