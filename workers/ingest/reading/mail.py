"""Reads a mail: sender, recipients, date and text; attachments are separate documents."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from email.message import EmailMessage, Message
from email.utils import parsedate_to_datetime

from hopline.errors import DocumentUnreadable
from workers.ingest.reading import rich_text
from workers.ingest.reading.blocks import Block, Quality, Reading, UnreadableError, count_signs
from workers.ingest.reading.html import reader as html
from workers.ingest.reading.loose_parts import decoded
from workers.sources.mail import MailError, attachments_of, count_pictures, parse_mail, payload_of, texts_of

_SHOWN = ("Subject", "From", "To", "Cc", "Date")
_PEOPLE = ("to", "cc")
_QUOTED = re.compile(r"\s?>")
_SIGNATURE = "-- "  # a line before the sender's details, whose blank says nothing of where a line ends
_REPLACED = "\ufffd"


def read(data: bytes, options: dict[str, str]) -> Reading:
    """Return the contents of a mail: headers as lines `Subject: …`, and its text.

    Lines quoted from earlier mails are separate paragraphs, each line still after its `>`.

    Args:
        data: bytes of the mail.
        options: not used.

    Raises:
        UnreadableError: it is not a mail, or it has too many parts or too deep nesting.
    """
    del options
    try:
        message = parse_mail(data)
    except MailError as error:
        raise UnreadableError(str(error)) from error
    heads = {name: value for name in _SHOWN if (value := _head(message, name))}
    if not heads:
        raise UnreadableError("not a mail, whatever its name says: it has no sender, subject or date")
    blocks = [Block("paragraph", f"{name}: {value}", part="message head") for name, value in heads.items()]
    said: list[Block] = []
    left_out = Counter(
        {"picture": count_pictures(message), "attachment": sum(1 for _ in attachments_of(message))}
    )
    replaced = 0
    for part in texts_of(message):
        kind = part.get_content_subtype()
        text = "" if kind == "rtf" else text_of(part)
        replaced += text.count(_REPLACED)
        if kind in ("html", "rtf"):
            shown = html.read(text.encode(), {}) if text else rich_text.read(payload_of(part), {})
            said += shown.blocks
            left_out += shown.left_out
        else:
            is_flowed = part.get_param("format", "") == "flowed"
            said += [Block("paragraph", run) for run in _paragraphs(text, is_flowed=is_flowed)]
    blocks += [replace(block, part="message body") for block in said]
    return Reading(
        blocks,
        heads.get("Subject", ""),
        +left_out,
        Quality(signs=count_signs(blocks), replaced_bytes=replaced),
        _metadata(heads),
    )


def _head(message: EmailMessage, name: str) -> str:
    try:
        value = str(message.get(name, ""))
    except Exception:  # noqa: BLE001 - the parser of headers fails in many ways on what it does not know
        value = _raw_head(message, name)
    if _REPLACED in value:  # it stands in bytes of some encoding, which says nothing of itself
        data = _raw_head(message, name).encode("utf-8", "surrogateescape")
        value = _in_detected(data, value)
    value = value.encode("utf-8", "replace").decode()
    return " ".join(value.split())


def _raw_head(message: EmailMessage, name: str) -> str:
    return next((str(raw) for key, raw in message.raw_items() if key.lower() == name.lower()), "")


def _metadata(heads: dict[str, str]) -> dict[str, str | list[str]]:
    """Return the headers as metadata: from, to and cc as lists, and the day of the date."""
    fields: dict[str, str | list[str]] = {}
    for name in ("From", "To", "Cc"):
        if heads.get(name):
            said = heads[name]
            fields[name.lower()] = _people(said) if name.lower() in _PEOPLE else said
    with suppress(ValueError):  # there is none, or it says no day
        fields["date"] = parsedate_to_datetime(heads.get("Date", "")).date().isoformat()
    return fields


def _people(said: str) -> list[str]:
    """Return the people in a header; commas within quotes do not separate."""
    return [person.strip() for person in re.findall(r'(?:"[^"]*"|[^,"])+', said) if person.strip()]


def text_of(part: Message) -> str:
    """Decode a part in its charset, or another one that fits; invalid bytes become U+FFFD."""
    data = payload_of(part)
    text = decoded(data, part.get_content_charset("utf-8"))
    is_page = part.get_content_subtype() == "html"
    return _in_detected(data, text, is_page=is_page) if _REPLACED in text else text


def _in_detected(data: bytes, text: str, *, is_page: bool = False) -> str:
    """Decode a text that is not valid in its charset in the detected encoding."""
    from workers.ingest.reading import encoding  # noqa: PLC0415 - few mails need it

    try:
        declared = encoding.declared_encoding(data) if is_page else None
        return encoding.decode_text(data, declared, is_page=is_page).text
    except DocumentUnreadable:
        return encoding.short_western_text(data) or text


def _paragraphs(text: str, *, is_flowed: bool) -> Iterator[str]:
    """Yield runs of lines, separated at empty lines and where quoted lines begin and end."""
    run: list[str] = []
    was_quoted = False
    for line in text.splitlines():
        is_quoted = _QUOTED.match(line) is not None
        if run and (not line.strip() or is_quoted != was_quoted):
            yield "\n".join(run)
            run = []
        was_quoted = is_quoted
        if not line.strip():
            continue
        # RFC 3676: of a flowed text a line that ends with a blank goes on in the next.
        goes_on = is_flowed and run and run[-1].endswith(" ") and run[-1] != _SIGNATURE and not is_quoted
        if goes_on:
            run[-1] += line
        else:
            run.append(line if is_flowed else line.rstrip())
    if run:
        yield "\n".join(run)
