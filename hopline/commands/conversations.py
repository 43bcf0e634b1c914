"""hopline conversations: list, show, rename, share, unshare, export, delete."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Annotated

import typer

from hopline.commands.client import connected
from hopline.commands.console import agree, answers, harmless, notice, print_json
from hopline.commands.ids import whole_conversation_id
from hopline.commands.nouns import noun
from hopline.commands.options import AsJson, Yes
from hopline.models.answers import Answer
from hopline.views.answers import print_answer
from hopline.views.tables import Listing
from hopline.views.words import ago
from hopline.words import counted

if TYPE_CHECKING:
    from rich.console import Console

    from hopline.models.answers import AnyCitation
    from hopline.models.conversations import Conversation, ConversationContent

app = noun("Conversations, kept questions and answers: list them, show, rename, share, export or delete one.")
Id = Annotated[str, typer.Argument(metavar="ID", help="Id of the conversation, or a prefix of it.")]
_MOST = 1000


@app.command(name="list")
def list_conversations(
    words: Annotated[
        str, typer.Option("--text", help="Only conversations with this text in the title or a question.")
    ] = "",
    limit: Annotated[int, typer.Option(min=1, max=_MOST, help="Maximum number to list.")] = 50,
    as_json: AsJson = False,
) -> None:
    """List your conversations, most recent question first."""
    with connected() as client:
        listed = list(islice(client.conversations.iterate(q=words), limit))
    if as_json:
        print_json(json.dumps({"conversations": [each.model_dump(mode="json") for each in listed]}))
        return

    print_conversations(answers(), listed)


@app.command()
def show(conversation_id: Id, as_json: AsJson = False) -> None:
    """Show the questions and answers of a conversation: your own, or one shared with you."""
    with connected() as client:
        content = client.conversations.get(whole_conversation_id(client, conversation_id))
    if as_json:
        print_json(content.model_dump_json())
        return

    print_conversation(answers(), content)


@app.command()
def export(conversation_id: Id) -> None:
    """Print a conversation as Markdown.

    [bold]Example[/bold]

      hopline conversations export 5d41 > bridge.md
    """
    with connected() as client:
        content = client.conversations.get(whole_conversation_id(client, conversation_id))

    typer.echo(markdown_of(content), nl=False)


@app.command()
def rename(conversation_id: Id, title: Annotated[str, typer.Argument(metavar="TITLE")]) -> None:
    """Rename a conversation."""
    with connected() as client:
        name = whole_conversation_id(client, conversation_id)
        notice(f"Conversation {name} is now called {client.conversations.update(name, title=title).title!r}.")


@app.command()
def share(conversation_id: Id) -> None:
    """Share a conversation: anyone with its id can read as much as their own rights allow."""
    changed = _share(conversation_id, shared=True)
    notice(f"Conversation {changed.id} opens for others who may read collection {changed.collection}.")


@app.command()
def unshare(conversation_id: Id) -> None:
    """Stop sharing a conversation."""
    notice(f"Conversation {_share(conversation_id, shared=False).id} opens for you alone.")


def _share(conversation_id: str, *, shared: bool) -> Conversation:
    with connected() as client:
        return client.conversations.update(whole_conversation_id(client, conversation_id), shared=shared)


@app.command()
def delete(conversation_id: Id, yes: Yes = False) -> None:
    """Delete a conversation with its answers. Its jobs stay until they expire."""
    with connected() as client:
        content = client.conversations.get(whole_conversation_id(client, conversation_id))
        agree(f"Delete {content.title!r} ({counted(len(content.turns), 'question')})?", yes=yes)
        client.conversations.delete(content.id)
    notice(f"Conversation {content.id} is deleted.")


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
        console.print(harmless(turn.question), markup=False, style="bold cyan")
        if isinstance(turn.outcome, Answer):
            print_answer(console, turn.outcome)
        else:
            console.print(turn.state.value, markup=False, style="dim")
        console.print()


def markdown_of(content: ConversationContent) -> str:
    """Return a conversation as Markdown: each question as a heading, then its answer and citations."""
    parts = [f"# {content.title}"]
    for turn in content.turns:
        parts.append(f"## {' '.join(turn.question.split())}")
        outcome = turn.outcome
        if isinstance(outcome, Answer):
            parts += filter(None, (outcome.text, outcome.reason and f"*{outcome.reason}*"))
            parts += ["\n".join(_cited(outcome.citations))] if outcome.citations else []
        else:
            parts.append(f"*{turn.state.value}*")
    return harmless("\n\n".join(parts) + "\n")


def _cited(citations: Sequence[AnyCitation]) -> Iterator[str]:
    for citation in citations:
        document = citation.document
        named = f"{document.title} ({document.uri})" if document else citation.source_description
        quote = " ".join((citation.quote if citation.kind == "text" else citation.fact).split())
        yield f"- [{citation.n}] {named}: “{quote}”"
