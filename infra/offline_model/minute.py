"""Rate limits over a sliding minute, as providers enforce them."""

from __future__ import annotations

import math
import time
from collections import Counter, deque
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from infra.offline_model.wire import failed

_MINUTE = 60.0
_LOGGED = 1000
_BYTES_PER_TOKEN = 4  # as replies report it
_LONGEST_REPLY = 4096  # counted where a request bounds its reply nowhere


class MinuteLimits(BaseModel):
    """Limits per minute; none unless set."""

    model_config = ConfigDict(extra="forbid")

    rpm: int | None = Field(default=None, ge=1)  # requests
    tpm: int | None = Field(default=None, ge=1)  # tokens: of the prompt, and the reply's bound, on arrival
    punish: float = Field(default=0.0, ge=0)  # seconds that everybody is refused after a violation


class Minute:
    """Requests of the last minute, and violations."""

    def __init__(self) -> None:
        self._came: deque[tuple[float, int]] = deque()
        self._tokens = 0
        self._refusing = 0.0
        self._first: float | None = None
        self._violations: deque[float] = deque(maxlen=_LOGGED)
        self._punished = 0
        self._requests_by_second: Counter[int] = Counter()
        self._tokens_by_second: Counter[int] = Counter()

    def admit(self, tokens: int, limits: MinuteLimits, retry_after: float) -> Response | None:
        """Count a request; return the refusal if a limit is exceeded or a punishment is in force."""
        now = time.monotonic()
        self._first = now if self._first is None else self._first
        if now < self._refusing:
            self._punished += 1
            return _refused("more than is allowed came a moment ago", self._refusing - now)
        while self._came and self._came[0][0] <= now - _MINUTE:
            self._tokens -= self._came.popleft()[1]
        self._came.append((now, tokens))
        self._tokens += tokens
        too_many = limits.rpm is not None and len(self._came) > limits.rpm
        if too_many or (limits.tpm is not None and self._tokens > limits.tpm):
            self._violations.append(round(now - self._first, 2))
            self._refusing = now + limits.punish
            what = f"{limits.rpm} requests" if too_many else f"{limits.tpm} tokens"
            return _refused(f"{what} are allowed in a minute", max(limits.punish, retry_after))
        second = int(now - self._first)
        self._requests_by_second[second] += 1
        self._tokens_by_second[second] += tokens
        return None

    def shown(self) -> dict[str, Any]:
        """Return the times of violations in seconds from the first request, and requests by second."""
        length = max(self._requests_by_second, default=-1) + 1
        return {
            "violations": list(self._violations),
            "punished": self._punished,
            "requests": [self._requests_by_second[second] for second in range(length)],
            "tokens": [self._tokens_by_second[second] for second in range(length)],
        }


def tokens_of(body: dict[str, Any], size: int, *, chat: bool) -> int:
    """Return the tokens that a request counts: its prompt, and the longest reply it allows."""
    bound = body.get("max_completion_tokens") or body.get("max_tokens") or _LONGEST_REPLY
    return size // _BYTES_PER_TOKEN + (int(bound) if chat else 0)


def _refused(reason: str, retry_after: float) -> Response:
    return failed(429, reason, math.ceil(retry_after * 100) / 100)
