"""Prints search results: source, text, and the reasons for each rank."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from hopline.commands.console import harmless, print_indented
from hopline.spelling import spelled_in
from hopline.titles import ShownTitles
from hopline.views.words import place_words

if TYPE_CHECKING:
    from rich.console import Console

    from hopline.models.search import Found, FoundChunk, FoundElement

_FACTS, _ELEMENTS = 3, 8  # shown of a chunk
_QUOTE_CHARACTERS = 400  # of a sentence
_PARTS = {
    "walk": "walk",
    "vector": "vector",
    "vector_asked": "vector of what is asked",
    "words": "words",
    "words_asked": "words of what is asked",
    "titled": "title that is named",
}


def print_found(console: Console, result: Found, *, named: bool = False) -> None:
    """Print ranked chunks with facts, key elements and reasons; then the question and the time.

    Args:
        console: where.
        result: what is printed.
        named: say which collection each chunk is of.
    """
    titles = ShownTitles(hit.document for hit in result.chunks)
    for rank, hit in enumerate(result.chunks, start=1):
        _print_chunk(console, rank, hit, titles, named=named)
    elements = [element for element in result.elements if element.asked]
    texts = [result.question, *(hit.chunk.text for hit in result.chunks)]
    known = ", ".join(spelled_in(element.name, *texts) for element in elements)
    names = known or "none that the graph knows"
    _print_part(console, "key elements in the question: ", names, indent=0)
    _print_part(console, "time: ", took(result.seconds), indent=0)


def print_nearest(console: Console, result: Found, *, named: bool = False) -> None:
    """Print the passages nearest to a question that was not answered, a sentence of each.

    Args:
        console: where.
        result: the result to print; nothing is printed if it is empty.
        named: say which collection each is of.
    """
    if not result.chunks:
        return
    console.print(Text("\nNearest passages", "bold cyan"))
    titles = ShownTitles(hit.document for hit in result.chunks)
    for rank, hit in enumerate(result.chunks, start=1):
        head = _headed(rank, hit, titles)
        if named:
            head.append(f" · {hit.document.collection}", "dim")
        print_indented(console, head, 2)
        for sentence in hit.sentences:
            print_indented(console, Text(f"“{harmless(_shortened(sentence))}”", "italic"), 5)
    of = "".join(f" -c {name}" for name in dict.fromkeys(hit.document.collection for hit in result.chunks))
    hint = f'They may hold what you ask for; `hopline search "{result.question}"{of}` shows more.'
    print_indented(console, Text(harmless(hint), "dim"), 2)


def took(seconds: dict[str, float]) -> str:
    """Return the milliseconds in all, and of each part."""
    parts = ", ".join(f"{part} {1000 * spent:.0f}" for part, spent in seconds.items() if part != "all")
    return f"{1000 * seconds.get('all', 0.0):.0f} ms" + (f" ({parts})" if parts else "")


def _print_chunk(console: Console, rank: int, hit: FoundChunk, titles: ShownTitles, *, named: bool) -> None:
    head = _headed(rank, hit, titles)
    if named:
        head.append(f" · {hit.document.collection}", "dim")
    head.append(f" · characters {hit.chunk.start} to {hit.chunk.end}", "dim")
    head.append(f" · score {hit.score:.2f}", "dim")
    print_indented(console, head, 0)
    for sentence in hit.sentences:
        print_indented(console, Text(f"“{harmless(_shortened(sentence))}”", "italic"), 3)
    # A fact may be a sentence as it stands in the text, which need not be read twice.
    spoken = set(map(_compared, hit.sentences))
    telling = [fact for fact in hit.facts if fact.score > 0 and _compared(fact.text) not in spoken]
    for fact in telling[:_FACTS]:
        _print_part(console, "fact: ", f"{_shortened(fact.text)} ({fact.score:.2f})")
    if hit.elements:
        _print_part(
            console,
            "key elements: ",
            ", ".join(_named(element, hit.chunk.text) for element in hit.elements[:_ELEMENTS]),
        )
    if hit.reasons:
        _print_part(console, "why: ", "; ".join(hit.reasons))
    if hit.parts:
        shown = (f"{_PARTS.get(part, part)} {value:.3g}" for part, value in hit.parts.items())
        _print_part(console, "by: ", ", ".join(shown))
    console.print()


def _headed(rank: int, hit: FoundChunk, titles: ShownTitles) -> Text:
    shown = f"{titles.of(hit.document)}{place_words(hit.place)}"
    return Text.assemble((f"{rank}. ", "bold"), harmless(shown))


def _compared(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".!。 ")


def _named(element: FoundElement, text: str) -> str:
    """Return an element's name as the text spells it."""
    name = spelled_in(element.name, text)
    return f"{name} (in the question)" if element.asked else name


def _print_part(console: Console, label: str, text: str, indent: int = 3) -> None:
    print_indented(console, Text.assemble((label, "cyan"), harmless(text)), indent)


def _shortened(text: str) -> str:
    return text if len(text) <= _QUOTE_CHARACTERS else text[: _QUOTE_CHARACTERS - 1] + "…"
