"""Step ingest.topics: builds the topics of a collection."""

from __future__ import annotations

from typing import Annotated

from hopline.events.documents import TopicsBuilt
from hopline.models.base import Frozen
from hopline.models.topics import TopicEpoch
from workers.core.jobs.params import TopicsParams, read_input
from workers.core.jobs.work import NoInput, Outcome
from workers.core.ports import Ports
from workers.core.records import IN_FULL


class TopicsResult(Frozen):
    """What was built."""

    epoch: Annotated[TopicEpoch, IN_FULL]


def build_collection_topics(_input: NoInput, ports: Ports) -> Outcome:
    """Build the topics of the job's collection; what another try of the job left is removed."""
    from workers.topics.build import build_topics  # noqa: PLC0415 - numpy

    params = read_input(TopicsParams, ports.job.params)
    epoch = build_topics(ports.graph.topics, ports.job.collection, job=ports.job.id, anew=params.anew)
    event = TopicsBuilt(epoch=epoch.id, facts=epoch.facts, documents=epoch.documents, topics=epoch.topics)
    return Outcome(result=TopicsResult(epoch=epoch), events=(event,))
