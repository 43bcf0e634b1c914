"""Extracts typed relations and events from the statements of a Chinese chunk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from infra.offline_model.parser.chinese.cast import ChineseCast
from infra.offline_model.parser.chinese.relations import marked, relations_of
from infra.offline_model.parser.chinese.statements import ChineseStatements
from infra.offline_model.parser.chinese.turning_points import event_of
from infra.offline_model.parser.extracted_facts import LONGEST, closed
from infra.offline_model.parser.statements.names import foreign_terms, quoted
from infra.offline_model.parser.statements.relations import Stated

_FEW = 3  # terms of a statement that names nobody
_LONGEST_TERM = 8  # characters of a run between marks that may serve as a name


def read_chinese(sentences: list[str], relations: Sequence[str], events: Sequence[str]) -> Iterator[Stated]:
    """Yield the statements of a text with the relations and events of these types."""
    cast = ChineseCast(sentences)
    for statement, sentence in ChineseStatements(cast).of(sentences):
        fact = closed(statement.strip("，；：、"), sentence)[:LONGEST]
        marked_statement = marked(fact, cast)
        related, event = list(relations_of(marked_statement, relations)), event_of(marked_statement, events)
        yield Stated(fact, related, event, marked_statement.members, _elements(fact, cast))


def _elements(fact: str, cast: ChineseCast) -> list[str]:
    named = [member.name for member in cast.mentioned(fact)]
    short = [phrase for phrase in quoted(fact) if len(phrase) <= _LONGEST_TERM]
    return named or short or [term for term in foreign_terms(fact) if len(term) <= _LONGEST_TERM][:_FEW]
