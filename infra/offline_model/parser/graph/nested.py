"""Reads things that a question only describes: the movie in which X acted, the oldest actor."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from infra.offline_model.parser.graph.entities import Entity, entities
from infra.offline_model.parser.graph.graph_words import GraphWords, is_agent, roots
from infra.offline_model.parser.question.synonyms import KINDS, STOP_WORDS
from workers.core.language.text import words

_VERB = r"(?P<verb>[a-z]+(?:ed|en|ote|t|s|n|ld|d|k))"
_MASK = "\x1a"
_NAME = rf"(?P<name>{_MASK}+)"
_HEAD = r"\bthe\s+(?:same\s+)?(?P<noun>[a-z]+(?:\s(?!(?:of|that|which|whom?|in|by|for|on)\b)[a-z]+)?)"
_PERSON = frozenset(("person", "man", "woman", "actor", "actress", "one", "character", "people"))
_NO_ROLE = frozenset(("number", "rest", "most", "least", "path", "shortest path", "average", "whole", "end"))
_DONE = rf"(?:has\s+|have\s+)?{_VERB}(?P<link>\s+(?:in|for|with|to))?"
_FORMS = (
    ("in", rf"{_HEAD}\s+(?P<link>in|for|by|with|on)\s+which\s+{_NAME}\s+{_VERB}(?:\s+in\b)?"),
    ("that", rf"{_HEAD}\s+(?:(?:that|which|whom)\s+)?{_NAME}\s+{_VERB}(?:\s+(?P<link>in|for|with|on)\b)?"),
    ("who", rf"{_HEAD}\s+(?:who|that|which)\s+{_DONE}\s+(?:the\s+)?{_NAME}"),
    ("by", rf"{_HEAD}\s+(?:that\s+was\s+|which\s+was\s+)?{_VERB}\s+by\s+(?:the\s+)?{_NAME}"),
    ("of", rf"{_HEAD}\s+of\s+(?:the\s+)?(?:[a-z]+\s+)?{_NAME}"),
    ("own", rf"{_NAME}['’]s?\s+(?P<noun>[a-z]+)\b"),
    ("most", r"\bthe\s+(?P<noun>(?:[a-z]+est|most\s[a-z]+)\s+[a-z]+)(?:\s+in\s+the\s+(?:graph|database))?"),
)
_PAST = {
    "wrote": "write",
    "written": "write",
    "led": "lead",
    "made": "make",
    "met": "meet",
    "knew": "know",
    "lost": "lose",
}
_LOST_E = re.compile(r"[cvguz]$|[^s]s$|[^e]at$")  # produc, creat
_AUXILIARY = frozenset(("is", "was", "are", "were", "has", "had", "does", "did", "do", "have"))


@dataclass(frozen=True)
class Nested:
    """A description within a question, and the question that finds the thing it describes."""

    inner: str
    start: int
    end: int

    def filled(self, text: str, name: str) -> str:
        """Return the question with a name in the description's place."""
        after = text[self.end :]
        owned = re.match(r"['’]s?\b|['’](?=\s)", after)
        return (
            f"{text[: self.start]}{name}{after}"
            if not owned
            else f"{text[: self.start]}{name}'s{after[owned.end() :]}"
        )


def nested(text: str, graph: GraphWords) -> Nested | None:
    """Return the innermost description of a question; None if the question names everything it is about."""
    held = entities(text)
    masked = text
    for entity in held:
        masked = masked[: entity.start] + _MASK * (entity.end - entity.start) + masked[entity.end :]
    for form, pattern in _FORMS:
        for match in re.finditer(pattern, masked):
            description = _read(form, match, text, held, graph)
            if description and _asks_more(masked, match, description):
                return description
    return None


def base_of(verb: str) -> str:
    """Return the infinitive of a verb: acted → act, produced → produce."""
    small = verb.casefold()
    if small in _PAST:
        return _PAST[small]
    bare = small.removesuffix("ed")
    if bare == small:
        return small
    if bare.endswith("i"):
        return f"{bare[:-1]}y"
    if bare[-1:] == bare[-2:-1] and bare[-1:] not in "sl":
        return bare[:-1]
    return f"{bare}e" if _LOST_E.search(bare) else bare


def _read(form: str, match: re.Match[str], text: str, held: list[Entity], graph: GraphWords) -> Nested | None:
    noun = match.group("noun")
    if noun.casefold() in _NO_ROLE or (form in ("of", "own") and not _is_role(noun, graph)):
        return None
    place = match.start("name") if "name" in match.groupdict() else -1
    name = next(
        (text[entity.start : entity.end] for entity in held if entity.start <= place < entity.end), ""
    )
    name = f"the {name}" if name and text[:place].endswith(" the ") else name
    inner = "".join(_phrase_question(form, match, noun, name, graph))
    return Nested(inner, match.start(), match.end()) if inner else None


def _phrase_question(
    form: str, match: re.Match[str], noun: str, name: str, graph: GraphWords
) -> Iterator[str]:
    groups = match.groupdict()
    verb, link = groups.get("verb") or "", (groups.get("link") or "").strip()
    if verb in _AUXILIARY:
        return
    if form in ("in", "that"):
        tail = f" {link}" if link else ""
        yield f"Which {noun} did {name} {base_of(verb)}{tail}?"
    elif form == "who":
        subject = "Who" if noun.rsplit(maxsplit=1)[-1] in _PERSON else f"Which {noun}"
        yield f"{subject} {verb}{f' {link}' if link else ''} {name}?"
    elif form == "by":
        yield f"Which {noun} was {verb} by {name}?"
    elif form == "most":
        kind = graph.label(noun.rsplit(maxsplit=1)[-1])
        who = graph.type(noun.rsplit(maxsplit=1)[-1]) or (kind and roots(kind.name)[-1] == "person")
        yield f"{'Who' if who else 'What'} is the {noun}?"
    else:
        yield _role(noun, name, graph)


def _role(noun: str, name: str, graph: GraphWords) -> str:
    """Return a question that asks who has a role, using the relationship's verb if there is one."""
    kind = graph.type(noun)
    verb = kind.name.casefold().replace("_", " ") if kind else ""
    if verb and re.match(r"(?:[a-z]+ed|wrote|led)\b", verb):
        return f"Who {verb} {name}?"
    return f"Who is the {noun} of {name}?"


def _is_role(noun: str, graph: GraphWords) -> bool:
    """Return whether a noun names one thing at the other end of a relationship, not a property."""
    meant = graph.type(noun) is not None if graph.types else is_agent(noun)
    return meant and graph.property(noun) is None and not _is_plural(noun)


def _is_plural(noun: str) -> bool:
    return noun.endswith("s") and not noun.endswith("ss")


def _asks_more(masked: str, match: re.Match[str], description: Nested) -> bool:
    """Return whether a question asks more about one thing than its description."""
    noun = match.group("noun").split()[-1]
    outside = masked[: description.start] + " " + masked[description.end :]
    left = [word for word in words(outside) if word not in STOP_WORDS and word not in KINDS]
    return bool(left) and not _is_plural(noun)
