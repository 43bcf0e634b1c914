"""The child process that parses one untrusted file, under limits that it sets before reading it.

Run as a script: `parse_child.py FORMAT CONVERTER MEMORY_MB SECONDS MAX_CHARACTERS`; the file on standard
input, one JSON object on standard output: {"text", "title"} or {"error"}. Of hopline it imports two small
modules, so that starting it costs no more than the parser.
"""

from __future__ import annotations

import io
import json
import os
import re
import resource
import signal
import sys
from contextlib import suppress
from typing import Any

_FORBIDDEN = (
    "socket.",
    "subprocess.",
    "os.exec",
    "os.fork",
    "os.posix_spawn",
    "os.system",
    "os.remove",
    "ctypes.",
)
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


def set_limits(memory_mb: int, seconds: int) -> None:
    """Bound memory, processor time, wall time and written files of this process."""
    memory = memory_mb * 1024 * 1024
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.alarm(seconds + 5)


def forbid_side_effects() -> None:
    """From here on no network, no process and no writing; an audit hook cannot be taken off again."""
    sys.addaudithook(_refuse)


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    opened_to_write = event == "open" and isinstance(arguments[2], int) and arguments[2] & _WRITING
    if opened_to_write or event.startswith(_FORBIDDEN):
        raise PermissionError(f"a document tried to cause {event}")


def convert(kind: str, converter: str, stream: io.BytesIO) -> tuple[str, str | None]:
    """Return (Markdown, title) by a converter of markitdown's; no guessing of kinds, no plug-ins."""
    from markitdown import StreamInfo, converters  # noqa: PLC0415 - the limits must stand before it loads

    converting = getattr(converters, converter)()
    forbid_side_effects()
    if kind == "html":
        from workers.ingest.reading.navigation import without_navigation  # noqa: PLC0415

        stream = without_navigation(stream)
    result = converting.convert(stream, StreamInfo(extension=f".{kind}", charset="utf-8"))
    title = result.title
    if kind == "pdf":
        from workers.ingest.reading.pdf_title import pdf_title  # noqa: PLC0415

        with suppress(Exception):  # a text without a title is a text
            stream.seek(0)
            title = pdf_title(stream)
    return result.markdown, title


def tidy(text: str) -> str:
    """Return Markdown with plain line ends, no trailing blanks, and at most one empty line in a row."""
    lines = "\n".join(line.rstrip() for line in re.split(r"\r?\n|\r|\f", text))
    return re.sub(r"\n{3,}", "\n\n", lines).strip()


def describe(error: BaseException) -> str:
    """Return in a reader's words why parsing failed."""
    names = {type(e).__name__ for e in (error, error.__cause__, error.__context__) if e is not None}
    names |= {type(argument).__name__ for argument in error.args}
    if "PDFPasswordIncorrect" in names or "PDFEncryptionError" in names:
        return "encrypted: remove the password and try again"
    if isinstance(error, MemoryError) or "std::bad_alloc" in str(error):
        return "parsing took more memory than allowed"
    return f"cannot be parsed ({type(error).__name__}): {str(error)[:200]}"


def main(
    kind: str, converter: str, memory_mb: int, seconds: int, max_characters: int
) -> dict[str, str | None]:
    """Return what goes to standard output."""
    set_limits(memory_mb, seconds)
    try:
        markdown, title = convert(kind, converter, io.BytesIO(sys.stdin.buffer.read()))
        text = tidy(markdown)
    except Exception as error:  # noqa: BLE001 - whatever a parser raises is this document's fault
        return {"error": describe(error)}
    if len(text) > max_characters:
        return {"error": f"too large: {len(text)} characters of text, at most {max_characters} are read"}
    return {"text": text, "title": title and " ".join(title.split())}


if __name__ == "__main__":
    _kind, _converter, *_numbers = sys.argv[1:]
    _reply = main(_kind, _converter, *map(int, _numbers))
    sys.stdout.write(json.dumps(_reply))
    sys.stdout.flush()
    os._exit(0)  # what the parser's libraries left running is of no interest
