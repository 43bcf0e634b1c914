"""Verifies that its citations support a written sentence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple

from workers.core.answers.aliases import NO_ALIASES, Aliases, with_aliases
from workers.core.answers.check import fuller_names, missing_names, speaks_of
from workers.core.answers.check_numbers import missing_numbers
from workers.core.answers.lexical_rank import terms
from workers.core.answers.negation import contradicts
from workers.core.answers.translation import (
    has_capitals,
    is_translated,
    script_of,
    scripts_of,
    translated_countries,
)
from workers.core.graph.merges import Merging
from workers.core.language.empty_words import without_pointing_numbers, without_salutation
from workers.core.language.figures.figures import figures
from workers.core.language.forms import share_form
from workers.core.language.text import words
from workers.core.records import FactSource
from workers.critic.context import Around, ChunkText, Source, antecedents, completing, dates_before, text_of
from workers.critic.pronouns import mistaken

Surroundings = Around  # asked for only where something does not stand in the quotes
OtherNames = Callable[[Sequence[str]], Aliases]  # of what the facts of some chunks name, by the chunks' ids
_OR = re.compile(r"\b(?:or|oder|ou|o(?!['’]))\b|还是|或", re.IGNORECASE)


def no_names(_chunk_ids: Sequence[str]) -> Aliases:
    """Return no other names."""
    return NO_ALIASES


def fault(
    sentence: str,
    sources: Sequence[Source],
    around: Surroundings | None = None,
    ordinary: str = "",
    question: str = "",
    names: OtherNames = no_names,
    known: Sequence[str] = (),
) -> str | None:
    """Return in plain words why the cited places do not support the sentence; None if they do.

    Numbers, dates and names must occur in the quotes or the documents' titles; for a row, in the row or its
    query. Either name of an alias is accepted. They may come from the question (see `critic.question`) if the
    sentence says more than the question does. A fact's own text supports nothing. What it adds to its quote
    (who "she" is, the year of "23 May") counts if it also occurs in the chunk around the quote. Otherwise the
    chunk contributes what `critic.context` finds, and the full form of a name that the quote has in part.
    `beside` returns which sentences of the chunk are to be cited.

    A number from a row must be in a column that the sentence names, if it names any.

    A sentence in a quote's own words must not deny what the quote affirms, or affirm what it denies.

    If a sentence is in another language than its quotes, names in another script are left to a model, and no
    words have to match; see `is_unchecked`.

    Args:
        sentence: sentence without markers.
        sources: the cited places.
        around: returns the cited chunks' texts; without it only the quotes count.
        ordinary: related text; its lower-case words are not names.
        question: the question to be answered.
        names: returns other names of things that the cited chunks mention; called only if something is
            missing.
        known: names that the graph knows, for scripts without capitals; see `critic.known_names`.
    """
    why = _fault(sentence, sources, around, ordinary, question, known)
    aliases = names(_chunk_ids(sources)) if why else NO_ALIASES
    why = _fault(sentence, sources, around, ordinary, question, known, aliases) if aliases else why
    script, quoted_script = scripts_of(sentence, _quoted(sources))
    if why or script != quoted_script:
        return why
    return mistaken(sentence, sources, around or _nothing) or misplaced(sentence, sources)


def is_unchecked(
    sentence: str, sources: Sequence[Source], question: str = "", names: OtherNames = no_names
) -> bool:
    """Return whether a sentence without a fault contains something that code cannot compare with the quotes.

    That is a name in another script than the quotes', any name if the sentence's script has no capitals, or a
    whole sentence that has no word and no number in common with the quotes.
    """
    quoted = _quoted(sources)
    if not is_translated(sentence, quoted):
        return False
    abroad = translated_countries(quoted, sentence)
    script, quoted_script = scripts_of(sentence, quoted)
    if script != quoted_script:
        if not has_capitals(sentence):
            return True
        stands = with_aliases(_cited(sources), names(_chunk_ids(sources)))
        if missing_names(sentence, f"{stands}\n{lent_names(question)}\n{abroad}"):
            return True
    return not figures(sentence) and not speaks_of(sentence, f"{quoted}\n{abroad}")


def beside(
    sentence: str,
    sources: Sequence[Source],
    around: Surroundings,
    ordinary: str = "",
    question: str = "",
    names: OtherNames = no_names,
) -> list[FactSource]:
    """Return the sentences near the quotes that support what a faultless sentence adds to these."""
    cited = _cited(sources)
    stands = f"{cited}{lent_names(question)}\n{lent_date(question)}"
    found: list[FactSource] = []
    for find in (partial(missing_numbers, sentence), partial(missing_names, sentence, ordinary=ordinary)):
        # The quotes alone were looked at by the check, so what it read in them is remembered.
        if find(cited) and find(stands) and not is_translated(sentence, _quoted(sources)):
            known = with_aliases(stands, names(_chunk_ids(sources)))
            found += completing(sources, around, partial(_missing_beside, find, known))
    return list({(source.chunk_id, source.start): source for source in found}.values())


def _missing_beside(find: Callable[[str], list[str]], stands: str, more: str) -> list[str]:
    return find(f"{stands}\n{more}")


def other_names(merging: Merging, collection: str, sources: Iterable[Source]) -> OtherNames:
    """Return a reader of names that redirect to one another; it queries the graph once for all sources."""
    whole = _chunk_ids(sources)
    read: list[dict[str, list[tuple[str, ...]]]] = []

    def names(chunk_ids: Sequence[str]) -> Aliases:
        if not read:
            read.append(merging.names_in(collection, whole))
        groups = [group for name in chunk_ids for group in read[0].get(name, ())]
        return {group[0]: group[1:] for group in groups}

    return names


def _quoted(sources: Iterable[Source]) -> str:
    return "\n".join(source.quote for source in sources)


def _cited(sources: Iterable[Source]) -> str:
    return "".join(f"{source.stands}\n" for source in sources)


def _chunk_ids(sources: Iterable[Source]) -> list[str]:
    return list(dict.fromkeys(source.chunk_id for source in sources if source.chunk_id))


def _fault(
    sentence: str,
    sources: Sequence[Source],
    around: Surroundings | None,
    ordinary: str,
    question: str,
    known: Sequence[str],
    aliases: Aliases = NO_ALIASES,
) -> str | None:
    cited = _cited(sources)
    facts = "\n".join(source.fact for source in sources)
    nearby, quoted = around or _nothing, _quoted(sources)
    translated = is_translated(sentence, quoted)
    abroad = translated_countries(quoted, sentence) if translated else ""
    texts = _Texts(
        stands=with_aliases(f"{cited}{abroad}", aliases),
        facts=with_aliases(facts, aliases),
        chunk_ids=tuple(_chunk_ids(sources)),
        around=around,
        aliases=aliases,
    )
    usable_question = question if _tells_more(sentence, f"{cited}\n{facts}", question) else ""
    lacking = texts.missing(
        partial(missing_numbers, without_pointing_numbers(sentence, cited)),
        lambda _near: f"{dates_before(sources, nearby)}\n{lent_date(usable_question)}",
    )
    if not lacking:
        usual = f"{facts}\n{ordinary}"
        lacking = texts.missing(
            partial(missing_names, without_salutation(sentence), ordinary=usual, known=known),
            lambda near: (
                f"{antecedents(sources, nearby, f'{sentence} {usual}')}\n"
                f"{_in_full(sentence, sources, near)}\n{lent_names(usable_question)}"
            ),
        )
        if translated:
            _script, quoted_script = scripts_of(sentence, quoted)
            lacking = [name for name in lacking if script_of(name) == quoted_script]
    if lacking:
        return "not in the cited text: " + ", ".join(lacking)
    if not translated and contradicts(
        sentence, [each.quote for each in sources if isinstance(each, FactSource)]
    ):
        return "the cited text says the opposite"
    said = f"{cited}\n{facts}"
    shares = figures(sentence) or speaks_of(sentence, said) or share_form(terms(sentence), terms(said))
    if translated or shares:
        return None
    return "shares no word with the cited text"


def _in_full(sentence: str, sources: Sequence[Source], near: str) -> str:
    return "\n".join(fuller_names(sentence, [source.quote for source in sources], near))


class _Texts(NamedTuple):
    stands: str  # what carries a sentence by itself
    facts: str
    chunk_ids: tuple[str, ...]
    around: Surroundings | None
    aliases: Aliases

    def missing(self, find: Callable[[str], list[str]], background: Callable[[str], str]) -> list[str]:
        """Return the parts of a sentence that no text supports.

        Args:
            find: returns the parts missing in a text.
            background: returns the text of the question and, from the given text around the sources, what
                counts.
        """
        lacking = find(self.stands)
        if not lacking:
            return []
        near = text_of(self.chunk_ids, self.around) if self.around else ""
        by_fact = set(lacking)
        if near:
            by_fact = set(find(f"{self.stands}\n{self.facts}"))
            by_fact.update(find(f"{self.stands}\n{with_aliases(near, self.aliases)}"))
        context = with_aliases(background(near), self.aliases)
        by_context = set(find(f"{self.stands}\n{context}"))
        return [word for word in lacking if word in by_fact and word in by_context]


def _nothing(_chunk_ids: Sequence[str]) -> Sequence[ChunkText]:
    return ()


def _tells_more(sentence: str, cited: str, question: str) -> bool:
    """Return whether a sentence says anything of its source that the question does not say."""
    return bool((terms(sentence) & terms(cited)) - terms(question))


def lent_names(question: str) -> str:
    """Return the question, or "" if it offers alternatives ("or"), from which a sentence must not borrow."""
    return "" if _OR.search(question) else question


def lent_date(question: str) -> str:
    """Return the question if it contains a single number or date and offers no alternatives; else ""."""
    return lent_names(question) if sum(not figure.loose for figure in figures(question)) == 1 else ""


def misplaced(sentence: str, sources: Sequence[Source]) -> str | None:
    """Return in plain words which number in a sentence comes from a column it does not name; None if none.

    This is the case if a cited row has the number only in columns that the sentence does not name, while the
    sentence names others by their distinctive words and takes no number from them.
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
    """Return the columns that a sentence names, by their distinguishing words; none if it names all."""
    told = [frozenset(words(column)) for column in columns]
    counts = Counter(word for some in told for word in some)
    said = frozenset(words(sentence))
    own = [frozenset(word for word in some if counts[word] == 1) or some for some in told]
    named = frozenset(column for column, some in zip(columns, own, strict=True) if some and some <= said)
    return named if len(named) < len(frozenset(columns)) else frozenset()
