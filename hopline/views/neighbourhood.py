"""Prints the facts around a key element, each with its best source."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from rich.text import Text

from hopline.commands.console import harmless, print_indented
from hopline.titles import ShownTitles
from hopline.words import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from hopline.models.documents import KeyElement
    from hopline.models.graph import NearElement, NearFact, Neighbourhood

_QUOTE_CHARACTERS = 300


def print_neighbourhood(console: Console, near: Neighbourhood) -> None:
    """Print the facts, best first, then what else the name may mean."""
    centre = near.elements[0]
    extent = counted(centre.degree, "fact") + (f", the best {len(near.facts)} of them" if near.more else "")
    name = harmless(spelled(centre))
    print_indented(console, Text.assemble((name, "bold"), f"  {extent}"), 0)
    print_facts(console, near.facts)
    if near.candidates:
        others = ", ".join(harmless(spelled(each)) for each in near.candidates)
        print_indented(console, Text.assemble(("the name may also mean: ", "cyan"), others), 0)


def spelled(element: NearElement | KeyElement) -> str:
    """Return a key element's name as documents spell it, if it differs only in case and accents.

    What is all in capitals, as headings are, comes last.
    """
    plain = _plain(element.name)
    alike = [alias for alias in element.aliases if _plain(alias) == plain]
    return max(
        alike, key=lambda alias: (not alias.isupper(), sum(map(str.isupper, alias))), default=element.name
    )


def _plain(text: str) -> str:
    apart = unicodedata.normalize("NFD", text)
    return "".join(sign for sign in apart if not unicodedata.combining(sign)).lower()


def print_facts(console: Console, facts: Sequence[NearFact]) -> None:
    """Print facts, each with the sentence of its best source."""
    titles = ShownTitles(source for fact in facts for source in fact.sources[:1])
    for fact in facts:
        _print_fact(console, fact, titles)


def _print_fact(console: Console, fact: NearFact, titles: ShownTitles) -> None:
    print_indented(console, Text.assemble("· ", harmless(fact.text)), 2)
    if not fact.sources:
        return
    best = fact.sources[0]
    quote = " ".join(best.quote.split())
    shown = quote if len(quote) <= _QUOTE_CHARACTERS else quote[: _QUOTE_CHARACTERS - 1] + "…"
    more = f" and {len(fact.sources) - 1} more" if len(fact.sources) > 1 else ""
    quotation = "" if shown == " ".join(fact.text.split()) else f": “{harmless(shown)}”"
    print_indented(console, Text(f"{harmless(titles.of(best))}{more}{quotation}", "dim"), 4)
