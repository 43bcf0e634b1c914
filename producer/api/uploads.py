"""Turns a request's files, texts and addresses into documents."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, BinaryIO
from urllib.parse import urlsplit

from hopline.contents import MOST_LISTED, listed_bytes
from hopline.errors import InvalidInput
from hopline.models.documents import DocumentReport
from hopline.models.formats import ARCHIVES, LINES, is_archive, unknown_suffix
from hopline.models.metadata import NO_METADATA
from hopline.sidecars import (
    LONGEST_SIDECAR,
    SIDECAR,
    document_of,
    folded,
    is_almost_sidecar,
    is_sidecar,
    not_read,
    with_unread,
    without_document,
)
from producer.service.sources import Listing, expand_sources
from workers.core.jobs.params import DocumentParams, parse_params
from workers.sources.addresses import InPlace, Uploaded
from workers.sources.archives import Archive
from workers.sources.documents import Lister
from workers.sources.formats import FORMATS, Refused, format_of_file
from workers.sources.line_address import LONGEST_LINE
from workers.sources.lines import documents_of_lines
from workers.sources.mail import MAILS
from workers.sources.places import allowed_source
from workers.sources.sidecars import parse_sidecar

if TYPE_CHECKING:
    from starlette.datastructures import UploadFile

    from hopline.models.documents import TextDocument
    from hopline.models.jobs import Json
    from hopline.models.metadata import Value
    from workers.core.ports import Blobs
    from workers.settings import Settings

_UNPACKED = 200_000_000  # bytes that an office file or an archive may unpack to
_TIMES = 10  # a large archive may unpack to so many times its bytes
_PICTURES = 2  # times a large one unpacks to so much: most of it are pictures and films, which are not read
_PACKED_FILES = 5000
_MEMBERS = 20_000  # of all archives of a request
_LINES_TOLD = 20  # refused lines of a request that are named; the others are counted
_MEMBER = re.compile(r"(^|/)\.\.(/|$)")


class Incoming:
    """Collects the documents of one request.

    Args:
        blobs: stores their bytes.
        settings: limits of their size and number.
        metadata: fields for all documents, which override their own.
        code: whether source code is accepted.
    """

    def __init__(
        self,
        blobs: Blobs,
        settings: Settings,
        metadata: Mapping[str, Value] = NO_METADATA,
        *,
        code: bool = False,
    ) -> None:
        self._code = code
        self._blobs = blobs
        self._settings = settings
        self._metadata = metadata
        self.places: Sequence[str] = ()  # that were named as they are
        self.listing = Listing()  # of these places
        self._named: dict[str, DocumentParams] = {}
        self._refused: list[DocumentReport] = []
        self._lines = self._refused_lines = self._members = 0
        self._sidecars: dict[str, dict[str, Value]] = {}  # metadata by the name of the document
        self._beside: dict[str, str] = {}  # sidecars, and what resembles them, by their documents, folded
        self._faulty = set[str]()  # documents whose sidecars were refused

    @property
    def documents(self) -> tuple[DocumentParams, ...]:
        """Accepted documents, in order."""
        return tuple(self._named.values())

    @property
    def refused(self) -> list[DocumentReport]:
        """Refused documents, with reasons; for many lines, the first ones and the number of the others."""
        untold = self._refused_lines - _LINES_TOLD
        if untold <= 0:
            return list(self._refused)
        more = DocumentReport(uri="further lines", status="failed", error=f"and {untold} more lines")
        return [*self._refused, more]

    def add_places(self, places: Sequence[str]) -> None:
        """Accept the documents of any paths and addresses that the user who runs the server may name.

        Workers read them in place, unless a blob store is set, because then they may not see these paths.

        Raises:
            InvalidInput: the caller no longer waits.
        """
        self.places = places
        expansion = expand_sources(
            places,
            self._blobs,
            upload=bool(self._settings.blob_url),
            metadata=self._metadata,
            listing=self.listing,
            code=self._code,
        )
        self._named |= {document.name or document.uri: document for document in expansion.documents}
        for refused in expansion.refused:
            self._refuse(*refused)

    def add_text(self, text: TextDocument, place: str) -> None:
        """Accept a text, which errors name by its place in the request: texts.2."""
        name = checked_name(f"{place}.name", text.name)
        source = "blob:" + self._blobs.put(text.text.encode("utf-8"), f".{text.format}")
        fields: Json = {"uri": name, "source": source, "format": text.format, "title": text.title}
        fields["metadata"] = text.metadata
        self._add(name, parse_params(DocumentParams, fields))

    def add_file(self, file: UploadFile) -> None:
        """Accept an uploaded file, or each line of a .jsonl file as a separate document.

        A sidecar (NAME.meta.json) must come before its document.

        Refused are files with other suffixes, files that are too large or would unpack to too much, lists
        with too many lines, and lines that are not documents.

        Raises:
            InvalidInput: the file has no name, or an unsafe one.
        """
        name = checked_name("files", file.filename or "")
        suffix = PurePosixPath(name).suffix.lower()
        most = self._settings.limits.max_document_bytes
        if is_almost_sidecar(name):
            self._refuse(name, not_read(name))
            self._beside[folded(document_of(name))] = name
        elif is_sidecar(name):
            self._add_sidecar(name, file.file.read(LONGEST_SIDECAR + 1))
        elif suffix in LINES:
            self._add_lines(name, file.file)
        elif not is_archive(name) and not (kind := format_of_file(name, file.file, code=self._code)):
            self._refuse(name, unknown_suffix(suffix, (*FORMATS, *LINES, *ARCHIVES)))
        elif name not in self._sidecars and (unread := self._beside.get(folded(name))):
            self._refuse(name, with_unread(unread))
        elif name in self._faulty:
            self._refuse(name, f"its metadata {name}{SIDECAR} cannot be taken")
        elif (file.size or 0) > most:
            self._refuse(name, f"too large: {file.size} bytes, at most {most} are taken")
        elif is_archive(name):
            self._add_archive(name, file.file, self._sidecars.pop(name, {}))
        else:
            metadata = self._sidecars.get(name, {})
            self._add_document(name, kind, file.file)
            if suffix in MAILS:
                file.file.seek(0)
                self._add_archive(name, file.file, metadata)

    def _add_sidecar(self, name: str, data: bytes) -> None:
        try:
            self._sidecars[document_of(name)] = parse_sidecar(data)
            self._beside[folded(document_of(name))] = name
        except InvalidInput as error:
            self._refuse(name, str(error))
            self._faulty.add(document_of(name))

    def refuse_sidecars(self) -> None:
        """List sidecars without documents as refused."""
        for document in self._sidecars:
            self._refuse(document + SIDECAR, without_document(document + SIDECAR))

    def _add_lines(self, name: str, file: BinaryIO) -> None:
        most = self._settings.api_lines
        count = _count_lines(file)
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

    def _add_archive(self, name: str, file: BinaryIO, metadata: Mapping[str, Value]) -> None:
        """Accept each file in an archive as a separate document, with the metadata of the archive."""
        try:
            archive = Archive(file, "", name)
        except InvalidInput as error:
            self._refuse(name, str(error))
            return
        self._beside.pop(folded(name), None)
        if fault := self._archive_fault(archive, file.seek(0, io.SEEK_END)):
            self._refuse(name, fault)
            return
        self._members += archive.files
        archive.source = "blob:" + self._blobs.put_file(file, PurePosixPath(name).suffix.lower())
        lister = Lister(InPlace(), follow_links=False, confined=True, code=self._code)
        for named in lister.members(archive, metadata):
            if isinstance(named, Refused):
                self._refuse_line(*named)
            else:
                self._add(named.place, named.document, self._refuse_line)

    def _archive_fault(self, archive: Archive, size: int) -> str:
        """Return why the files of an archive are refused; "" if they are accepted."""
        unpacked, most = archive.unpacked_bytes, max(_UNPACKED, _TIMES * size)
        if unpacked > most:
            return f"unpacks to {unpacked} bytes, at most {most} are unpacked"
        if self._members + archive.files > _MEMBERS:
            return (
                f"holds {archive.files} files; a request's archives may hold {_MEMBERS}: send fewer at a time"
            )
        return ""

    def _add_document(self, name: str, kind: str, file: BinaryIO) -> None:
        if fault := packed_fault(file):
            self._refuse(name, fault)
            return
        source = "blob:" + self._blobs.put_file(file, PurePosixPath(name).suffix.lower())
        fields: Json = {"uri": name, "source": source, "format": kind}
        if name in self._sidecars:
            self._beside.pop(folded(name), None)
        fields["metadata"] = self._sidecars.pop(name, {})
        self._add(name, parse_params(DocumentParams, fields))

    def add_uri(self, uri: str) -> None:
        """Accept the address of a document in a store that a setting names.

        Raises:
            InvalidInput: it is in none of them.
        """
        allowed = allowed_source(uri, self._settings.api_sources)
        suffix = PurePosixPath(urlsplit(uri).path).suffix.lower()
        if suffix not in FORMATS:
            self._refuse(uri, unknown_suffix(suffix, FORMATS))
            return
        fields = {"uri": uri, "source": allowed, "format": FORMATS[suffix], "confined": True}
        self._add(uri, parse_params(DocumentParams, fields))

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
    """Return a document's name, which may include folders.

    Raises:
        InvalidInput: it is empty, absolute, leads upwards, or contains characters that no name has.
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


def _count_lines(file: BinaryIO) -> int:
    """Count the non-blank lines, with little memory however long they are."""
    count, is_open, has_text = 0, False, False  # whether a line has begun, and holds more than blanks
    while part := file.readline(LONGEST_LINE):
        has_text = (has_text and is_open) or bool(part.strip())
        is_open = not part.endswith(b"\n")
        count += has_text and not is_open
    return count + (has_text and is_open)


def packed_fault(file: BinaryIO) -> str:
    """Return why an office file is not unpacked, or "": few bytes can unpack to gigabytes."""
    file.seek(0)
    if file.read(2) != b"PK":
        return ""
    try:
        if (listed := listed_bytes(file)) > MOST_LISTED:
            return f"its list of files has {listed} bytes, at most {MOST_LISTED} are read"
        with zipfile.ZipFile(file) as packed:
            members = packed.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        return f"damaged: {error}"
    most = max(_UNPACKED, _PICTURES * file.seek(0, io.SEEK_END))
    if len(members) > _PACKED_FILES:
        return f"holds {len(members)} files, at most {_PACKED_FILES} are unpacked"
    if (unpacked := sum(member.file_size for member in members)) > most:
        return f"unpacks to {unpacked} bytes, at most {most} are unpacked"
    leads_out = any(_MEMBER.search(member.filename) for member in members)
    return "holds files whose names lead outside of it" if leads_out else ""
