"""hopline topics, topics build."""

from __future__ import annotations

from typing import Annotated

import typer

from hopline.commands.completion import complete_collection
from hopline.commands.console import answers, notice, print_json
from hopline.commands.options import AsJson
from hopline.words import counted
from producer.commands.client import cancelling, open_client
from producer.commands.options import Collection

app = typer.Typer(
    rich_markup_mode="rich",
    invoke_without_command=True,
    help="Topics of a collection, groups of facts that share key elements: list them, or build them.",
)


@app.callback()
def topics(
    context: typer.Context,
    collection: Collection = "default",
    level: Annotated[int, typer.Option(min=0, max=2, help="0 is the coarsest.")] = 0,
    parent: Annotated[
        str | None, typer.Option(metavar="ID", help="Only topics that lie within the one of this id.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many to list.")] = 30,
    as_json: AsJson = False,
) -> None:
    """List the largest topics of a collection: groups of facts that share key elements.

    A topic is called by a fact that says what its documents share. `hopline topics build` finds them,
    without a model.

    [bold]Examples[/bold]

      hopline topics -c reports

      hopline topics -c reports --parent t4f1c0e2a

      hopline topics -c reports --level 2 --json | jq -r '.topics[] | [.documents, .label] | @tsv'
    """
    if context.invoked_subcommand:
        return
    with open_client(ledger=False) as client:
        topic_list = client.topics(collection, level, parent=parent, limit=limit)
    if as_json:
        print_json(topic_list.model_dump_json())
        return
    from hopline.views.topics import print_topics

    print_topics(answers(), topic_list)


@app.command()
def build(
    context: typer.Context,
    collection: Annotated[
        str | None,
        typer.Option("--collection", "-c", help="Whose topics.", autocompletion=complete_collection),
    ] = None,
    anew: Annotated[
        bool, typer.Option("--anew", help="From nothing, not from the topics before; ids are kept.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Build the topics of a collection from its facts, without a model.

    Readers see the topics before until the new ones are whole. What no change touched stays as it was.

    [bold]Example[/bold]

      hopline topics build -c reports
    """
    before = context.parent.params if context.parent else {}  # as in `topics -c reports build`
    collection = collection or str(before.get("collection", "default"))
    as_json = as_json or bool(before.get("as_json"))
    with open_client() as client:
        job_id = client.submit_topics(collection, anew=anew)
        with cancelling(client, job_id, ask_first=True):
            epoch = client.topics_outcome(job_id)
    if as_json:
        print_json(epoch.model_dump_json())
    facts, documents = counted(epoch.facts, "fact"), counted(epoch.documents, "document")
    by_level = ", ".join(map(str, epoch.topics))
    notice(f"{facts} of {documents} are in topics; by level there are {by_level}.")
