"""Prints conversations, and writes one as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from hopline.models.answers import Answer
from hopline.views.answers import print_answer
from hopline.views.tables import Listing
from hopline.views.words import ago

if TYPE_CHECKING:
    from rich.console import Console

    from hopline.models.answers import AnyCitation
    from hopline.models.conversations import Conversation, ConversationContent


def print_conversations(console: Console, conversations: Sequence[Conversation]) -> None:
    """Print a table of conversations, or a note if there are none."""
    if not conversations:
        console.print("No conversations: the page keeps one for each thread of questions.", markup=False)
        return
    table = Listing(
        "id", "title", "last question", "questions", "collection", "shared", wide="title", spare=("shared",)
    )
    for each in conversations:
        asked = f"{ago(each.updated)} ago"
        table.add(each.id, each.title, asked, str(each.turns), each.collection, "yes" if each.shared else "")
    table.print(console)


def print_conversation(console: Console, content: ConversationContent) -> None:
    """Print the questions of a conversation, each with its answer."""
    for turn in content.turns:
        console.print(turn.question, markup=False, style="bold cyan")
        if isinstance(turn.outcome, Answer):
            print_answer(console, turn.outcome)
        else:
            console.print(turn.state.value, markup=False, style="dim")
        console.print()


def markdown_of(content: ConversationContent) -> str:
    """Return a conversation as Markdown: each question as a heading, its answer, and what that cites."""
    parts = [f"# {content.title}"]
    for turn in content.turns:
        parts.append(f"## {' '.join(turn.question.split())}")
        outcome = turn.outcome
        if isinstance(outcome, Answer):
            parts += filter(None, (outcome.text, outcome.reason and f"*{outcome.reason}*"))
            parts += ["\n".join(_cited(outcome.citations))] if outcome.citations else []
        else:
            parts.append(f"*{turn.state.value}*")
    return "\n\n".join(parts) + "\n"


def _cited(citations: Sequence[AnyCitation]) -> Iterator[str]:
    for citation in citations:
        document = citation.document
        named = f"{document.title} ({document.uri})" if document else citation.source_description
        quote = " ".join((citation.quote if citation.kind == "text" else citation.fact).split())
        yield f"- [{citation.n}] {named}: “{quote}”"
