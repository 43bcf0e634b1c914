"""Statements that say the same of the same subject with other numbers or dates."""

from __future__ import annotations

from collections.abc import Sequence

from infra.offline_model.parser.statements.names import DATE, YEAR
from infra.offline_model.parser.statements.statements import Statement

_ALIKE = 0.8  # share of words, numbers left out, that two such statements have in common
_MOST = 20


def contradictions(statements: Sequence[tuple[int, Statement]]) -> list[list[int]]:
    """Return pairs of evidence numbers that contradict each other."""
    found = []
    for place, (n, one) in enumerate(statements):
        for m, other in statements[place + 1 :]:
            if _clash(one, other):
                found.append([n, m])
    return found[:_MOST]


def _clash(one: Statement, other: Statement) -> bool:
    mine, theirs = _figures(one), _figures(other)
    if not mine or not theirs or mine & theirs or one.subject != other.subject or not one.subject:
        return False
    same, all_words = _plain(one) & _plain(other), _plain(one) | _plain(other)
    return len(same) >= _ALIKE * len(all_words)


def _figures(statement: Statement) -> frozenset[str]:
    return frozenset(word for word in statement.words if any(mark.isdigit() for mark in word))


def _plain(statement: Statement) -> frozenset[str]:
    bare = YEAR.sub(" ", DATE.sub(" ", statement.text)).casefold().split()
    return frozenset(word.strip(".,;:") for word in bare if not any(mark.isdigit() for mark in word)) - {
        "",
        "on",
        "in",
    }
