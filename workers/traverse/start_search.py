"""The search for start nodes, which may run while the model plans the question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import copy_context

import structlog

from hopline.errors import Permanent
from hopline.models.base import Frozen
from hopline.models.search import FoundElement, FoundFact
from workers.core.ports import Blobs, Ports
from workers.search.search import search
from workers.search.threads import process_threads, until_done
from workers.traverse.guide import guide_from, put_guide

_LOG = structlog.get_logger()
_CHUNKS = 12  # the best ones, handed on to the visits
_ELEMENTS = 100  # the same
_threads = process_threads(32, "search-ahead")  # a question that is planned needs one


class StartSearch(Frozen):
    """The result of a search for start nodes."""

    elements: tuple[FoundElement, ...]  # best first
    facts: tuple[FoundFact, ...]  # best first
    guide: str  # reference of the ranker's scores, for all visits
    failed: str | None = None  # what of the search failed, and why


def search_starts(text: str, ports: Ports, translations: Sequence[str] = ()) -> StartSearch:
    """Search for a question, also by its translations, and store the guide of its walk.

    Raises:
        EmbedderMismatch: the operator must reindex: searching without vectors would only hide it.
        Transient: a server is unavailable.
    """
    search_result = search(
        text, ports.job.collection, ports, limit=_CHUNKS, elements=_ELEMENTS, translations=translations
    )
    return StartSearch(
        elements=search_result.elements,
        facts=search_result.facts,
        guide=put_guide(ports.blobs, guide_from(search_result)),
        failed="; ".join(search_result.failed.values()) or None,
    )


@contextmanager
def searched_meanwhile(text: str, ports: Ports) -> Iterator[Future[str]]:
    """Search in another thread during the block; wait for it at the end.

    Yields the reference of the StartSearch, "" if the search failed: the step that needs it then searches
    itself, and reports the error.
    """
    search_ahead = _threads().submit(copy_context().run, _stored_search, text, ports)
    with until_done(search_ahead):
        yield search_ahead


def _stored_search(text: str, ports: Ports) -> str:
    try:
        start_search = search_starts(text, ports)
        return (
            "" if start_search.failed else ports.blobs.put(start_search.model_dump_json().encode(), ".json")
        )
    except Exception as error:  # noqa: BLE001 - the step that seeds meets it, too, and raises it
        _LOG.debug("search.not_ahead", error=str(error))
        return ""


def get_search(blobs: Blobs, reference: str) -> StartSearch | None:
    """Return a search made ahead; None if there is none, or it is lost."""
    try:
        return StartSearch.read_stored(blobs.get(reference)) if reference else None
    except Permanent as error:
        _LOG.warning("search.lost", error=str(error))
        return None
