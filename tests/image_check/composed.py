"""Starts, asks, and stops the services that docker-compose.yml runs from our image."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

from hopline.models.base import Frozen
from image_check.compose import HealthCheck, Service
from image_check.container import Container, entrance, is_inside, launch
from image_check.image import Image
from infra.local.files import write_file
from infra.local.process import LOOPBACK, Program, Running, StartFailed, last_lines

_ONCE_SECONDS = 120  # for a command that ends by itself
_LOOK_SECONDS = 0.1


class Stop(Frozen):
    """How a service ended."""

    seconds: float
    code: int  # of its process; negative: the signal that ended it
    in_time: bool  # within its grace


class ComposedService:
    """One service of the file, run from the image.

    Args:
        service: as the file has it.
        image: unpacked.
        folder: in which volumes, logs and descriptions of containers lie.
        overrides: what the environment has for this run alone.
    """

    def __init__(
        self, service: Service, image: Image, folder: Path, overrides: Mapping[str, str] | None = None
    ) -> None:
        self.service = service
        self._image = image
        self._folder = folder
        self._log = folder / "log" / f"{service.name}.log"
        self._log.parent.mkdir(parents=True, exist_ok=True)
        self._user = user_ids(image.root, service.user or image.user)
        self._environment = container_environment(service, image) | dict(overrides or {})
        self._running: Running | None = None

    def start(self) -> float:
        """Start it and return after how many seconds it is healthy.

        Raises:
            StartFailed: it ended, or the file's health check calls it unhealthy.
        """
        began = time.monotonic()
        file = self._describe(self.service.name, self.service.command)
        program = Program(self.service.name, launch(file), self._is_well)
        self._running = Running(program, self._log)
        self._await_health(self._running, self.service.health, began)
        return time.monotonic() - began

    def stop(self) -> Stop:
        """Ask it to stop, as Compose does, and end it by force after its grace."""
        running, began = self._process(), time.monotonic()
        os.kill(running.pid, signal.SIGTERM)
        try:
            running.popen.wait(self.service.grace)
        except subprocess.TimeoutExpired:
            running.kill()
            return Stop(seconds=time.monotonic() - began, code=running.popen.returncode, in_time=False)
        return Stop(seconds=time.monotonic() - began, code=running.popen.returncode, in_time=True)

    def run_once(self, *command: str) -> str:
        """Run another command in a container of this service's, as `run --rm` does; return what it prints.

        Raises:
            StartFailed: it failed.
        """
        file = self._describe(f"{self.service.name}-run", command)
        with self._log.open("ab") as log:
            ended = subprocess.run(
                launch(file), stdout=subprocess.PIPE, stderr=log, check=False, timeout=_ONCE_SECONDS
            )
        if ended.returncode:
            raise StartFailed(f"{' '.join(command)} failed; the end of {self._log}:\n{last_lines(self._log)}")
        return ended.stdout.decode()

    def _process(self) -> Running:
        if self._running is None:
            raise StartFailed(f"{self.service.name} was not started")
        return self._running

    def _describe(self, name: str, command: tuple[str, ...]) -> Path:
        """Write down a container for the service (mode 600, it holds passwords) and return where."""
        binds = {path: self._volume(path, volume) for path, volume in self.service.volumes.items()}
        container = Container(
            name=name,
            root=self._image.root,
            binds={**binds, "/etc/hosts": self._folder / "hosts"},
            tmpfs=self.service.tmpfs,
            read_only=self.service.read_only,
            drops_rights=self.service.drops_rights,
            user=self._user,
            folder=self._image.folder,
            command=(*(self.service.entrypoint or self._image.entrypoint), *command),
            environment={**self._environment, "HOSTNAME": name},
        )
        for path in (*container.binds, *container.tmpfs):
            _make_place(self._image.root, path, is_file=path == "/etc/hosts")
        file = self._folder / "containers" / f"{name}.json"
        write_file(file, container.model_dump_json(), secret=True)
        return file

    def _volume(self, path: str, name: str) -> Path:
        """Return a volume's folder; a new one belongs to whom the image's folder at its place belongs to."""
        folder = self._folder / "volumes" / name
        if not folder.exists():
            folder.mkdir(parents=True)
            place = self._image.root / path.lstrip("/")
            owner = place.stat() if place.exists() else self._image.root.stat()
            os.chown(folder, owner.st_uid, owner.st_gid)
            folder.chmod(0o755)
        return folder

    def _await_health(self, running: Running, health: HealthCheck, began: float) -> None:
        failures = 0
        while not running.program.ready(running.pid):
            in_start = time.monotonic() - began < health.start_period
            failures = 0 if in_start else failures + 1
            if running.popen.poll() is not None or failures >= health.retries:
                reason = f"{self.service.name} is not healthy (code {running.popen.poll()})"
                running.kill()
                raise StartFailed(f"{reason}; the end of {self._log}:\n{last_lines(self._log)}")
            self._wait(running, health.start_interval if in_start else health.interval)

    def _wait(self, running: Running, seconds: float) -> None:
        """Wait until the next try, or until the process has ended."""
        until = time.monotonic() + seconds
        while time.monotonic() < until and running.popen.poll() is None:
            time.sleep(_LOOK_SECONDS)

    def _is_well(self, pid: int) -> bool:
        """Run the file's health check in the container, once."""
        if not is_inside(pid, self._image.root):
            return False
        health = self.service.health
        environment = {**self._environment, "HOSTNAME": self.service.name}
        with self._log.open("ab") as log:
            try:
                tried = subprocess.run(
                    entrance(pid, self._user, health.command),
                    env=environment,
                    stdout=log,
                    stderr=log,
                    check=False,
                    timeout=health.timeout,
                )
            except subprocess.TimeoutExpired:
                return False
        return tried.returncode == 0


def container_environment(service: Service, image: Image) -> dict[str, str]:
    """Return what a container's process has as its environment: the image's, then the file's."""
    return {"HOME": image.folder, **image.environment, **service.environment}


def user_ids(root: Path, user: str) -> tuple[int, int]:
    """Return uid and gid of an image's user; root's where it names none.

    Raises:
        StartFailed: the image does not know the user.
    """
    if not user:
        return 0, 0
    for line in (root / "etc" / "passwd").read_text(encoding="utf-8").splitlines():
        name, _, uid, gid, *_ = line.split(":")
        if user in {name, uid}:
            return int(uid), int(gid)
    raise StartFailed(f"the image has no user {user!r}")


def hosts_text(names: tuple[str, ...]) -> str:
    """Return an /etc/hosts in which all services are on the loopback."""
    return f"{LOOPBACK} {' '.join(('localhost', *names))}\n"


def _make_place(root: Path, path: str, *, is_file: bool) -> None:
    """Make the place at which something is mounted, as an engine does."""
    place = root / path.lstrip("/")
    place.parent.mkdir(parents=True, exist_ok=True)
    if is_file:
        place.touch()
    else:
        place.mkdir(exist_ok=True)
