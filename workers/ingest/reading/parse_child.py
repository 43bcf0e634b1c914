"""The child process that parses one untrusted file, under limits that it sets before reading it.

Run as a script: `parse_child.py FILE READER MEMORY_MB SECONDS MAX_CHARACTERS`. FILE is the descriptor of the
file, which is open. On standard input there is a JSON object with the options of reading, {"password": "",
"recognised": "", "suffix": ""}; on standard output one JSON object: {"text", "title", "places", "left_out",
"quality", "metadata", "pictured"} or {"error"}. READER names a module with `read(data, options)`, which has
`MAPS_FILE` where it takes a file that is mapped. It imports only hopline's reader of this format, so that
starting it costs no more than the parser.
"""

from __future__ import annotations

import importlib
import json
import mmap
import os
import resource
import signal
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workers.ingest.reading.blocks import FileBytes

_FORBIDDEN = (
    "socket.",
    "subprocess.",
    "os.exec",
    "os.fork",
    "os.posix_spawn",
    "os.system",
    "os.remove",
    "os.rename",
    "os.mkdir",
    "os.rmdir",
    "os.symlink",
    "os.link",
    "os.truncate",
    "shutil.",
    "ctypes.",
)
_VIEWS = ("ctypes.cdata", "ctypes.cdata/buffer")  # of memory: so pdfium is given the mapped file
_OURS = Path(__file__).resolve().parents[3]  # the hopline that started it, and no other
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


def set_limits(memory_mb: int, seconds: int, mapped: int = 0) -> None:
    """Bound memory, processor time, wall time and written files of this process.

    Args:
        memory_mb: megabytes of address space.
        seconds: seconds of processor time.
        mapped: bytes of a file, which take address space and no memory.
    """
    memory = memory_mb * 1024 * 1024 + mapped
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.alarm(seconds + 5)


def forbid_side_effects() -> None:
    """Permanently forbid network, new processes, writing, and reading anything except packages.

    An audit hook cannot be removed; for C libraries, the kernel enforces this if it can.
    """
    from workers.ingest.reading.confinement import confine, readable  # noqa: PLC0415 - found once the path is set

    ours = (_OURS / "workers", _OURS / "hopline")
    confine(*ours)
    may_be_read = tuple(f"{place.resolve()}" for place in readable(*ours))

    def refuse(event: str, arguments: tuple[Any, ...]) -> None:
        if (event.startswith(_FORBIDDEN) and event not in _VIEWS) or (
            event == "open" and not _may_open(arguments, may_be_read)
        ):
            raise PermissionError(f"a document tried to cause {event}")

    sys.addaudithook(refuse)


def _may_open(arguments: tuple[Any, ...], may_be_read: tuple[str, ...]) -> bool:
    """Return whether a file is opened for reading and belongs to Python or hopline."""
    place, _mode, flags = arguments
    if isinstance(flags, int) and flags & _WRITING:
        return False
    return isinstance(place, int) or os.path.realpath(os.fsdecode(place)).startswith(may_be_read)


def contents_of(file: int, *, is_mapped: bool) -> FileBytes:
    """Return the contents of a file without moving its descriptor's position, which the parent shares.

    Args:
        file: its descriptor.
        is_mapped: whether to map the file, so that only needed parts are read into memory.
    """
    if not os.fstat(file).st_size:
        return b""
    mapped = mmap.mmap(file, 0, access=mmap.ACCESS_COPY)  # ctypes takes nothing that is read-only
    return mapped if is_mapped else mapped[:]


def read(reader: str, file: int, options: dict[str, str], max_characters: int) -> dict[str, Any]:
    """Return a reader's result: text, title, places, left-out parts, quality."""
    from workers.ingest.reading.stored_text import stored_text  # noqa: PLC0415 - found once the path is set

    module = importlib.import_module(reader)
    forbid_side_effects()
    reading = module.read(contents_of(file, is_mapped=getattr(module, "MAPS_FILE", False)), options)
    text, places = stored_text(reading, max_characters)
    return {
        "text": text,
        "title": reading.title,
        "places": places,
        "left_out": dict(reading.left_out),
        "quality": asdict(reading.quality),
        "metadata": reading.metadata,
        "pictured": reading.pictured,
    }


def describe(error: BaseException) -> str:
    """Return in a reader's words why parsing failed."""
    from workers.ingest.reading.blocks import UnreadableError  # noqa: PLC0415 - found once the path is set

    if isinstance(error, UnreadableError):
        return str(error)
    if isinstance(error, MemoryError) or "std::bad_alloc" in str(error):
        return "parsing took more memory than allowed"
    return f"cannot be parsed ({type(error).__name__}): {str(error)[:200]}"


def main(file: int, reader: str, memory_mb: int, seconds: int, max_characters: int) -> dict[str, Any]:
    """Return the output for standard output."""
    set_limits(memory_mb, seconds, os.fstat(file).st_size)
    try:
        return read(reader, file, json.load(sys.stdin.buffer), max_characters)
    except Exception as error:  # noqa: BLE001 - whatever a parser raises is this document's fault
        return {"error": describe(error)}


if __name__ == "__main__":
    sys.path.insert(0, str(_OURS))
    _file, _reader, *_numbers = sys.argv[1:]
    _reply = main(int(_file), _reader, *map(int, _numbers))
    sys.stdout.write(json.dumps(_reply))
    sys.stdout.flush()
    os._exit(0)  # what the parser's libraries left running is of no interest
