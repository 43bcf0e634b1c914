"""Lists the sources that requests may ingest from: the HOPLINE_API_SOURCES locations, and their contents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from hopline.errors import InvalidInput
from hopline.models.sources import SourceEntry, SourcePage
from hopline.trees import LocalTree, Tree
from producer.service.backend import Part
from workers.sources.documents import open_place
from workers.sources.places import allowed_place, places_of
from workers.sources.trees import StoreTree
from workers.sources.walk import is_local

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hopline.trees import Entry

MOST_ENTRIES = 10_000  # entries of a folder that are listed


class Sources(Part):
    """The locations that requests may ingest from."""

    def page(
        self, place: str = "", *, cursor: str = "", limit: int = 100, most: int = MOST_ENTRIES
    ) -> SourcePage:
        """Return the locations that requests may ingest from, or the contents of a folder in one.

        Hidden files and links are left out, and so are metadata files next to their documents.

        Args:
            place: address of a folder; default the locations themselves.
            cursor: `next` of the previous page.
            limit: maximum number of entries.
            most: maximum number of the folder's entries to read.

        Raises:
            InvalidInput: requests may not read there, or it is not a readable folder.
        """
        places = self._services.settings.api_sources
        if place:
            listed, cut = _entries(place, places, most)
        else:
            whole = (at.rstrip("/") for at in places_of(places))
            listed, cut = [SourceEntry(name=at, kind="folder", address=at) for at in whole], False
        rest = [entry for entry in listed if entry.name > cursor] if place else listed
        page = tuple(_named(entry, place, places) for entry in rest[:limit])
        following = page[-1].name if len(rest) > limit else None
        return SourcePage(place=place, entries=page, next=following, cut=cut)


def _entries(place: str, places: str, most: int) -> tuple[list[SourceEntry], bool]:
    allowed = allowed_place(place, places, field="place")
    try:
        system, root = open_place(allowed)
        if not system.isdir(root):
            raise InvalidInput("place", place, "the address of a folder")
        listed = list[SourceEntry]()
        for entry in _below(system, root):
            if len(listed) == most:
                return listed, True
            listed.append(entry)
    except (OSError, ValueError, ImportError) as error:
        raise InvalidInput("place", place, f"a folder that can be read: {error}") from error
    return listed, False


def _below(system: Any, root: str) -> Iterator[SourceEntry]:
    tree: Tree = LocalTree() if is_local(system) else StoreTree(system)
    for entry in tree.entries(root):
        if (kind := _kind(entry, root)) is not None:
            yield SourceEntry(name=entry.path.rpartition("/")[2], kind=kind, size=entry.size)


def _kind(entry: Entry, root: str) -> Literal["folder", "file"] | None:
    """Return what an entry is; None where it is neither, or a web page's link to somewhere else."""
    inside = entry.path.rpartition("/")[0] == root.rstrip("/")
    return entry.kind if inside and entry.kind != "fault" else None


def _named(entry: SourceEntry, place: str, places: str) -> SourceEntry:
    address = entry.address or f"{place.rstrip('/')}/{entry.name}"
    try:
        allowed_place(address, places)
    except InvalidInput:
        return entry.model_copy(update={"address": None})
    return entry.model_copy(update={"address": address})
