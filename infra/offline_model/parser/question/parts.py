"""Splits a question into smaller ones, and finds those that can already be asked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from infra.offline_model.parser.graph.entities import Entity, entities
from infra.offline_model.parser.graph.graph_words import GraphWords
from infra.offline_model.parser.graph.nested import nested
from infra.offline_model.parser.question.shapes import is_courtesy
from workers.core.language.text import sentences

Answered = Callable[[str], list[str] | None]  # a question → the names that answer it; None: not asked yet
_ASKING = (
    r"(?:who|whom|whose|what|which|when|where|how|why|(?:in|at|for|to|with|by) (?:which|what|whom|how many)"
    r"|did|does|do|is|are|was|were|has|have|list|name|show|find|tell)\b"
)
_JOINT = re.compile(
    rf"(?:[,;]|(?<!\s))\s++(?:and also|and|but|as well as)\s++(?={_ASKING})|[;,]\s++(?={_ASKING})",
    re.IGNORECASE,
)
_OPENING = re.compile(r"^(?:and|also|but|so|then|please|ok(?:ay)?)[,\s]+", re.IGNORECASE)
_QUESTION = re.compile(
    rf"^(?:please\s+)?(?:{_ASKING}|compare|give|describe|count|return|can you)", re.IGNORECASE
)
_PRONOUN = re.compile(
    r"\b(?:it|he|she|him|they|them|that (?:movie|person|actor|actress|director|one|film))\b"
    r"|\b(his|her|its|their)\b",
    re.IGNORECASE,
)
_PERSONAL = frozenset(
    ("he", "she", "him", "his", "her", "that person", "that actor", "that actress", "that director")
)
_SHORTENED = re.compile(r"\b(who|what|where|when|how|which)['’]s\b", re.IGNORECASE)
_COMPARE = re.compile(r"^compare\s+(?P<rest>.*?)[.?!]*$", re.IGNORECASE)
_MORE = re.compile(
    r"^(?:who|which (?:of them|one)?|what)\b\s*(?:has |have |was |were |is )?(?P<verb>[a-z]+ )?(?P<link>in )?"
    r"(?P<more>more|fewer|less)\s+(?P<what>[a-z]+)",
    re.IGNORECASE,
)
_OLDER = re.compile(r"\b(?:older|younger|born (?:first|earlier|later))\b", re.IGNORECASE)
_NEWER = re.compile(r"\b(?P<verb>[a-z]+ed)\s+(?:first|earlier|later|before)\b|\b(?:newer)\b", re.IGNORECASE)
_JOINTLY = re.compile(
    r"\b(?:both|together|between|common|connect\w*|same|related|link\w*|meet|path)\b", re.IGNORECASE
)
_EACH = re.compile(
    r"^(?:who|when|where|what (?:is|was)|tell me about|how (?:old|many)|describe)\b|\beach\b|\brespective",
    re.IGNORECASE,
)
_HOW_MANY = re.compile(r"^how many (?!did|does|do|has|have|was|were|are)(?P<what>[a-z]+)", re.IGNORECASE)
_UNSAID = re.compile(r"^(how many) (?=(?:did|does|do|has|have)\b)", re.IGNORECASE)
_INTRODUCED = re.compile(r"^(?:[Ww]ho|[Ww]hat) (?:is|was|are|were) (?:the )?[^\Wa-z]")
_WHICH = r"(?:(?:in|at|for|to|with|by|from|of) )?(?:who|whom|whose|what|which|when|where|how|why)\b"
_AND = re.compile(rf"(?:,|(?<!\s))\s++(?:and also|and|but|as well as)\s++(?={_WHICH})", re.IGNORECASE)
_ASKS = re.compile(_WHICH, re.IGNORECASE)
_NO_GRAPH = GraphWords((), ())
_BRANCHES = 5  # names that a description may stand for


def open_questions(text: str, graph: GraphWords, answered: Answered) -> list[str]:
    """Return the atomic questions that can be asked, those answered already included.

    A question that depends on another's answer is left out until `answered` has that one's names.
    """
    questions: list[str] = []
    before = ""
    for part in _parts(text):
        for question in _resolved(part, before, graph, answered):
            questions += _replace_descriptions(question, graph, answered)
        before = part
    return list(dict.fromkeys(questions))


def separate_questions(text: str) -> list[str]:
    """Return the independent questions of a text; else the text.

    Only parts joined by "and" that both begin with a question word are certainly two questions; a comma may
    begin a clause of the same one.
    """
    parts = _questions(_AND.split(text))
    if len(parts) < 2 or not all(map(_ASKS.match, parts)):  # noqa: PLR2004 - it takes two
        return [text]
    alone = [
        question
        for before, part in zip(["", *parts], parts, strict=False)
        for question in _resolved(part, before, _NO_GRAPH, lambda _question: None)
    ]
    return alone if len(alone) == len(parts) else [text]


def _replace_descriptions(text: str, graph: GraphWords, answered: Answered) -> list[str]:
    """Return a question with its descriptions replaced by names, as far as these are known."""
    for _ in range(_BRANCHES):
        description = nested(text, graph)
        if description is None:
            return [text]
        names = answered(description.inner)
        if names is None:
            return [description.inner]
        if not names:
            return [description.inner]
        if len(names) > 1:
            filled = (description.filled(text, name) for name in names[:_BRANCHES])
            return [
                description.inner,
                *(question for each in filled for question in _replace_descriptions(each, graph, answered)),
            ]
        text = description.filled(text, names[0])
    return [text]


def _parts(text: str) -> list[str]:
    """Return the questions of a text in order; greetings beside others are left out."""
    text = _SHORTENED.sub(r"\1 is", text)
    pieces = [text[start:end] for start, end in sentences(text)]
    questions = [
        piece
        for piece in pieces
        if (piece.endswith("?") or _QUESTION.match(piece)) and not is_courtesy(piece)
    ]
    if not questions:
        return [text.strip()]
    return [part for question in questions for split in _split(question) for part in _compared(split)]


def _split(text: str) -> list[str]:
    """Split at each "and" that another question follows."""
    pieces, begin = [], 0
    for joint in _JOINT.finditer(text):
        if any(name.start < joint.end() and joint.start() < name.end for name in entities(text)):
            continue
        if len(text[begin : joint.start()].split()) > 1:
            pieces.append(text[begin : joint.start()])
            begin = joint.end()
    return _questions([*pieces, text[begin:]])


def _questions(pieces: list[str]) -> list[str]:
    """Turn pieces of a text into questions, each with its counted thing and its object."""
    pieces = _counting([_OPENING.sub("", piece).strip(" ,;.?!") for piece in pieces])
    return [f"{piece[:1].upper()}{piece[1:]}?" for piece in _objects(pieces) if piece]


def _counting(pieces: list[str]) -> list[str]:
    """Add the noun to parts such as "how many did X direct", from the part that names it."""
    count = next((match for piece in pieces if (match := _HOW_MANY.match(piece))), None)
    what = count.group("what") if count else ""
    return [_UNSAID.sub(rf"\1 {what} ", piece) if what else piece for piece in pieces]


def _objects(pieces: list[str]) -> list[str]:
    """Give "who directed" the object of "who produced X", if it has none."""
    last = entities(pieces[-1]) if pieces else []
    if not last or len(pieces) == 1:
        return pieces
    tail = pieces[-1][last[0].start :]
    bare = re.compile(r"^who [a-z]+(?: in)?$", re.IGNORECASE)
    return [f"{piece} {tail}" if bare.match(piece) else piece for piece in pieces]


def _compared(text: str) -> Iterator[str]:
    """Yield a question for each of two that are compared or named side by side; else the text."""
    pair = _pair(text)
    each = [_of_one(text, name, pair) for name in pair] if pair else [""]
    yield from each if all(each) else [text]


def _pair(text: str) -> tuple[Entity, Entity] | None:
    """Return two adjacent names joined by a word such as and, or, with, to."""
    held = entities(text)
    for name, other in pairwise(held):
        between = text[name.end : other.start].strip().casefold()
        than = between.endswith(" than")
        if than or between in ("and", "or", ", or", "with", "to", "and the", "or the", "with the"):
            if between.split()[0] in ("with", "to") and not _COMPARE.match(text):
                continue
            return name, other
    return None


def _of_one(text: str, name: Entity, pair: tuple[Entity, Entity]) -> str:
    """Return the part of a question about two names that concerns one; empty if it concerns both together."""
    either = text[pair[0].end : pair[1].start].strip(" ,").casefold().startswith("or")
    if compare := _COMPARE.match(text):
        return _compare(text, name, pair, bool(compare.group("rest")))
    if either or re.search(r"\bthan\b", text):
        return _than(text, name.name)
    if _JOINTLY.search(text) or not _EACH.search(text):
        return ""
    rest = f"{text[: pair[0].start]}{name.name}{text[pair[1].end :]}"
    return re.sub(
        r"\beach\s|(?<!\s)\s++respectively", "", rest.replace(" were ", " was ") if " were " in text else rest
    )


def _compare(text: str, name: Entity, pair: tuple[Entity, Entity], has_rest: bool) -> str:  # noqa: FBT001 - of one call
    about = re.sub(r"^compare\s+", "", text[: pair[0].start], flags=re.IGNORECASE).strip()
    after = text[pair[1].end :].strip(" .?!")
    if not has_rest or not about:
        return f"What is known of {name.name}?"
    return f"What is {about} {name.name}{f' {after}' if after else ''}?"


def _than(text: str, name: str) -> str:
    """Return the question for the value by which two are compared."""
    if _OLDER.search(text):
        return f"When was {name} born?"
    if newer := _NEWER.search(text):
        return f"When was {name} {newer.group('verb') or 'released'}?"
    if more := _MORE.search(text):
        verb, link = (more.group("verb") or "").strip(), (more.group("link") or "")
        predicate = f" {verb}{' ' + link.strip() if link else ''}" if verb else ""
        return (
            f"How many {more.group('what')} has {name}{predicate}?"
            if predicate
            else f"How many {more.group('what')} does {name} have?"
        )
    return ""


def _resolved(part: str, before: str, graph: GraphWords, answered: Answered) -> list[str]:
    """Return a part with its pronoun replaced: by a name of the part before, or by that part's answer."""
    pronoun = _PRONOUN.search(part)
    if not before or not pronoun or any(name.start <= pronoun.start() < name.end for name in entities(part)):
        return [part]
    word = pronoun.group().casefold()
    personal = word in _PERSONAL
    sought = r"who\b" if personal else r"(?:in )?(?:which|what)\b"
    of_answer = bool(re.match(sought, before, re.IGNORECASE)) and not _INTRODUCED.match(before)
    names = [_with_article(name, before) for name in entities(before)]
    if of_answer:
        questions = _replace_descriptions(before, graph, answered)
        answers = [name for question in questions for name in answered(question) or []]
        names = answers[:_BRANCHES]
    return [_put(part, pronoun, name) for name in (names if of_answer else names[:1])] or (
        [] if of_answer else [part]
    )


def _with_article(name: Entity, text: str) -> str:
    return f"the {name.name}" if text[: name.start].endswith(" the ") else name.name


def _put(part: str, pronoun: re.Match[str], name: str) -> str:
    owned = f"{name}'s" if pronoun.group(1) else name
    return f"{part[: pronoun.start()]}{owned}{part[pronoun.end() :]}"
