"""Turns a request's files, texts and addresses into documents."""

from __future__ import annotations

import io
import os
import posixpath
import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, BinaryIO
from urllib.parse import unquote, urlsplit

import fsspec

from producer.reports.ingest import DocumentReport
from workers.core.errors import InvalidInput
from workers.core.jobs.params import DocumentParams, parse_params
from workers.core.metadata.fields import NO_METADATA
from workers.sources.addresses import Uploaded
from workers.sources.formats import FORMATS, LINES, URIS, Refused
from workers.sources.lines import documents_of_lines
from workers.sources.sidecars import (
    LONGEST_SIDECAR,
    SIDECAR,
    document_of,
    folded,
    is_almost_sidecar,
    is_sidecar,
    not_read,
    parse_sidecar,
    with_unread,
    without_document,
)

if TYPE_CHECKING:
    from starlette.datastructures import UploadFile

    from producer.api.schemas import TextDocument
    from workers.core.jobs.work import Json
    from workers.core.metadata.fields import Value
    from workers.core.ports import Blobs
    from workers.settings import Settings

_KNOWN = ", ".join(sorted((*FORMATS, LINES)))
_LOCAL = ("file", "local")  # kinds of addresses that mean files of this machine
_UNPACKED = 10  # how many times the largest document's bytes an office file may unpack to
_PACKED_FILES = 5000
_LINES_TOLD = 20  # refused lines of a request that are named; the others are counted
_PATTERN = re.compile(r"[*?\[]")  # signs that the listing reads as a pattern's
_MEMBER = re.compile(r"(^|/)\.\.(/|$)")


class Incoming:
    """Collects the documents of one request.

    Args:
        blobs: takes their bytes.
        settings: how large and how many they may be.
        metadata: of all documents; goes before what each one brings.
    """

    def __init__(self, blobs: Blobs, settings: Settings, metadata: Mapping[str, Value] = NO_METADATA) -> None:
        self._blobs = blobs
        self._settings = settings
        self._metadata = metadata
        self._named: dict[str, DocumentParams] = {}
        self._refused: list[DocumentReport] = []
        self._lines = self._refused_lines = 0
        self._sidecars: dict[str, dict[str, Value]] = {}  # metadata by the name of the document
        self._beside: dict[str, str] = {}  # sidecars, and what resembles them, by their documents, folded
        self._faulty = set[str]()  # documents whose sidecars were refused

    @property
    def documents(self) -> tuple[DocumentParams, ...]:
        """What was taken, in order."""
        return tuple(self._named.values())

    @property
    def refused(self) -> list[DocumentReport]:
        """What was not taken, with reasons; of many lines the first, and how many more there are."""
        untold = self._refused_lines - _LINES_TOLD
        if untold <= 0:
            return list(self._refused)
        more = DocumentReport(uri="further lines", status="failed", error=f"and {untold} more lines")
        return [*self._refused, more]

    def add_text(self, given: TextDocument) -> None:
        """Take a text."""
        name = checked_name("texts.name", given.name)
        source = "blob:" + self._blobs.put(given.text.encode("utf-8"), f".{given.format}")
        told: Json = {"uri": name, "source": source, "format": given.format, "title": given.title}
        told["metadata"] = given.metadata
        self._add(name, parse_params(DocumentParams, told))

    def add_file(self, file: UploadFile) -> None:
        """Take an uploaded file, or each line of a .jsonl file as a document of its own.

        A sidecar (NAME.meta.json) comes before its document.

        What cannot be taken is listed as refused: a file of another suffix, one that is too large or would
        unpack to too much, lists with more lines than a request may bring, and a line that is no document.

        Raises:
            InvalidInput: the file has no name, or one that may be meant to lead somewhere.
        """
        name = checked_name("files", file.filename or "")
        suffix = PurePosixPath(name).suffix.lower()
        most = self._settings.limits.max_document_bytes
        if is_almost_sidecar(name):
            self._refuse(name, not_read(name))
            self._beside[folded(document_of(name))] = name
        elif is_sidecar(name):
            self._add_sidecar(name, file.file.read(LONGEST_SIDECAR + 1))
        elif suffix == LINES:
            self._add_lines(name, file.file)
        elif suffix not in FORMATS:
            self._refuse(name, f"unknown suffix {suffix!r}, known are {_KNOWN}")
        elif name not in self._sidecars and (unread := self._beside.get(folded(name))):
            self._refuse(name, with_unread(unread))
        elif name in self._faulty:
            self._refuse(name, f"its metadata {name}{SIDECAR} cannot be taken")
        elif (file.size or 0) > most:
            self._refuse(name, f"too large: {file.size} bytes, at most {most} are taken")
        else:
            self._add_bytes(name, suffix, file.file.read())

    def _add_sidecar(self, name: str, data: bytes) -> None:
        try:
            self._sidecars[document_of(name)] = parse_sidecar(data)
            self._beside[folded(document_of(name))] = name
        except InvalidInput as error:
            self._refuse(name, str(error))
            self._faulty.add(document_of(name))

    def refuse_sidecars(self) -> None:
        """List those as refused whose documents did not come."""
        for document in self._sidecars:
            self._refuse(document + SIDECAR, without_document(document + SIDECAR))

    def _add_lines(self, name: str, file: BinaryIO) -> None:
        most = self._settings.api_lines
        count = sum(1 for line in file if line.strip())
        if self._lines + count > most:  # before any of them is stored
            allowed = f"a request's .jsonl files may hold {most} lines (setting api_lines)"
            self._refuse(name, f"too long: {count} lines; {allowed}")
            return
        self._lines += count
        file.seek(0)
        check = partial(checked_name, "id")
        keeping = Uploaded(self._blobs, max_bytes=self._settings.limits.max_document_bytes, stores_too=True)
        for named in documents_of_lines(file, name, keeping, check):
            if isinstance(named, Refused):
                self._refuse_line(*named)
            else:
                self._add(named.place, named.document, self._refuse_line)

    def _add_bytes(self, name: str, suffix: str, data: bytes) -> None:
        fault = packed_fault(data, _UNPACKED * self._settings.limits.max_document_bytes)
        if fault:
            self._refuse(name, fault)
            return
        source = "blob:" + self._blobs.put(data, suffix)
        told: Json = {"uri": name, "source": source, "format": FORMATS[suffix]}
        if name in self._sidecars:
            self._beside.pop(folded(name), None)
        told["metadata"] = self._sidecars.pop(name, {})
        self._add(name, parse_params(DocumentParams, told))

    def add_uri(self, uri: str) -> None:
        """Take the address of a document in a store that a setting names.

        Raises:
            InvalidInput: it lies in none of them.
        """
        allowed = allowed_source(uri, self._settings.api_sources)
        suffix = PurePosixPath(urlsplit(uri).path).suffix.lower()
        if suffix not in FORMATS:
            self._refuse(uri, f"unknown suffix {suffix!r}, known are {', '.join(sorted(FORMATS))}")
            return
        told = {"uri": uri, "source": allowed, "format": FORMATS[suffix]}
        self._add(uri, parse_params(DocumentParams, told))

    def _add(
        self, place: str, document: DocumentParams, refuse: Callable[[str, str], None] | None = None
    ) -> None:
        name = document.name or document.uri
        refuse = refuse or self._refuse
        if name in self._named:
            refuse(place, f"the name {name!r} was given before in this request")
            return
        try:
            self._named[name] = document.with_metadata(self._metadata)
        except InvalidInput as error:
            refuse(place, str(error))

    def _refuse_line(self, place: str, reason: str) -> None:
        self._refused_lines += 1
        if self._refused_lines <= _LINES_TOLD:
            self._refuse(place, reason)

    def _refuse(self, place: str, reason: str) -> None:
        self._refused.append(DocumentReport(uri=place, status="failed", error=reason))


def checked_name(field: str, name: str) -> str:
    """Return a document's name, which may have folders and leads nowhere.

    Raises:
        InvalidInput: it is empty, absolute, goes upwards, or holds what no name holds.
    """
    parts = name.split("/")
    plain = name.isprintable() and "\\" not in name and len(name) <= 500  # noqa: PLR2004 - as the schema says
    if (
        not name
        or not plain
        or any(part in ("", ".", "..") for part in parts)
        or re.match(r"[A-Za-z]:", name)
    ):
        allowed = "a file's name, with folders before it or not: no '..', no leading '/', no '\\'"
        raise InvalidInput(field, name, allowed)
    return name


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


def packed_fault(data: bytes, most: int) -> str:
    """Return why an office file is not unpacked, empty if it is: few bytes can unpack to gigabytes."""
    if not data.startswith(b"PK"):
        return ""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            members = packed.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        return f"damaged: {error}"
    return _members_fault(members, most)


def _members_fault(members: Sequence[zipfile.ZipInfo], most: int) -> str:
    if len(members) > _PACKED_FILES:
        return f"holds {len(members)} files, at most {_PACKED_FILES} are unpacked"
    unpacked = sum(member.file_size for member in members)
    if unpacked > most:
        return f"unpacks to {unpacked} bytes, at most {most} are unpacked"
    if any(_MEMBER.search(member.filename) for member in members):
        return "holds files whose names lead outside of it"
    return ""
