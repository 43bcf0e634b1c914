"""Submit work to hopline, watch it, read results: `from producer import Hopline`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hopline.errors import AccessDenied, NotTheApi, TooManyJobs
    from hopline.events.catalogue import read_event
    from hopline.models.documents import TextDocument
    from hopline.models.jobs import Budget
    from producer.client.asynchronous import AsyncHopline
    from producer.client.hopline import Hopline

__all__ = [
    "AccessDenied",
    "AsyncHopline",
    "Budget",
    "Hopline",
    "NotTheApi",
    "TextDocument",
    "TooManyJobs",
    "read_event",
]

_MODULES = {
    "AccessDenied": "hopline.errors",
    "AsyncHopline": "producer.client.asynchronous",
    "Budget": "hopline.models.jobs",
    "Hopline": "producer.client.hopline",
    "NotTheApi": "hopline.errors",
    "TextDocument": "hopline.models.documents",
    "TooManyJobs": "hopline.errors",
    "read_event": "hopline.events.catalogue",
}


def __getattr__(name: str) -> Any:
    """Load what is exported at its first use, so that `hopline --help` need not."""
    if name in _MODULES:
        return getattr(import_module(_MODULES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
