"""Configures and controls supervisord, which keeps the stack's programs running."""

from __future__ import annotations

import os
import pwd
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from tempfile import gettempdir
from typing import Any
from xmlrpc.client import Fault, ProtocolError, ServerProxy

import psutil
import structlog

from infra.local.files import write_file
from infra.local.launch import FILE as ENVIRONMENT_FILE
from infra.local.process import Program, StartFailed, last_lines
from infra.local.settings import SUPERVISOR_FILE

_log = structlog.get_logger()

_SUPERVISOR = "from infra.local.forking import main; main()"
MARK = "HOPLINE_STACK"  # in the environment of every program: which stack it belongs to
_SOCKET_PATH_LIMIT = 90  # bytes; the kernel's is 107, and supervisord adds its process id
_START_SECONDS = 15.0
_DIRECTORY = re.compile(r"^directory=(.+)$", re.MULTILINE)

_HEAD = """\
; Written by hopline's local stack.
[supervisord]
logfile=%(here)s/log/supervisord.log
logfile_maxbytes=5MB
logfile_backups=2
pidfile=%(here)s/supervisord.pid
directory={directory}
umask=077
{user}
[unix_http_server]
file={socket}
chmod=0700

[rpcinterface:supervisor]
supervisor.rpcinterface_factory=supervisor.rpcinterface:make_main_rpcinterface

[rpcinterface:hopline]
supervisor.rpcinterface_factory=infra.local.forking:make_interface
"""
# Both kinds are given time to end by themselves, a worker for the items it works on; what it does not
# finish, the ledger gives to another.
_STOP_SECONDS = 20
_SERVERS, _WORK = 1, 2  # priorities: supervisord ends those of the greater one first
_PROGRAM = """
[program:{name}]
; {mark_of_read}
command={command}
priority={priority}
environment=HOPLINE_VAR="{var}",{mark}="{var}"{more}
autostart=false
autorestart=true
startsecs=1
startretries=2
stopwaitsecs={stop_seconds}
stopasgroup=true
killasgroup=true
redirect_stderr=true
stdout_logfile=%(here)s/log/{name}.log
stdout_logfile_maxbytes=10MB
stdout_logfile_backups=3
"""


def socket_path(var: Path) -> Path:
    """Return supervisord's socket: in var/, or elsewhere if that path is too long for a socket."""
    beside = var / "supervisor.sock"
    if len(os.fsencode(beside)) <= _SOCKET_PATH_LIMIT:
        return beside
    return Path(gettempdir()) / f"hopline-{os.getuid()}-{sha256(os.fsencode(var)).hexdigest()[:12]}.sock"


def configuration(var: Path, servers: Mapping[str, str], work: Mapping[str, str]) -> str:
    """Return supervisord's configuration.

    Args:
        var: the stack's folder.
        servers: sections of the servers by name, from `section`.
        work: sections of the stack's own programs.
    """
    head = _HEAD.format(
        directory=_escaped(str(Path.cwd())),
        user=_user(),
        socket=_escaped(str(socket_path(var))),
    )
    return head + "".join([*servers.values(), *work.values()])


def head_of(config: str) -> str:
    """Return the part of a configuration before the programs' sections."""
    return config.partition("\n[program:")[0]


def section(program: Program, var: Path, read: str, *, is_work: bool) -> str:
    """Return a program's section of the configuration; if it changes, the program must be restarted.

    Args:
        program: the program to run.
        var: the stack's folder.
        read: a hash of what it reads when it starts, apart from its files.
        is_work: whether it uses the stack's servers, and so must stop before them.
    """
    digest = sha256(read.encode())
    for path in program.reads:
        digest.update(path.read_bytes())
    command = program.command
    if is_work:
        launch = (sys.executable, "-m", "infra.local.launch", str(var / ENVIRONMENT_FILE))
        command = (*launch, *command)
    return _PROGRAM.format(
        name=program.name,
        mark_of_read=digest.hexdigest(),
        command=_escaped(shlex.join(command)),
        priority=_WORK if is_work else _SERVERS,
        var=_escaped(str(var)),
        mark=MARK,
        more="".join(f',{name}="{_escaped(value)}"' for name, value in program.environment.items()),
        stop_seconds=_STOP_SECONDS,
    )


def started_in(var: Path) -> Path | None:
    """Return the folder in which the stack was last started; None before its first start."""
    try:
        text = (var / SUPERVISOR_FILE).read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    match = _DIRECTORY.search(text)
    return Path(match[1].replace("%%", "%")) if match else None


def _escaped(text: str) -> str:
    return text.replace("%", "%%")  # supervisord expands %(…)s


def _user() -> str:
    """Return the line that allows running as root, if root runs it."""
    return f"user={pwd.getpwuid(0).pw_name}\n" if os.getuid() == 0 else ""


def connect(var: Path) -> Any | None:
    """Return supervisord's API, or None if none runs for this folder."""
    if find_spec("supervisor") is None:
        return None  # a server without the extra `local` runs no stack
    calls = _server(var).supervisor
    try:
        calls.getPID()
    except (OSError, Fault):
        return None
    return calls


def _server(var: Path) -> ServerProxy:
    from supervisor.xmlrpc import SupervisorTransport  # noqa: PLC0415 - of the extra `local`

    transport = SupervisorTransport(serverurl=f"unix://{socket_path(var)}")
    return ServerProxy("http://localhost", transport=transport)


def preload(var: Path) -> None:
    """Have supervisord import what the stack's own programs share: they start sooner, and take less memory.

    Where it cannot, each imports it for itself.
    """
    try:
        _server(var).hopline.preload()
    except (Fault, ProtocolError, OSError) as error:
        _log.warning("supervisord.not_preloaded", reason=str(error))


def start_supervisor(var: Path, config: str) -> Any:
    """Start supervisord with this configuration and return its API.

    Raises:
        StartFailed: it refuses the configuration or does not respond.
    """
    path = var / SUPERVISOR_FILE
    write_file(path, config, secret=True)
    (var / "log").mkdir(exist_ok=True)
    command = [sys.executable, "-c", _SUPERVISOR, "-c", str(path)]
    # Its forks keep its environment, by which `end_orphans` knows them.
    environment = os.environ | {MARK: str(var)}
    began = subprocess.run(  # noqa: S603 - our own module
        command, capture_output=True, text=True, check=False, timeout=60, env=environment
    )
    deadline = time.monotonic() + _START_SECONDS
    while began.returncode == 0 and time.monotonic() < deadline:
        calls = connect(var)
        if calls is not None:
            return calls
        time.sleep(0.05)
    message = began.stderr.strip() or last_lines(var / "log" / "supervisord.log")
    raise StartFailed(f"supervisord did not start:\n{message}")


def stop_work(calls: Any, seconds: float = 60.0) -> None:
    """Stop the stack's own programs in parallel, before the servers that they use."""
    work = [info["name"] for info in calls.getAllConfigInfo() if info["process_prio"] == _WORK]
    for name in work:
        with suppress(Fault):  # it does not run
            calls.stopProcess(name, False)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and any(calls.getProcessInfo(name)["pid"] for name in work):
        time.sleep(0.05)


def remove_program(calls: Any, name: str) -> None:
    """Stop a program and remove it from supervisord."""
    with suppress(Fault):  # it does not run
        calls.stopProcess(name)
    calls.removeProcessGroup(name)


def stop_supervisor(var: Path, seconds: float = 60.0) -> bool:
    """Stop supervisord with all programs; return False if none ran."""
    calls = connect(var)
    if calls is None:
        return False
    process = psutil.Process(calls.getPID())
    stop_work(calls)
    calls.shutdown()
    try:
        process.wait(seconds)
    except psutil.TimeoutExpired:
        process.kill()
    return True


def end_orphans(var: Path) -> int:
    """Stop programs of this stack whose supervisord was killed; return their number."""
    orphans = [process for process in psutil.process_iter() if _mark(process) == str(var)]
    for process in orphans:
        _quietly(process.terminate)
    _, left = psutil.wait_procs(orphans, timeout=20)
    for process in left:
        _quietly(process.kill)
    psutil.wait_procs(left, timeout=5)
    return len(orphans)


def _mark(process: psutil.Process) -> str | None:
    try:
        return None if process.pid == os.getpid() else process.environ().get(MARK)
    except psutil.Error:
        return None  # another user's, or ended meanwhile


def _quietly(end: Any) -> None:
    try:
        end()
    except psutil.NoSuchProcess:
        return
