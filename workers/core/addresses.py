"""Decides which IP addresses are public, and which URLs from untrusted input may be called."""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import urlsplit

from hopline.models.base import Frozen

IPAddress = IPv4Address | IPv6Address
_PORTS = {"http": 80, "https": 443}
_LONGEST = 2000  # characters of a URL
_LAST_PORT = 65535

# The IANA's registries of special purpose addresses, and what clouds keep for themselves. Networks, not
# ipaddress.is_global: what that says has changed between Python's versions.
_REFUSED_V4 = tuple(
    ip_network(network)
    for network in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
        "192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24",
        "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
        "224.0.0.0/4", "240.0.0.0/4",
        "168.63.129.16/32",  # Azure's own services, at an address that looks like anybody's
    )
)  # fmt: skip
_UNICAST_V6 = ip_network("2000::/3")  # all else is loopback, mapped, NAT64, local, multicast, or unassigned
_REFUSED_V6 = tuple(
    ip_network(network)
    for network in (
        "2001::/23",  # Teredo, which holds an IPv4 address, and other protocols
        "2001:db8::/32", "3fff::/20",  # documentation
        "2002::/16",  # 6to4, which holds an IPv4 address
        "2620:4f:8000::/48",
    )
)  # fmt: skip
_ISATAP = (0x00005EFE, 0x02005EFE)  # the third quarter of an address whose last is one of IPv4
_LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_NAME = re.compile(rf"{_LABEL}(?:\.{_LABEL})*\.?")
_NUMBER = re.compile(r"0x[0-9a-f]*|[0-9]+")
_LOCAL_NAMES = ("localhost", "local", "internal", "intranet", "lan", "home.arpa")
_VISIBLE = re.compile(r"[\x21-\x7e]+")


class Target(Frozen):
    """A URL split into its parts."""

    secure: bool
    host: str  # lower case; of a literal address its own text, without brackets
    port: int
    path: str  # with the query

    @property
    def literal(self) -> IPAddress | None:
        """The host as an IP address; None if it is a name."""
        try:
            return ip_address(self.host)
        except ValueError:
            return None

    @property
    def authority(self) -> str:
        """The host as in a URL and the Host header, with the port if it is not the scheme's default."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS["https" if self.secure else "http"] else f"{host}:{self.port}"


def is_public(address: IPAddress) -> bool:
    """Return whether an address is publicly reachable on the internet.

    IPv4 addresses embedded in IPv6 ones (mapped, translated or tunnelled) are not.
    """
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _REFUSED_V4)
    if address.scope_id is not None or address not in _UNICAST_V6:
        return False
    if (int(address) >> 32) & 0xFFFFFFFF in _ISATAP:
        return False
    return not any(address in network for network in _REFUSED_V6)


def parse_target(url: str) -> Target:
    """Split a URL into its parts.

    Raises:
        ValueError: the URL is not allowed; the text says what is.
    """
    if len(url) > _LONGEST or not _VISIBLE.fullmatch(url) or "\\" in url:
        raise ValueError(f"a URL of at most {_LONGEST} visible ASCII characters, without backslashes")
    parts = urlsplit(url)
    if parts.scheme not in _PORTS:
        raise ValueError("a URL that begins with https:// (or http://)")
    if "@" in parts.netloc:
        raise ValueError("a URL without a user name or password")
    if parts.fragment or url.endswith("#"):
        raise ValueError("a URL without a fragment (#…)")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Target(
        secure=parts.scheme == "https", host=_host(parts.netloc), port=_port(url, parts.scheme), path=path
    )


def is_local_name(host: str) -> bool:
    """Return whether a host name is private by convention; any other name has to be looked up in DNS."""
    name = host.rstrip(".")
    return any(name == local_name or name.endswith(f".{local_name}") for local_name in _LOCAL_NAMES)


def _port(url: str, scheme: str) -> int:
    try:
        port = urlsplit(url).port
    except ValueError:
        port = 0
    if port is None:
        return _PORTS[scheme]
    if not 0 < port <= _LAST_PORT:
        raise ValueError(f"a port from 1 to {_LAST_PORT}")
    return port


def _host(netloc: str) -> str:
    if netloc.startswith("["):
        host, closed, rest = netloc[1:].lower().partition("]")
        try:
            if closed and "%" not in host and rest[:1] in ("", ":"):
                return str(IPv6Address(host))
        except ValueError:
            pass
        raise ValueError("an IPv6 address in brackets")
    host = netloc.partition(":")[0].lower()
    if not _NAME.fullmatch(host) or len(host) > 253:  # noqa: PLR2004 - RFC 1035's longest name
        raise ValueError("a host name of letters, digits, '-' and '.', or an address")
    # Resolvers read 2130706433, 0x7f.1 and 0177.0.0.1 as addresses; here only the plain form is one.
    if _NUMBER.fullmatch(host.rstrip(".").rpartition(".")[2]):
        try:
            return str(IPv4Address(host))
        except ValueError:
            raise ValueError("an IPv4 address as four decimal numbers") from None
    return host
