"""Reads the file and batch objects of an OpenAI-compatible endpoint."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import IO, Literal

import httpx2
import openai
from openai.types import Batch

from hopline.errors import Deferred, InvalidInput, Permanent, Transient
from workers.adapters.openai.address import ModelEndpoint
from workers.adapters.openai.endpoint import CONNECT_SECONDS, Endpoint
from workers.adapters.openai.failures import CallFailed
from workers.core.models.provider import MOST_BYTES, MOST_LINES, ProviderBatch, ProviderFile, Standing

_TRANSFER = httpx2.Timeout(900.0, connect=CONNECT_SECONDS)  # of a file, whole
_ASK = httpx2.Timeout(60.0, connect=CONNECT_SECONDS)
_PART = 1 << 20  # bytes
_PAGE = 100
_LONGEST = 4 << 20  # bytes of a line that is read back; a reply has a thousandth of it
_WORKING = ("validating", "in_progress", "finalizing", "cancelling")
_NOT_SERVED = (404, 405, 501)
_PATH: Literal["/v1/chat/completions"] = "/v1/chat/completions"


class BatchEndpoint(Endpoint):
    """The Batch API through the openai client.

    Failures are classified like those of calls, except that a failing provider counts as away, because work
    that takes a day should not be given up after a minute.

    Args:
        where: the endpoint.
        patience: seconds until something that failed is tried again.
        heard: called whenever the endpoint fulfilled a request.
    """

    def __init__(
        self, where: ModelEndpoint, patience: float, heard: Callable[[], None] = lambda: None
    ) -> None:
        super().__init__(where)
        self._heard = heard
        self._patience = patience

    def check(self) -> None:
        """Check that batches are served.

        Raises:
            Permanent: they are not, or access is denied.
        """
        with self.reached():
            try:
                self._client.batches.list(limit=1, timeout=_ASK)
            except openai.APIStatusError as error:
                if error.status_code in _NOT_SERVED:
                    message = f"{self._url} has no batch mode ({error.status_code} for its list of batches)"
                    raise Permanent(f"{message}: use direct calls instead of batch mode") from error
                raise

    def upload(self, name: str, lines: Iterable[bytes]) -> ProviderFile:
        """Store lines as a file, through the disk, so that only one line is in memory.

        Raises:
            InvalidInput: they are more or longer than a file may hold.
        """
        with tempfile.TemporaryFile() as file:
            _write(file, lines)
            with self.reached():
                file_object = self._client.files.create(
                    file=(f"{name}.jsonl", file), purpose="batch", timeout=_TRANSFER
                )
        return ProviderFile(id=file_object.id, created=file_object.created_at)

    def files(self, name: str, since: float) -> Iterator[ProviderFile]:
        """Yield the files of this name, newest first, as far back as that moment."""
        with self.reached():
            for file_object in self._client.files.list(
                purpose="batch", limit=_PAGE, order="desc", timeout=_ASK
            ):
                if file_object.created_at < since:
                    return
                if file_object.filename == f"{name}.jsonl":
                    yield ProviderFile(id=file_object.id, created=file_object.created_at)

    def delete(self, file: str) -> None:
        """Remove a file."""
        with self.reached(missing=True):
            self._client.files.delete(file, timeout=_ASK)

    def lines(self, file: str) -> Iterator[bytes]:
        """Yield a file's lines from disk, so that the connection does not wait for the reader."""
        with tempfile.TemporaryFile() as stored:
            with (
                self.reached(missing=True),
                self._client.files.with_streaming_response.content(file, timeout=_TRANSFER) as response,
            ):
                for part in response.iter_bytes(_PART):
                    stored.write(part)
            stored.seek(0)
            yield from _lines(stored)

    def create(self, intent: str, file: str) -> ProviderBatch:
        """Create a batch.

        Raises:
            Permanent: the provider does not take it, or has lost the file.
        """
        with self.reached():
            try:
                batch = self._client.batches.create(
                    input_file_id=file,
                    endpoint=_PATH,
                    completion_window="24h",
                    metadata={"hopline": intent},
                    timeout=_ASK,
                )
            except openai.NotFoundError as error:
                raise Permanent(f"{self._url} has lost the file {file} of a batch") from error
        return batch_of(batch)

    def batches(self, intent: str, since: float) -> Iterator[ProviderBatch]:
        """Yield the batches of an intent, newest first, as far back as that moment."""
        with self.reached():
            for batch in self._client.batches.list(limit=_PAGE, timeout=_ASK):
                if batch.created_at < since:
                    return
                if (batch.metadata or {}).get("hopline") == intent:
                    yield batch_of(batch)

    def look(self, batch: str) -> ProviderBatch:
        """Return a batch's current state."""
        with self.reached(missing=True):
            return batch_of(self._client.batches.retrieve(batch, timeout=_ASK))
        return ProviderBatch(id=batch, standing="ended", status="unknown", created=0.0)

    def cancel(self, batch: str) -> None:
        """Stop a batch."""
        with self.reached(missing=True):
            try:
                self._client.batches.cancel(batch, timeout=_ASK)
            except (openai.ConflictError, openai.BadRequestError):
                if self.look(batch).standing == "working":
                    raise

    @contextmanager
    def reached(self, *, missing: bool = False) -> Iterator[None]:
        """Raise the classified error of a failure; with `missing`, a 404 is not a failure."""
        try:
            with self._failing():
                yield
            self._heard()
        except CallFailed as failed:
            cause = failed.__cause__
            if missing and isinstance(cause, openai.NotFoundError):
                return
            if isinstance(cause, openai.APIStatusError) and _says_full(cause.code, str(cause.message)):
                full = f"the provider takes no further batch now: {failed}"
                raise Deferred(full, retry_after=self._patience) from failed
            if isinstance(failed.error, Transient) and not isinstance(failed.error, Deferred):
                wait = failed.error.retry_after or self._patience
                raise Deferred(str(failed), retry_after=wait) from failed
            raise failed.error from failed


def batch_of(batch: Batch) -> ProviderBatch:
    """Return a batch as hopline speaks of it."""
    faults = (batch.errors.data or []) if batch.errors else []
    counts = batch.request_counts
    return ProviderBatch(
        id=batch.id,
        standing=_standing(
            batch.status, any(_says_full(fault.code, fault.message or "") for fault in faults)
        ),
        status=batch.status,
        created=batch.created_at,
        expires=batch.expires_at or 0.0,
        input=batch.input_file_id,
        output=batch.output_file_id or "",
        errors=batch.error_file_id or "",
        total=counts.total if counts else 0,
        completed=counts.completed if counts else 0,
        failed=counts.failed if counts else 0,
        why="; ".join(f"{fault.code}: {fault.message}" for fault in faults[:3])[:500],
    )


def _standing(status: str, full: bool) -> Standing:  # noqa: FBT001 - two facts, one answer
    if status == "failed":
        return "full" if full else "refused"
    return "working" if status in _WORKING else "ended"


def _says_full(code: str | None, message: str) -> bool:
    """Return whether a refusal is one of a limit that others' batches fill: again later."""
    return "limit" in (code or "").casefold() or "enqueued token" in message.casefold()


def _write(file: IO[bytes], lines: Iterable[bytes]) -> None:
    count = 0
    for line in lines:
        count += 1
        file.write(line)
        file.write(b"\n")
    if count > MOST_LINES or file.tell() > MOST_BYTES:
        allowed = f"at most {MOST_LINES} in {MOST_BYTES} bytes"
        raise InvalidInput("lines", f"{count} in {file.tell()} bytes", allowed)
    file.seek(0)


def _lines(stored: IO[bytes]) -> Iterator[bytes]:
    whole = True
    while line := stored.readline(_LONGEST):
        ends = line.endswith(b"\n")
        if whole and (ends or len(line) < _LONGEST) and line.strip():
            yield line
        whole = ends
