"""Archives, mailboxes and mails as folders: their members are listed, bounded, and read one at a time."""

from __future__ import annotations

import gzip
import hashlib
import io
import re
import struct
import tarfile
import threading
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import PurePosixPath
from typing import Any, BinaryIO, NamedTuple, cast
from urllib.parse import quote, unquote

from hopline.contents import listed_bytes
from hopline.errors import InvalidInput
from hopline.models.base import Frozen
from workers.core.files import copy_of, slices, spooled
from workers.sources.line_address import line_address
from workers.sources.mail import MAIL, MAILBOX, MAILS, attachments_of, parse_mail

MEMBER = "member:"
INSIDE = "!/"  # in uris, between an archive and its member: "a.zip!/b.pdf"
DEEPEST = 3  # an archive in an archive in an archive
_MOST_MEMBERS = 20_000
_MOST_BYTES = 4_000_000_000  # that the members of one archive unpack to
_MOST_RATIO, _RATIO_FROM = 250, 100_000_000  # bytes unpacked a byte packed, told of what unpacks to more
_MOST_LISTED = 32_000_000  # bytes of a zip's directory
_MOST_AT_ONCE = 1_000_000  # bytes of a tar's header
_MOST_NESTED = 500_000_000  # bytes of a member that is unpacked to be looked into
_MOST_MAIL = 64_000_000  # bytes of a mail, which is taken apart in memory
_SHOWN = 200  # characters of a name that is refused
_HEAD = 8_000  # bytes of a mail in which its Message-ID is looked for
_MESSAGE_ID = re.compile(rb"^Message-ID:\s*<([^<>\s]{1,200})>", re.IGNORECASE | re.MULTILINE)
_NAMELESS = re.compile(r"[^\w.@+=-]+")
_MOST_NAMES = 1_000  # of members, which decide the encoding of all
# Encodings of Chinese, Japanese, Korean and Cyrillic programs, as chardet names them.
_OF_NAMES = frozenset(
    ("gb18030", "cp932", "shift_jis", "big5", "big5hkscs", "cp949", "euc_kr", "euc_jp", "cp866")
)
_ENCRYPTED, _UTF_8 = 0x1, 0x800  # flags of a zip's member
_FORM = re.compile(r"member:([0-9a-f]{16}):([^:]+):(.+)", re.DOTALL)
_DAMAGED = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    EOFError,
    NotImplementedError,  # of a zip: a way to pack that Python does not know
    ValueError,
    struct.error,
)


class MemberAddress(Frozen):
    """The address of a file in an archive; the digest shows whether it has changed since it was listed."""

    digest: str
    path: str
    archive: str  # its address: an fsspec address, blob:REF, or that of a member of another archive

    def __str__(self) -> str:
        """Return it as a document's source."""
        return f"{MEMBER}{self.digest}:{quote(self.path)}:{self.archive}"


def member_address(source: str) -> MemberAddress | None:
    """Parse the address of a member; None if it is not one."""
    match = _FORM.fullmatch(source)
    return match and MemberAddress(digest=match[1], path=unquote(match[2]), archive=match[3])


def file_of(source: str) -> str:
    """Return the address of the file in which a document lies: a line of a list, a member of an archive."""
    while member := member_address(source):
        source = member.archive
    line = line_address(source)
    return line.address if line else source


class _Member(NamedTuple):
    size: int
    digest: str
    open: Callable[[], BinaryIO]  # to be read from its beginning to its end


class Archive:
    """A zip or tar archive, with what of fsspec's file systems listing needs.

    Args:
        file: the archive; it can be sought, and is open for as long as members are read.
        source: where workers find it; may be set before a member is named.
        address: address of the archive; its members are ADDRESS!/PATH.
        outer: the file system that it lies in.

    Raises:
        InvalidInput: it is damaged, unpacks to too much, or names files outside of itself.
    """

    protocol = ("member",)

    def __init__(self, file: BinaryIO, source: str, address: str, outer: Any = None) -> None:
        self.source, self.address = source, address
        self.depth: int = outer.depth + 1 if isinstance(outer, Archive) else 1
        self.refused: list[tuple[str, str]] = []  # what is no file, or leads out of it, and why
        self._members: dict[str, _Member] = {}
        self._folders: dict[str, dict[str, dict[str, Any]]] = {"": {}}
        with _readable():
            start = file.read(4)
            file.seek(0)
            for path, member in _members_of(file, address.lower(), start):
                self._add(path, member)

    def _add(self, name: str, member: _Member | str) -> None:
        name = name.replace("\\", "/")
        parts = [part for part in name.split("/") if part not in ("", ".")]
        if name.startswith("/") or ".." in parts or re.match(r"[A-Za-z]:", name) or not name.isprintable():
            member = "its name leads out of the archive, or cannot be shown"
        if isinstance(member, str):
            self.refused.append((f"{self.address}{INSIDE}{ascii(name[:_SHOWN])[1:-1]}", member))
            return
        path = "/".join(parts)
        self._members[path] = member
        folder = ""
        for part in parts[:-1]:
            below = f"{folder}/{part}" if folder else part
            self._folders[folder].setdefault(part, {"name": below, "type": "directory"})
            folder = below
            self._folders.setdefault(folder, {})
        self._folders[folder][parts[-1]] = {"name": path, "type": "file", "size": member.size}

    @property
    def files(self) -> int:
        """Number of files it holds."""
        return len(self._members)

    @property
    def unpacked_bytes(self) -> int:
        """Bytes of all of them together."""
        return sum(member.size for member in self._members.values())

    def ls(self, folder: str, *, detail: bool) -> list[dict[str, Any]]:  # noqa: ARG002 - as fsspec calls it
        """Return the contents of a folder, as in fsspec."""
        return list(self._folders[folder].values())

    def invalidate_cache(self, _folder: str) -> None:
        """Keep the list; fsspec's stores would forget it."""

    def unstrip_protocol(self, path: str) -> str:
        """Return the address of a member."""
        return f"{self.address}{INSIDE}{path}"

    def source_of(self, path: str) -> str:
        """Return where workers find a member."""
        return str(MemberAddress(digest=self._members[path].digest, path=path, archive=self.source))

    def open(self, path: str, _mode: str) -> BinaryIO:
        """Return a member, unpacked, as a file that can be sought.

        Raises:
            InvalidInput: it is too large for that, or cannot be unpacked.
        """
        with self.stream(path, self._members[path].digest, _MOST_NESTED) as member:
            return copy_of(member)[0]

    def cat_file(self, path: str, start: int | None = None, end: int | None = None) -> bytes:
        """Return a member's bytes, of a small one.

        Raises:
            InvalidInput: it cannot be unpacked.
        """
        with self.open(path, "rb") as member:
            member.seek(start or 0)
            return member.read(-1 if end is None else end - (start or 0))

    @contextmanager
    def stream(self, path: str, digest: str, most: int) -> Iterator[BinaryIO]:
        """Open a member that was listed earlier, to be read once.

        Raises:
            InvalidInput: it has changed, or is larger than `most`; within the block, it cannot be unpacked.
        """
        member = self._members.get(path)
        if member is None or member.digest != digest:
            message = "its archive has changed since it was listed; ingest the archive again"
            raise InvalidInput("archive", path, "the archive as it was listed", message=message)
        if member.size > most:
            message = f"too large: {member.size} bytes, at most {most} are read"
            raise InvalidInput("archive", path, f"at most {most} bytes", message=message)
        with _readable(), member.open() as file:
            yield file


@contextmanager
def _readable() -> Iterator[None]:
    try:
        yield
    except InvalidInput:
        raise
    except RuntimeError as error:  # as zipfile tells of a password
        raise _refusal("is encrypted: unpack it with its password, and ingest its files") from error
    except _DAMAGED as error:
        raise _refusal(f"damaged, or compressed in an unsupported way: {error}") from error


def _refusal(message: str) -> InvalidInput:
    return InvalidInput("archive", "", "a zip or tar archive that can be unpacked", message=message)


def _check_bounds(count: int, unpacked: int, packed: int) -> None:
    if count > _MOST_MEMBERS:
        raise _refusal(f"holds more than {_MOST_MEMBERS} files: unpack it, and ingest the folder")
    if unpacked > _MOST_BYTES or unpacked > max(_RATIO_FROM, _MOST_RATIO * packed):
        raise _refusal(f"refused: {packed} bytes would unpack to {unpacked} or more (a zip bomb?)")


def _members_of(file: BinaryIO, name: str, start: bytes) -> Iterator[tuple[str, _Member | str]]:
    if name.endswith(MAILS):
        return _attached(file)
    if name.endswith(MAILBOX):
        return _mails(file)
    return _zipped(file) if start.startswith(b"PK") else _tarred(file)


def _attached(file: BinaryIO) -> Iterator[tuple[str, _Member | str]]:
    """Yield the files that are attached to a mail; of two with one name the second is called `a (2).pdf`."""
    names = Counter[str]()
    if (size := file.seek(0, io.SEEK_END)) > _MOST_MAIL:
        raise _refusal(f"a mail of {size} bytes; at most {_MOST_MAIL} are read")
    file.seek(0)
    for name, read in attachments_of(parse_mail(file.read())):
        data = read()
        names[name] += 1
        path = PurePosixPath(name)
        called = name if names[name] == 1 else f"{path.stem} ({names[name]}){path.suffix}"
        yield called, _Member(len(data), _digest(data), partial(io.BytesIO, data))


def _mails(file: BinaryIO) -> Iterator[tuple[str, _Member | str]]:
    """Yield the mails of a mailbox, each called by its Message-ID, or else by its number."""
    lock, names = threading.Lock(), set[str]()
    for count, (start, size, head) in enumerate(_mail_bounds(file), start=1):
        _check_bounds(count, 0, 0)
        known = _MESSAGE_ID.search(head)
        name = _NAMELESS.sub("_", known[1].decode("ascii", "replace")) if known else ""
        name = name if name and name not in names else f"{count:06}"
        names.add(name)
        part = cast("Callable[[], BinaryIO]", partial(_Part, file, lock, start, size))
        yield f"{name}{MAIL}", _Member(size, _digest(head + f"{size}".encode()), part)


def _mail_bounds(file: BinaryIO) -> Iterator[tuple[int, int, bytes]]:
    """Yield where each mail of a mailbox begins, how long it is, and the beginning of its heads."""
    at, start, head, was_empty = 0, -1, bytearray(), True
    while line := file.readline(_MOST_AT_ONCE):
        if was_empty and line.startswith(b"From "):
            if start >= 0:
                yield start, at - start, bytes(head)
            start, head = at + len(line), bytearray()
        elif len(head) < _HEAD:
            head += line[: _HEAD - len(head)]
        was_empty = not line.strip()
        at += len(line)
    if start < 0:
        raise _refusal("not a mailbox, whatever its name says: it has no line 'From …' before a mail")
    yield start, at - start, bytes(head)


class _Part(io.BufferedIOBase):
    """A part of a file, read by several threads through separate objects."""

    def __init__(self, file: BinaryIO, lock: threading.Lock, start: int, size: int) -> None:
        self._file, self._lock = file, lock
        self._at, self._end = start, start + size

    def read(self, size: int | None = -1, /) -> bytes:
        left = self._end - self._at
        with self._lock:
            self._file.seek(self._at)
            data = self._file.read(left if size is None or size < 0 else min(size, left))
        self._at += len(data)
        return data


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=8).hexdigest()


def _zipped(file: BinaryIO) -> Iterator[tuple[str, _Member | str]]:
    packed = file.seek(0, io.SEEK_END)
    if (listed := listed_bytes(file)) > _MOST_LISTED:
        raise _refusal(f"its list of files has {listed} bytes, at most {_MOST_LISTED} are read")
    archive = zipfile.ZipFile(file)
    entries = [entry for entry in archive.infolist() if not entry.is_dir()]
    _check_bounds(len(entries), sum(entry.file_size for entry in entries), packed)
    encoding = _encoding_of(entries)
    for entry in entries:
        digest = f"{entry.CRC:08x}{entry.file_size & 0xFFFFFFFF:08x}"

        def opened(entry: zipfile.ZipInfo = entry) -> BinaryIO:
            if entry.flag_bits & _ENCRYPTED:
                raise RuntimeError(entry.filename)
            return cast("BinaryIO", archive.open(entry))

        yield _name_of(entry, encoding), _Member(entry.file_size, digest, opened)


def _encoding_of(entries: Sequence[zipfile.ZipInfo]) -> str:
    """Return the encoding of names that do not say theirs: cp437, as in zip, or that of a language."""
    raw = b"\n".join(
        entry.filename.encode("cp437", "replace")
        for entry in entries[:_MOST_NAMES]
        if not entry.flag_bits & _UTF_8 and not entry.filename.isascii()
    )
    if not raw:
        return "utf-8"
    from chardet import detect  # noqa: PLC0415 - its models take 36 MB, and few archives need them

    guess = str(detect(raw, compat_names=False)["encoding"]).lower()
    for encoding in ("utf-8", guess if guess in _OF_NAMES else ""):
        with suppress(UnicodeError, LookupError):
            if raw.decode(encoding).replace("\n", "").isprintable():
                return encoding
    return "cp437"


def _name_of(entry: zipfile.ZipInfo, encoding: str) -> str:
    """Return a member's name, since zipfile reads names without an encoding as cp437."""
    if entry.flag_bits & _UTF_8 or entry.filename.isascii():
        return entry.filename
    try:
        return entry.filename.encode("cp437").decode(encoding)
    except UnicodeError:
        return entry.filename


class _Bounded(io.BufferedIOBase):
    """A tar archive of which no header is read that would fill the memory."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def read(self, size: int | None = -1, /) -> bytes:
        if size is None or not 0 <= size <= _MOST_AT_ONCE:
            raise _refusal(f"one of its headers has {size} bytes, at most {_MOST_AT_ONCE} are read")
        return self._file.read(size)

    def seek(self, place: int, whence: int = io.SEEK_SET, /) -> int:
        return self._file.seek(place, whence)

    def tell(self) -> int:
        return self._file.tell()


def _tarred(file: BinaryIO) -> Iterator[tuple[str, _Member | str]]:
    plain, lock = _unpacked(file), threading.Lock()
    packed, unpacked = file.seek(0, io.SEEK_END), 0
    plain.seek(0)
    count = 0
    with tarfile.open(fileobj=_Bounded(plain), mode="r:") as archive:
        for entry in archive:
            count += not entry.isdir()
            unpacked += entry.size
            _check_bounds(count, unpacked, packed)
            if entry.isdir():
                continue
            if not entry.isreg() or entry.issparse():
                yield entry.name, "a link, a device or a file with holes, none of which is read"
                continue

            known = f"{entry.offset_data} {entry.size} {entry.mtime} {entry.chksum}"
            part = cast("Callable[[], BinaryIO]", partial(_Part, plain, lock, entry.offset_data, entry.size))
            yield entry.name, _Member(entry.size, _digest(known.encode()), part)


def _unpacked(file: BinaryIO) -> BinaryIO:
    """Return a tar archive without its gzip."""
    mark = file.read(2)
    packed = file.seek(0, io.SEEK_END)
    file.seek(0)
    if mark != b"\x1f\x8b":
        return file
    plain = spooled()
    with gzip.GzipFile(fileobj=file) as unpacking:
        for part in slices(cast("BinaryIO", unpacking), lambda done: _check_bounds(0, done, packed)):
            plain.write(part)
    return plain
