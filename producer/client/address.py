"""Chooses how a client reaches hopline: over the service in this process, or over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hopline.errors import InvalidInput, Permanent
from hopline.transport import check_url
from producer.service.service import Service

if TYPE_CHECKING:
    from collections.abc import Sequence

    from producer.client.link import Link
    from workers.core.jobs.messages import Publisher
    from workers.services import Services
    from workers.settings import Settings


def link_to(
    url: str | Settings | None,
    *,
    api_key: str | None,
    settings: Settings | None,
    services: Services | None,
    publisher: Publisher | None,
    act_as: str | Sequence[str] | None = None,
) -> Link:
    """Return the link that a client's arguments ask for; connects to nothing.

    Raises:
        InvalidInput: the url is not valid, or what is given belongs to the other way.
    """
    if not isinstance(url, str):
        if api_key is not None:
            raise InvalidInput("api_key", "…", "none without the address of an API: Hopline(url, api_key=…)")
        if act_as is not None:
            raise InvalidInput("act_as", act_as, "none without the address of an API: ask(…, act_as=…)")
        return Service(url or settings, services, publisher)
    arguments = {"settings": settings, "services": services, "publisher": publisher}
    for name, value in arguments.items():
        if value is not None:
            raise InvalidInput(name, type(value).__name__, f"none with the address of an API ({url})")
    from producer.client.http.connection import acting_header  # noqa: PLC0415 - only for who goes over HTTP
    from producer.client.http.link import HttpLink  # noqa: PLC0415 - only for who goes over HTTP
    from producer.client.terms import principals_of  # noqa: PLC0415 - only for who goes over HTTP

    return HttpLink(check_url(url), api_key, headers=acting_header(principals_of(act_as)))


def is_remote(link: Link) -> bool:
    """Return whether the link uses HTTP."""
    return not isinstance(link, Service)


def service_of(link: Link) -> Service:
    """Return the service where the link leads to it.

    Raises:
        Permanent: it leads over HTTP.
    """
    if not isinstance(link, Service):
        raise Permanent("this works on hopline's servers themselves: use Hopline() without an address")
    return link
