"""Models and port of a provider's batch mode, which processes files of requests at a lower price."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal, Protocol, TypeVar, cast

from pydantic import BaseModel

from hopline.errors import Permanent
from hopline.models.base import Frozen
from hopline.models.jobs import Json, Usage
from workers.core.jobs.work import Job
from workers.core.models.metered_model import Meter
from workers.core.prompts import Prompt

Reply = TypeVar("Reply", bound=BaseModel)

KINDS = ("prefill", "provider_batch", "provider_cancel")  # of jobs that use it
MOST_LINES = 50_000  # of a file, as the Batch API bounds it
MOST_BYTES = 200_000_000
# working: not ended; full: refused for a limit of the provider, again later; refused: for good.
Standing = Literal["working", "ended", "full", "refused"]


class ProviderBounds(Frozen):
    """The limits and timing of the batch mode."""

    batches: int = 4  # in flight
    lines: int = 5_000  # of one batch
    poll: float = 30.0  # seconds between two looks at a batch


class RequestBody(Frozen):
    """A chat request as written on one line of a batch file."""

    body: bytes  # JSON
    bound: Usage  # the most that it can take, at the price of the batch mode


class ProviderFile(Frozen):
    """A file at the provider."""

    id: str
    created: float  # seconds since the epoch, by the provider's clock


class ProviderBatch(Frozen):
    """A provider's batch in its current state."""

    id: str
    standing: Standing
    status: str  # in the provider's words
    created: float  # seconds since the epoch, by the provider's clock
    expires: float = 0.0  # the same; 0 if it is not stated
    input: str = ""  # file of its requests
    output: str = ""  # file of its replies, where there are some
    errors: str = ""  # file of what failed, where there is some
    total: int = 0  # lines
    completed: int = 0
    failed: int = 0
    why: str = ""  # it was refused


class Provider(Protocol):
    """The batch mode of the model's endpoint. Before a batch is created, an existing one is looked for."""

    @property
    def bounds(self) -> ProviderBounds:
        """Limits and timing of the batch mode."""

    def metered(self, meter: Meter) -> Provider:
        """Return the same provider with its batches reserved on a meter."""

    def check(self) -> None:
        """Check that there is a batch mode.

        Raises:
            Permanent: there is none, or its use is denied.
        """

    @property
    def knows_form(self) -> bool:
        """Whether a call has shown which request form the model accepts; files in other forms would fail."""

    def learn(self, call: Callable[[], object]) -> None:
        """Make a call that shows the form, unless another thread has done so in the meantime; it may fail.

        Raises:
            Transient, BudgetExceeded: as raised by the call.
        """

    def request(
        self, prompt: Prompt, material: Mapping[str, Any], reply: type[BaseModel], *, max_tokens: int
    ) -> RequestBody:
        """Return the request that a call of the fast tier would send."""

    def upload(self, name: str, lines: Iterable[bytes]) -> ProviderFile:
        """Store a file of requests under a unique name."""

    def create(self, intent: str, file: ProviderFile) -> ProviderBatch:
        """Create the batch of an intent, or find the existing one."""

    def find(self, intent: str, since: float) -> list[ProviderBatch]:
        """Return an intent's batches created since a time and not refused, oldest first."""

    def find_files(self, name: str, since: float) -> list[ProviderFile]:
        """Return the files with this name stored since a time, newest first."""

    def look(self, batch: str) -> ProviderBatch:
        """Return a batch's current state; one that the provider has lost counts as ended without replies."""

    def cancel(self, batch: str) -> None:
        """Stop a batch; requests already answered keep their replies. An ended batch is left alone."""

    def lines(self, file: str) -> Iterator[bytes]:
        """Yield a file's lines, without lines longer than a reply may be. A lost file has none."""

    def read(self, payload: Json, reply: type[Reply], bound: Usage) -> tuple[Reply | None, Usage]:
        """Return a completion's validated reply and its usage.

        The reply is None if the payload is not a completion or does not validate. bound: the usage to assume
        if the payload states none.
        """

    def delete(self, file: str) -> None:
        """Remove a file; unknown ones are ignored."""

    def reserve(self, booking: str, bound: Usage, epoch: int) -> None:
        """Reserve the most that a batch can cost; repeating it reserves nothing more.

        epoch: epoch of the job that sends the batch; a later epoch may reserve it again.

        Raises:
            BudgetExceeded: the batch exceeds the remaining budget.
            Conflict: the paying job has ended, or the reservation of this epoch has been settled.
        """

    def settle(self, booking: str, usage: Usage, epoch: int) -> None:
        """Replace a reservation by the batch's actual usage; repeating it changes nothing."""


class _NoProvider:
    """Stands in for a missing batch mode."""

    def __getattr__(self, name: str) -> Any:
        raise Permanent(f"this job may not use the provider's batch mode ({name})")


def no_provider() -> Provider:
    """Return a provider that refuses every call."""
    return cast("Provider", _NoProvider())


def uses_provider(job: Job) -> bool:
    """Return whether a job's steps may use the batch mode."""
    return job.kind in KINDS
