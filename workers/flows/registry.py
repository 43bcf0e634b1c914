"""Registry of all flows by kind of job."""

from __future__ import annotations

from hopline.errors import InvalidInput, unknown_name
from hopline.models.jobs import Json
from workers.concepts.flow import CONCEPT
from workers.core.jobs.flow import Flow
from workers.flows.deletions import DELETE_COLLECTION, DELETE_DOCUMENTS
from workers.flows.one_step import DELETE, REINDEX, TOPICS, WEBHOOK
from workers.ingest.batch import BATCH
from workers.ingest.flow import DOCUMENT
from workers.ingest.provider.flow import PROVIDER_BATCH, PROVIDER_CANCEL
from workers.ingest.provider.prefill import PREFILL
from workers.ingest.resolution.flow import MERGE
from workers.ingest.sync.flow import SYNC
from workers.traverse.auto.flow import AUTO
from workers.traverse.graph.flow import QUERY
from workers.traverse.strategies import FLOW_OF

_ALL = (
    QUERY,
    DOCUMENT,
    BATCH,
    PREFILL,
    PROVIDER_BATCH,
    PROVIDER_CANCEL,
    DELETE,
    DELETE_DOCUMENTS,
    DELETE_COLLECTION,
    SYNC,
    REINDEX,
    TOPICS,
    MERGE,
    CONCEPT,
    WEBHOOK,
)
FLOWS: dict[str, Flow] = {flow.kind: flow for flow in _ALL}
# A query has several flows, by the strategy that its parameters name; all take the same parameters.
STRATEGIES: dict[str, Flow] = {"auto": AUTO, **FLOW_OF}


def flow_of(kind: str, params: Json) -> Flow:
    """Return the flow of a kind of job; for a query, that of its strategy.

    If no strategy is given, the first step chooses one; an unknown one is refused when parameters are
    checked.

    Raises:
        InvalidInput: there is no such kind.
    """
    check_names(kind)
    flow = FLOWS[kind]
    return STRATEGIES.get(str(params.get("strategy", "auto")), flow) if flow is QUERY else flow


def check_names(kind: str | None = None, step: str | None = None) -> None:
    """Check the names of a kind of job and of a step, if given.

    Raises:
        InvalidInput: there is none with that name.
    """
    for field, name, known in (("kind", kind, FLOWS), ("step", step, step_names())):
        if name is not None and name not in known:
            message = unknown_name(field, name, known).message
            raise InvalidInput(field, name, f"one of: {', '.join(sorted(known))}", message=message)


def step_names() -> tuple[str, ...]:
    """Return the names of all steps of all flows; a step's name is its task's."""
    flows = (*FLOWS.values(), *STRATEGIES.values())
    return tuple(dict.fromkeys(name for flow in flows for name in flow.steps))
