"""Shows addresses of documents without the server's paths to callers who are not admins."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from hopline.models.documents import Document, DocumentPage
from workers.sources.places import places_of

if TYPE_CHECKING:
    from producer.api.access import Caller
    from producer.api.context import Api

_LOCAL = ("file://", "local://")
_URI = "uri"  # the name of the field, wherever it stands


def told_uris(told: Any, caller: Caller, api: Api) -> Any:
    """Return a reply in which each `uri` is as its caller may see it.

    Ids are derived from the stored addresses, which do not change; admins see these, and also the relative
    address of a document.

    Args:
        told: a reply: models, mappings, lists of them, or plain values.
        caller: the caller.
        api: the API's state; its setting `api_sources` names the roots.
    """
    if caller.sees_all and not isinstance(told, Document | DocumentPage):
        return told
    roots = sorted(map(_path_of, places_of(api.settings.api_sources)), key=len, reverse=True)
    if caller.sees_all:
        return _with_relative(told, roots)
    return _changed(told, lambda uri: relative_uri(uri, roots))


def relative_uri(uri: str, roots: Iterable[str]) -> str:
    """Return an address relative to the first root that contains it; for any other path, its name."""
    path = _path_of(uri)
    for root in roots:
        if path.startswith(f"{root}/"):
            return path[len(root) + 1 :]
    return posixpath.basename(path) if path.startswith("/") else uri


def _with_relative(told: Document | DocumentPage, roots: Sequence[str]) -> Document | DocumentPage:
    if isinstance(told, Document):
        return told.model_copy(update={"relative_uri": relative_uri(told.uri, roots)})
    documents = [_with_relative(document, roots) for document in told.documents]
    return told.model_copy(update={"documents": documents})


def _path_of(address: str) -> str:
    scheme = next((each for each in _LOCAL if address.startswith(each)), "")
    return address.removeprefix(scheme).rstrip("/")


def _changed(told: Any, change: Callable[[str], str]) -> Any:
    """Return a copy with each `uri` changed; an object without any is returned itself."""
    if isinstance(told, BaseModel):
        fields = _fields(told.__dict__, change)
        return told.model_copy(update=fields) if fields else told
    if isinstance(told, Mapping):
        fields = _fields(told, change)
        return {**told, **fields} if fields else told
    if isinstance(told, list | tuple) and type(told) in (list, tuple):
        parts = [_changed(part, change) for part in told]
        is_same = all(new is old for new, old in zip(parts, told, strict=True))
        return told if is_same else type(told)(parts)
    return told


def _fields(fields: Mapping[str, Any], change: Callable[[str], str]) -> dict[str, Any]:
    new = {
        name: change(value) if name == _URI and isinstance(value, str) else _changed(value, change)
        for name, value in fields.items()
    }
    return {name: value for name, value in new.items() if value is not fields[name]}
