"""Shell completion of names and ids; there is none if the API does not answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hopline import Hopline

_JOBS = 200  # the newest
_DOCUMENTS = 100


def complete_collection(incomplete: str) -> list[str]:
    """Return the collections with this prefix."""
    return _beginning(incomplete, lambda client: (c.name for c in client.collections.list().collections))


def complete_job(incomplete: str) -> list[str]:
    """Return the ids of the newest jobs with this prefix."""
    return _beginning(incomplete, lambda client: (job.id for job in client.jobs.list(limit=_JOBS).jobs))


def complete_document(incomplete: str) -> list[str]:
    """Return the ids of documents with this prefix."""

    def following(client: Hopline) -> Iterable[str]:
        page = client.documents.list(prefix=incomplete, limit=_DOCUMENTS)
        return (document.id for document in page.documents)

    return _beginning(incomplete, following)


def complete_key(incomplete: str) -> list[str]:
    """Return the ids of API keys with this prefix, and the names."""
    return _beginning(
        incomplete, lambda client: (text for key in client.keys.list().keys for text in (key.id, key.name))
    )


def complete_schedule(incomplete: str) -> list[str]:
    """Return the schedules with this prefix."""
    return _beginning(
        incomplete, lambda client: (each.schedule.name for each in client.schedules.list().schedules)
    )


def complete_tool(incomplete: str) -> list[str]:
    """Return the tools with this prefix."""
    return _beginning(
        incomplete, lambda client: (tool["function"]["name"] for tool in client.tools.list().tools)
    )


def complete_batch(incomplete: str) -> list[str]:
    """Return the named batches with this prefix."""
    return _beginning(incomplete, lambda client: (each.name for each in client.batches.list().batches))


def _beginning(incomplete: str, names: Callable[[Hopline], Iterable[str]]) -> list[str]:
    from hopline.commands.client import connected

    try:
        with connected() as client:
            return sorted(name for name in names(client) if name.startswith(incomplete))
    except Exception:  # noqa: BLE001 - a shell that completes has no place for an error
        return []
