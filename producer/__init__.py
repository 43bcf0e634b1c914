"""Submit work to hopline, watch it, read results: `from producer import Hopline`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from producer.client.asynchronous import AsyncHopline
    from producer.client.hopline import Hopline

__all__ = ["AsyncHopline", "Hopline"]


def __getattr__(name: str) -> Any:
    """Load a client at its first use, so that `hopline --help` need not."""
    if name == "Hopline":
        from producer.client.hopline import Hopline  # noqa: PLC0415 - see above

        return Hopline
    if name == "AsyncHopline":
        from producer.client.asynchronous import AsyncHopline  # noqa: PLC0415 - see above

        return AsyncHopline
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
