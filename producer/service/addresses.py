"""Decides whether two addresses lead to the same server."""

from __future__ import annotations

import ipaddress
import socket
from urllib.parse import urlsplit

_BOLT_PORT = 7687
_THIS_MACHINE = "127.0.0.1"


def is_same_server(one: str, other: str) -> bool:
    """Return whether two addresses of databases have a host and its port in common, by whatever names.

    A server may still be reached by two addresses that have nothing in common: through a forwarded port.
    """
    return bool(_places(one) & _places(other))


def _places(url: str) -> set[tuple[str, int]]:
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port or _BOLT_PORT
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):  # a name that nobody knows is compared as it is written
        return {(host.rstrip("."), port)}
    return {(_plain(str(address[0])), port) for *_, address in found}


def _plain(address: str) -> str:
    """Return one address for all that mean this machine, and IPv4 for what wraps it."""
    known = ipaddress.ip_address(address.partition("%")[0])
    known = getattr(known, "ipv4_mapped", None) or known
    return _THIS_MACHINE if known.is_loopback or known.is_unspecified else str(known)
