"""Client of hopline: graph question answering with citations."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hopline.aio.client import AsyncHopline as AsyncHopline
    from hopline.errors import AccessDenied as AccessDenied
    from hopline.errors import Conflict as Conflict
    from hopline.errors import DependencyAway as DependencyAway
    from hopline.errors import EditConflict as EditConflict
    from hopline.errors import HoplineError as HoplineError
    from hopline.errors import InvalidInput as InvalidInput
    from hopline.errors import KeyReused as KeyReused
    from hopline.errors import NotFound as NotFound
    from hopline.errors import NotTheApi as NotTheApi
    from hopline.errors import OtherVersion as OtherVersion
    from hopline.errors import StateConflict as StateConflict
    from hopline.errors import TooManyJobs as TooManyJobs
    from hopline.sync.client import Hopline as Hopline

_ERRORS = (
    "AccessDenied",
    "Conflict",
    "DependencyAway",
    "EditConflict",
    "HoplineError",
    "InvalidInput",
    "KeyReused",
    "NotFound",
    "NotTheApi",
    "OtherVersion",
    "StateConflict",
    "TooManyJobs",
)
_HOMES = {
    "AsyncHopline": "hopline.aio.client",
    "Hopline": "hopline.sync.client",
    **dict.fromkeys(_ERRORS, "hopline.errors"),
}
__all__ = ["AsyncHopline", "Hopline", *_ERRORS]  # noqa: PLE0604 - names all of them


def __getattr__(name: str) -> Any:
    """Import a name when it is first used: a single module of this package stays quick to import."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
