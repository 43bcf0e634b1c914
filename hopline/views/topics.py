"""Prints topics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hopline.views.tables import Listing
from hopline.views.words import minute
from hopline.words import counted

if TYPE_CHECKING:
    from rich.console import Console

    from hopline.models.topics import TopicList


def print_topics(console: Console, topic_list: TopicList) -> None:
    """Print topics as a table, and when they were built of how much."""
    epoch = topic_list.epoch
    if not topic_list.topics:
        console.print("No topics: the collection had no facts when they were built.")
        return
    table = Listing("topic", "documents", "facts", "about", "called by", wide="called by", spare=("about",))
    for topic in topic_list.topics:
        table.add(
            topic.id, str(topic.documents), str(topic.facts), ", ".join(topic.elements[:3]), topic.label
        )
    table.print(console)
    of = f"{counted(epoch.facts, 'fact')} of {counted(epoch.documents, 'document')}"
    by_level = ", ".join(map(str, epoch.topics))
    console.print(
        f"Level {topic_list.level}; built {minute(epoch.built_at)} of {of}; by level there are {by_level}."
    )
