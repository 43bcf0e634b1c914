"""A container without an engine: a process in name spaces of its own, below an image's files.

Run as a script with FILE, in a new mount and UTS name space, it becomes the process that the file
describes. All mounts are gone with its name space.
"""

from __future__ import annotations

import ctypes
import os
import socket
import subprocess
import sys
from pathlib import Path

from hopline.models.base import Frozen

_PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS = 24, 38  # linux/prctl.h
_LAST_CAPABILITY = Path("/proc/sys/kernel/cap_last_cap")
_DEVICES = {"null": (1, 3), "zero": (1, 5), "full": (1, 7), "random": (1, 8), "urandom": (1, 9)}
_TMPFS = "mode=1777,noexec,nosuid,nodev"  # as Docker mounts one


class Container(Frozen):
    """What is to be run, and where."""

    name: str  # of the machine that it sees itself on
    root: Path
    binds: dict[str, Path] = {}  # path below root -> what lies there
    tmpfs: tuple[str, ...] = ()
    read_only: bool = False
    drops_rights: bool = False
    user: tuple[int, int]  # uid, gid
    folder: str
    command: tuple[str, ...]
    environment: dict[str, str]


def launch(file: Path) -> tuple[str, ...]:
    """Return the command that becomes the process of a file; its id stays the same all the way."""
    script = (sys.executable, "-P", str(Path(__file__).resolve()), str(file))
    return ("unshare", "--mount", "--uts", "--", *script)


def entrance(pid: int, user: tuple[int, int], command: tuple[str, ...]) -> tuple[str, ...]:
    """Return what runs a command beside the process of this id, as `docker exec` does."""
    spaces = ("nsenter", "--target", str(pid), "--mount", "--uts", "--root", "--wd")
    return (*spaces, f"--setgid={user[1]}", f"--setuid={user[0]}", "--", *command)


def is_inside(pid: int, root: Path) -> bool:
    """Return whether a process has reached an image's files; before that it sees those of the machine."""
    try:
        return Path("/proc", str(pid), "root", ".").samefile(root)
    except OSError:
        return False


def become(container: Container) -> None:
    """Turn this process, root in a mount and UTS name space of its own, into the container's."""
    socket.sethostname(container.name)
    _mount_all(container)
    # Below the image's files this interpreter finds none of its modules: from here on it loads nothing.
    last_capability = int(_LAST_CAPABILITY.read_text(encoding="utf-8"))
    os.chroot(container.root)
    os.chdir(container.folder)
    uid, gid = container.user
    if container.drops_rights:
        _drop_rights(last_capability)
    os.setgroups([])
    os.setgid(gid)
    os.setuid(uid)
    os.execvpe(container.command[0], container.command, container.environment)  # noqa: S606 - no shell


def _mount_all(container: Container) -> None:
    root = container.root
    _mount("--bind", str(root), str(root))
    _mount("-t", "proc", "proc", str(root / "proc"))
    _mount("-t", "tmpfs", "-o", "mode=755,nosuid", "dev", str(root / "dev"))
    _make_devices(root / "dev")
    for path, source in container.binds.items():
        _mount("--bind", str(source), str(root / path.lstrip("/")))
    for path in container.tmpfs:
        _mount("-t", "tmpfs", "-o", _TMPFS, "tmpfs", str(root / path.lstrip("/")))
    if container.read_only:
        _mount("-o", "remount,bind,ro", str(root))


def _make_devices(folder: Path) -> None:
    mask = os.umask(0)
    for name, (major, minor) in _DEVICES.items():
        os.mknod(folder / name, 0o020666, os.makedev(major, minor))
    (folder / "shm").mkdir()
    os.umask(mask)
    (folder / "fd").symlink_to("/proc/self/fd")
    _mount("-t", "tmpfs", "-o", _TMPFS, "shm", str(folder / "shm"))


def _mount(*words: str) -> None:
    subprocess.run(("mount", *words), check=True)


def _drop_rights(last: int) -> None:
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    for capability in range(last + 1):
        _check(prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0))
    _check(prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))


def _check(result: int) -> None:
    if result:
        raise OSError(ctypes.get_errno(), "prctl")


if __name__ == "__main__":
    become(Container.model_validate_json(Path(sys.argv[1]).read_text(encoding="utf-8")))
