"""Peak memory of a process, as Linux counts it, and large files to read meanwhile."""

import base64
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

_TESTS = Path(__file__).parents[1]
_PATH = os.pathsep.join((str(_TESTS.parent), str(_TESTS)))


def reset_peak() -> int:
    """Begin to measure; return the megabytes that this process holds now."""
    Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")
    return peak()


def peak() -> int:
    """Return the megabytes that this process held at most since it was reset."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    assert found
    return int(found[1]) // 1024


def run_measured(script: str, *arguments: object) -> dict[str, str]:
    """Run Python in a process of its own; return the NAME=VALUE lines that it prints."""
    done = subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)],
        capture_output=True, text=True, timeout=600, check=False, env=os.environ | {"PYTHONPATH": _PATH},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)


def write_mailbox(path: Path, mails: int, each: int) -> Path:
    """Write a mailbox of so many mails of about so many bytes; the first says something short."""
    with path.open("wb") as file:
        for number in range(mails):
            filler = base64.encodebytes(os.urandom(each * 3 // 4))
            file.write(
                b"From ann@example.org Mon Jan  1 00:00:00 2024\n"
                b"From: Ann <ann@example.org>\nTo: bo@example.org\nSubject: Rents\n"
                b"Message-ID: <%d@example.org>\n\nThe rent of mill %d is 430 euros.\n\n" % (number, number)
            )
            file.write((filler if number else b"") + b"\n")
    return path


def write_zip(path: Path, size: int) -> Path:
    """Write a zip of a film of so many bytes within a presentation's name, and of a short text."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed:
        with packed.open("large.pdf", "w") as file:
            file.write(b"%PDF-1.7\n")
            for _ in range(size // 1_000_000):
                file.write(os.urandom(1_000_000))
        packed.writestr("rents.txt", "The rent of the wind mill is 430 euros.")
    return path
