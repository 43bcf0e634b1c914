"""Switches that make the offline model slow or faulty; they can be changed over HTTP while it runs."""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Mapping
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from infra.offline_model.minute import Minute, MinuteLimits

Failure = Literal["429", "500", "drop", "malformed", "schema", "refusal", "invented", "empty"]
# Of a line in a batch: 500 and 429 fail it, broken is a reply that is no completion, others as of a call.
LineFailure = Literal[
    "429", "500", "malformed", "schema", "refusal", "invented", "empty", "broken", "expired"
]
Side = Literal["chat", "embeddings"]
Kind = TypeVar("Kind", Failure, LineFailure)
_LOGGED = 1000


class Behaviour(BaseModel):
    """How requests of one sort are answered."""

    model_config = ConfigDict(extra="forbid")

    latency: float = Field(default=0.0, ge=0)  # seconds
    hold: bool = False  # they are answered once this is changed
    hold_last: int = Field(default=0, ge=0)  # events of a streamed reply that follow once this is 0
    piece_latency: float = Field(default=0.0, ge=0)  # seconds before each piece of a streamed reply
    fail: dict[Failure, float] = {}  # share 0..1 of the requests
    fail_next: list[Failure] = []  # failures of the next requests, in order, before any chance


class BatchBehaviour(BaseModel):
    """How the Batch API behaves."""

    model_config = ConfigDict(extra="forbid")

    served: bool = True  # else its routes are unknown
    latency: float = Field(default=0.0, ge=0)  # seconds that a batch is in progress before its first line
    line_latency: float = Field(default=0.0, ge=0)  # seconds per line
    hold: Literal["", "validating", "in_progress", "finalizing"] = ""  # batches stay here until it is changed
    fail: dict[LineFailure, float] = {}  # share 0..1 of the lines
    # How the next batches end: refused, refused for a limit, or expired with half of their lines done.
    fail_next: list[Literal["failed", "limit", "expired", "completed"]] = []
    fail_requests: list[Literal["429", "500", "drop", ""]] = []  # of the next requests, in order
    most: int | None = Field(default=None, ge=1)  # batches at a time; one more gets a 429
    enqueued_tokens: int | None = Field(default=None, ge=1)  # of all batches at a time; one more fails
    window: float = Field(default=86400.0, ge=0)  # seconds until what is not done expires


class Switches(BaseModel):
    """All that can be set, as /control shows and takes it."""

    model_config = ConfigDict(extra="forbid")

    chat: Behaviour = Behaviour()
    embeddings: Behaviour = Behaviour()
    batches: BatchBehaviour = BatchBehaviour()
    chat_limits: MinuteLimits = MinuteLimits()
    embedding_limits: MinuteLimits = MinuteLimits()
    schemas: dict[str, Behaviour] = {}  # of one reply schema, in place of `chat`
    retry_after: float = Field(default=0.2, ge=0)  # seconds, told with a 429
    allowed: int | None = Field(default=None, ge=1)  # chat calls at a time; one more gets a 429
    formats: list[Literal["json_schema", "json_object"]] = ["json_schema", "json_object"]  # others get a 400
    tools: bool = True  # are taken natively; else a 400
    streams: bool = True  # replies are given in pieces where that is asked for; else a 400
    pictures: list[str] | None = []  # lines that each picture says; with None, pictures get a 400
    base64: bool = True  # embeddings may be asked for in base64
    seed: int | None = None  # restarts the dice


class Record:
    """What was asked: counts since the start, and the latest requests."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.failed: Counter[str] = Counter()
        self.latest: deque[dict[str, Any]] = deque(maxlen=_LOGGED)
        self.minutes: dict[Side, Minute] = {"chat": Minute(), "embeddings": Minute()}
        self.now = 0  # chat calls that are being answered
        self.most = 0

    def shown(self) -> dict[str, Any]:
        """Return counts per schema, of texts embedded and failures, and the calls that are being answered."""
        return {
            "requests": dict(self.counts),
            "failures": dict(self.failed),
            "now": self.now,
            "most": self.most,
            "minutes": {side: minute.shown() for side, minute in self.minutes.items()},
        }


class Control:
    """The switches in force and what happened under them."""

    def __init__(self, switches: Switches) -> None:
        self.switches = switches
        self.record = Record()
        self._dice = random.Random(switches.seed)  # noqa: S311 - failures are to be repeatable

    def change(self, wanted: dict[str, Any]) -> None:
        """Change only the named settings; `reset` true starts from the defaults and clears the record.

        Raises:
            pydantic.ValidationError: names what is not allowed; nothing was changed.
        """
        settings = dict(wanted)
        reset = bool(settings.pop("reset", False))
        base = {} if reset else self.switches.model_dump()
        changed = Switches.model_validate(_merged(base, settings))
        self.switches = changed
        if reset:
            self.record = Record()
        if "seed" in settings:
            self._dice = random.Random(changed.seed)  # noqa: S311 - as above

    def behaviour(self, side: Side, schema: str = "") -> Behaviour:
        """Return how such a request is answered."""
        if side == "embeddings":
            return self.switches.embeddings
        return self.switches.schemas.get(schema, self.switches.chat)

    def failure(self, behaviour: Behaviour) -> Failure | None:
        """Return how this request fails, if it does."""
        if behaviour.fail_next:
            return behaviour.fail_next.pop(0)
        return self._cast(behaviour.fail)

    def line_failure(self) -> LineFailure | None:
        """Return how this line of a batch fails, if it does."""
        return self._cast(self.switches.batches.fail)

    def _cast(self, shares: Mapping[Kind, float]) -> Kind | None:
        if not shares:
            return None
        cast = self._dice.random()
        for failure, share in shares.items():
            cast -= share
            if cast < 0:
                return failure
        return None


def _merged(base: dict[str, Any], settings: dict[str, Any]) -> dict[str, Any]:
    """Merge one level deep: {"chat": {"latency": 1}} does not change the failures of chat."""
    merged = dict(base)
    for name, value in settings.items():
        old = merged.get(name)
        merged[name] = {**old, **value} if isinstance(old, dict) and isinstance(value, dict) else value
    return merged


def parse_failures(text: str) -> dict[str, float]:
    """Read `429=0.05,drop=0.01`.

    Raises:
        ValueError: a part is not a name, an equals sign and a number.
    """
    pairs = (part.partition("=") for part in text.split(",") if part.strip())
    return {name.strip(): float(share) for name, _, share in pairs}
