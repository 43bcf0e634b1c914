"""Normalises and checks addresses and keys of servers as people paste them."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

_ADDRESS = re.compile(r"https?://[^\s/?#]+(?:[/?#]\S*)?", re.IGNORECASE)
_GRAPH = re.compile(r"(?:bolt|neo4j)(?:\+s|\+ssc)?://[^\s/?#]+(?:[/?#]\S*)?", re.IGNORECASE)
_KEY = re.compile(r"[!-~]*")  # what a header may hold: no blanks, no line ends, nothing beyond ASCII


def check_http_address(url: str) -> str:
    """Return an address without white space around it; "" stays.

    Raises:
        ValueError: it is not an HTTP address.
    """
    url = url.strip()
    if url and not _ADDRESS.fullmatch(url):
        raise ValueError("must be an address that begins with http:// or https:// and contains no spaces")
    return url


def with_port_of_https(url: str) -> str:
    """Return an https address with its port, 443 by default: clients of Qdrant would use 6333."""
    parts = urlsplit(url)
    return (
        parts._replace(netloc=f"{parts.netloc}:443").geturl()
        if parts.scheme == "https" and not parts.port
        else url
    )


def prefix_of(url: str) -> str:
    """Return the path prefix of a server's address, such as /hopline; usually ""."""
    return urlsplit(url).path.rstrip("/")


def check_graph_address(url: str) -> str:
    """Return the address of a Neo4j without white space around it; "" stays.

    Raises:
        ValueError: Neo4j's driver does not support this form of address.
    """
    url = url.strip()
    if url and not _GRAPH.fullmatch(url):
        browser = "; 7474 is the port of Neo4j's browser, 7687 is meant" if ":7474" in url else ""
        raise ValueError(
            "must be an address that begins with bolt:// or neo4j://, or with bolt+s://, neo4j+s://, "
            f"bolt+ssc:// or neo4j+ssc:// for TLS{browser}"
        )
    return url


def check_key(key: str) -> str:
    """Return a key without the white space and line ends around it, which secrets in files often have.

    Raises:
        ValueError: the key cannot be sent in a header; the text does not show it.
    """
    key = key.strip()
    if not _KEY.fullmatch(key):
        raise ValueError("it contains a space, a line end or a non-ASCII character, which no key has")
    return key
