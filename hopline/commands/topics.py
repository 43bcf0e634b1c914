"""hopline topics: list, show, build."""

from __future__ import annotations

from typing import Annotated

import typer

from hopline.commands.client import connected
from hopline.commands.console import answers, notice, print_json
from hopline.commands.ids import naming_collection, whole_topic_id
from hopline.commands.nouns import noun
from hopline.commands.options import AsJson, Collection
from hopline.commands.waiting import outcome_of
from hopline.models.graph import MOST_FACTS
from hopline.words import counted

app = noun("Topics of a collection, groups of facts that share key elements: list them, build them.")


@app.command(name="list")
def list_topics(
    collection: Collection = "default",
    level: Annotated[int, typer.Option(min=0, max=2, help="0 large, 1 medium, 2 small topics.")] = 0,
    parent: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Only topics within the one of this id, or a prefix of it."),
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

      hopline topics -c reports --level 2 --json | jq -r '.topics[].label'
    """
    with connected() as client, naming_collection(client, collection) as collection:  # noqa: PLR1704 - its whole name
        parent = parent and whole_topic_id(client, collection, parent)
        topic_list = client.topics.list(collection, level=level, parent=parent, limit=limit)
    if as_json:
        print_json(topic_list.model_dump_json())
        return
    from hopline.views.topics import print_topics

    print_topics(answers(), topic_list)


@app.command()
def show(
    topic: Annotated[
        str, typer.Argument(metavar="ID", help="The topic's id or a prefix of it.", show_default=False)
    ],
    collection: Collection = "default",
    limit: Annotated[int, typer.Option(min=0, max=MOST_FACTS, help="Facts at most.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Show a topic: what it lies within, and its most central facts with their best sources.

    [bold]Example[/bold]

      hopline topics show t4f1c0e2a -c reports
    """
    with connected() as client, naming_collection(client, collection) as collection:  # noqa: PLR1704 - its whole name
        detail = client.topics.get(collection, whole_topic_id(client, collection, topic), facts=limit)
    if as_json:
        print_json(detail.model_dump_json())
        return
    from hopline.views.topics import print_topic

    print_topic(answers(), detail)


@app.command()
def build(
    collection: Collection = "default",
    anew: Annotated[
        bool,
        typer.Option("--anew", help="Build from scratch instead of from the earlier topics; ids are kept."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Build the topics of a collection from its facts, without a model.

    Readers see the old topics until the new ones are complete. Topics that no change touched stay as they
    were.

    [bold]Example[/bold]

      hopline topics build -c reports
    """
    from hopline.models.topics import TopicEpoch
    from hopline.views.topics import topic_counts

    with connected() as client, naming_collection(client, collection) as collection:  # noqa: PLR1704 - its whole name
        outcome = outcome_of(client, client.topics.build(collection, anew=anew))
    epoch = TopicEpoch.read_stored(outcome["epoch"])
    if as_json:
        print_json(epoch.model_dump_json())
    facts, documents = counted(epoch.facts, "fact"), counted(epoch.documents, "document")
    notice(f"{facts} of {documents} are in topics: {topic_counts(epoch)}.")
