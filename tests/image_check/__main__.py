"""`python -m image_check`: builds the image, runs docker-compose.yml from it, prints what was shown."""

from __future__ import annotations

import argparse
import fcntl
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import NoReturn

from rich.console import Console

from hopline.errors import HoplineError
from hopline.models.base import Frozen
from image_check.course import Course, Shown, print_table
from image_check.image import Builder, Image
from image_check.machine import ALONE, Unfit, prepare_machine
from image_check.revision import write_revision
from image_check.upgrade import Upgrade
from infra.local.files import write_file

_SOURCE = Path(__file__).resolve().parents[2]
_TAG, _TAG_BEFORE = "hopline:image-check", "hopline:image-check-before"
_BEFORE = "before"  # the folder of an earlier revision's files
_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 1  # linux/sockios.h, linux/if.h
_BUILT = "built.json"


class Built(Frozen):
    """What the first half leaves for the second."""

    image: Image
    before: Image | None  # that of an earlier revision
    shown: tuple[Shown, ...]


def main() -> int:
    """Do what the command line says; errors are told in words."""
    parser = argparse.ArgumentParser(prog="python -m image_check", description=__doc__)
    parser.add_argument("--or-skip", action="store_true", help="end well where this machine cannot run it")
    parser.add_argument(
        "--patience",
        type=float,
        default=1,
        help="factor for the times of health checks and jobs, on a busy machine",
    )
    parser.add_argument(
        "--before",
        metavar="REVISION",
        default="",
        help="show the upgrade from this revision's image, and the way back, instead of restarts",
    )
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)  # the second half, with a built image
    arguments = parser.parse_args()
    console = Console(highlight=False)
    try:
        if arguments.inside:
            return _run(arguments.inside, console, arguments.patience)
        return _check(console, arguments.patience, arguments.before, or_skip=arguments.or_skip)
    except HoplineError as error:
        console.print(f"error: {error}", style="red", markup=False, soft_wrap=True)
        return 1


def _check(console: Console, patience: float, before: str, *, or_skip: bool) -> int:
    try:
        prepare_machine()
    except Unfit as error:
        console.print(f"{'skipped' if or_skip else 'error'}: {error}", markup=False, soft_wrap=True)
        return 0 if or_skip else 1
    signal.signal(signal.SIGTERM, _leave)
    with _folder() as folder:
        write_file(folder / _BUILT, _build(folder, console, before).model_dump_json())
        again = (sys.executable, "-m", "image_check", "--patience", str(patience))
        command = (*ALONE, "--net", *again, "--inside", str(folder))
        return subprocess.run(command, cwd=_SOURCE, check=False).returncode


def _build(folder: Path, console: Console, before: str) -> Built:
    if before:
        write_revision(_SOURCE, before, folder / _BEFORE)
    console.print("Building the image; its log:", str(folder / "log" / "build.log"))
    began = time.monotonic()
    base = Builder(_SOURCE, folder).prepare_base()
    lines = [Shown(subject="base", outcome=base, seconds=time.monotonic() - began)]

    def build(source: Path, tag: str, subject: str) -> Image:
        began = time.monotonic()
        image = Builder(source, folder).build(tag, base)
        seconds = time.monotonic() - began
        lines.append(Shown(subject=subject, outcome=f"the image, user {image.user}", seconds=seconds))
        return image

    earlier = build(folder / _BEFORE, _TAG_BEFORE, f"build {before}") if before else None
    return Built(image=build(_SOURCE, _TAG, "build"), before=earlier, shown=tuple(lines))


def _run(folder: Path, console: Console, patience: float) -> int:
    """Run the services, in name spaces of this process's own."""
    _raise_loopback()
    built = Built.model_validate_json((folder / _BUILT).read_text(encoding="utf-8"))
    course = _course(built, folder, console, patience)
    try:
        course.run()
    finally:
        print_table(console, (*built.shown, *course.shown))
    return 0


def _course(built: Built, folder: Path, console: Console, patience: float) -> Course:
    if built.before is None:
        return Course(_SOURCE, folder, built.image, console, patience)
    images = (built.before, built.image)
    return Upgrade((folder / _BEFORE, _SOURCE), folder, images, console, patience)


def _raise_loopback() -> None:
    """Bring the loopback of a new network up: it is down at first."""
    with socket.socket() as any_socket:
        request = struct.pack("16sh14x", b"lo", 0)
        flags = struct.unpack("16sh14x", fcntl.ioctl(any_socket, _SIOCGIFFLAGS, request))[1]
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", flags | _IFF_UP))


def _leave(number: int, _frame: FrameType | None) -> NoReturn:
    """End by an exception, so that what runs is ended and the folder removed."""
    raise SystemExit(128 + number)


@contextmanager
def _folder() -> Iterator[Path]:
    """Make a folder for a run and remove it after it, unless something is still mounted below."""
    folder = Path(tempfile.mkdtemp(prefix="hopline-image-")).resolve()
    try:
        yield folder
    finally:
        _remove(folder)


def _remove(folder: Path) -> None:
    mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8")
    if str(folder) in mounts:  # a tool's mounts are gone with it; what is here is somebody's
        sys.stderr.write(f"{folder} stays: something is mounted below it\n")
    else:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    raise SystemExit(main())
