"""Which hosts are this machine."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit


def is_loopback(host: str) -> bool:
    """Return whether only this machine reaches an address, or a name without a look-up."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def names_loopback(header: str) -> bool:
    """Return whether a Host header, with or without a port, names this machine."""
    try:
        return is_loopback(urlsplit(f"//{header}").hostname or "")
    except ValueError:
        return False
