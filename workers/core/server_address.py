"""Addresses of servers and the keys that are shown there, as people paste them."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

_ADDRESS = re.compile(r"https?://[^\s/?#]+(?:[/?#]\S*)?", re.IGNORECASE)
_GRAPH = re.compile(r"(?:bolt|neo4j)(?:\+s|\+ssc)?://[^\s/?#]+(?:[/?#]\S*)?", re.IGNORECASE)
_KEY = re.compile(r"[!-~]*")  # what a header may hold: no blanks, no line ends, nothing beyond ASCII


def check_http_address(url: str) -> str:
    """Return an address without blanks at its ends; "" stays.

    Raises:
        ValueError: it is no address of HTTP.
    """
    url = url.strip()
    if url and not _ADDRESS.fullmatch(url):
        raise ValueError("must be an address that begins with http:// or https://, without blanks")
    return url


def with_port_of_https(url: str) -> str:
    """Return an address whose port is named where it is https and names none: clients of Qdrant take 6333."""
    parts = urlsplit(url)
    return (
        parts._replace(netloc=f"{parts.netloc}:443").geturl()
        if parts.scheme == "https" and not parts.port
        else url
    )


def prefix_of(url: str) -> str:
    """Return the path below which a server is reached, such as /hopline; usually ""."""
    return urlsplit(url).path.rstrip("/")


def check_graph_address(url: str) -> str:
    """Return an address of a Neo4j without blanks at its ends; "" stays.

    Raises:
        ValueError: it is none that Neo4j's driver speaks to.
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
    """Return a key without the blanks and line ends around it, which secrets in files often have.

    Raises:
        ValueError: no header can hold it; the text does not show it.
    """
    key = key.strip()
    if not _KEY.fullmatch(key):
        raise ValueError("there is a blank, a line end or a letter beyond ASCII in it, which no key has")
    return key
