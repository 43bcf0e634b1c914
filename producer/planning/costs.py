"""Processor time of ingestion by part: measured, for plans."""

from __future__ import annotations

from workers.core.model import Frozen


class Costs(Frozen):
    """Processor milliseconds on the machine that was measured.

    A document is loaded, split, its chunks are extracted one by one, linked a page at a time, and indexed: an
    item each, and one of the batch that hands it over.
    """

    worker_item: float  # of the worker, for each item: Celery, the ledger, the step itself
    servers_document: float  # of Neo4j, Redis and the vector store together, for each document
    servers_chunk: float  # and for each chunk
    model_chunk: float  # of the offline model, where it runs on the same machine
    source: str


MEASURED = Costs(
    worker_item=10.8,
    servers_document=0.0,
    servers_chunk=15.8,
    model_chunk=3.9,
    source="bench/ingest.py, 0 ms, 64 calls, ten chunks a document, 2 cores",
)
# Of what a minute allows, documents get this much: the limiter spaces calls evenly at 97.5% of the limit over
# windows of 62 seconds, so that calls that arrive late pass no minute of the endpoint's (lua/take_turn.lua).
USED_OF_MINUTE = 0.975 * 60 / 62
ITEMS_OF_DOCUMENT = 5  # handed over, loaded, split, linked, indexed; and one for each chunk
