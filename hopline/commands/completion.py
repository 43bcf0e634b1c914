"""Shell completion of names and ids; empty when the API does not answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hopline import Hopline

_JOBS = 200  # the newest


def complete_collection(incomplete: str) -> list[str]:
    """Return the collections with this prefix."""
    return _beginning(incomplete, lambda client: (c.name for c in client.collections.list().collections))


def complete_job(incomplete: str) -> list[str]:
    """Return the ids of the newest jobs with this prefix."""
    return _beginning(incomplete, lambda client: (job.id for job in client.jobs.list(limit=_JOBS).jobs))


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
