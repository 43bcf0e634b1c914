"""Adds the other names of things that a text names, so that a sentence may use either."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from workers.core.answers.spellings import is_capitals, phrase
from workers.core.language.text import is_unspaced

Aliases = Mapping[str, Sequence[str]]  # a name -> other names of the same
NO_ALIASES: Aliases = {}
# Short names that everybody knows; initials of three letters or more need no list.
_EVERYWHERE: Aliases = {
    "United States": ("US", "U.S.", "USA", "America", "American", "Americans"),
    "United Kingdom": ("UK", "U.K.", "Britain", "British"),
    "United Nations": ("UN", "U.N."),
    "European Union": ("EU", "E.U."),
    "Soviet Union": ("USSR", "Soviet", "Soviets"),
}


def with_aliases(text: str, aliases: Aliases = NO_ALIASES) -> str:
    """Return a text with the other names of everything it names, one per line."""
    bare_phrase, as_written = phrase(text), phrase(text, as_written=True)
    added = [
        other
        for names in _groups(aliases)
        if any(_stands(name, bare_phrase, as_written, text) for name in names if name.strip())
        for other in names
    ]
    return "\n".join((text, *added))


def _stands(name: str, bare_phrase: str, as_written: str, text: str) -> bool:
    """Return whether a text contains a name; names in capitals are case-sensitive: US is not us.

    In a script without spaces, a single character does not count, because it occurs in other words.
    """
    if is_unspaced(name):
        return len(name) > 1 and name in text
    if is_capitals(name):
        return phrase(name, as_written=True) in as_written
    return phrase(name) in bare_phrase


def _groups(aliases: Aliases) -> Iterable[tuple[str, ...]]:
    for source in (_EVERYWHERE, aliases):
        yield from ((name, *others) for name, others in source.items())
