"""Verifies that a written sentence is supported by what it cites."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from workers.core.answers.check import absent, missing_names, missing_numbers, speaks_of
from workers.core.model import FactSource
from workers.critic.rows import RowSource

# Given chunk ids, the text of these chunks: asked for only where a name does not stand in the quotes.
Surroundings = Callable[[Sequence[str]], str]


def fault(
    sentence: str,
    sources: Sequence[FactSource | RowSource],
    around: Surroundings | None = None,
    ordinary: str = "",
) -> str | None:
    """Return in plain words why the cited places do not support the sentence; None if they do.

    Numbers, dates and names must stand in the quotes or the documents' titles; of a row, in it or its query.
    A quote may say "she" where its fact says who: then the fact's name counts if it also stands in the chunk
    around the quote.

    Args:
        sentence: what was written, without markers.
        sources: the cited places.
        around: brings the cited chunks' texts; without it names count that stand in the facts.
        ordinary: text of the same matter, whose words in small letters are no names.
    """
    stands = "\n".join(source.stands for source in sources)
    facts = "\n".join(source.fact for source in sources)
    lacking = missing_numbers(sentence, stands)
    if not lacking:
        names = missing_names(sentence, stands, f"{facts}\n{ordinary}")
        lacking = absent(names, facts)
        if names and not lacking and around is not None:
            lacking = absent(names, around([source.chunk_id for source in sources if source.chunk_id]))
    if lacking:
        return "not in the cited text: " + ", ".join(lacking)
    if not speaks_of(sentence, f"{stands}\n{facts}"):
        return "shares no word with the cited text"
    return None
