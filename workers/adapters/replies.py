"""The response cache: validated model replies, stored wherever fsspec can write.

An entry is one file, `<3 digits>/<content hash>.<key>`: its checksum, then its bytes. Nothing is flushed to
the disk by force, and nothing here ever fails an item: what is lost or damaged only costs another call.
"""

from __future__ import annotations

import itertools
import os
import re
import secrets
import time
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import fsspec
import structlog

from hopline.errors import Permanent, Transient
from workers.core.models.replies import NoReplies, Replies
from workers.settings import Settings

_HASH = re.compile(r"[0-9a-f]{64}")
_KEY = re.compile(r"[0-9a-z-]{1,100}")
_CHECKSUM = 4  # bytes
_HOUR, _DAY = 3600, 86400
_COMPLAIN_SECONDS = 60.0  # a full disk fails every put: it is logged once a minute
_FRESH = ".new-"

_log = structlog.get_logger()


def open_replies(settings: Settings) -> Replies:
    """Return the store beside the blobs; one that keeps nothing if the settings allow no bytes."""
    if not settings.reply_bytes:
        return NoReplies()
    blobs = settings.blob_url or str((settings.var / "blobs").resolve())
    return ReplyStore(f"{blobs.rstrip('/')}/replies")


def open_recognised(settings: Settings) -> Replies:
    """Return the store of recognised pages beside the blobs, of the same kind."""
    if not settings.ocr_bytes:
        return NoReplies()
    blobs = settings.blob_url or str((settings.var / "blobs").resolve())
    return ReplyStore(f"{blobs.rstrip('/')}/recognised")


class ReplyStore:
    """Replies and vectors by the chunk they are about and a key.

    Args:
        url: a path, or any address that fsspec knows.
    """

    def __init__(self, url: str) -> None:
        self._files, self._root = fsspec.core.url_to_fs(url)
        self._local = "file" in self._files.protocol
        self._own, self._count = secrets.token_hex(6), itertools.count()
        self._complained = -_COMPLAIN_SECONDS

    def get(self, content: str, key: str) -> bytes | None:
        """Return the kept entry; None if it is missing, damaged or unreadable."""
        path = self._path(content, key)
        try:
            data = self._read_local(path) if self._local else self._files.cat_file(path)
        except FileNotFoundError:
            return None
        except OSError as error:
            self._complain("get", error)
            return None
        checksum, kept = data[:_CHECKSUM], data[_CHECKSUM:]
        return kept if checksum == _checksum(kept) else None

    def put(self, content: str, key: str, data: bytes) -> None:
        """Store an entry, overwriting the same key; a failure is logged, not raised."""
        path, whole = self._path(content, key), _checksum(data) + data
        try:
            if self._local:
                self._write_local(Path(path), whole)
            else:
                self._files.pipe_file(path, whole)
        except OSError as error:
            self._complain("put", error)

    def purge(self, contents: Iterable[str]) -> None:
        """Delete all entries about these chunks' texts.

        Raises:
            Transient: they could not be removed; it may be repeated.
        """
        folders: dict[str, set[str]] = {}
        for content in contents:
            folders.setdefault(self._folder(content), set()).add(content)
        for folder, wanted in folders.items():
            try:
                self._purge(folder, wanted)
            except FileNotFoundError:
                continue
            except OSError as error:
                raise Transient(f"replies: cannot purge: {error}") from error

    def sweep(self, days: float, most_bytes: int) -> int:
        """Remove replies unused for some days, then the least recently used above the limit.

        Of a local folder only: an object store has rules of its own for that, which cost no listing. Two
        passes, and memory does not grow with the store: the first adds up bytes by the hour. Returns how many
        entries went.
        """
        if not self._local:
            return 0
        sizes: Counter[int] = Counter()
        for entry in self._entries():
            with suppress(FileNotFoundError):
                known = entry.stat()
                sizes[int(known.st_mtime // _HOUR)] += known.st_blocks * 512
        return self._remove_before(_oldest_kept(sizes, most_bytes, time.time() - days * _DAY))

    def _remove_before(self, moment: float) -> int:
        swept = 0
        for entry in self._entries():
            with suppress(FileNotFoundError):
                wanted = entry.stat().st_mtime
                if wanted < moment or (entry.name.startswith(_FRESH) and wanted < time.time() - _HOUR):
                    os.unlink(entry.path)  # noqa: PTH108 - a Path for each of millions
                    swept += 1
        return swept

    def _entries(self) -> Iterator[os.DirEntry[str]]:
        with suppress(FileNotFoundError), os.scandir(self._root) as folders:
            for folder in folders:
                with suppress(FileNotFoundError, NotADirectoryError), os.scandir(folder.path) as entries:
                    yield from entries

    def _folder(self, content: str) -> str:
        # The patterns keep what is asked for inside the store.
        if not _HASH.fullmatch(content):
            raise Permanent(f"{content[:100]!r} is not the hash of a chunk")
        return f"{self._root}/{content[:3]}"

    def _path(self, content: str, key: str) -> str:
        if not _KEY.fullmatch(key):
            raise Permanent(f"{key[:100]!r} is not the key of a reply")
        return f"{self._folder(content)}/{content}.{key}"

    def _purge(self, folder: str, wanted: set[str]) -> None:
        for path in self._files.ls(folder, detail=False):
            if path.rpartition("/")[2].partition(".")[0] in wanted:
                with suppress(FileNotFoundError):
                    self._files.rm_file(path)

    def _read_local(self, path: str) -> bytes:
        with open(path, "rb") as file:  # noqa: PTH123 - once per chunk
            if os.fstat(file.fileno()).st_mtime < time.time() - _DAY:
                os.utime(path)  # it is wanted: see `sweep`
            return file.read()

    def _write_local(self, place: Path, data: bytes) -> None:
        fresh = place.with_name(f"{_FRESH}{self._own}-{next(self._count)}")
        try:
            handle = open(fresh, "wb")  # noqa: PTH123, SIM115 - closed below
        except FileNotFoundError:
            place.parent.mkdir(parents=True, exist_ok=True)
            handle = open(fresh, "wb")  # noqa: PTH123, SIM115 - closed below
        try:
            with handle:
                handle.write(data)
            fresh.replace(place)
        except BaseException:
            fresh.unlink(missing_ok=True)
            raise

    def _complain(self, action: str, error: OSError) -> None:
        if time.monotonic() - self._complained >= _COMPLAIN_SECONDS:
            self._complained = time.monotonic()
            _log.warning("replies.failed", action=action, error=str(error))


def _checksum(data: bytes) -> bytes:
    return zlib.crc32(data).to_bytes(_CHECKSUM, "big")


def _oldest_kept(sizes: Counter[int], most_bytes: int, oldest: float) -> float:
    """Return the moment before which nothing is kept: whole hours, the newest that fit into the bound."""
    left = most_bytes
    for hour in sorted(sizes, reverse=True):
        left -= sizes[hour]
        if left < 0:
            return max(oldest, (hour + 1) * _HOUR)
    return oldest
