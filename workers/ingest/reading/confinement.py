"""Confines a process to reading its own packages, with Linux's Landlock (5.13 and newer).

This also covers C libraries, which Python's audit hooks never see. Newer kernels (6.7, 6.12) also block
network, signals to other processes and abstract sockets. Constants: linux/landlock.h.
"""

from __future__ import annotations

import ctypes
import os
import sys
import sysconfig
from pathlib import Path

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # system calls, the same on all machines
_VERSION, _BENEATH = 1, 1  # flag of the first; kind of rule
_NO_NEW_PRIVILEGES = 38  # of prctl
_EXECUTE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 2, 1 << 3
_ALL_ACCESS = {1: 13, 2: 14, 3: 15, 4: 15}  # version -> how many kinds of access to files it knows
_MOST_ACCESS = 16  # of version 5, with ioctl
_NETWORK_FROM, _SCOPES_FROM = 4, 6  # versions
_TCP, _SCOPES = 0b11, 0b11  # bind and connect; abstract sockets and signals
# What the loader of libraries, and libraries for C and for time, read; a file that is not there is left out.
_SYSTEM = (
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/etc/ld.so.cache",
    "/usr/share/zoneinfo",
    "/dev/urandom",
)


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("access", ctypes.c_uint64), ("parent", ctypes.c_int32))


def landlock_version() -> int:
    """Return the kernel's version of Landlock; 0 if it has none, or it is turned off."""
    if not sys.platform.startswith("linux"):
        return 0
    return max(0, int(_libc().syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _VERSION)))


def confine(*packages: Path) -> bool:
    """Limit this process to reading Python, its packages and these folders, and to writing nothing.

    Open files stay open. The limit cannot be removed.

    Returns:
        Whether the kernel supports this.
    """
    version = landlock_version()
    if not version:
        return False
    libc = _libc()
    rules = _Ruleset(
        files=(1 << _ALL_ACCESS.get(version, _MOST_ACCESS)) - 1,
        network=_TCP if version >= _NETWORK_FROM else 0,
        scoped=_SCOPES if version >= _SCOPES_FROM else 0,
    )
    size = 24 if version >= _SCOPES_FROM else 16 if version >= _NETWORK_FROM else 8
    ruleset = libc.syscall(_CREATE_RULESET, ctypes.byref(rules), ctypes.c_size_t(size), 0)
    if ruleset < 0:
        return False
    for place in readable(*packages):
        _allow(libc, ruleset, place)
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    restricted = bool(libc.syscall(_RESTRICT_SELF, ruleset, 0) == 0)
    os.close(ruleset)
    return restricted


def readable(*packages: Path) -> tuple[Path, ...]:
    """Return the folders and files that a confined process may read, with these packages."""
    pythons = {Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    return (*packages, *map(Path, _SYSTEM), *pythons)


def _allow(libc: ctypes.CDLL, ruleset: int, place: Path) -> None:
    try:
        parent = os.open(place, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    access = _READ_FILE | _READ_DIR | _EXECUTE if place.is_dir() else _READ_FILE
    rule = _Beneath(access=access, parent=parent)
    libc.syscall(_ADD_RULE, ruleset, _BENEATH, ctypes.byref(rule), 0)
    os.close(parent)


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
