"""Events of batches at the model's provider."""

from __future__ import annotations

from hopline.models.events import EventData


class LinesGrouped(EventData, event="lines.grouped"):
    """Model calls were put into groups, each a batch at the provider."""

    count: int
    lines: int


class BatchUploaded(EventData, event="batch.uploaded"):
    """A file of calls lies at the provider."""

    file: str
    lines: int


class BatchCreated(EventData, event="batch.created"):
    """The provider has a batch."""

    batch: str
    lines: int


class BatchWaitedFor(EventData, event="batch.waited_for"):
    """The provider is through with a batch."""

    batch: str
    status: str
    completed: int
    failed: int


class BatchRead(EventData, event="batch.read"):
    """A batch's replies were read."""

    lines: int
    kept: int
    unusable: int
    unreadable: int
    failed: int


class BatchStopped(EventData, event="batch.stopped"):
    """A batch at the provider was cancelled."""

    batch: str


class LinesEnded(EventData, event=None):
    """The results of the calls sent to the provider."""

    lines: int | None = None
    kept: int | None = None
    unusable: int | None = None
    unreadable: int | None = None
    failed: int | None = None
    error: str | None = None
    reason: str | None = None  # of a cancelled job, and nothing else


class PrefillEnded(LinesEnded, event="prefill.ended"):
    """All that was asked at the provider beforehand is through."""

    batches: int | None = None
    window: int | None = None  # documents at a time


class ProviderBatchEnded(LinesEnded, event="provider_batch.ended"):
    """A batch at the provider is through."""

    status: str | None = None
