"""Registry of all flows by kind of job."""

from __future__ import annotations

from hopline.errors import InvalidInput
from hopline.models.jobs import Json
from workers.concepts.flow import CONCEPT
from workers.core.jobs.flow import Flow
from workers.flows.auto import AUTO
from workers.flows.batch import BATCH
from workers.flows.deletions import DELETE_COLLECTION, DELETE_DOCUMENTS
from workers.flows.document import DOCUMENT
from workers.flows.graph import QUERY
from workers.flows.merge import MERGE
from workers.flows.one_step import DELETE, REINDEX, TOPICS, WEBHOOK
from workers.flows.prefill import PREFILL
from workers.flows.provider_batch import PROVIDER_BATCH, PROVIDER_CANCEL
from workers.flows.strategies import FLOW_OF
from workers.flows.sync import SYNC

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
    """Return the flow of a kind of job; a query's is that of its strategy.

    Unless one is named it is chosen by the first step; an unknown one is refused by the parameters, by name.

    Raises:
        InvalidInput: there is no such kind.
    """
    if kind not in FLOWS:
        raise InvalidInput("kind", kind, "one of: " + ", ".join(sorted(FLOWS)))
    flow = FLOWS[kind]
    return STRATEGIES.get(str(params.get("strategy", "auto")), flow) if flow is QUERY else flow


def step_names() -> tuple[str, ...]:
    """Return the names of all steps of all flows; a step's name is its task's."""
    flows = (*FLOWS.values(), *STRATEGIES.values())
    return tuple(dict.fromkeys(name for flow in flows for name in flow.steps))
