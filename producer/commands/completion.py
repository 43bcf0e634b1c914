"""Shell completion of names and ids; empty when the servers do not answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from producer.client.hopline import Hopline

_JOBS = 200  # the newest


def complete_job(incomplete: str) -> list[str]:
    """Return the ids of the newest jobs with this prefix."""
    from producer.commands.client import open_client

    return _beginning(
        incomplete, open_client, lambda client: [record.job.id for record in client.jobs(_JOBS)]
    )


def complete_batch(incomplete: str) -> list[str]:
    """Return the named batches with this prefix."""
    from producer.commands.client import open_client

    return _beginning(incomplete, open_client, lambda client: [batch.name for batch in client.batches()])


def _beginning(
    incomplete: str,
    connect: Callable[[], AbstractContextManager[Hopline]],
    names: Callable[[Hopline], Iterable[str]],
) -> list[str]:
    try:
        with connect() as client:
            return sorted(name for name in names(client) if name.startswith(incomplete))
    except Exception:  # noqa: BLE001 - a shell that completes has no place for an error
        return []
