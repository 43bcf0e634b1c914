"""The Provider port over the Batch API of any OpenAI-compatible endpoint."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

import structlog
from pydantic import BaseModel

from hopline.errors import Conflict, Transient
from hopline.models.jobs import Json, Usage
from workers.adapters.openai.address import ModelEndpoint
from workers.adapters.openai.calls import ChatModel, Unmetered, reported
from workers.adapters.openai.dialect import Dialect
from workers.adapters.openai.files import BatchEndpoint
from workers.adapters.openai.model import OpenAIModel
from workers.adapters.openai.wire import ReplyMisfit, ReplyRequest, read_reply
from workers.core.errors import ModelRefused, ModelRefusedSchema
from workers.core.models.metered_model import Meter
from workers.core.models.provider import ProviderBatch, ProviderBounds, ProviderFile, Reply, RequestBody
from workers.core.prompts import Prompt
from workers.settings import Settings

_CANCELLED = ("cancelling", "cancelled")
_log = structlog.get_logger()


class OpenAIBatches:
    """Batches of one endpoint.

    Args:
        endpoint: where they are.
        model: the model of the requests, for its prices and the form of its requests.
        bounds: how the batch mode is used.
        price: share of a call's price that a line costs.
        heard: called whenever the endpoint fulfilled a request.
    """

    def __init__(
        self,
        endpoint: ModelEndpoint,
        model: OpenAIModel,
        bounds: ProviderBounds,
        *,
        price: float = 0.5,
        heard: Callable[[], None] = lambda: None,
    ) -> None:
        self._endpoint = BatchEndpoint(endpoint, bounds.poll, heard)
        self._model = model
        self._bounds = bounds
        self._price = price
        self._learning = threading.Lock()
        self._meter: Meter = Unmetered()

    @classmethod
    def from_settings(
        cls, settings: Settings, model: OpenAIModel, heard: Callable[[], None] = lambda: None
    ) -> OpenAIBatches:
        """Return the batch mode that the settings describe."""
        bounds = ProviderBounds(
            batches=settings.provider_batches,
            lines=settings.provider_batch_lines,
            poll=settings.provider_poll_seconds,
        )
        key = settings.model_key.get_secret_value()
        where = ModelEndpoint(url=settings.model_url, key=key, ca_file=settings.ca_file)
        return cls(where, model, bounds, price=settings.provider_batch_price, heard=heard)

    @property
    def bounds(self) -> ProviderBounds:
        """Limits and timing of the batch mode."""
        return self._bounds

    def metered(self, meter: Meter) -> OpenAIBatches:
        """Return the same provider with its batches reserved on a meter."""
        other = copy.copy(self)
        other._meter = meter  # noqa: SLF001 - a copy of this class
        return other

    def check(self) -> None:
        """Check that there is a batch mode; raise Permanent if there is none."""
        self._endpoint.check()

    @property
    def knows_form(self) -> bool:
        """Whether a call of this process has shown which form of request the model takes."""
        return self._model.form_of("fast") is not None

    def learn(self, call: Callable[[], object]) -> None:
        """Make a call that shows the form, unless another thread has shown it meanwhile."""
        with self._learning:
            if not self.knows_form:
                with suppress(ModelRefusedSchema, ModelRefused):  # its chunk is asked for in a line, then
                    call()

    def request(
        self, prompt: Prompt, material: Mapping[str, Any], reply: type[BaseModel], *, max_tokens: int
    ) -> RequestBody:
        """Return the request that a call of the fast tier would send."""
        model, dialect = self._model.chat_model("fast"), self._model.form_of("fast") or Dialect()
        request = ReplyRequest(prompt, material, reply)
        bound = self._priced(model, request.bound(dialect), dialect.limit(max_tokens))
        return RequestBody(body=request.body(model.name, max_tokens, dialect), bound=bound)

    def _priced(self, model: ChatModel, prompt_tokens: int, completion_tokens: int) -> Usage:
        used = model.usage(prompt_tokens, completion_tokens)
        return used if used.cost is None else used.model_copy(update={"cost": used.cost * self._price})

    def upload(self, name: str, lines: Iterable[bytes]) -> ProviderFile:
        """Store a file of requests under a unique name."""
        return self._endpoint.upload(name, lines)

    def find_files(self, name: str, since: float) -> list[ProviderFile]:
        """Return the files of this name."""
        return list(self._endpoint.files(name, since))

    def create(self, intent: str, file: ProviderFile) -> ProviderBatch:
        """Create the batch of an intent, or find the existing one.

        Two workers may do this at once if one lost its lease without noticing: each checks again after
        creating a batch, and whoever sees several cancels all except the oldest.
        """
        batches = self._wanted(intent, file)
        if not batches:
            created = self._endpoint.create(intent, file.id)
            batches = self._wanted(intent, file) or [created]
        for other in batches[1:]:
            _log.warning("provider.doubled", intent=intent, batch=other.id)
            self.cancel(other.id)
        return batches[0]

    def _wanted(self, intent: str, file: ProviderFile) -> list[ProviderBatch]:
        return [batch for batch in self.find(intent, file.created) if batch.status not in _CANCELLED]

    def find(self, intent: str, since: float) -> list[ProviderBatch]:
        """Return the batches of an intent that were not refused, oldest first."""
        batches = (
            batch for batch in self._endpoint.batches(intent, since) if batch.standing in ("working", "ended")
        )
        return sorted(batches, key=lambda batch: (batch.created, batch.id))

    def look(self, batch: str) -> ProviderBatch:
        """Return a batch's current state."""
        return self._endpoint.look(batch)

    def cancel(self, batch: str) -> None:
        """Stop a batch; finished requests stay."""
        self._endpoint.cancel(batch)

    def lines(self, file: str) -> Iterator[bytes]:
        """Yield a file's lines."""
        return self._endpoint.lines(file)

    def read(self, payload: Json, reply: type[Reply], bound: Usage) -> tuple[Reply | None, Usage]:
        """Return a completion's validated reply and its usage."""
        took = reported(payload)
        usage = self._priced(self._model.chat_model("fast"), *took) if took else bound
        try:
            return read_reply(payload, reply), usage
        except (ReplyMisfit, ModelRefused, Transient) as error:
            _log.info("line.unusable", reply=reply.__name__, reason=str(error)[:200])
            return None, usage

    def delete(self, file: str) -> None:
        """Remove a file; unknown ones are ignored."""
        self._endpoint.delete(file)

    def reserve(self, booking: str, bound: Usage, epoch: int) -> None:
        """Reserve a batch's upper bound."""
        tokens = bound.prompt_tokens + bound.completion_tokens
        self._meter.reserve(booking, tokens, bound.cost, calls=bound.model_calls, epoch=epoch)

    def settle(self, booking: str, usage: Usage, epoch: int) -> None:
        """Settle a batch's reserved cost with its actual usage, unless its job is gone."""
        try:
            self._meter.settle(booking, usage, model=self._model.chat_model("fast").name, epoch=epoch)
        except Conflict:
            _log.info("batch.not_settled", booking=booking)
