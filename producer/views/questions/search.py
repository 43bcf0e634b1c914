"""Prints search results: source, text, and the reasons for each rank."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from hopline.commands.console import harmless, print_indented
from workers.core.answers.lexical_rank import overlap, terms
from workers.core.language.text import normalise, sentences, spelled_in

if TYPE_CHECKING:
    from rich.console import Console

    from hopline.models.search import Found, FoundChunk, FoundElement

_SENTENCES, _FACTS, _ELEMENTS = 2, 3, 8  # shown of a chunk
_QUOTE_CHARACTERS = 400  # of a sentence
_FACT_WEIGHT = 0.5  # a chunk that ranks by the walk alone may share no word with the question
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
    for rank, hit in enumerate(result.chunks, start=1):
        _print_chunk(console, result.question, rank, hit, named=named)
    elements = [element for element in result.elements if element.asked]
    texts = [result.question, *(hit.chunk.text for hit in result.chunks)]
    known = ", ".join(spelled_in(element.name, *texts) for element in elements)
    names = known or "none that the graph knows"
    _print_part(console, "key elements asked for: ", names, indent=0)
    _print_part(console, "took: ", took(result.seconds), indent=0)


def print_nearest(console: Console, result: Found, *, named: bool = False) -> None:
    """Print the passages nearest to a question that was not answered, a sentence of each.

    Args:
        console: where.
        result: what is printed; nothing where it found nothing.
        named: say which collection each is of.
    """
    if not result.chunks:
        return
    console.print(Text("\nNearest passages", "bold cyan"))
    for rank, hit in enumerate(result.chunks, start=1):
        head = Text.assemble((f"{rank}. ", "bold"), harmless(hit.document.title or hit.document.uri))
        if named:
            head.append(f" · {hit.document.collection}", "dim")
        print_indented(console, head, 2)
        for sentence in best_sentences(result.question, hit, most=1):
            print_indented(console, Text(f"“{harmless(_shortened(sentence))}”", "italic"), 5)
    of = "".join(f" -c {name}" for name in dict.fromkeys(hit.document.collection for hit in result.chunks))
    hint = f'They may hold what you ask for; `hopline search "{result.question}"{of}` shows more.'
    print_indented(console, Text(harmless(hint), "dim"), 2)


def took(seconds: dict[str, float]) -> str:
    """Return the milliseconds in all, and of each part."""
    parts = ", ".join(f"{part} {1000 * spent:.0f}" for part, spent in seconds.items() if part != "all")
    return f"{1000 * seconds.get('all', 0.0):.0f} ms" + (f" ({parts})" if parts else "")


def best_sentences(question: str, hit: FoundChunk, most: int = _SENTENCES) -> list[str]:
    """Return the sentences of a chunk that speak most of the question and of the chunk's best facts.

    They come in the order of the text; where none speaks of either, the first that is not the title.
    """
    text, title = hit.chunk.text, normalise(hit.document.title)
    texts = [" ".join(text[start:end].split()) for start, end in sentences(text)]
    candidates = [sentence for sentence in texts if normalise(sentence) != title] or texts
    question_terms = terms(question)
    facts = [(fact.score, terms(fact.text)) for fact in hit.facts[:_FACTS]]

    def worth(sentence: str) -> float:
        by_facts = max((score * overlap(wanted, sentence) for score, wanted in facts), default=0.0)
        return overlap(question_terms, sentence) + _FACT_WEIGHT * by_facts

    ranked = sorted(range(len(candidates)), key=lambda nth: (-worth(candidates[nth]), nth))[:most]
    kept = [nth for nth in ranked if worth(candidates[nth]) > 0] or ranked[:1]
    return [candidates[nth] for nth in sorted(kept)]


def _print_chunk(console: Console, question: str, rank: int, hit: FoundChunk, *, named: bool) -> None:
    head = Text.assemble((f"{rank}. ", "bold"), harmless(hit.document.title or hit.document.uri))
    if named:
        head.append(f" · {hit.document.collection}", "dim")
    head.append(f" · characters {hit.chunk.start} to {hit.chunk.end}", "dim")
    head.append(f" · score {hit.score:.2f}", "dim")
    print_indented(console, head, 0)
    quoted = best_sentences(question, hit)
    for sentence in quoted:
        print_indented(console, Text(f"“{harmless(_shortened(sentence))}”", "italic"), 3)
    # A fact may be a sentence as it stands in the text, which need not be read twice.
    spoken = {normalise(sentence) for sentence in quoted}
    telling = [fact for fact in hit.facts if fact.score > 0 and normalise(fact.text) not in spoken]
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


def _named(element: FoundElement, text: str) -> str:
    """Return an element's name as the text spells it."""
    name = spelled_in(element.name, text)
    return f"{name} (asked for)" if element.asked else name


def _print_part(console: Console, label: str, text: str, indent: int = 3) -> None:
    print_indented(console, Text.assemble((label, "cyan"), harmless(text)), indent)


def _shortened(text: str) -> str:
    return text if len(text) <= _QUOTE_CHARACTERS else text[: _QUOTE_CHARACTERS - 1] + "…"
