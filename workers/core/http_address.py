"""Addresses of HTTP servers and the keys that are shown there, as people paste them."""

from __future__ import annotations

import re

_ADDRESS = re.compile(r"https?://[^\s/?#]+(?:[/?#]\S*)?", re.IGNORECASE)
_KEY = re.compile(r"[!-~]*")  # what a header may hold: no blanks, no line ends, nothing beyond ASCII


def check_http_address(url: str) -> str:
    """Return an address without blanks at its ends; "" stays.

    Raises:
        ValueError: it is no address of HTTP.
    """
    url = url.strip()
    if url and not _ADDRESS.fullmatch(url):
        raise ValueError("allowed is an address that begins with http:// or https://, without blanks")
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
