"""Finds which documents of a collection lie under a source; only those can be missing there."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from typing import Literal

from fsspec.utils import glob_translate

from hopline.models.base import Frozen
from workers.sources.archives import INSIDE
from workers.sources.documents import open_place
from workers.sources.formats import URIS, suffix_of
from workers.sources.walk import is_local

_LINE = re.compile(r" line \d+(?:: .*)?$", re.DOTALL)  # after a list's address, where a line is refused


class Scope(Frozen):
    """Where the documents of one source lie."""

    kind: Literal["folder", "file", "pattern", "list"]
    root: str  # an address, as documents' uris begin; of a pattern the pattern

    @cached_property
    def _meant(self) -> re.Pattern[str]:
        return re.compile(glob_translate(self.root))

    def holds(self, uri: str) -> bool:
        """Return whether an address is under the source; never for a list."""
        if self.kind == "folder":
            return uri.startswith(self.root.rstrip("/") + "/")
        if self.kind == "file":
            return uri == self.root or uri.startswith((self.root + "#", self.root + INSIDE))
        if self.kind == "pattern":
            parents = (uri, uri.rpartition("#")[0], uri.partition(INSIDE)[0])
            return any(map(self._meant.match, parents))
        return False


def scope_of(source: str) -> Scope:
    """Return the root of a source's documents.

    Raises:
        OSError: the store cannot be asked.
        ValueError, ImportError: nothing reads this kind of address.
    """
    system, root = open_place(source)
    address = root if is_local(system) else str(system.unstrip_protocol(root))
    if suffix_of(address) == URIS and system.isfile(root):
        return Scope(kind="list", root=address)
    if system.isfile(root):
        return Scope(kind="file", root=address)
    return Scope(kind="folder" if system.isdir(root) else "pattern", root=address)


class Doubtful:
    """Documents that may still exist, because their place could not be read.

    Args:
        places: what the listing refused, as it named it.
    """

    def __init__(self, places: Iterable[str]) -> None:
        self._places = {_LINE.sub("", place) for place in places}

    def holds(self, uri: str) -> bool:
        """Return whether a document, a parent folder, or its list was refused."""
        if not self._places:
            return False
        list_of, at = uri.rpartition("#")[0], uri
        if uri in self._places or list_of in self._places:
            return True
        while "/" in at:
            at = at.rpartition("/")[0]
            if at in self._places or at.removesuffix("!") in self._places:
                return True
        return False
