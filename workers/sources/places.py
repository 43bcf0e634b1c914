"""Tells which addresses lie in the places of the setting `api_sources`, which requests may name."""

from __future__ import annotations

import os
import posixpath
import re
from urllib.parse import unquote

import fsspec

from workers.core.errors import InvalidInput
from workers.sources.formats import URIS

_LOCAL = ("file", "local")  # kinds of addresses that mean files of this machine
_PATTERN = re.compile(r"[*?\[]")  # signs that the listing reads as a pattern's


def allowed_place(place: str, sources: str) -> str:
    """Return the address of a folder or file within one of `api_sources`, or of one of these, links resolved.

    Raises:
        InvalidInput: as `allowed_source`; or it is a pattern, or a list of addresses, which lead elsewhere.
    """
    stripped = place.rstrip("/")
    allowed = allowed_source(stripped, sources, field="sources", whole=True)
    # As it is named, and as it is listed: a link may have another suffix than what it leads to.
    if any(_PATTERN.search(name) or name.lower().endswith(URIS) for name in (stripped, allowed)):
        raise InvalidInput("sources", place, "folders and files, no patterns and no lists of addresses")
    return allowed


def allowed_source(uri: str, sources: str, *, field: str = "uris", whole: bool = False) -> str:
    """Return the address of a document under one of `api_sources`, with links resolved.

    Args:
        uri: the address.
        sources: the setting.
        field: what errors call it.
        whole: it may also be the address of one of these itself.

    Raises:
        InvalidInput: it does not, or might not: it goes upwards, is encoded, chained, or names a user; or it
            is a link that leads out of the place.
    """
    known = _places(sources)
    places = ", ".join(known) or "none: the setting api_sources names no store"
    refused = InvalidInput(field, uri, f"addresses that begin with: {places}")
    if not uri.isprintable() or any(sign in uri for sign in ("::", "\\", "?", "#", "@")):
        raise refused
    scheme, _, path = uri.partition("://")
    if not path or unquote(path) != path or posixpath.normpath("/" + path) != "/" + path.rstrip("/"):
        raise refused
    behind = uri + "/" if whole else uri
    if not any(behind.startswith(place if place.endswith("/") else place + "/") for place in known):
        raise refused
    if scheme not in _LOCAL:
        return uri
    found = _resolved(uri)
    behind = found + "/" if whole else found
    if not any(behind.startswith(_resolved(place).rstrip("/") + "/") for place in known if _is_local(place)):
        raise refused
    return found


def check_sources(sources: str) -> None:
    """Look whether documents can be read from the places of the setting `api_sources`.

    Raises:
        InvalidInput: what reads this kind of address does not exist, or is not installed.
    """
    for place in _places(sources):
        try:
            fsspec.get_filesystem_class(place.partition("://")[0])
        except (ValueError, ImportError) as error:
            told = f"addresses that can be read here: {error}"
            raise InvalidInput("HOPLINE_API_SOURCES", place, told) from error


def _places(sources: str) -> list[str]:
    return [part.strip() for part in sources.split(",") if part.strip()]


def _is_local(place: str) -> bool:
    return place.partition("://")[0] in _LOCAL


def _resolved(address: str) -> str:
    return os.path.realpath(str(fsspec.core.url_to_fs(address)[1]))
