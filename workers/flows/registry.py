"""All kinds of job, by name."""

from __future__ import annotations

from workers.core.errors import InvalidInput
from workers.flows.batch import BATCH
from workers.flows.delete import DELETE
from workers.flows.document import DOCUMENT
from workers.flows.flow import Flow
from workers.flows.graph import QUERY
from workers.flows.reindex import REINDEX

FLOWS: dict[str, Flow] = {flow.kind: flow for flow in (QUERY, DOCUMENT, BATCH, DELETE, REINDEX)}


def flow_of(kind: str) -> Flow:
    """Return the flow of a kind of job.

    Raises:
        InvalidInput: there is no such kind.
    """
    if kind not in FLOWS:
        raise InvalidInput("kind", kind, "one of: " + ", ".join(sorted(FLOWS)))
    return FLOWS[kind]
