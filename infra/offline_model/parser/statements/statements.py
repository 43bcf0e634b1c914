"""A statement as the parser compares it with a question."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from infra.offline_model.parser.question.question import Question, holds_kind, mentions
from infra.offline_model.parser.question.synonyms import OF_THE_SUBJECT, concept, concepts, other_relatives
from infra.offline_model.parser.statements.names import names
from workers.core.language.text import words


@dataclass(frozen=True)
class Statement:
    """A text with its words, concepts and names; titles are further subjects that it is known to be about."""

    text: str
    words: frozenset[str]
    concepts: frozenset[str]
    names: tuple[str, ...]

    @property
    def subject(self) -> str:
        """The name it begins with, as a sentence's subject does; "" if there is none near its begin."""
        first = self.names[0] if self.names else ""
        near = first and len(self.text[: self.text.find(first)].split()) <= _NEAR
        return first if near else ""

    @property
    def kin(self) -> str:
        """The word after a subject's possessive: father in "Telford's father died"; else ""."""
        after = (
            _KIN.match(self.text[self.text.find(self.subject) + len(self.subject) :])
            if self.subject
            else None
        )
        return after.group(1) if after else ""


_KIN = re.compile(r"['’]s? (\w+)")
_NEAR = 4  # words before a subject: "In the early 1860s"


@lru_cache(maxsize=8192)
def read_statement(text: str, title: str = "") -> Statement:
    """Take a statement apart; the title of its document counts as mentioned."""
    whole = frozenset(word.removesuffix("'s").removesuffix("’s") for word in words(f"{title} {text}"))
    return Statement(text, whole, concepts(text), tuple(names(text)))


def covered(question: Question, statement: Statement) -> frozenset[str]:
    """Return which of the question's names (as `name:…`) and matters a statement speaks of."""
    named = {f"name:{name}" for name in question.names if mentions(name, statement.words)}
    return frozenset(named | _matters(question, statement))


def _matters(question: Question, statement: Statement) -> frozenset[str]:
    return (question.matters & statement.concepts) - other_relatives(question.text, statement.text)


def wanted(question: Question) -> frozenset[str]:
    """Return all that an answer must cover."""
    return frozenset({f"name:{name}" for name in question.names} | question.matters)


def about(question: Question, statement: Statement, who: frozenset[str]) -> bool:
    """Return whether the answer about a subject is stated about one of these names (as words)."""
    spoken_of = _matters(question, statement)
    matters = spoken_of & OF_THE_SUBJECT
    kin = statement.kin
    if matters and kin:
        return concept(kin) in spoken_of
    if not matters or not statement.subject:
        return True
    return any(word in who for word in words(statement.subject))


def worth(question: Question, statement: Statement) -> float:
    """Return how much of the question a statement covers; names alone count only if nothing else is asked."""
    hit = covered(question, statement)
    matters = hit & question.matters
    if question.matters and not matters:
        return 0.0
    if question.dense and len(matters) * 3 < len(question.matters) and not hit - matters:
        return 0.0
    kind = 0.5 if hit and holds_kind(question, statement.text) else 0.0
    return len(matters) + 1.5 * len(hit - matters) + kind


def relevance(question: Question, statement: Statement) -> float:
    """Return 0..1: the share of the question's names, matters and kind that the statement holds."""
    names_total, matters_total = 1.5 * len(question.names), float(len(question.matters))
    total = names_total + matters_total + 1.0
    hit = covered(question, statement)
    score = sum(1.5 if term.startswith("name:") else 1.0 for term in hit)
    if (hit & question.matters or (hit and not question.matters)) and holds_kind(question, statement.text):
        score += 1.0
    return min(1.0, score / total)
