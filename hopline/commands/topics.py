"""hopline topics: list, show, build."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from hopline.commands.client import connected
from hopline.commands.console import answers, harmless, notice, print_indented, print_json
from hopline.commands.ids import naming_collection, whole_topic_id
from hopline.commands.nouns import noun
from hopline.commands.options import AsJson, Collection
from hopline.commands.waiting import outcome_of
from hopline.models.graph import MOST_FACTS
from hopline.views.neighbourhood import print_facts
from hopline.views.tables import Listing
from hopline.views.words import moment
from hopline.words import counted

if TYPE_CHECKING:
    from rich.console import Console

    from hopline.models.topics import Topic, TopicDetail, TopicEpoch, TopicList

app = noun("Topics of a collection, groups of facts that share key elements: list them, build them.")


SIZES = ("large", "medium", "small")  # by level


@app.command(name="list")
def list_topics(
    collection: Collection = "default",
    level: Annotated[
        int, typer.Option(min=0, max=2, help="Size of the topics: 0 large, 1 medium, 2 small.")
    ] = 0,
    parent: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Only topics within the topic with this id or prefix."),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Maximum number to list.")] = 30,
    as_json: AsJson = False,
) -> None:
    """List the largest topics of a collection: groups of facts that share key elements.

    A topic is named after a fact that says what its documents have in common. `hopline topics build` finds
    them, without a model.

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

    print_topics(answers(), topic_list)


@app.command()
def show(
    topic: Annotated[
        str, typer.Argument(metavar="ID", help="Id of the topic, or a prefix of it.", show_default=False)
    ],
    collection: Collection = "default",
    limit: Annotated[int, typer.Option(min=0, max=MOST_FACTS, help="Maximum number of facts.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Show a topic: the topics it is part of, and its most central facts with their best sources.

    [bold]Example[/bold]

      hopline topics show t4f1c0e2a -c reports
    """
    with connected() as client, naming_collection(client, collection) as collection:  # noqa: PLR1704 - its whole name
        detail = client.topics.get(collection, whole_topic_id(client, collection, topic), facts=limit)
    if as_json:
        print_json(detail.model_dump_json())
        return

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

    Readers see the old topics until the new ones are complete. Topics whose facts did not change stay as
    they were.

    [bold]Example[/bold]

      hopline topics build -c reports
    """
    from hopline.models.topics import TopicEpoch

    with connected() as client, naming_collection(client, collection) as collection:  # noqa: PLR1704 - its whole name
        outcome = outcome_of(client, client.topics.build(collection, anew=anew))
    epoch = TopicEpoch.read_stored(outcome["epoch"])
    if as_json:
        print_json(epoch.model_dump_json())
    facts, documents = counted(epoch.facts, "fact"), counted(epoch.documents, "document")
    notice(f"{facts} of {documents} are in topics: {topic_counts(epoch)}.")


def print_topics(console: Console, topic_list: TopicList) -> None:
    """Print topics as a table, and when and from how many facts they were built."""
    epoch = topic_list.epoch
    if not topic_list.topics:
        console.print("No topics: the collection had no facts when they were built.")
        return
    table = Listing(
        "about", "topic", "documents", "facts", "central fact", wide="central fact", spare=("facts",)
    )
    for topic in topic_list.topics:
        table.add(about(topic), topic.id, str(topic.documents), str(topic.facts), topic.label)
    table.print(console)
    of = f"{counted(epoch.facts, 'fact')} of {counted(epoch.documents, 'document')}"
    console.print(
        f"Size: {SIZES[topic_list.level]}; built {moment(epoch.built_at)} from {of}; "
        f"in all {topic_counts(epoch)}."
    )


def topic_counts(epoch: TopicEpoch) -> str:
    """Return the number of topics of each size."""
    return ", ".join(f"{count} {size}" for count, size in zip(epoch.topics, SIZES, strict=False))


def print_topic(console: Console, detail: TopicDetail) -> None:
    """Print a topic: its name, the topics it is part of, and its most central facts."""
    topic = detail.topic
    extent = f"{counted(topic.facts, 'fact')} of {counted(topic.documents, 'document')}"
    extent += f", size: {SIZES[topic.level]}"
    print_indented(console, Text.assemble((harmless(about(topic)), "bold"), f"  {extent}"), 0)
    print_indented(console, Text(harmless(topic.label), "dim"), 0)
    if detail.within:
        names = " › ".join(f"{about(each)} ({each.id})" for each in detail.within)
        print_indented(console, Text.assemble(("within: ", "cyan"), harmless(names)), 0)
    print_facts(console, detail.facts)


def about(topic: Topic) -> str:
    """Return the names that a topic's documents share, the best three."""
    return ", ".join(topic.elements[:3])
