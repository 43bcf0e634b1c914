"""Processes one batch of the Batch API: checks it, answers it line by line, and ends it."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import orjson

from infra.offline_model.batch_files import BatchFiles
from infra.offline_model.replies import NotForMe, content_of, kind_of, material_of
from infra.offline_model.switches import BatchBehaviour, Control, LineFailure
from infra.offline_model.wire import completion

ENDPOINT = "/v1/chat/completions"
MOST_LINES = 50_000
ENDED = ("completed", "failed", "expired", "cancelled")
_LOOK = 0.02  # seconds between two looks at the switches
_BYTES_PER_TOKEN = 4
_requests = itertools.count(1)
_EXPIRED = "This request could not be executed before the completion window expired."
State = Literal["validating", "in_progress", "finalizing"]


@dataclass
class Batch:
    """A batch and its results so far.

    Args:
        told: its description in the API.
        control: the switches.
        files: the store of its lines.
        waiting: tokens of all other batches that have not ended.
    """

    told: dict[str, Any]
    control: Control
    files: BatchFiles
    waiting: Callable[[], int]
    tokens: int = 0  # of its requests
    cancelling: bool = False
    _good: list[bytes] = field(default_factory=list)
    _bad: list[bytes] = field(default_factory=list)

    @property
    def ended(self) -> bool:
        """Whether the batch has ended."""
        return self.told["status"] in ENDED

    @property
    def _behaviour(self) -> BatchBehaviour:
        return self.control.switches.batches

    def cancel(self) -> None:
        """Stop the batch; finished lines stay."""
        self.cancelling = True
        self._move("cancelling")

    async def run(self) -> None:
        """Run the batch through all its states."""
        requests, faults = self._checked()
        await self._in("validating")
        end = self._behaviour.fail_next.pop(0) if self._behaviour.fail_next else None
        faults = faults or self._find_provider_faults(end)
        if faults:
            self.told["errors"] = {"object": "list", "data": faults}
            self._move("failed")
            return
        self.told["request_counts"]["total"] = len(requests)
        await self._in("in_progress")
        await asyncio.sleep(self._behaviour.latency)
        await self._answer(requests, expired=end == "expired")
        await self._in("finalizing")
        self._finish()

    def _checked(self) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """Return the requests and their errors."""
        requests: list[dict[str, Any]] = []
        faults: list[dict[str, Any]] = []
        names: set[str] = set()
        for number, raw in enumerate(self.files.lines(self.told["input_file_id"]), 1):
            try:
                request = orjson.loads(raw)
                fits = (
                    request["method"] == "POST"
                    and request["url"] == ENDPOINT
                    and isinstance(request["body"], dict)
                )
                name = str(request["custom_id"])
            except (orjson.JSONDecodeError, KeyError, TypeError):
                fits, name, request = False, "", {}
            if not fits:
                faults.append(_fault("invalid_json_line", "This line is no request of the API.", number))
            elif name in names:
                faults.append(_fault("duplicate_custom_id", f"{name} was given before.", number))
            names.add(name)
            requests.append(request)
            self.tokens += len(raw) // _BYTES_PER_TOKEN
        if not requests:
            faults.append(_fault("empty_file", "There is no request in the file.", None))
        if len(requests) > MOST_LINES:
            faults.append(_fault("too_many_tasks", f"At most {MOST_LINES} requests are allowed.", None))
        return requests, faults

    def _find_provider_faults(self, end: str | None) -> list[dict[str, Any]]:
        most = self._behaviour.enqueued_tokens
        if end == "limit" or (most is not None and self.tokens + self.waiting() > most):
            return [_fault("token_limit_exceeded", f"Enqueued token limit reached: {most}.", None)]
        return [_fault("invalid_request", "It failed, as told.", None)] if end == "failed" else []

    async def _answer(self, requests: list[dict[str, Any]], *, expired: bool) -> None:
        half = len(requests) // 2 if expired else len(requests)
        for number, request in enumerate(requests):
            await asyncio.sleep(self._behaviour.line_latency)
            late = number >= half or time.time() >= self.told["expires_at"]
            if self.cancelling:
                return
            self._take(str(request["custom_id"]), request["body"], late=late)

    def _take(self, name: str, body: dict[str, Any], *, late: bool) -> None:
        failure: LineFailure | None = "expired" if late else self.control.line_failure()
        record = self.control.record
        if failure == "expired":
            self.told["request_counts"]["failed"] += 1
            self._bad.append(_line(name, None, {"code": "batch_expired", "message": _EXPIRED}))
            return
        status, raw = self._reply(body, failure)
        good = status == 200  # noqa: PLR2004 - HTTP's OK
        record.counts["batch lines"] += 1
        self.told["request_counts"]["completed" if good else "failed"] += 1
        reply = {"status_code": status, "request_id": f"req-{next(_requests)}", "body": orjson.Fragment(raw)}
        (self._good if good else self._bad).append(_line(name, reply, None))

    def _reply(self, body: dict[str, Any], failure: LineFailure | None) -> tuple[int, bytes]:
        if failure in ("500", "429"):
            return int(failure), _build_error("it failed, as told")
        try:
            kind, material = kind_of(body), material_of(body)
        except NotForMe as error:
            return 400, _build_error(str(error))
        self.control.record.counts[f"batch {kind}"] += 1
        spoilt = None if failure == "broken" or failure == "expired" else failure  # noqa: PLR1714 - mypy
        reply = completion(
            content_of(kind, material, spoilt), len(orjson.dumps(body)), refused=failure == "refusal"
        )
        usage = orjson.loads(reply)["usage"]
        totals = self.told["usage"]
        totals["input_tokens"] += usage["prompt_tokens"]
        totals["output_tokens"] += usage["completion_tokens"]
        totals["total_tokens"] += usage["total_tokens"]
        return 200, b'{"broken": true}' if failure == "broken" else reply

    def _finish(self) -> None:
        late = any(b"batch_expired" in line for line in self._bad)
        self.told["output_file_id"] = self.files.write(self._good, f"{self.told['id']}_output.jsonl")
        self.told["error_file_id"] = self.files.write(self._bad, f"{self.told['id']}_error.jsonl")
        self._move("cancelled" if self.cancelling else "expired" if late else "completed")

    async def _in(self, state: State) -> None:
        if self.cancelling:
            return
        self._move(state)
        while self._behaviour.hold == state and not self.cancelling:  # noqa: ASYNC110 - a switch is no event
            await asyncio.sleep(_LOOK)

    def _move(self, state: str) -> None:
        self.told["status"] = state
        self.told[f"{state}_at"] = int(time.time())


def new_batch(name: str, body: dict[str, Any], window: float) -> dict[str, Any]:
    """Return the API's description of a new batch."""
    now = int(time.time())
    return {
        "id": name,
        "object": "batch",
        "endpoint": body["endpoint"],
        "errors": None,
        "input_file_id": body["input_file_id"],
        "completion_window": body["completion_window"],
        "status": "validating",
        "output_file_id": None,
        "error_file_id": None,
        "created_at": now,
        "expires_at": now + window,
        "request_counts": {"total": 0, "completed": 0, "failed": 0},
        "usage": {"input_tokens": 0, "output_tokens": 0, "total_tokens": 0},
        "metadata": body.get("metadata"),
    }


def _fault(code: str, message: str, line: int | None) -> dict[str, Any]:
    return {"code": code, "message": message, "param": None, "line": line}


def _build_error(message: str) -> bytes:
    return orjson.dumps({"error": {"message": message, "type": "offline_model", "code": None}})


def _line(name: str, response: dict[str, Any] | None, error: dict[str, str] | None) -> bytes:
    return orjson.dumps(
        {
            "id": f"batch_req_{next(_requests)}",
            "custom_id": name,
            "response": response,
            "error": error,
        }
    )
