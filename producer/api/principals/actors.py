"""Who acts in a request, for the audit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workers.core.audit import Actor

if TYPE_CHECKING:
    from fastapi import Request

    from producer.service.keys import ApiKey


def actor_of(request: Request, key: ApiKey, acting: tuple[str, ...] | None) -> Actor:
    """Return who acts in a request; of one from within this process, its sender says from where.

    Args:
        request: the request.
        key: that it shows.
        acting: the principals in whose name it is made, if in others'.
    """
    state = request.state
    address = request.client.host if request.client else ""
    return Actor(
        via=getattr(state, "via", "http"),
        key=key.id,
        name=key.name,
        acting=acting or (),
        address=getattr(state, "address", address),
        request_id=getattr(state, "request_id", ""),
    )
