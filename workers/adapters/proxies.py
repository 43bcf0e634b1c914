"""Decides whether the environment's proxy settings apply to a server."""

from __future__ import annotations

from urllib.parse import urlsplit

_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def heeds_proxies(url: str) -> bool:
    """Return whether a server may be behind a proxy: no proxy leads to this machine."""
    return urlsplit(url).hostname not in _LOOPBACK
