"""Lists the documents of sources: files, folders, patterns, addresses, .jsonl and .uris lists."""

from __future__ import annotations

import os
import ssl
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple
from urllib.parse import unquote

import fsspec

from hopline.certificates import tls_context
from hopline.errors import InvalidInput
from hopline.models.formats import ARCHIVES, LINES, is_archive, unknown_suffix
from hopline.models.metadata import NO_METADATA, Value, merged
from hopline.principals import ALLOW
from hopline.sidecars import (
    SIDECAR,
    is_almost_sidecar,
    is_sidecar,
    not_read,
    with_unread,
    without_document,
)
from hopline.trees import Entry, place_of, walk
from workers.core.jobs.params import DocumentParams, parse_params
from workers.core.ports import Blobs
from workers.settings import trusted_authorities
from workers.sources.addresses import InPlace, Keeping
from workers.sources.archives import DEEPEST, Archive
from workers.sources.formats import (
    FORMATS,
    URIS,
    WEB,
    Found,
    Named,
    Refused,
    format_of_file,
    is_address,
    is_utf8,
    suffix_of,
)
from workers.sources.lines import documents_of_lines
from workers.sources.mail import MAILS
from workers.sources.sidecars import sidecar_of
from workers.sources.trees import StoreTree
from workers.sources.uploads import is_upload, uploaded
from workers.sources.walk import files_of, is_local

_NOTHING = "nothing there: no such file, an empty folder, or a pattern without a match"
_NOTHING_IN = "an archive without files"
_MOVED = "a link now leads from there to another place; name that place"


def list_sources(
    sources: Iterable[str | Path],
    keeping: Keeping | None = None,
    *,
    follow_links: bool = False,
    confined: bool = False,
    code: bool = False,
) -> Iterator[Named]:
    """Yield the documents of sources one after another, and what was refused with the reason.

    Folders are searched to their bottoms, hidden files passed over. No more is read ahead than the names of
    one folder or some lines of a list; the order is always the same.

    Args:
        sources: paths, patterns, or fsspec addresses such as s3://bucket/folder.
        keeping: gives the address for workers; by default the original one.
        follow_links: links of folders are followed.
        confined: whether sources must not lead elsewhere: links in their paths are refused, and lists may
            only name files in and below their own folder.
        code: source code is read, too.
    """
    lister = Lister(keeping or InPlace(), follow_links=follow_links, confined=confined, code=code)
    for source in sources:
        try:
            yield from lister.list(str(source))
        except (OSError, ValueError, ImportError) as error:
            yield Refused(str(source), f"cannot be read: {error}")


def list_places(
    blobs: Blobs,
    sources: Iterable[str],
    keeping: Keeping | None = None,
    *,
    follow_links: bool = False,
    confined: bool = False,
    code: bool = False,
) -> Iterator[Named]:
    """Yield the documents of sources as `list_sources` does; what a client uploaded may be among them.

    Raises:
        InvalidInput: there is no such upload.
    """
    for source in sources:
        if is_upload(source):
            yield from uploaded(blobs, source)
        else:
            yield from list_sources(
                [source], keeping, follow_links=follow_links, confined=confined, code=code
            )


def open_place(source: str) -> tuple[Any, str]:
    """Return fsspec's file system and the path in it; a path is made absolute and taken literally.

    Raises:
        InvalidInput: a path begins with the home of an account that has none here.
        ValueError, ImportError: nothing reads this kind of address.
    """
    if is_address(source):
        system, root = fsspec.core.url_to_fs(source, **store_options(source))
        return system, str(root)
    return fsspec.filesystem("file"), place_of(source)


def store_options(source: str) -> dict[str, Any]:
    """Return fsspec's options for opening a store: a web server may not redirect elsewhere."""
    if not source.lower().startswith(WEB):
        return {}
    ca_file = trusted_authorities()
    trust = {"ssl": _trust(ca_file)} if ca_file else {}
    return {"allow_redirects": False, "client_kwargs": {"raise_for_status": _refuse_redirect}, **trust}


@cache
def _trust(ca_file: Path) -> ssl.SSLContext:
    return tls_context(ca_file)  # one for all, as fsspec caches a store by its options


async def _refuse_redirect(answer: Any) -> None:
    # Not followed, it would be taken for the document.
    if 300 <= answer.status < 400:  # noqa: PLR2004 - HTTP's redirects
        raise RedirectError(
            f"HTTP {answer.status}: the address redirects to another one, which is not followed"
        )


class RedirectError(PermissionError):
    """A web server answered with another address."""


class Lister:
    """Lists the documents of sources; see `list_sources`."""

    def __init__(self, keeping: Keeping, *, follow_links: bool, confined: bool, code: bool) -> None:
        self._keeping = keeping
        self._code = code
        self._follow = follow_links
        self._confined = confined

    def list(self, source: str) -> Iterator[Named]:
        """Yield the documents of a source."""
        system, root = open_place(source)
        if self._confined and is_local(system) and os.path.realpath(root) != root:
            yield Refused(source, _MOVED)
            return
        empty, bounds = True, Bounds(self._follow)
        for entry in files_of(system, root, follow=self._follow):
            empty = False
            yield from self._entry(system, entry, bounds if self._confined or entry.path != root else None)
        if empty and not is_sidecar(root):
            yield Refused(source, _NOTHING)

    def _entry(self, system: Any, entry: Entry, bounds: Bounds | None) -> Iterator[Named]:
        address = entry.path if is_local(system) else str(system.unstrip_protocol(entry.path))
        if not is_utf8(address):
            yield Refused(ascii(address)[1:-1], "its name is not valid UTF-8: rename it")
        elif entry.fault:
            yield Refused(address, entry.fault)
        else:
            if entry.sidecar_fault:
                yield Refused(address + SIDECAR, entry.sidecar_fault)
            unread = entry.unread or (entry.path + SIDECAR if entry.sidecar_fault else "")
            if unread:
                yield Refused(address, with_unread(unread))
            else:
                yield from self._file(system, entry, address, bounds)

    def _file(self, system: Any, entry: Entry, address: str, bounds: Bounds | None) -> Iterator[Named]:
        suffix = suffix_of(address)
        try:
            if is_archive(address):
                yield from self._archived(system, entry, address)
            elif suffix in (*LINES, URIS):
                yield from self._listed(system, entry, address, bounds)
            elif is_sidecar(address):
                yield Refused(address, without_document(address))
            elif is_almost_sidecar(address):
                yield Refused(address, not_read(address))
            elif kind := FORMATS.get(suffix) or self._judged(system, entry, address):
                yield self._document(system, entry, address, kind)
                if suffix in MAILS:
                    yield from self._archived(system, entry, address)
            else:
                yield Refused(address, unknown_suffix(suffix, (*FORMATS, *LINES, *ARCHIVES, URIS)))
        except InvalidInput as error:
            yield Refused(address, str(error))
        except OSError as error:
            yield Refused(address, f"cannot be read: {error.strerror or error}")

    def _judged(self, system: Any, entry: Entry, address: str) -> str:
        with system.open(entry.path, "rb") as file:
            return format_of_file(address, file, code=self._code)

    def _listed(self, system: Any, entry: Entry, address: str, bounds: Bounds | None) -> Iterator[Named]:
        if isinstance(system, Archive):
            yield Refused(address, "a list in an archive, which is not read: unpack the archive")
            return
        with system.open(entry.path, "rb") as opened:
            if suffix_of(address) == URIS:
                yield from documents_of_uris(opened, address, bounds)
            else:
                yield from documents_of_lines(opened, address, self._keeping)

    def _archived(self, system: Any, entry: Entry, address: str) -> Iterator[Named]:
        if isinstance(system, Archive) and system.depth == DEEPEST:
            yield Refused(address, f"lies in {DEEPEST} archives already: unpack the outermost")
            return
        metadata = sidecar_of(system, entry.path) if entry.sidecar else {}
        source = self._keeping.keep_file(system, entry, address)
        with system.open(entry.path, "rb") as file:
            yield from self.members(Archive(file, source, address, system), metadata)

    def members(self, archive: Archive, metadata: Mapping[str, Value] = NO_METADATA) -> Iterator[Named]:
        """Yield the documents of an archive, each with the archive's metadata below its own."""
        empty = True
        for entry in walk(StoreTree(archive), ""):
            empty = False
            for named in self._entry(archive, entry, None):
                yield _with_parents(named, metadata) if isinstance(named, Found) else named
        yield from (Refused(*refused) for refused in archive.refused)
        if empty and not archive.refused and not archive.address.lower().endswith(MAILS):
            yield Refused(archive.address, _NOTHING_IN)

    def _document(self, system: Any, entry: Entry, address: str, kind: str) -> Found:
        source = self._keeping.keep_file(system, entry, address)
        metadata = sidecar_of(system, entry.path) if entry.sidecar else {}
        params = {"uri": address, "source": source, "format": kind, "metadata": metadata}
        return Found(address, parse_params(DocumentParams, params), entry.size)


def _with_parents(found: Found, metadata: Mapping[str, Value]) -> Found:
    """Return a member with its archive's metadata; the archive's `allow`, if any, takes precedence."""
    if not metadata:
        return found
    above = {ALLOW: metadata[ALLOW]} if ALLOW in metadata else {}
    fields = merged(metadata, found.document.metadata, above)
    return found._replace(document=found.document.model_copy(update={"metadata": fields}))


_LONGEST = 10_000  # bytes of a line
_BOM = b"\xef\xbb\xbf"
_OUTSIDE = "a list found in a folder reaches no further than its own; to ingest this, name the list itself"


class Bounds(NamedTuple):
    """The reach of a list that was found by walking."""

    follow: bool  # links are followed

    def hold(self, uri: str, folder: str) -> bool:
        """Return whether a path or address is inside a folder, by its text and with links resolved."""
        if not uri.startswith(f"{folder}/") or ".." in unquote(uri).split("/"):
            return False
        if is_address(uri) or self.follow:
            return True
        below = uri.removeprefix(folder)
        return os.path.realpath(uri) == os.path.realpath(folder) + below


def documents_of_uris(file: BinaryIO, address: str, bounds: Bounds | None = None) -> Iterator[Named]:
    """Yield a document per line of a .uris list, or what is wrong with the line; nothing is fetched here.

    Each line is an address, relative to the list's folder; # begins a comment. A list that a user names may
    name any place. A list found by walking may name only files in and below its own folder, so that its
    author cannot choose what a worker reads.

    Args:
        file: the opened list.
        address: its own.
        bounds: how far it reaches; anywhere, unless given.
    """
    folder = address.rpartition("/")[0]
    number = 0
    while raw := file.readline(_LONGEST):
        number += 1
        place = f"{address} line {number}"
        if not raw.endswith(b"\n") and len(raw) == _LONGEST:
            while (rest := file.readline(_LONGEST)) and not rest.endswith(b"\n"):
                pass
            yield Refused(place, f"too long: an address has at most {_LONGEST} bytes")
            continue
        line = (raw.removeprefix(_BOM) if number == 1 else raw).strip()
        if line and not line.startswith(b"#"):
            yield _named(line, place, folder, bounds)


def _named(line: bytes, place: str, folder: str, bounds: Bounds | None) -> Named:
    try:
        uri = _whole(line.decode("utf-8"), folder)
    except UnicodeDecodeError:
        return Refused(place, "not UTF-8")
    if bounds is not None and not bounds.hold(uri, folder):
        return Refused(f"{place}: {uri}", _OUTSIDE)
    suffix = suffix_of(uri)
    if suffix not in FORMATS:
        return Refused(f"{place}: {uri}", unknown_suffix(suffix, FORMATS))
    try:
        params = {"uri": uri, "source": uri, "format": FORMATS[suffix]}
        return Found(place, parse_params(DocumentParams, params))
    except InvalidInput as error:
        return Refused(place, str(error))


def _whole(uri: str, folder: str) -> str:
    if is_address(uri):
        return uri
    if is_address(folder):
        return uri if uri.startswith("/") else f"{folder}/{uri}"
    return os.path.normpath(os.path.join(folder, uri))  # noqa: PTH118 - a text, not a place
