"""Makes a model call: reserves its budget, sends it with brief retries, and settles the real cost."""

from __future__ import annotations

import random
import secrets
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlsplit

import orjson
import structlog

from hopline.errors import Conflict, Deferred, DependencyAway, Transient
from hopline.models.base import Frozen
from hopline.models.jobs import Usage
from workers.adapters.openai.address import EMBEDDINGS
from workers.adapters.openai.endpoint import Endpoint
from workers.adapters.openai.failures import CallFailed
from workers.adapters.openai.partial_reply import Growing
from workers.core.errors import DependencyRefuses
from workers.core.models.metered_model import Meter
from workers.core.models.permits import Cost, Line, NoPermits, Permit, Permits
from workers.core.models.tokens import count_tokens
from workers.core.retries import RETRIES
from workers.telemetry.metrics import COUNTS
from workers.telemetry.traces.leaf import Leaf

_OPERATIONS = {"model": "chat", "embedding": "embeddings"}  # as traces name them
_TURN = 0.5  # time limits of a call: the longest wait until one of those in flight has ended
_MILLION = 1_000_000

_log = structlog.get_logger()
_FORM = "openai"  # whose requests these are, whoever answers them
_TEXT = 20_000  # characters of a prompt or a reply


class ChatModel(Frozen):
    """A model's name at its endpoint and its prices per million tokens, None where unknown."""

    name: str
    price_in: float | None = None
    price_out: float | None = None
    tier: str = "embedding"  # under which its calls are counted

    def usage(self, prompt_tokens: int, completion_tokens: int) -> Usage:
        """Return one call's usage with its cost."""
        cost = None
        if self.price_in is not None and self.price_out is not None:
            cost = (prompt_tokens * self.price_in + completion_tokens * self.price_out) / _MILLION
        return Usage(
            model_calls=1, prompt_tokens=prompt_tokens, completion_tokens=completion_tokens, cost=cost
        )


class Unmetered:
    """The meter of calls that no job pays for."""

    def reserve(
        self,
        call_id: str,
        tokens: int,
        cost: float | None = None,
        *,
        calls: int = 1,
        epoch: int | None = None,
    ) -> None:
        """Let every call pass."""

    def settle(self, call_id: str, usage: Usage, *, model: str = "", epoch: int | None = None) -> None:
        """Do nothing."""


@dataclass(frozen=True)
class Call:
    """A request to send, its upper bound on usage, and the listener of a streamed reply."""

    path: str
    body: bytes
    model: ChatModel
    bound: Usage
    growing: Growing | None = None


@dataclass(frozen=True)
class Attempt:
    """One item's attempt: its meter, and the moment (monotonic clock) by which all its calls must be over."""

    meter: Meter
    deadline: float
    timeout: float  # seconds a single call may take
    seats: threading.Semaphore | None = None  # who holds one may be at the endpoint; None is no bound
    permits: Permits = field(default_factory=NoPermits)  # among all workers

    def send(
        self, endpoint: Endpoint, call: Call, tries: int = RETRIES.model_calls
    ) -> tuple[dict[str, Any], Usage]:
        """Return the reply's JSON object and the usage; every try is a separate call.

        Raises:
            Transient, DependencyAway, Permanent: as the endpoint's failure is classed.
            BudgetExceeded: the meter did not let the call pass.
        """
        for tried in range(1, tries + 1):
            try:
                return self._send_once(endpoint, call)
            except CallFailed as failed:
                wait = _wait(failed.error, tried)
                hopeless = not failed.again or tried == tries or wait > RETRIES.model_longest_wait
                if hopeless or wait >= self._left():
                    raise failed.error from failed
                _log.info("model.retried", reason=str(failed), wait=round(wait, 2))
                time.sleep(wait)
        raise AssertionError("the last try returns or raises")

    def _send_once(self, endpoint: Endpoint, call: Call) -> tuple[dict[str, Any], Usage]:
        call_id = secrets.token_hex(8)
        line = Line(endpoint=endpoint.url, model=call.model.name, kind=_kind(call))
        with self._seat():
            permit = self.permits.take(line, _cost(call.bound))
            started = time.monotonic()
            with model_span(endpoint.url, _OPERATIONS[line.kind], call) as leaf:
                payload = self._in_turn(endpoint, call, call_id, permit, leaf)
                used = _used(payload, call)
                note_reply(leaf, payload, used)
        _count_call(call.model, used, time.monotonic() - started)
        self.meter.settle(call_id, used, model=call.model.name)
        return payload, used

    def _in_turn(
        self, endpoint: Endpoint, call: Call, call_id: str, permit: Permit, leaf: Leaf
    ) -> dict[str, Any]:
        """Send the request and always release the permit."""
        try:
            payload = self._posted(endpoint, call, call_id)
        except CallFailed as failed:
            leaf.note({"error.type": type(failed.error).__name__})
            retry_after = failed.error.retry_after if isinstance(failed.error, Transient) else None
            away = None
            if isinstance(failed.error, DependencyAway | DependencyRefuses) and failed.error.dependency:
                failed.error.dependency = permit.line.kind
                away = None if failed.again else failed.error
            self.permits.give(permit, failed.came, retry_after=retry_after, away=away)
            raise
        except Conflict:  # the job ended in the middle of the reply
            self.permits.give(permit, "done")
            raise
        except BaseException:
            self.permits.give(permit, "unsent")
            raise
        used = _used(payload, call)
        self.permits.give(permit, "done", None if used is call.bound else _cost(used))
        return payload

    @contextmanager
    def _seat(self) -> Iterator[None]:
        if self.seats is None:
            yield
            return
        if not self.seats.acquire(timeout=_TURN * self.timeout):
            raise Deferred("the limit of concurrent calls to the model is reached")
        try:
            yield
        finally:
            self.seats.release()

    def _left(self) -> float:
        """Return the seconds left for calls; waiting for a permit does not count."""
        return self.deadline + self.permits.waited - time.monotonic()

    def _posted(self, endpoint: Endpoint, call: Call, call_id: str) -> dict[str, Any]:
        seconds = min(self.timeout, self._left())
        if seconds <= 0:
            raise Transient("the model calls of this attempt took too long")
        bound = call.bound
        self.meter.reserve(call_id, bound.prompt_tokens + bound.completion_tokens, bound.cost)
        path = endpoint.path(call.path, call.model.name)
        try:
            if call.growing is None:
                return endpoint.post(path, call.body, seconds)
            call.growing.begin()
            return endpoint.stream(path, call.body, seconds, call.growing)
        except CallFailed as failed:
            _count_failure(call.model, failed.error)
            used = Usage() if failed.free else _lost(failed.content, call)
            self.meter.settle(call_id, used, model=call.model.name)
            raise
        except Conflict:  # the job ended in the middle of the reply
            seen = call.growing.content if call.growing else ""
            self.meter.settle(call_id, _lost(seen, call), model=call.model.name)
            raise


def _wait(error: Exception, tried: int) -> float:
    retry_after = error.retry_after if isinstance(error, Transient) else None
    if retry_after is not None:
        return retry_after
    return RETRIES.model_first_wait * 2.0 ** (tried - 1) * random.uniform(0.5, 1.5)  # noqa: S311 - spreads retries


def _used(payload: dict[str, Any], call: Call) -> Usage:
    """Read the usage; without a report the whole bound counts as used."""
    tokens = reported(payload)
    return call.model.usage(*tokens) if tokens else call.bound


def _lost(content: str, call: Call) -> Usage:
    """Return the possible usage of a call with an incomplete reply: its prompt, and the received part."""
    bound = call.bound
    return call.model.usage(bound.prompt_tokens, min(bound.completion_tokens, count_tokens(content)))


def reported(payload: dict[str, Any]) -> tuple[int, int] | None:
    """Return the prompt and completion tokens that a reply reports; None if it reports none."""
    usage = payload.get("usage")
    if not isinstance(usage, dict):
        return None
    prompt, completion = usage.get("prompt_tokens") or 0, usage.get("completion_tokens") or 0
    if not isinstance(prompt, int) or not isinstance(completion, int) or prompt < 0 or completion < 0:
        return None
    return prompt, completion


def _kind(call: Call) -> Literal["model", "embedding"]:
    return "embedding" if call.path == EMBEDDINGS else "model"


def _cost(usage: Usage) -> Cost:
    return Cost(prompt=usage.prompt_tokens, completion=usage.completion_tokens)


def _count_call(model: ChatModel, used: Usage, seconds: float) -> None:
    """Count a call that returned, with its duration."""
    labels = (model.tier, model.name)
    COUNTS.count("hopline_model_calls", *labels)
    COUNTS.observe("hopline_model_seconds", *labels, seconds=seconds)
    COUNTS.count("hopline_model_tokens", *labels, "prompt", by=used.prompt_tokens)
    COUNTS.count("hopline_model_tokens", *labels, "completion", by=used.completion_tokens)
    if used.cost is not None:
        COUNTS.count("hopline_model_cost", *labels, by=used.cost)


def _count_failure(model: ChatModel, error: Exception) -> None:
    """Count a call that failed or was refused."""
    COUNTS.count("hopline_model_failures", model.tier, model.name, type(error).__name__)


def model_span(address: str, operation: str, call: Call) -> Leaf:
    """Return the span of a call.

    Args:
        address: address of the endpoint, as it may be shown.
        operation: chat or embeddings.
        call: the call to send.
    """
    leaf = Leaf(
        f"{operation} {call.model.name}",
        {
            "gen_ai.operation.name": operation,
            "gen_ai.provider.name": _FORM,
            "gen_ai.request.model": call.model.name,
            "hopline.model.tier": call.model.tier,
        },
    )
    if leaf.is_sent:
        leaf.note({"server.address": urlsplit(address).hostname})
    if leaf.shows_texts:
        leaf.note({"gen_ai.input.messages": call.body.decode(errors="replace")[:_TEXT]})
    return leaf


def note_reply(leaf: Leaf, payload: Mapping[str, Any], used: Usage) -> None:
    """Add a reply and its usage."""
    if not leaf.is_sent:
        return
    named = payload.get("model")
    leaf.note(
        {
            "gen_ai.response.model": named if isinstance(named, str) else None,
            "gen_ai.usage.input_tokens": used.prompt_tokens,
            "gen_ai.usage.output_tokens": used.completion_tokens,
            "hopline.cost": used.cost,
        }
    )
    if leaf.shows_texts and (choices := payload.get("choices")):
        leaf.note({"gen_ai.output.messages": orjson.dumps(choices).decode()[:_TEXT]})
