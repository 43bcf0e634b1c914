"""A batch mode in memory: files and batches stand as a test puts them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson
from pydantic import BaseModel, ValidationError

from hopline.errors import Conflict
from hopline.models.jobs import Json, Usage
from workers.core.models.provider import ProviderBatch, ProviderBounds, ProviderFile, RequestBody
from workers.core.prompts import Prompt

BOUND = Usage(model_calls=1, prompt_tokens=90, completion_tokens=10, cost=0.5)


@dataclass
class MemoryProvider:
    bounds: ProviderBounds = field(default_factory=ProviderBounds)
    knows_form: bool = True
    files: dict[str, tuple[str, list[bytes]]] = field(default_factory=dict)  # id -> name, lines
    batches: dict[str, ProviderBatch] = field(default_factory=dict)
    intents: dict[str, str] = field(default_factory=dict)  # batch -> intent
    booked: dict[str, Usage] = field(default_factory=dict)
    settled: dict[str, Usage] = field(default_factory=dict)
    settled_in: dict[str, int] = field(default_factory=dict)  # booking -> epoch
    gone: bool = False  # the job that pays has ended
    served: bool = True

    def metered(self, _meter: object) -> MemoryProvider:
        return self

    def check(self) -> None:
        assert self.served

    def learn(self, call: Callable[[], object]) -> None:
        call()
        self.knows_form = True

    def request(
        self, _prompt: Prompt, material: Mapping[str, Any], _reply: type[BaseModel], *, max_tokens: int
    ) -> RequestBody:
        return RequestBody(body=orjson.dumps({"asks": dict(material), "most": max_tokens}), bound=BOUND)

    def upload(self, name: str, lines: Iterable[bytes]) -> ProviderFile:
        file = f"file-{len(self.files)}"
        self.files[file] = (name, list(lines))
        return ProviderFile(id=file, created=100.0)

    def find_files(self, name: str, _since: float) -> list[ProviderFile]:
        return [
            ProviderFile(id=file_id, created=100.0)
            for file_id, (known, _) in self.files.items()
            if known == name
        ]

    def create(self, intent: str, file: ProviderFile) -> ProviderBatch:
        for name, known in self.intents.items():
            if known == intent:
                return self.batches[name]
        name = f"batch-{len(self.batches)}"
        self.intents[name] = intent
        self.put(name, input=file.id)
        return self.batches[name]

    def put(self, name: str, **fields: Any) -> None:
        """Let a batch stand like this."""
        known = {"id": name, "standing": "working", "status": "in_progress", "created": 100.0}
        before = self.batches[name].model_dump() if name in self.batches else known
        self.batches[name] = ProviderBatch.model_validate(before | fields)

    def find(self, intent: str, _since: float) -> list[ProviderBatch]:
        return [self.batches[name] for name, known in self.intents.items() if known == intent]

    def look(self, batch: str) -> ProviderBatch:
        return self.batches[batch]

    def cancel(self, batch: str) -> None:
        self.put(batch, standing="ended", status="cancelled")

    def lines(self, file: str) -> Iterator[bytes]:
        return iter(self.files[file][1] if file in self.files else [])

    def read(self, payload: Json, reply: type[Any], _bound: Usage) -> tuple[Any, Usage]:
        took = Usage(model_calls=1, prompt_tokens=7, completion_tokens=3, cost=0.1)
        try:
            return reply.model_validate(payload), took
        except ValidationError:
            return None, took

    def delete(self, file: str) -> None:
        self.files.pop(file, None)

    def reserve(self, booking: str, bound: Usage, epoch: int) -> None:
        if self.gone or self.settled_in.get(booking, 0) >= epoch:
            raise Conflict("the job that pays has ended, or it is settled")
        self.booked[booking] = bound

    def settle(self, booking: str, usage: Usage, epoch: int) -> None:
        self.settled.setdefault(booking, usage)
        self.settled_in[booking] = max(epoch, self.settled_in.get(booking, 0))
