"""The local stack: `up` starts missing parts and waits until all are ready; `down` stops them."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock
from rich.console import Console

from hopline.machine import var_folder
from infra.local.files import write_file
from infra.local.jars import fetch_jars
from infra.local.launch import FILE as ENVIRONMENT_FILE
from infra.local.launch import KEPT
from infra.local.parts import Part, servers, work, write_environment
from infra.local.process import Running, StartFailed, is_ready, last_lines
from infra.local.settings import (
    STARTED_FILE,
    SUPERVISOR_FILE,
    LocalSettings,
    cache_folder,
    code_fingerprint,
    load_local_settings,
    settings_fingerprint,
    settings_in_environment,
)
from infra.local.state import State, prepare_state
from infra.local.supervise import (
    MARK,
    configuration,
    connect,
    end_orphans,
    head_of,
    preload,
    remove_program,
    section,
    start_supervisor,
    stop_supervisor,
    stop_work,
)
from infra.local.work import worker_program
from workers.services import Services
from workers.settings import load_settings

# For a program that neither ends nor answers; on a busy machine a worker has taken two minutes to start.
_READY_SECONDS = 240.0
_DRAIN_SECONDS = 60.0  # for the second worker of a queue to end what it holds
_QUEUES = ("interactive", "bulk", "submissions")  # whose items somebody waits for
_OUR_SERVERS = ("vectors", "model")  # those that run code of this repository
_OF_MODELS = ("HOPLINE_MODEL", "HOPLINE_EMBEDDING", "HOPLINE_PRICE")
_WITHOUT_MODELS = ("flower", "beat")
_GIVEN_UP = ("FATAL", "UNKNOWN")  # supervisord's words; EXITED is on its way to a restart


def up(console: Console, *, tools_port: int | None = None, servers_only: bool = False) -> None:
    """Start the stack; running parts stay, unless their settings or code have changed.

    Changed parts are restarted: servers first, then workers, one after the other, while a second worker takes
    the queue's items.

    Args:
        console: prints progress.
        tools_port: port of a second Neo4j for the tools, if the settings name neither such a server nor its
            port. The next start without it stops that server and keeps its data.
        servers_only: start no workers, API, Flower or beat, and stop running ones, so that nothing uses the
            servers.

    Raises:
        StartFailed: a part does not start; the text names it, with the end of its log.
        HoplineError: something that it needs is missing.
        ValidationError: a setting is wrong.
    """
    began = time.monotonic()
    settings, var = load_local_settings().with_tools(tools_port), var_folder().resolve()
    load_settings()  # what workers and the API would refuse is refused before anything starts
    with _alone(var):
        if settings.runs_neo4j or settings.runs_tools:
            fetch_jars(console, cache_folder(settings.cache))
        calls = connect(var)
        if calls is None:
            end_orphans(var)
        state = prepare_state(var, settings, running=calls is not None)
        _bring_up(console, var, settings, state, servers_only=servers_only)
    console.print(f"Up after {time.monotonic() - began:.0f} s. Logs: {var / 'log'}")


def down(console: Console) -> None:
    """Stop all parts and keep their data."""
    ran = end_stack(var_folder().resolve())
    console.print("The stack is down; its data stays." if ran else "Nothing was running.")


def end_stack(var: Path) -> bool:
    """Stop all parts of this folder's stack; return whether any ran."""
    if not var.is_dir():
        return False
    with _alone(var):
        ran = stop_supervisor(var)
        return bool(end_orphans(var)) or ran


@contextmanager
def _alone(var: Path) -> Iterator[None]:
    """Allow only one `up` or `down` at a time for this folder."""
    var.mkdir(parents=True, exist_ok=True)
    with FileLock(var / ".lock"):
        yield


def _bring_up(
    console: Console, var: Path, settings: LocalSettings, state: State, *, servers_only: bool
) -> None:
    serving = servers(settings, var, state)
    write_environment(settings, var, state)
    environment = {name: value for name, value in settings_in_environment().items() if name not in KEPT}
    write_file(var / ENVIRONMENT_FILE, json.dumps(environment), secret=True)
    load_settings.cache_clear()
    from workers.app import app  # noqa: PLC0415 - it reads stack.env when it is imported

    working = work(var, state, app)
    code = code_fingerprint()
    of_servers = {part.program.name: _section_of_server(part, var, code) for part in serving}
    of_work = {part.program.name: _section_of_work(part, var, code) for part in working}
    calls, started = _supervisor(var, configuration(var, of_servers, of_work), console)
    run = _Stack(console, calls, var, started, of_servers | of_work)
    for part in serving:
        run.replace(part)
    run.begin(serving)
    if working and not servers_only:
        preload(var)  # while the servers start
    run.start(serving)
    if servers_only:
        stop_work(calls)
        return
    _migrate()
    for part in working:
        run.replace(part, app)
    run.start(working)


def _section_of_server(part: Part, var: Path, code: str) -> str:
    """Return the configuration of a server; some servers are code of this repository."""
    return section(part.program, var, code if part.program.name in _OUR_SERVERS else "", is_work=False)


def _section_of_work(part: Part, var: Path, code: str) -> str:
    """Return the configuration of one of the stack's own programs, which read the settings."""
    unread = _OF_MODELS if part.program.name in _WITHOUT_MODELS else ()
    return section(part.program, var, f"{code} {settings_fingerprint(var, unread)}", is_work=True)


def _migrate() -> None:
    """Bring the graph's constraints and indexes up to date before a worker checks them."""
    services = Services(load_settings())
    try:
        services.graph.migrate()
    finally:
        services.close()


class _Stack:
    """The programs of a supervisord, some of which may still run with earlier settings or code.

    Args:
        console: prints progress.
        calls: supervisord's API.
        var: the stack's folder.
        started: each program's configuration at its last start, by name.
        wanted: each program's desired configuration, by name.
    """

    def __init__(
        self, console: Console, calls: Any, var: Path, started: dict[str, str], wanted: Mapping[str, str]
    ) -> None:
        self._console, self._calls, self._var = console, calls, var
        self._started, self._wanted = started, wanted
        self._named = set[str]()  # programs already reported as up
        for name in self._known() - wanted.keys():
            remove_program(calls, name)
        for name in wanted.keys() - self._known():
            calls.addProcessGroup(name)

    def _known(self) -> set[str]:
        return {info["name"] for info in self._calls.getAllProcessInfo()}

    def replace(self, part: Part, app: Any = None) -> None:
        """Restart a running program if its settings or code have changed.

        Args:
            part: the program.
            app: the Celery application; if given, a second worker takes the queue's items meanwhile.
        """
        name = part.program.name
        runs = self._calls.getProcessInfo(name)["statename"] not in ("STOPPED", "EXITED", *_GIVEN_UP)
        if self._started.get(name) == self._wanted[name]:
            return
        began = time.monotonic()
        with ExitStack() as meanwhile:
            if runs and app is not None and name in _QUEUES:
                meanwhile.callback(self._stand_in(name, app).stop, _DRAIN_SECONDS)
            remove_program(self._calls, name)
            self._calls.addProcessGroup(name)
            if runs:
                self.start([part])
        if runs:
            self._console.print(f"      {name} was restarted in {time.monotonic() - began:.0f} s")

    def _stand_in(self, name: str, app: Any) -> Running:
        program = worker_program(name, app, f"{name}-meanwhile")
        environment = os.environ | {"HOPLINE_VAR": str(self._var), MARK: str(self._var)}
        second = Running(program, self._var / "log" / f"{program.name}.log", environment)
        second.wait_ready(_READY_SECONDS)
        return second

    def begin(self, parts: Sequence[Part]) -> None:
        """Start missing programs without waiting for them."""
        for part in parts:
            name = part.program.name
            if self._calls.getProcessInfo(name)["statename"] in ("STOPPED", "FATAL"):
                self._calls.startProcess(name, False)

    def start(self, parts: Sequence[Part]) -> None:
        """Start missing programs and wait for all, reporting each when it is ready."""
        self.begin(parts)
        waiting, deadline = list(parts), time.monotonic() + _READY_SECONDS
        with self._console.status("") as status:
            while waiting:
                status.update(f"Waiting for {', '.join(part.program.name for part in waiting)}")
                for part in list(waiting):
                    if self._came_up(part, deadline):
                        waiting.remove(part)
                        self._note(part)
                time.sleep(0.1)

    def _note(self, part: Part) -> None:
        name = part.program.name
        if name not in self._named:
            self._console.print(f"  [green]up[/green]  {name:<12} {part.address}")
            self._named.add(name)
        self._started[name] = self._wanted[name]
        write_file(self._var / STARTED_FILE, json.dumps(self._started), secret=True)

    def _came_up(self, part: Part, deadline: float) -> bool:
        name = part.program.name
        info = self._calls.getProcessInfo(name)
        given_up = info["statename"] in _GIVEN_UP
        if given_up or time.monotonic() > deadline:
            log = self._var / "log" / f"{name}.log"
            reason = "does not start" if given_up else f"was not ready after {_READY_SECONDS:.0f} s"
            raise StartFailed(f"{name} {reason}; the end of {log}:\n{last_lines(log)}")
        return info["pid"] != 0 and is_ready(part.program, info["pid"])


def _supervisor(var: Path, config: str, console: Console) -> tuple[Any, dict[str, str]]:
    """Return the API of a supervisord with this configuration, and its programs' configurations.

    A running supervisord reloads its configuration; one from another folder or version is restarted.
    """
    calls, before = connect(var), var / SUPERVISOR_FILE
    if calls is not None and head_of(before.read_text(encoding="utf-8")) != head_of(config):
        console.print("The stack was started in another folder, or by another version: restarting all of it.")
        stop_supervisor(var)
        calls = None
    if calls is None:
        return start_supervisor(var, config), {}
    write_file(before, config, secret=True)
    calls.reloadConfig()
    started = var / STARTED_FILE
    return calls, json.loads(started.read_text(encoding="utf-8")) if started.is_file() else {}
