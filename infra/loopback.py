"""Recognises hosts that mean this machine."""

from __future__ import annotations

import ipaddress
import re

# RFC 9110: a name or an address, and a port; no user, no path, nothing to be read in two ways.
_HOST = re.compile(r"(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9._-]+))(?::([0-9]{1,5}))?")
_MOST_PORT = 65_535


def is_loopback(host: str) -> bool:
    """Return whether only this machine reaches an address; names are not looked up."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def names_loopback(header: str) -> bool:
    """Return whether a Host header, with or without a port, names this machine."""
    return is_loopback(host_of(header) or "")


def host_of(header: str) -> str | None:
    """Return the lower-case host of a Host header; None if it is not a host with an optional port."""
    parts = _HOST.fullmatch(header)
    if parts is None or int(parts[3] or 0) > _MOST_PORT:
        return None
    return (parts[1] or parts[2]).lower()
