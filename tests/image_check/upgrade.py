"""The course of an upgrade and a roll-back between two images, while a batch and questions run."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from image_check.api import WrongAnswer
from image_check.course import REAL, Course, Makers
from image_check.image import Image
from image_check.servers import OVERRIDES

_DOCUMENTS = 100  # of the batch; as many as one request may bring
_ONE_THREAD = {"HOPLINE_BULK_THREADS": "1"}  # so that the batch lasts while services are replaced
_API = "api"
_BULK = "worker-bulk"


def order_of_upgrade(names: Sequence[str]) -> list[str]:
    """Return in which order services are replaced by newer ones: the batch's worker first, the API last."""
    return sorted(names, key=lambda name: (name == _API, name != _BULK))


def order_of_return(names: Sequence[str]) -> list[str]:
    """Return in which order services are replaced by earlier ones: the API first."""
    return sorted(names, key=lambda name: name != _API)


class Upgrade(Course):
    """One upgrade from an image to another, and the way back.

    All services run from the earlier image at first, by its own file. The demo is ingested and asked. While a
    batch runs, each service is replaced by the newer one, the workers first; when the batch has ended, the
    newer ones are asked. Then all are replaced by the earlier ones, the API first, and these are asked.

    Args:
        sources: the roots of both repositories, the earlier first.
        folder: for all that is written.
        images: both, unpacked, the earlier first.
        console: where to tell of each step.
        patience: by how much the times of health checks and jobs are multiplied.
        make: what it is made of.
    """

    overrides = OVERRIDES | _ONE_THREAD

    def __init__(
        self,
        sources: tuple[Path, Path],
        folder: Path,
        images: tuple[Image, Image],
        console: Console,
        patience: float = 1,
        *,
        make: Makers = REAL,
    ) -> None:
        before, after = sources
        super().__init__(before, folder, images[0], console, patience, make=make)
        self._before = self._composed(self._services, images[0])
        self._after = self._composed(self._read_services(after), images[1])

    def _change(self) -> None:
        job_id = self._api.submit_texts([_text(number) for number in range(_DOCUMENTS)])
        names = [name for name in self._after if name in self._before]
        for name in order_of_upgrade(names):
            self._upgrade(name, job_id)
        self._start_further()
        self._await_batch(job_id)
        self._ask_demo()
        for name in order_of_return(names):
            self._replace(name, self._before[name], "roll back")
        self._ask_demo()

    def _upgrade(self, name: str, job_id: str) -> None:
        """Replace a service by the newer one; the worker of the batch in the middle of it.

        Raises:
            WrongAnswer: the batch was over before.
        """
        self._replace(name, self._after[name], "upgrade")
        if name != _BULK:
            return
        done, state = self._api.documents_done(job_id)
        if state != "running":
            raise WrongAnswer(f"the batch was {state} before its worker was replaced")
        self._note("the batch", f"{done} of {_DOCUMENTS} documents done when its worker was replaced", 0)

    def _start_further(self) -> None:
        """Start the services that only the newer file has."""
        for name in self._after.keys() - self._before.keys():
            if name in self._parts:  # another server stood for it
                self._replace(name, self._after[name], "upgrade")
                continue
            self._parts[name] = self._after[name]
            self._start(name)

    def _await_batch(self, job_id: str) -> None:
        began = time.monotonic()
        job = self._api.await_end(job_id)
        if job["state"] != "done" or job["leases_lost"]:
            raise WrongAnswer(f"the batch ended {job['state']}, leases lost {job['leases_lost']}")
        done, _ = self._api.documents_done(job_id)
        self._note(
            "the batch",
            f"{done} documents, begun by one image and ended by the other",
            time.monotonic() - began,
        )


def _text(number: int) -> str:
    """Return a document's text, which says nothing that the demo asks about."""
    return " ".join(
        f"Warden Number{number} of Karsund opened lock {lock} for {number + lock} barges."
        for lock in range(1, 40)
    )
