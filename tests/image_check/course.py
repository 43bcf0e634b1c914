"""The course of a check: start, ask, restart, stop; and the table of what was shown."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from hopline.models.base import Frozen
from image_check.api import ComposedApi, WrongAnswer, demo_questions
from image_check.compose import Service, read_services
from image_check.composed import ComposedService, Stop, hosts_text
from image_check.image import Image
from image_check.servers import MODEL, OVERRIDES, Server, env_file, make_servers
from infra.local.files import write_file
from infra.local.process import StartFailed

_API_PORT = 8400  # as the file's command for the API has it
_ADDRESS = f"http://127.0.0.1:{_API_PORT}"
_REFUSED = 401


class Shown(Frozen):
    """A line of the table."""

    subject: str
    outcome: str
    seconds: float


class Makers(NamedTuple):
    """What makes the parts of a check."""

    servers: Callable[[Mapping[str, Service], Path, Mapping[str, str]], Mapping[str, Server]] = make_servers
    service: type[ComposedService] = ComposedService
    api: Callable[..., ComposedApi] = ComposedApi


REAL = Makers()


class Course:
    """One check of an image.

    Args:
        source: the root of the repository.
        folder: for all that is written.
        image: unpacked.
        console: where to tell of each step.
        patience: by how much the times of health checks and jobs are multiplied.
        make: what it is made of.
    """

    overrides: Mapping[str, str] = OVERRIDES  # what services have in their environment for this run alone

    def __init__(
        self,
        source: Path,
        folder: Path,
        image: Image,
        console: Console,
        patience: float = 1,
        *,
        make: Makers = REAL,
    ) -> None:
        self._source = source
        self._folder = folder
        self._console = console
        self.shown: list[Shown] = []
        self._patience = patience
        self._make = make
        self._values = env_file()
        self._services = self._read_services(source)
        write_file(folder / "hosts", hosts_text(_names(self._services)))
        self._parts: dict[str, Server | ComposedService] = {
            **make.servers(self._services, folder, self._values),
            **self._composed(self._services, image),
        }
        self._started: list[str] = []
        self._api = make.api(_ADDRESS)

    def run(self) -> None:
        """Run all of it; what is up is stopped, however it ends.

        Raises:
            StartFailed: a service does not become healthy.
            WrongAnswer: the API or a stop is not as it should be.
        """
        try:
            for name in dict.fromkeys((MODEL, *self._services)):
                self._start(name)
            self._lock()
            self._ingest_demo()
            self._ask_demo()
            self._change()
        finally:
            late = [name for name in reversed(self._started) if not self._stop(name)]
        if late:
            raise WrongAnswer(f"not stopped within their grace: {', '.join(late)}")

    def _change(self) -> None:
        """Restart every service, one after the other."""
        for name in self._services:
            self._replace(name, self._parts[name])

    def _read_services(self, source: Path) -> dict[str, Service]:
        text = (source / "docker-compose.yml").read_text(encoding="utf-8")
        return read_services(text, self._values)

    def _composed(self, services: Mapping[str, Service], image: Image) -> dict[str, ComposedService]:
        """Return the services that run from an image, by name."""
        return {
            name: self._make.service(_patient(service, self._patience), image, self._folder, self.overrides)
            for name, service in services.items()
            if service.is_built
        }

    def _start(self, name: str) -> None:
        seconds = self._parts[name].start()
        self._started.append(name)
        self._note(f"start {name}", "healthy", seconds)

    def _lock(self) -> None:
        """Make a key as the file says, by a container of the API's; from then on the API needs it."""
        api = self._parts["api"]
        if not isinstance(api, ComposedService):
            raise StartFailed("the file runs the API from another image")
        began = time.monotonic()
        key = json.loads(api.run_once("keys", "create", "image-check", "--yes", "--json"))["key"]
        stop, seconds = api.stop(), api.start()
        self._note("restart api", f"a key is needed; stopped with code {stop.code}", seconds)
        refused = self._api.status("/v1/about")
        if refused != _REFUSED:
            raise WrongAnswer(f"without a key the API answers {refused}, should be {_REFUSED}")
        self._api = self._make.api(_ADDRESS, key, self._patience)
        self._note("a key", f"made by run --rm; without it {refused}", time.monotonic() - began)

    def _ingest_demo(self) -> None:
        began = time.monotonic()
        count = self._api.ingest_demo(self._source)
        self._note("documents", f"{count} ingested over HTTP", time.monotonic() - began)

    def _ask_demo(self) -> None:
        for expected in demo_questions(self._source):
            began = time.monotonic()
            job = self._api.await_end(self._api.ask(expected.question))
            expected.check(job)
            self._note(expected.question, job["state"], time.monotonic() - began)

    def _replace(self, name: str, part: Server | ComposedService, act: str = "restart") -> None:
        """Stop a service and start it again, with a question under way, which must be answered after it.

        Args:
            name: of the service.
            part: what to start in its place.
            act: what is told of it.
        """
        expected = demo_questions(self._source)[0]
        job_id = self._api.ask(expected.question)
        began = time.monotonic()
        stop = self._parts[name].stop()
        self._parts[name] = part
        part.start()
        expected.check(self._api.await_end(job_id))
        outcome = f"{_words(stop)}; the question under way was answered"
        self._note(f"{act} {name}", outcome, time.monotonic() - began)
        if not stop.in_time:
            raise WrongAnswer(f"{name} did not stop within its grace")

    def _stop(self, name: str) -> bool:
        """Stop a service; return whether it did so in time."""
        stop = self._parts[name].stop()
        self._note(f"stop {name}", _words(stop), stop.seconds)
        return stop.in_time

    def _note(self, subject: str, outcome: str, seconds: float) -> None:
        self.shown.append(Shown(subject=subject, outcome=outcome, seconds=seconds))
        self._console.print(f"  {subject}: {outcome} ({seconds:.1f} s)", markup=False, soft_wrap=True)


def print_table(console: Console, shown: Sequence[Shown]) -> None:
    """Print what was shown, a line for each step."""
    table = Table("shown", "outcome", "seconds", box=None, padding=(0, 2, 0, 0))
    for line in shown:
        table.add_row(line.subject, line.outcome, f"{line.seconds:.1f}")
    console.print(table)


def _patient(service: Service, factor: float) -> Service:
    return service.model_copy(update={"health": service.health.with_patience(factor)})


def _words(stop: Stop) -> str:
    return f"stopped with code {stop.code}" if stop.in_time else "killed after its grace"


def _names(services: Mapping[str, Service]) -> tuple[str, ...]:
    """Return all names under which services reach one another and the machine."""
    hosts = (host for service in services.values() for host in (service.name, *service.hosts))
    return tuple(dict.fromkeys((MODEL, *hosts)))
