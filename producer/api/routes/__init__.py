"""The API's routes, one file per subject."""

from producer.api.routes import (
    about,
    collections,
    concepts,
    documents,
    events,
    graph,
    health,
    history,
    job_acts,
    jobs,
    merges,
    metrics,
    queries,
    relations,
    tools,
    weights,
    work_pauses,
)
from producer.api.routes.ingestion import batches, estimates, sources, syncs

ROUTERS = (
    queries.router,
    documents.router,
    job_acts.router,  # before jobs.router, whose paths take "act" for an id
    jobs.router,
    work_pauses.router,
    weights.router,
    history.router,
    batches.router,
    estimates.router,
    sources.router,
    syncs.router,
    events.router,
    graph.router,
    collections.router,
    concepts.router,
    relations.router,
    merges.router,
    tools.router,
    about.router,
    health.router,
    metrics.router,
)
