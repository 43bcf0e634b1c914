"""Prints topics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from hopline.commands.console import harmless, print_indented
from hopline.views.neighbourhood import print_facts
from hopline.views.tables import Listing
from hopline.views.words import moment
from hopline.words import counted

if TYPE_CHECKING:
    from rich.console import Console

    from hopline.models.topics import Topic, TopicDetail, TopicEpoch, TopicList

SIZES = ("large", "medium", "small")  # by level


def print_topics(console: Console, topic_list: TopicList) -> None:
    """Print topics as a table, and when they were built of how much."""
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
    """Return how many topics of each size there are."""
    return ", ".join(f"{count} {size}" for count, size in zip(epoch.topics, SIZES, strict=False))


def print_topic(console: Console, detail: TopicDetail) -> None:
    """Print a topic: its name, what it lies within, and its most central facts."""
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
