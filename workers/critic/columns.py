"""Whether a sentence takes a number out of the column that it names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from workers.core.answers.check_numbers import missing_numbers
from workers.core.language.text import words
from workers.core.records import FactSource
from workers.critic.context import Source


def misplaced(sentence: str, sources: Sequence[Source]) -> str | None:
    """Return in plain words which number of a sentence stands in another column than it names; None if none.

    That is so where a cited row has the number in columns alone that the sentence does not name, while it
    names others by the words that tell them apart, and takes no number out of these.
    """
    allowed: list[str] = []
    named_values: list[str] = []
    others: list[tuple[str, str]] = []  # column, what the cell says
    for source in sources:
        cells = [cell[:2] for cell in source.cells] if isinstance(source, FactSource) else []
        named = _named(sentence, [column for column, _said in cells[1:]])
        if not named:
            allowed.append(source.stands)
            continue
        named_values += [said for column, said in cells[1:] if column in named]
        others += [(column, said) for column, said in cells[1:] if column not in named]
        allowed += [
            source.title,
            *(said for _column, said in cells[:1]),
            *(column for column, _said in cells),
        ]
    values = "\n".join(named_values)
    if not others or len(missing_numbers(sentence, values)) < len(missing_numbers(sentence, "")):
        return None
    for number in missing_numbers(sentence, "\n".join([values, *allowed])):
        for column, said in others:
            if column and not missing_numbers(number, said):
                return f"{number} stands in the column “{column}”"
    return None


def _named(sentence: str, columns: Sequence[str]) -> frozenset[str]:
    """Return the columns that a sentence names, by the words that no other has; none where it names all."""
    told = [frozenset(words(column)) for column in columns]
    counts = Counter(word for some in told for word in some)
    said = frozenset(words(sentence))
    own = [frozenset(word for word in some if counts[word] == 1) or some for some in told]
    named = frozenset(column for column, some in zip(columns, own, strict=True) if some and some <= said)
    return named if len(named) < len(frozenset(columns)) else frozenset()
