"""Splits a sentence into shorter statements, only where a rule is safe."""

from __future__ import annotations

import re
from collections.abc import Iterator

from infra.offline_model.parser.statements.names import CAPITALS, DATE

# Past forms that differ from the participle, and those that do not: "was built and sold" is one statement.
_FINITE = (
    "was|were|is|are|has|had|became|wrote|took|went|began|gave|came|fell|grew|saw|spoke|chose|knew|rose|"
    "ran|sang"
)
_PARTICIPLE = (
    "won|led|left|met|put|lost|hung|held|kept|made|built|taught|fought|sold|bought|brought|stood|[a-z]{2,}ed"
)
_LONGEST = 600  # characters; no sentence that rules understand is longer
_ADVERB = "(?:also |later |then |soon |finally )?"
_VERB = re.compile(rf"^{_ADVERB}(?:{_FINITE}|drew|flew|lay|{_PARTICIPLE})\b")
_AMBIGUOUS = re.compile(rf"^{_ADVERB}(?:{_PARTICIPLE})\b")
_BE_OR_HAVE = re.compile(r"\b(?:was|were|is|are|be|been|being|has|had|have)\b")
_CAPITAL = rf"[{CAPITALS}][\w'’.-]*+"
_SUBJECT = re.compile(
    rf"^(?P<subject>(?:The |In \w+,? )?{_CAPITAL}(?:(?: (?:of|the|de|van|von|and))* {_CAPITAL})*)"
    r"(?P<rest> .+)$"
)
_LIFE = re.compile(
    rf"^(?P<who>[^()]+?) \((?:born )?(?P<born>{DATE.pattern})"
    rf"(?: ?[-–—] ?(?P<died>{DATE.pattern}))?\)(?P<rest>.*)$"
)
_PROFESSION = re.compile(
    r"\b(?:was|is) (?:an?|the) (?:[\w-]+ ){0,6}?"
    r"\w*(?:er|or|ist|ian|man|woman|poet|king|queen|chief|saint|priest)\b"
)
_INSERTED = re.compile(
    r"^(?P<who>[^,]{2,60}), "
    r"(?P<clause>(?:who|which) [^,]{6,}|born [^,]{4,}|(?:also )?known as [^,]+), (?P<rest>.+)$"
)
_TRAILING = re.compile(
    rf"^(?P<head>.{{1,{_LONGEST}}}?(?P<who>{_CAPITAL}(?: (?:of |the )*+{_CAPITAL})*+)), "
    r"(?P<clause>who (?:was|is|became|had|has|wrote|won|died) [^,]{8,})$"
)
_AND = re.compile(r",? and (?=[a-z])")
_SHORTEST = 3  # words of a statement


def clauses(sentence: str) -> list[str]:
    """Return the statements of a sentence in order, each with its own subject, without the full stop."""
    bare = sentence.rstrip(" .")
    if len(bare) > _LONGEST:
        return [bare]
    parts = [part.strip() for part in bare.split("; ")]
    whole = parts if all(_stands_alone(part) for part in parts) else [bare]
    return [piece for part in whole for taken in _taken_out(part) for piece in _coordinated(taken)]


def _stands_alone(part: str) -> bool:
    return part[:1].isupper() and len(part.split()) >= _SHORTEST


def _taken_out(text: str) -> Iterator[str]:
    """Yield the statements in brackets and relative clauses, and the sentence without them."""
    life = _LIFE.match(text)
    if life and _PROFESSION.search(life.group("rest")) and _is_name(life.group("who")):
        who = life.group("who")
        yield f"{who} was born on {life.group('born')}"
        if life.group("died"):
            yield f"{who} died on {life.group('died')}"
        yield f"{who}{life.group('rest')}"
        return
    inserted = _INSERTED.match(text)
    if (
        inserted
        and _is_name(inserted.group("who"))
        and " of " not in inserted.group("who")
        and _VERB.match(inserted.group("rest"))
    ):
        who, clause = inserted.group("who"), inserted.group("clause")
        yield f"{who} {_as_predicate(clause)}"
        yield f"{who} {inserted.group('rest')}"
        return
    trailing = _TRAILING.match(text)
    if trailing:
        yield trailing.group("head")
        yield f"{trailing.group('who')} {_as_predicate(trailing.group('clause'))}"
        return
    yield text


def _as_predicate(clause: str) -> str:
    for pronoun in ("who ", "which "):
        if clause.startswith(pronoun):
            return clause.removeprefix(pronoun)
    return f"was {clause}"


def _is_name(text: str) -> bool:
    words = text.split()
    return 1 <= len(words) <= 6 and words[0][:1].isupper() and words[-1][:1].isupper()  # noqa: PLR2004


def _coordinated(text: str) -> Iterator[str]:
    """Yield "X moved to Y" and "X became Z" for "X moved to Y and became Z"."""
    match = _SUBJECT.match(text)
    if not match or not _VERB.match(match.group("rest").strip()):
        yield text
        return
    subject, rest = match.group("subject"), match.group("rest").strip()
    pieces = [""]
    place = 0
    for joint in _AND.finditer(rest):
        head, tail = rest[place : joint.start()], rest[joint.end() :]
        if _VERB.match(tail) and _finite(head, tail) and len(head.split()) >= _SHORTEST - 1:
            pieces[-1] = head
            pieces.append("")
            place = joint.end()
    pieces[-1] = rest[place:]
    yield from (f"{subject} {piece.strip(' ,')}" for piece in pieces)


def _finite(head: str, tail: str) -> bool:
    """Return whether the verb after "and" is finite: in "was designed and built by" it is not."""
    return not (_AMBIGUOUS.match(tail) and _BE_OR_HAVE.search(head)) and "(" not in head
