"""Parses Redis addresses: one server, or a primary found through Sentinels."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from pydantic import Field

from hopline.models.base import Frozen

SENTINEL = "sentinel://"
_SCHEMES = ("redis://", "rediss://", "unix://", SENTINEL)
_PORT = 26379
_OPTIONS = {"sentinel_username", "sentinel_password"}
ALLOWED = (
    "an address that begins with redis://, rediss:// or unix://, or that of Sentinels: "
    "sentinel://HOST:PORT,HOST:PORT/NAME/DATABASE, with USER:PASSWORD@ before the first HOST"
)
_TLS_OPTIONS = frozenset(
    {"ssl_ca_certs", "ssl_cert_reqs", "ssl_certfile", "ssl_check_hostname", "ssl_keyfile"}
)
_URL_OPTIONS = {"redis": frozenset[str](), "rediss": _TLS_OPTIONS, "unix": frozenset({"db"})}
_OPTION = re.compile("[a-z_]+")
_ENCODED = f"must be {ALLOWED}; in a password ?, @, /, # and brackets must be percent-encoded"
_NO_OPTIONS = "has no options: the database is the path, such as /3, and TLS needs rediss://"
_CHECKS = {"none", "optional", "required"}  # of certificates; Celery's spelling, CERT_NONE, is read too


class SentinelAddress(Frozen):
    """The Sentinels of a Redis, and the name they know it by.

    User and password are those of the Redis itself; the Sentinels may have their own.
    """

    nodes: tuple[tuple[str, int], ...]  # host and port of each Sentinel
    name: str  # of the primary and its replicas
    database: int = 0
    username: str | None = None
    password: str | None = Field(default=None, repr=False)
    sentinel_username: str | None = None
    sentinel_password: str | None = Field(default=None, repr=False)


def parse_sentinels(url: str) -> SentinelAddress | None:
    """Read sentinel://[USER:PASSWORD@]HOST[:PORT][,HOST[:PORT] …]/NAME[/DATABASE][?sentinel_password=…].

    Returns:
        None if the address is of another kind.

    Raises:
        ValueError: the address has no Sentinel or no primary, or is invalid otherwise; the text contains no
            secret.
    """
    if not url.startswith(SENTINEL):
        return None
    parts = urlsplit(url)
    login, _, hosts = parts.netloc.rpartition("@")
    username, _, password = login.partition(":")
    name, _, database = parts.path.strip("/").partition("/")
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    if not hosts or not name or not (database or "0").isdecimal() or not options.keys() <= _OPTIONS:
        raise ValueError(f"must be {ALLOWED}, and ?sentinel_password=… at the end")
    return SentinelAddress(
        nodes=tuple(_node(host) for host in hosts.split(",")),
        name=unquote(name),
        database=int(database or 0),
        username=unquote(username) or None,
        password=unquote(password) or None,
        **options,
    )


def check_redis_url(url: str, ca_file: Path | None = None) -> str:
    """Return a Redis address in a form that every client interprets in the same way.

    Leading and trailing white space is removed. The query of rediss:// always says how certificates are
    checked: kombu, Celery's transport, uses TLS only if the query has a TLS option, and would otherwise send
    user and password in clear text. The query also names additional authorities.

    Args:
        url: address of one server, or of Sentinels.
        ca_file: authorities to trust in addition to the system's, unless the address names its own.

    Raises:
        ValueError: it is not a valid address; the text contains no secret.
    """
    url = url.strip()
    if not url.startswith(_SCHEMES):
        raise ValueError(f"must be {ALLOWED}; a Redis Cluster is not supported")
    if parse_sentinels(url) is not None:
        return url
    try:
        parts = urlsplit(url)
    except ValueError:  # its text may hold a part of the password
        raise ValueError(_ENCODED) from None
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    if parts.fragment or not all(map(_OPTION.fullmatch, options)):
        raise ValueError(_ENCODED)
    allowed = _URL_OPTIONS[parts.scheme]
    if unknown := options.keys() - allowed:
        may_have = f"may have {_named(allowed)}" if allowed else _NO_OPTIONS
        raise ValueError(f"{_named(unknown)}: {parts.scheme}:// {may_have}")
    if parts.scheme != "rediss":
        return url
    authorities = {"ssl_ca_certs": str(ca_file)} if ca_file else {}
    return parts._replace(query=urlencode(authorities | _checking(options))).geturl()


def _checking(options: dict[str, str]) -> dict[str, str]:
    """Return TLS options that say how certificates are checked: unless told otherwise, they are."""
    check = options.get("ssl_cert_reqs", "required").removeprefix("CERT_").lower()
    if check not in _CHECKS:
        raise ValueError(f"ssl_cert_reqs must be {_named(_CHECKS)}")
    without_name = {"ssl_check_hostname": "false"} if check == "none" else {}  # Python's ssl wants that
    return {**options, "ssl_cert_reqs": check, **without_name}


def _named(options: Iterable[str]) -> str:
    return ", ".join(sorted(options))


def without_secrets(url: str) -> str:
    """Return an address without user, password and options."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="").geturl()


def _node(host: str) -> tuple[str, int]:
    place = urlsplit(f"//{host}")
    try:
        port = place.port or _PORT
    except ValueError as error:
        raise ValueError(f"must be {ALLOWED}") from error
    if not place.hostname:
        raise ValueError(f"must be {ALLOWED}")
    return place.hostname, port
