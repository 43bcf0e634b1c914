"""Tells which addresses lie in the places of the setting `api_sources`, which requests may name."""

from __future__ import annotations

import os
import posixpath
from urllib.parse import unquote

import fsspec

from hopline.errors import InvalidInput
from hopline.trees import is_pattern
from workers.sources.archives import file_of
from workers.sources.formats import URIS

_LOCAL = ("file", "local")  # kinds of addresses that mean files of this machine


def allowed_place(place: str, sources: str, *, field: str = "sources") -> str:
    """Return the address of a folder or file within `api_sources`, or of one of these, with links resolved.

    Raises:
        InvalidInput: as `allowed_source`; or it is a pattern, or a list of addresses, which lead elsewhere.
    """
    stripped = place.rstrip("/")
    allowed = allowed_source(stripped, sources, field=field, whole=True)
    # As named, and as listed: a link may have another suffix than what it leads to.
    if any(is_pattern(name) or name.lower().endswith(URIS) for name in (stripped, allowed)):
        raise InvalidInput(field, place, "folders and files, without patterns and lists of addresses")
    return allowed


def allowed_source(uri: str, sources: str, *, field: str = "uris", whole: bool = False) -> str:
    """Return the address of a document under one of `api_sources`, with links resolved.

    Args:
        uri: the address.
        sources: the setting.
        field: its name in errors.
        whole: whether it may also be one of these itself.

    Raises:
        InvalidInput: it does not, or might not: it goes upwards, is encoded, chained, or names a user; or it
            is a link that leads out of the place.
    """
    known = places_of(sources)
    places = ", ".join(known) or "none: the setting api_sources names no store"
    is_path = "://" not in uri
    hint = "; of another path `hopline ingest PATH -c NAME` sends the files themselves" if is_path else ""
    refused = InvalidInput(field, uri, f"addresses that begin with: {places}{hint}")
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
    address = _resolved(uri)
    behind = address + "/" if whole else address
    if not any(behind.startswith(_resolved(place).rstrip("/") + "/") for place in known if _is_local(place)):
        raise refused
    return address


def check_confined(source: str, sources: str) -> None:
    """Check whether a place from an earlier request is still within `api_sources`.

    Args:
        source: a path, an address, `blob:REF`, or the address of a line or a member in one of these.
        sources: the setting.

    Raises:
        InvalidInput: it does not, or a link has led out of the place since.
    """
    address = file_of(source)
    if address.startswith("blob:"):
        return
    if address.startswith("/") or _is_local(address):
        path = os.path.realpath(address) if address.startswith("/") else _resolved(address)
        inside = any(_is_below(path, _resolved(place)) for place in places_of(sources) if _is_local(place))
    else:
        plain = "::" not in address and ".." not in unquote(address).split("/")
        inside = plain and any(_is_below(_one_slash(address), _one_slash(at)) for at in places_of(sources))
    if not inside:
        places = ", ".join(places_of(sources)) or "no place at all"
        raise InvalidInput(
            "sources", source, f"a place in this worker's current HOPLINE_API_SOURCES: {places}"
        )


def _is_below(path: str, folder: str) -> bool:
    return f"{path}/".startswith(folder.rstrip("/") + "/")


def _one_slash(address: str) -> str:
    """Return an address as its store may also write it: memory:///folder is memory://folder."""
    scheme, _, path = address.partition("://")
    return f"{scheme}://{path.lstrip('/')}"


def check_sources(sources: str) -> None:
    """Look whether documents can be read from the places of the setting `api_sources`.

    Raises:
        InvalidInput: the reader of this kind of address does not exist or is not installed.
    """
    for place in places_of(sources):
        try:
            fsspec.get_filesystem_class(place.partition("://")[0])
        except (ValueError, ImportError) as error:
            allowed = f"addresses that can be read here: {error}"
            raise InvalidInput("HOPLINE_API_SOURCES", place, allowed) from error


def places_of(sources: str) -> list[str]:
    """Return the addresses that the setting names."""
    return [part.strip() for part in sources.split(",") if part.strip()]


def _is_local(place: str) -> bool:
    return place.partition("://")[0] in _LOCAL


def _resolved(address: str) -> str:
    return os.path.realpath(str(fsspec.core.url_to_fs(address)[1]))
