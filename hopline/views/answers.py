"""Prints an answer: its text, its citations, and how it was found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from rich.text import Text

from hopline.commands.console import harmless, print_indented
from hopline.errors import is_filtered
from hopline.titles import ShownTitles
from hopline.views.paths import print_reading
from hopline.views.tool_calls import print_asking
from hopline.views.words import moment, place_words, usage_parts
from hopline.words import counted, distance

if TYPE_CHECKING:
    from rich.console import Console

    from hopline.models.answers import Answer, AnyCitation, Citation, CitedFact, GraphCitation
    from hopline.models.jobs import Json

_ID_CHARACTERS = 9  # of a job's id; commands take the beginning of one
# Counts in an answer's details, and what each is of.
_LEFT_OUT = (
    ("below_threshold", "facts scored too low (--score-threshold)"),
    ("uncitable", "facts that stand nowhere in a document any more"),
    ("left_out", "facts that did not fit (--evidence-tokens)"),
    ("shortened", "facts shortened to fit (--summarise-overflow)"),
    ("entries_without_evidence", "notebook entries whose facts are all gone"),
)


_JOINED = ("and", "or")


def print_answer(
    console: Console, answer: Answer, seconds: float | None = None, *, explain: bool = False
) -> None:
    """Print an answer.

    Args:
        console: where.
        answer: what is printed.
        seconds: the wall time from question to answer, where known.
        explain: also print places and scores of citations, how the answer was found, and what was left out.
    """
    if answer.text:
        print_indented(console, Text(harmless(answer.text), "bold"), 0)
    if answer.reason:
        print_indented(
            console, Text.assemble((_opening(answer.status), "yellow"), harmless(answer.reason)), 0
        )
    for label, told in _limits(answer):
        print_indented(console, Text.assemble((label, "yellow"), harmless(told)), 0)
    if _may_help_again(answer):
        console.print(Text(f"`hopline jobs retry {answer.job_id}` asks again.", "dim"))
    if answer.scope:
        print_indented(console, Text.assemble(("Read only: ", "yellow"), harmless(_scope(answer.scope))), 0)
    if answer.citations:
        console.print(Text("\nCitations", "bold cyan"))
        titles = ShownTitles(filter(None, (citation.document for citation in answer.citations)))
        for citation in answer.citations:
            _print_citation(console, citation, titles, explain=explain)
    if not explain:
        print_indented(console, Text(f"\n{harmless(footer(answer, seconds))}", "dim"), 0)
        _print_stand_in(console, answer)
        return
    print_reading(console, answer.details)
    print_asking(console, answer.details)
    console.print(Text("\nHow it got there", "bold cyan"))
    print_indented(console, Text(harmless(story(answer, seconds))), 2)
    _print_left_out(console, answer.details)
    _print_stand_in(console, answer)


def _limits(answer: Answer) -> Iterator[tuple[str, str]]:
    """Yield missing or unchecked parts of the answer: a label, and its text."""
    for part in answer.also_missing:
        yield "Not found: ", part
    for table in answer.tables_in_part:
        yield "Not the whole table: ", f"{table}."
    if answer.unchecked:
        yield "Translated, names not checked: ", " ".join(f"“{sentence}”" for sentence in answer.unchecked)


def _print_stand_in(console: Console, answer: Answer) -> None:
    if answer.text and answer.is_by_stand_in:
        told = (
            "Answered by the built-in stand-in, which only copies sentences. Connect a model: docs/models.md"
        )
        print_indented(console, Text(told, "dim"), 0)


def _scope(scope: Json) -> str:
    """Return in words which documents the question was about."""
    named = len(scope.get("documents", ()))
    parts = [
        f"collections {', '.join(scope['collections'])}" if "collections" in scope else "",
        f"documents where {filter_in_words(scope['where'])}" if "where" in scope else "",
        f"documents dated until {scope['as_of']}" if "as_of" in scope else "",
        f"versions current at {scope['known_at']}" if "known_at" in scope else "",
        f"{counted(named, 'document')} named by id" if named else "",
    ]
    return "; ".join(filter(None, parts))


def _may_help_again(answer: Answer) -> bool:
    """Return whether something failed that may be there when it is asked again."""
    told = [
        why for name, value in answer.details.items() if name.endswith("_failed") for why in _causes(value)
    ]
    has_failed = answer.status == "failed" or (answer.status == "partial" and bool(told))
    why = [*told, *filter(None, [answer.reason])]
    return has_failed and not (why and all(map(is_filtered, why)))


def _causes(failed: object) -> list[str]:
    """Return the reasons in an answer's details for one kind of failure; "" for those left out."""
    if not isinstance(failed, dict):
        return [str(failed)]
    items = failed.get("items", ())
    return [
        *(str(item.get("reason")) for item in items),
        *([""] if failed.get("count", 0) > len(items) else []),
    ]


def _opening(status: str) -> str:
    openings = {"abstained": "No answer: ", "partial": "Partial: ", "failed": "Failed: "}
    return openings.get(str(status), "")


def _print_citation(console: Console, citation: AnyCitation, titles: ShownTitles, *, explain: bool) -> None:
    if citation.kind == "graph":
        _print_row(console, citation, titles, explain=explain)
    else:
        _print_place(console, citation, titles, explain=explain)


def _print_row(console: Console, citation: GraphCitation, titles: ShownTitles, *, explain: bool) -> None:
    """Print a tool's findings in the graph, with their document if known."""
    arguments = ", ".join(f"{name}={value}" for name, value in citation.arguments.items())
    head = Text.assemble((f"[{citation.n}] ", "bold"), harmless(f"{citation.tool}({arguments})"))
    places = {"nodes": len(citation.nodes), "relationships": len(citation.relationships)}
    counts = " · ".join(f"{name}: {count}" for name, count in places.items() if count)
    if explain:
        head.append(f" · {counts or 'a row'} · {_scores(citation)}", "dim")
    print_indented(console, head, 2)
    print_indented(console, Text(harmless(" ".join(citation.fact.split()))), 6)
    if citation.stated:
        quote = Text(f"“{harmless(' '.join(citation.stated.quote.split()))}”", "italic")
        place = f" {titles.of(citation.stated.document)}{place_words(citation.stated.place)}"
        if explain:
            place += f", characters {citation.stated.start} to {citation.stated.end}"
        print_indented(console, quote + Text(harmless(place), "dim"), 6)


def _print_place(console: Console, citation: Citation, titles: ShownTitles, *, explain: bool) -> None:
    title = harmless(titles.of(citation.document))
    head = Text.assemble((f"[{citation.n}] ", "bold"), title, harmless(place_words(citation.place)))
    if citation.document.collection:
        head.append(f" · {citation.document.collection}", "dim")
    if citation.document.until:
        head.append(
            f" · version {citation.document.version}, current until {moment(citation.document.until)}", "dim"
        )
    if explain:
        head.append(f" · characters {citation.start} to {citation.end} · {_scores(citation)}", "dim")
    quote = Text(f"“{harmless(' '.join(citation.quote.split()))}”", "italic")
    print_indented(console, head, 2)
    print_indented(console, quote, 6)
    if explain and citation.source_description not in ("", citation.document.title):
        print_indented(console, Text(harmless(citation.source_description), "dim"), 6)


def _scores(citation: CitedFact) -> str:
    shown = f"score {citation.score:.2f}"
    if citation.depth:
        shown += f", lowered to {citation.final_decayed_score:.2f} at {distance(citation.depth)}"
    return shown


def footer(answer: Answer, seconds: float | None = None) -> str:
    """Return a line with an answer's strategy, usage, and the beginning of its job's id."""
    chosen = answer.details.get("chosen") or {}
    calls, cost = answer.usage.model_calls, answer.usage.cost
    parts = [
        str(chosen.get("fell_back_to") or chosen.get("strategy") or ""),
        counted(calls, "call"),
        "" if cost is None else f"cost {cost:.4f}",
        "" if seconds is None else f"{seconds:.1f} s",
        answer.job_id[:_ID_CHARACTERS],
    ]
    return " · ".join(filter(None, parts))


def story(answer: Answer, seconds: float | None = None) -> str:
    """Return a summary in a line or two: nodes per distance from the start, facts used, model usage, time."""
    per_depth = sorted(Counter(step.depth for step in answer.walk).items())
    depths = ", ".join(f"{distance(depth)}: {count}" for depth, count in per_depth)
    parts = [f"nodes read: {len(answer.walk)}" + (f" ({depths})" if depths else "")]
    if "tools" in answer.details:
        parts = [f"tools asked: {len(answer.details['tools'])}", f"rounds: {answer.details.get('rounds', 1)}"]
    parts.append(f"facts used: {facts_kept(answer)}")
    if contradictions := answer.details.get("contradictions"):
        parts.append(f"contradictions: {contradictions}")
    parts += usage_parts(answer.usage)
    if seconds is not None:
        parts.append(f"{seconds:.1f} s")
    return " · ".join([*parts, f"job {answer.job_id}"])


def facts_kept(answer: Answer) -> int:
    """Return how many facts were evidence for the answer: as the strategy reports, else those cited."""
    kept = answer.details.get("evidence", answer.details.get("facts"))
    if isinstance(kept, int):
        return kept
    return len({citation.fact_id for citation in answer.citations})


def _print_left_out(console: Console, details: Json) -> None:
    """Print what was left out and why, or that nothing was."""
    console.print(Text("\nWhat was left out", "bold cyan"))
    for line in list(_left_out_lines(details)) or ["nothing"]:
        print_indented(console, Text(harmless(line)), 2)


def _left_out_lines(details: Json) -> Iterator[str]:
    for fallen in details.get("asked_again", ()):
        yield f"dropped from the first draft: “{fallen['sentence']}” {fallen['why']}"
    for fallen in details.get("dropped_sentences", ()):
        yield f"dropped: “{fallen['sentence']}” {fallen['why']}"
    if failed := details.get("summary_failed"):
        yield f"facts that did not fit could not be summarised: {failed}"
    for name, of_what in _LEFT_OUT:
        if count := details.get(name):
            yield f"{of_what}: {count}"


def filter_in_words(tree: Mapping[str, Any]) -> str:
    """Return a filter, as JSON has it, in the language of `--where`."""
    if "not" in tree:
        return f"not {_bracketed(tree['not'])}"
    for name in _JOINED:
        if name in tree:
            return f" {name} ".join(map(_bracketed, tree[name]))
    field, operator = tree["field"], tree["op"]
    if operator == "exists":
        return f"exists({field})"
    if operator == "in":
        return f"{field} in ({', '.join(map(_written, tree['value']))})"
    return f"{field} {operator} {_written(tree['value'])}"


def _bracketed(part: Mapping[str, Any]) -> str:
    words = filter_in_words(part)
    return words if "field" in part else f"({words})"


def _written(value: object) -> str:
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return str(value)
