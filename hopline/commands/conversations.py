"""hopline conversations: list, show, rename, share, unshare, export, delete."""

from __future__ import annotations

import json
from itertools import islice
from typing import TYPE_CHECKING, Annotated

import typer

from hopline.commands.client import connected
from hopline.commands.console import agree, answers, notice, print_json
from hopline.commands.ids import whole_conversation_id
from hopline.commands.nouns import noun
from hopline.commands.options import AsJson, Yes
from hopline.words import counted

if TYPE_CHECKING:
    from hopline.models.conversations import Conversation

app = noun("Conversations, kept questions and answers: list them, show, rename, share, export or delete one.")
Id = Annotated[str, typer.Argument(metavar="ID", help="Its id or a prefix of it.")]
_MOST = 1000


@app.command(name="list")
def list_conversations(
    words: Annotated[str, typer.Option("--text", help="Only with this in the title or a question.")] = "",
    limit: Annotated[int, typer.Option(min=1, max=_MOST, help="How many to list.")] = 50,
    as_json: AsJson = False,
) -> None:
    """List your conversations, the one with the newest question first."""
    with connected() as client:
        listed = list(islice(client.conversations.iterate(q=words), limit))
    if as_json:
        print_json(json.dumps({"conversations": [each.model_dump(mode="json") for each in listed]}))
        return
    from hopline.views.conversations import print_conversations

    print_conversations(answers(), listed)


@app.command()
def show(conversation_id: Id, as_json: AsJson = False) -> None:
    """Show the questions and answers of a conversation that is yours or shared with you."""
    with connected() as client:
        content = client.conversations.get(whole_conversation_id(client, conversation_id))
    if as_json:
        print_json(content.model_dump_json())
        return
    from hopline.views.conversations import print_conversation

    print_conversation(answers(), content)


@app.command()
def export(conversation_id: Id) -> None:
    """Print a conversation as Markdown.

    [bold]Example[/bold]

      hopline conversations export 5d41 > bridge.md
    """
    with connected() as client:
        content = client.conversations.get(whole_conversation_id(client, conversation_id))
    from hopline.views.conversations import markdown_of

    typer.echo(markdown_of(content), nl=False)


@app.command()
def rename(conversation_id: Id, title: Annotated[str, typer.Argument(metavar="TITLE")]) -> None:
    """Rename a conversation."""
    with connected() as client:
        name = whole_conversation_id(client, conversation_id)
        notice(f"Conversation {name} is now called {client.conversations.update(name, title=title).title!r}.")


@app.command()
def share(conversation_id: Id) -> None:
    """Share a conversation: whoever has its id reads what their own rights allow."""
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
