"""The store of originals: files beside the blobs, bounded by how many bytes all of them may take."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from pathlib import PurePosixPath
from typing import BinaryIO, cast

import redis

from hopline.errors import Permanent
from hopline.models.documents import OriginalState
from workers.adapters.blobs import BlobStore
from workers.adapters.named_files import NamedFiles
from workers.core.errors import StoreUnseen
from workers.core.originals import digest_of, document_of
from workers.core.redis_keys import ORIGINAL_BYTES

_FOLDER = "originals"
_NAME = re.compile(r"[0-9A-Za-z]{1,100}-[0-9a-f]{64}-[0-9a-f]{8}")
_DIGITS = 3  # of a document's id, that name its folder
_HOUR = 3600  # seconds; no file takes so long to be written


class OriginalStore:
    """Originals by name; see `workers.core.originals`.

    How many bytes there are is counted in Redis, and counted again whenever all are listed.

    Args:
        files: where they lie, in a folder of their own.
        client: the ledger's Redis.
        most_bytes: maximum size of one original.
        all_bytes: maximum total size; what several workers write at a time may go beyond by as much.
        blobs: lie in the same place, and know whether all workers see it.
    """

    def __init__(
        self,
        files: NamedFiles,
        client: redis.Redis,
        *,
        most_bytes: int,
        all_bytes: int,
        blobs: BlobStore,
    ) -> None:
        self._files = files
        self._client = client
        self._most_bytes = most_bytes
        self._all_bytes = all_bytes
        self._blobs = blobs

    def refusal(self, size: int) -> OriginalState | None:
        """Return why an original of this size is not kept; None if it is."""
        if not self._all_bytes:
            return "turned off"
        if size > self._most_bytes:
            return "too large"
        return None if self._total() + size <= self._all_bytes else "no room"

    def put(self, name: str, file: BinaryIO, size: int) -> OriginalState:
        """Store an original from its beginning; return that it is kept.

        Raises:
            Transient: the place cannot be written now, or is not the one that all workers use.
        """
        if not self._blobs.is_common(False):
            raise StoreUnseen
        if not self.has(name):
            self._files.put_file(_path(name), file)
            self._client.incrby(ORIGINAL_BYTES, size)
        return "kept"

    def open(self, name: str) -> BinaryIO | None:
        """Return an original as a seekable file; None if it does not exist.

        Raises:
            Permanent: it is damaged.
        """
        found = self._files.open(_path(name))
        if found is None:
            return None
        file, digest = found
        if digest != digest_of(name):
            file.close()
            raise Permanent(f"original {name} is damaged: its bytes do not match its hash")
        return file

    def has(self, name: str) -> bool:
        """Return whether an original with this name exists."""
        return self._files.size(_path(name)) is not None

    def delete(self, names: Collection[str]) -> None:
        """Remove originals; unknown ones are ignored."""
        for name in names:
            if size := self._files.size(_path(name)):
                self._files.delete(_path(name))
                self._client.decrby(ORIGINAL_BYTES, size)

    def of(self, document_id: str) -> list[str]:
        """Return the names of all originals of a document."""
        listed = self._listed(_folder(document_id))
        return [name for name in listed if document_of(name) == document_id]

    def pages(self) -> Iterator[list[str]]:
        """Yield pages of the names of all originals; then their bytes are counted again."""
        before, total = self._counted() or 0, 0
        self._files.delete_unfinished(_FOLDER, _HOUR)
        for folder in self._files.folders_of(_FOLDER):
            listed = self._listed(folder)
            total += sum(listed.values())
            yield list(listed)
        self._client.incrby(ORIGINAL_BYTES, total - before)  # what was written or removed meanwhile counts

    def _listed(self, folder: str) -> dict[str, int]:
        sizes = {PurePosixPath(path).name: size for path, size in self._files.sizes(folder).items()}
        return {name: size for name, size in sizes.items() if _NAME.fullmatch(name)}

    def _total(self) -> int:
        if (counted := self._counted()) is not None:
            return counted
        for _page in self.pages():
            pass
        return self._counted() or 0

    def _counted(self) -> int | None:
        stored = cast("str | None", self._client.get(ORIGINAL_BYTES))
        return None if stored is None else int(stored)


def _folder(document_id: str) -> str:
    return f"{_FOLDER}/{document_id[:_DIGITS]}"


def _path(name: str) -> str:
    # The pattern keeps what is asked for inside the store.
    if not _NAME.fullmatch(name):
        raise Permanent(f"{name[:100]!r} is not the name of an original")
    return f"{_folder(name)}/{name}"
