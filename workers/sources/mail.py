"""Separates a mail's text and its attachments."""

from __future__ import annotations

import email
import re
from collections.abc import Callable, Iterator
from email import policy
from email.message import EmailMessage, Message
from functools import partial
from typing import NamedTuple, cast

from hopline.contents import OLE_MARK
from workers.sources.outlook import OutlookError, mail_of

MAIL, MAILBOX = ".eml", ".mbox"
MAILS = (MAIL, ".msg")
_MOST_PARTS = 2_000
_UNNAMED = re.compile(r"[\x00-\x1f/\\:]+")


class MailError(ValueError):
    """A mail that cannot be read; the message tells the submitter why."""


class Attachment(NamedTuple):
    """A file that is attached to a mail."""

    name: str
    read: Callable[[], bytes]  # decodes it


def parse_mail(data: bytes) -> EmailMessage:
    """Return a mail, be it one of Outlook's or as sent.

    Raises:
        MailError: it has too many parts or too deep nesting, or is a damaged Outlook message.
    """
    try:
        is_outlook = data.startswith(OLE_MARK)
        message = mail_of(data) if is_outlook else email.message_from_bytes(data, policy=policy.default)
        for count, part in enumerate(message.walk()):
            if count > _MOST_PARTS:
                raise MailError(f"has more than {_MOST_PARTS} parts")
            _drop_damaged(part)
    except RecursionError as error:
        raise MailError("its parts are nested too deep") from error
    except OutlookError as error:
        raise MailError(str(error)) from error
    except IndexError as error:  # of Python's parser of heads
        raise MailError("the header of one of its parts is damaged") from error
    return message


def _drop_damaged(part: Message) -> None:
    """Forget a name of a file, or how it is shown, that Python's parser of heads fails on."""
    try:
        part.get_filename()
    except IndexError:
        del part["Content-Disposition"]


def texts_of(message: Message) -> Iterator[EmailMessage]:
    """Yield the parts with a mail's text: one of several alternatives, and no attachments."""
    kind = message.get_content_type()
    if kind == "multipart/alternative":
        forms = [list(texts_of(part)) for part in _parts(message)]
        said = [form for form in forms if any(map(_is_filled, form))]
        plain = [form for form in said if all(part.get_content_subtype() == "plain" for part in form)]
        shown = [form for form in said if form not in plain]
        # A table has its columns in HTML alone.
        has_table = any(b"<th" in payload_of(part).lower() for form in shown for part in form)
        yield from (shown[-1] if shown and (has_table or not plain) else plain[0] if plain else [])
    elif kind == "multipart/related":
        yield from texts_of(_parts(message)[0]) if _parts(message) else ()
    elif message.is_multipart() and kind != "message/rfc822":
        for part in _parts(message):
            yield from texts_of(part)
    elif kind in ("text/plain", "text/html", "text/rtf") and not _name_of(message):
        yield cast("EmailMessage", message)


def attachments_of(message: Message) -> Iterator[Attachment]:
    """Yield a mail's attachments: files, and mails as NAME.eml, without pictures in its text."""
    kind = message.get_content_type()
    if kind == "message/rfc822":
        inner = _parts(message)
        if inner:
            name = (
                message.get_filename()
                or f"{str(inner[0].get('subject', ''))[:100].strip() or 'message'}{MAIL}"
            )
            yield Attachment(_in_one_folder(name), inner[0].as_bytes)
    elif message.is_multipart():
        for part in _parts(message):
            yield from attachments_of(part)
    elif (name := _name_of(message)) and not _is_shown(message):
        yield Attachment(name, partial(payload_of, message))


def count_pictures(message: Message) -> int:
    """Return the number of pictures shown within the text of a mail."""
    return sum(part.get_content_maintype() == "image" and _is_shown(part) for part in message.walk())


def _is_shown(part: Message) -> bool:
    """Return whether a part is a picture that the mail's text shows."""
    is_picture = part.get_content_maintype() == "image"
    return is_picture and (part.get_content_disposition() != "attachment") and bool(part.get("content-id"))


def _is_filled(part: Message) -> bool:
    return bool(payload_of(part).strip())


def payload_of(part: Message) -> bytes:
    """Return the bytes of a part that has no parts."""
    return cast("bytes | None", part.get_payload(decode=True)) or b""


def _parts(message: Message) -> list[Message]:
    parts = message.get_payload()
    return cast("list[Message]", parts) if isinstance(parts, list) else []


def _name_of(part: Message) -> str:
    """Return the name of an attached file; "" for a part of the text."""
    name = part.get_filename() or ""
    if not name and part.get_content_disposition() == "attachment":
        name = f"attachment.{part.get_content_subtype()}"
    return _in_one_folder(name)


def _in_one_folder(name: str) -> str:
    return _UNNAMED.sub("_", name).lstrip(". ")
