"""Suggests example questions from a collection's facts, without a model.

A fact such as "The Forth Bridge was opened on 4 March 1890" answers "When was the Forth Bridge opened?".
If one fact names the maker of a thing and another that person's place of birth, the question combines both.
Facts in another form or language give questions about their key elements.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from workers.core.concepts.maps import is_chinese
from workers.core.graph.elements import normalise_element

if TYPE_CHECKING:
    from hopline.models.graph import NearElement
    from workers.core.graph.neighbourhood import NamedFact

FACTS_READ = 300  # of a collection; a sample, in the order of their ids
_FORM = re.compile(r"(?P<subject>.{2,80}?) (?P<verb>was|were) (?P<done>[a-z]+) (?P<rest>.+)")
_DATE = re.compile(r"\b(?:in|on) (?:the )?(?:\d{1,2} )?(?:[A-Z][a-z]+ )?\d{4}\b")
# Begins another statement: what follows it says nothing of when the first one happened.
_FURTHER = re.compile(r"[,;]|\b(?:and|but|or|who|which|where|then|before|after|while)\b")
_PLACE = re.compile(r"\b(?:in|at) [A-Z]")
_AGENT = re.compile(r"by (?P<agent>.+)")
_ALIKE = frozenset(("built", "made", "won", "held", "found", "bought", "sold", "led"))  # past and participle
_OTHERS = frozenset(("written", "drawn", "begun", "taken", "born"))
_MAKERS = {
    "designed": "designer",
    "built": "builder",
    "founded": "founder",
    "invented": "inventor",
    "discovered": "discoverer",
    "composed": "composer",
    "painted": "painter",
    "directed": "director",
    "written": "author",
}


class _Reading(NamedTuple):
    """The parts of a fact whose form is recognised."""

    subject: str  # as a question names it
    element: NearElement
    verb: str  # was or were
    done: str  # a participle
    rest: str
    elements: tuple[NearElement, ...]  # of the fact


class _Example(NamedTuple):
    """A question with what orders it."""

    hops: int
    degree: int
    subject: str  # id of its element: each is asked for once
    question: str


def questions_from(facts: Sequence[NamedFact], limit: int) -> list[str]:
    """Return up to `limit` questions that these facts answer; those over two facts and hubs come first."""
    readings = [reading for fact in facts if (reading := _read(fact)) is not None]
    examples = [*_over_two(readings), *_over_one(readings)]
    ranked = sorted(examples, key=lambda example: (-example.hops, -example.degree))
    chosen: dict[str, str] = {}
    for example in ranked:
        chosen.setdefault(example.subject, example.question)
    if not chosen:
        chosen = _about_names(facts)
    return list(chosen.values())[:limit]


def _read(fact: NamedFact) -> _Reading | None:
    form = _FORM.fullmatch(fact.text.strip().rstrip("."))
    if form is None or not _is_participle(form["done"]):
        return None
    subject = form["subject"]
    element = next((candidate for candidate in fact.elements if _names(candidate, subject)), None)
    if element is None:
        return None
    named = f"the {subject[4:]}" if subject.startswith("The ") else subject
    return _Reading(named, element, form["verb"], form["done"], form["rest"], fact.elements)


def _is_participle(word: str) -> bool:
    return word.endswith("ed") or word in _ALIKE or word in _OTHERS


def _names(element: NearElement, words: str) -> bool:
    return normalise_element(words) in {element.name, *map(normalise_element, element.aliases)}


def _over_two(readings: Sequence[_Reading]) -> Iterator[_Example]:
    born_ids = {
        reading.element.id for reading in readings if reading.done == "born" and _PLACE.match(reading.rest)
    }
    for reading in readings:
        agent = _agent(reading)
        if agent is not None and agent.id in born_ids and reading.done in _MAKERS:
            question = f"Where was the {_MAKERS[reading.done]} of {reading.subject} born?"
            yield _Example(2, reading.element.degree + agent.degree, reading.element.id, question)


def _agent(reading: _Reading) -> NearElement | None:
    """Return the agent of the action, if the fact names one of its elements there."""
    match = _AGENT.match(reading.rest)
    if match is None:
        return None
    words = match["agent"]
    return next(
        (
            element
            for element in reading.elements
            if any(words.startswith(alias) for alias in element.aliases)
        ),
        None,
    )


def _over_one(readings: Iterable[_Reading]) -> Iterator[_Example]:
    for reading in readings:
        question = _question(reading)
        if question:
            yield _Example(1, reading.element.degree, reading.element.id, question)


def _question(reading: _Reading) -> str:
    subject, verb, done, rest = reading.subject, reading.verb, reading.done, reading.rest
    if _agent(reading) is not None or _AGENT.match(rest):
        alike = done.endswith("ed") or done in _ALIKE
        return f"Who {done} {subject}?" if alike else f"Who {verb} {subject} {done} by?"
    if _PLACE.match(rest) and not _DATE.match(rest):
        return f"Where {verb} {subject} {done}?"
    date = _DATE.search(_FURTHER.split(rest)[0])
    return f"When {verb} {subject} {done}?" if date else ""


def _about_names(facts: Iterable[NamedFact]) -> dict[str, str]:
    """Return questions about the key elements that documents write as names, hubs first, by their ids."""
    elements = {element.id: element for fact in facts for element in fact.elements}
    ranked = sorted(elements.values(), key=lambda element: -element.degree)
    named = [(element.id, name) for element in ranked if (name := _spelled(element))]
    return {key: _about(name) for key, name in named}


def _about(name: str) -> str:
    return f"关于{name}说了什么？" if is_chinese(name) else f"What is said about {name}?"


def _spelled(element: NearElement) -> str:
    """Return a name as documents write it; "" for what is not a name: lower-case words, numbers, markup."""
    written = next((alias for alias in element.aliases if normalise_element(alias) == element.name), "")
    is_name = written[:1].isalpha() and not written[0].islower()
    return written if is_name and not any(sign.isdigit() for sign in written) else ""
