"""Finds names in a chunk's facts that are persons' full names, or may be short for one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from workers.core import ids
from workers.core.language.person_names import is_person_use, may_be_short_form, short_forms, written
from workers.core.records import AtomicFact


def find_short_forms(collection: str, facts: Sequence[AtomicFact]) -> tuple[str, ...]:
    """Return the ids of the key elements, there or not, whose meaning some facts bear on, sorted.

    Of tobias renn these are tobias and renn, also where a fact holds the name, by a title, and does not write
    it; of tobias, where a fact says what he did, tobias itself.
    """
    words: set[str] = set()
    for fact in facts:
        for element in fact.key_elements:
            shape = _shape(element.name)
            if shape is None:
                continue
            if shape.written in fact.text or any(map(_has_capital, element.aliases)):
                words.update(shape.shorter)
            if shape.is_short and shape.written in fact.text and is_person_use(element.name, fact.text):
                words.add(element.name)
    return tuple(sorted(ids.element_id(collection, word) for word in words))


def _has_capital(spelled: str) -> bool:
    return spelled != spelled.lower()


class _Shape(NamedTuple):
    """A name that may be a person's: in full, or shortened."""

    written: str
    shorter: tuple[str, ...]
    is_short: bool  # it may be one


@lru_cache(maxsize=20_000)
def _shape(name: str) -> _Shape | None:
    shorter = short_forms(name)
    is_short = may_be_short_form(name)
    return _Shape(written(name), shorter, is_short) if shorter or is_short else None
