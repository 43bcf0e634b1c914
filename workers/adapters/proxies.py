"""Decides whether the environment's proxy settings apply to a server."""

from __future__ import annotations

from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from hopline.machine import is_loopback


def heeds_proxies(url: str) -> bool:
    """Return whether a proxy may apply to a server; none applies to this machine."""
    return not is_loopback(url)


def proxy_of(url: str) -> str | None:
    """Return the address of the proxy that the environment names for a server; None without one."""
    parts = urlsplit(url)
    if not heeds_proxies(url) or proxy_bypass(parts.netloc.rpartition("@")[2]):
        return None
    named = getproxies()
    proxy = named.get(parts.scheme) or named.get("all")
    return proxy if not proxy or "://" in proxy else f"http://{proxy}"
