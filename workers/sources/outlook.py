"""Reads messages of Outlook (.msg) as mails: properties ([MS-OXPROPS]) in a compound file ([MS-OXMSG])."""

from __future__ import annotations

import codecs
import io
import re
import struct
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.parser import HeaderParser
from email.utils import format_datetime, formataddr

import olefile
from compressed_rtf import decompress

_SUBJECT, _SENDER, _SENDER_ADDRESS, _SENDER_SMTP = 0x0037, 0x0C1A, 0x0C1F, 0x5D01
_SUBMITTED, _DELIVERED = 0x0039, 0x0E06
_TO, _CC = 0x0E04, 0x0E03
_PLAIN, _RICH, _HTML = 0x1000, 0x1009, 0x1013
_CODE_PAGES = (0x3FDE, 0x3FFD)  # of the internet, of the message
_NAME, _ADDRESS, _SMTP, _KIND_OF_RECIPIENT = 0x3001, 0x3003, 0x39FE, 0x0C15
_DATA, _LONG_NAME, _SHORT_NAME, _MEDIA_TYPE, _CONTENT_ID = 0x3701, 0x3707, 0x3704, 0x370E, 0x3712
_MESSAGE_ID, _SENT_HEADS = 0x1035, 0x007D
_TEXT, _OLD_TEXT, _BYTES, _STORAGE = 0x001F, 0x001E, 0x0102, 0x000D  # types of properties
_HEADS_OF_RECIPIENTS = {1: "To", 2: "Cc"}
_MEDIA = re.compile(r"[\w.+-]{1,60}/[\w.+-]{1,100}", re.ASCII)
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
_DEEPEST = 10  # messages within one another
_MOST_PARTS = 2_000
# Errors that olefile raises for a damaged or malicious compound file.
_BROKEN = (OSError, ValueError, IndexError, KeyError, TypeError, AttributeError, struct.error, OverflowError)


class OutlookError(ValueError):
    """A message that cannot be read; the error text tells the submitter why."""


def mail_of(data: bytes) -> EmailMessage:
    """Return a message of Outlook as a mail with the same heads, texts and attachments.

    Raises:
        OutlookError: it is broken, no message, or one with too many others within one another.
    """
    try:
        with olefile.OleFileIO(io.BytesIO(data)) as file:
            return _Message(_File(file, 2 * len(data)), (), 32).mail()
    except OutlookError:
        raise
    except _BROKEN as error:
        raise OutlookError(f"broken, or not an Outlook message ({error})") from error


class _File:
    """A compound file. At most twice its size is read from it, because its entries may share bytes."""

    def __init__(self, file: olefile.OleFileIO, most: int) -> None:
        self._file, self._most = file, most
        self._paths = [tuple(path) for path in file.listdir(streams=True, storages=True)]
        self.parts = 0

    def read(self, path: tuple[str, ...]) -> bytes | None:
        if (
            not self._file.exists("/".join(path))
            or self._file.get_type("/".join(path)) != olefile.STGTY_STREAM
        ):
            return None
        self._most -= self._file.get_size("/".join(path))
        if self._most < 0:
            raise OutlookError("refused: its parts are larger than the file")
        data: bytes = self._file.openstream("/".join(path)).read()
        return data

    def below(self, path: tuple[str, ...], start: str) -> list[tuple[str, ...]]:
        """Return the storages in one whose names begin so, in order."""
        depth = len(path) + 1
        found = {
            each
            for each in self._paths
            if len(each) == depth and each[:-1] == path and each[-1].startswith(start)
        }
        self.parts += len(found)
        if self.parts > _MOST_PARTS:
            raise OutlookError(f"has more than {_MOST_PARTS} parts")
        return sorted(found)


class _Properties:
    """The properties of a message, a recipient or an attachment."""

    def __init__(self, file: _File, path: tuple[str, ...], heads: int) -> None:
        self.file, self.path = file, path
        fixed = file.read((*path, "__properties_version1.0"))
        if fixed is None:
            raise OutlookError("not an Outlook message: it has no properties")
        fixed = fixed[heads:]
        self._fixed = {
            tag: value
            for _type, tag, _flags, value in struct.iter_unpack("<HHI8s", fixed[: len(fixed) // 16 * 16])
        }
        self.code_page = "cp1252"

    def number(self, tag: int) -> int:
        return int.from_bytes(self._fixed.get(tag, b"")[:4], "little")

    def time(self, tag: int) -> datetime | None:
        ticks = int.from_bytes(self._fixed.get(tag, b""), "little")  # of 100 nanoseconds
        return _EPOCH + timedelta(microseconds=ticks // 10) if ticks else None

    def bytes(self, tag: int, kind: int = _BYTES) -> bytes | None:
        return self.file.read((*self.path, f"__substg1.0_{tag:04X}{kind:04X}"))

    def text(self, tag: int) -> str:
        if (data := self.bytes(tag, _TEXT)) is not None:
            return data.decode("utf-16-le", "replace").rstrip("\0")
        return (self.bytes(tag, _OLD_TEXT) or b"").decode(self.code_page, "replace").rstrip("\0")

    def line(self, tag: int) -> str:
        return _in_one_line(self.text(tag))


class _Message(_Properties):
    def __init__(self, file: _File, path: tuple[str, ...], heads: int) -> None:
        super().__init__(file, path, heads)
        self.code_page = next((page for tag in _CODE_PAGES if (page := _codec(self.number(tag)))), "cp1252")

    def mail(self, depth: int = 0) -> EmailMessage:
        if depth > _DEEPEST:
            raise OutlookError(f"messages are nested more than {_DEEPEST} deep")
        mail = EmailMessage()
        sent = HeaderParser().parsestr(self.text(_SENT_HEADS))  # as they were before Outlook's own
        for name, value in self._heads().items():
            if value := _in_one_line(str(sent.get(name, ""))) or value:
                mail[name] = value
        self._add_texts(mail)
        for path in self.file.below(self.path, "__attach_version1.0_#"):
            self._attach(mail, _Properties(self.file, path, 8), depth)
        return mail

    def _heads(self) -> dict[str, str]:
        heads = {
            "Subject": self.line(_SUBJECT),
            "From": _person(self.line(_SENDER), self.line(_SENDER_SMTP) or self.line(_SENDER_ADDRESS)),
        }
        people: dict[str, list[str]] = {"To": [], "Cc": []}
        for path in self.file.below(self.path, "__recip_version1.0_#"):
            one = _Properties(self.file, path, 8)
            one.code_page = self.code_page
            person = _person(one.line(_NAME), one.line(_SMTP) or one.line(_ADDRESS))
            people.get(_HEADS_OF_RECIPIENTS.get(one.number(_KIND_OF_RECIPIENT), ""), []).append(person)
        shown = {"To": self.line(_TO), "Cc": self.line(_CC)}
        heads |= {name: ", ".join(filter(None, people[name])) or shown[name] for name in people}
        when = self.time(_SUBMITTED) or self.time(_DELIVERED)
        return heads | {"Date": format_datetime(when) if when else "", "Message-ID": self.line(_MESSAGE_ID)}

    def _add_texts(self, mail: EmailMessage) -> None:
        plain, page = self.text(_PLAIN), self.bytes(_HTML)
        html = page.decode(self.code_page, "replace") if page is not None else self.text(_HTML)
        if plain.strip():
            mail.set_content(plain)
        if html.strip() and plain.strip():
            mail.add_alternative(html, subtype="html")
        elif html.strip():
            mail.set_content(html, subtype="html")
        elif not plain.strip() and (rich := self.bytes(_RICH)):
            mail.set_content(_unpacked(rich), "text", "rtf", disposition="inline")

    def _attach(self, mail: EmailMessage, part: _Properties, depth: int) -> None:
        part.code_page = self.code_page
        name = part.line(_LONG_NAME) or part.line(_SHORT_NAME) or part.line(_NAME)
        inner = (*part.path, f"__substg1.0_{_DATA:04X}{_STORAGE:04X}")
        if self.file.read((*inner, "__properties_version1.0")) is not None:
            mail.add_attachment(_Message(self.file, inner, 24).mail(depth + 1))
            return
        data = part.bytes(_DATA)
        if data is None:
            return
        stated = part.line(_MEDIA_TYPE)
        main, _, sub = (stated if _MEDIA.fullmatch(stated) else "application/octet-stream").partition("/")
        mail.add_attachment(data, main, sub, filename=name or "attachment")
        if main == "image" and (content_id := part.line(_CONTENT_ID).strip("<>")):  # the text shows it
            shown = list(mail.iter_attachments())[-1]
            shown.replace_header("Content-Disposition", "inline")
            shown["Content-ID"] = f"<{content_id}>"


def _unpacked(rich: bytes) -> bytes:
    try:
        unpacked: bytes = decompress(rich)
    except Exception as error:  # which the library raises as such
        raise OutlookError(f"its text is damaged ({error})") from error
    return unpacked


def _codec(number: int) -> str:
    """Return Python's name of a code page of Windows; "" for one that it does not know."""
    name = {65001: "utf-8", 20127: "ascii", 28591: "cp1252", 936: "gb18030", 1200: "utf-16-le"}.get(number)
    try:
        return codecs.lookup(name or f"cp{number}").name if number else ""
    except LookupError:
        return ""


def _person(name: str, address: str) -> str:
    """Return somebody as heads of mails do; an address within Exchange says nothing to others."""
    known = address if "@" in address else ""
    if not known or name.strip("'\"") in ("", known):
        return known or name
    return formataddr((name, known))


def _in_one_line(text: str) -> str:
    return " ".join(text.split())
