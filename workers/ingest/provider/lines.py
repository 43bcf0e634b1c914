"""Stores requests for the provider: a blob of lines per document, and groups that fill a file."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import orjson
from pydantic import BaseModel, TypeAdapter

from hopline.models.base import Frozen
from hopline.models.jobs import Usage
from workers.core.models.provider import RequestBody
from workers.core.ports import Blobs
from workers.ingest.schema import ExtractedFacts, ProfiledFacts

_PART_LINES, _PART_BYTES = 500, 8_000_000  # of one blob; a document of many chunks has several
_PATH = "/v1/chat/completions"
REPLIES: Mapping[str, type[BaseModel]] = {
    schema.__name__: schema for schema in (ExtractedFacts, ProfiledFacts)
}


class Part(NamedTuple):
    """Lines of one document, stored as a list."""

    reference: str  # blob
    lines: int
    bytes: int  # of the requests as they are sent


_LISTED_PARTS = 2  # in a result; Redis holds hundreds of results at a time
_PARTS = TypeAdapter(tuple[Part, ...])


class PrepareResult(Frozen):
    """The request lines of a document: either its parts or, of more than a few, the address of their list."""

    parts: tuple[Part, ...] | None = None
    listed: str = ""  # blob
    why: str = ""  # there are none


def prepared_of(blobs: Blobs, parts: Sequence[Part]) -> PrepareResult:
    """Return the result for these parts, with a long list stored separately."""
    if len(parts) > _LISTED_PARTS:
        return PrepareResult(listed=blobs.put(_PARTS.dump_json(tuple(parts)), ".json"))
    return PrepareResult(parts=tuple(parts))


def parts_of(blobs: Blobs, prepared: PrepareResult) -> Sequence[Part]:
    """Return a document's parts."""
    if prepared.listed:
        return _PARTS.validate_json(blobs.get(prepared.listed), extra="ignore")
    return prepared.parts or ()


class Group(Frozen):
    """Parts that go into one file."""

    parts: tuple[str, ...]
    lines: int
    since: float  # seconds since the epoch: nothing of it is older at the provider


@dataclass(frozen=True)
class Line:
    """A request, and the key of its cached reply."""

    content: str  # hash of the chunk's text
    key: str  # of the reply; the line's own id, too
    reply: str  # name of its schema
    bound: Usage
    body: bytes

    def request(self) -> bytes:
        """Return the line as the provider reads it."""
        request = {"custom_id": self.key, "method": "POST", "url": _PATH, "body": orjson.Fragment(self.body)}
        return orjson.dumps(request)


def line_of(content: str, key: str, reply: type[BaseModel], request: RequestBody) -> Line:
    """Return a line to be stored."""
    return Line(content, key, reply.__name__, request.bound, request.body)


def put_lines(blobs: Blobs, lines: Iterable[Line]) -> list[Part]:
    """Store a document's lines; the prompt that all of them repeat is packed away."""
    parts: list[Part] = []
    waiting: list[bytes] = []
    size = 0

    def close() -> None:
        if waiting:
            reference = blobs.put(zlib.compress(b"\n".join(waiting)), ".jsonl.z")
            parts.append(Part(reference=reference, lines=len(waiting), bytes=size))

    for line in lines:
        waiting.append(_packed(line))
        size += len(line.body) + 200  # and what stands around it
        if len(waiting) >= _PART_LINES or size >= _PART_BYTES:
            close()
            waiting, size = [], 0
    close()
    return parts


def lines_of(blobs: Blobs, group: Group) -> Iterator[Line]:
    """Yield a group's lines without duplicates, holding one part at a time."""
    seen: set[str] = set()
    for reference in group.parts:
        for raw in zlib.decompress(blobs.get(reference)).split(b"\n"):
            line = _unpacked(raw)
            if line.key not in seen:
                seen.add(line.key)
                yield line


def _packed(line: Line) -> bytes:
    bound = line.bound
    usage = [bound.prompt_tokens, bound.completion_tokens, bound.cost]
    # JSON holds no bare tab, so one divides what is read often from what is only sent.
    return orjson.dumps([line.content, line.key, line.reply, *usage]) + b"\t" + line.body


def _unpacked(raw: bytes) -> Line:
    head, _, body = raw.partition(b"\t")
    content, key, reply, prompt, completion, cost = orjson.loads(head)
    bound = Usage(model_calls=1, prompt_tokens=prompt, completion_tokens=completion, cost=cost)
    return Line(content, key, reply, bound, body)


def put_group(blobs: Blobs, group: Group) -> str:
    """Store a group; return its reference."""
    return blobs.put(group.model_dump_json().encode(), ".json")


def get_group(blobs: Blobs, reference: str) -> Group:
    """Return a group."""
    return Group.read_stored(blobs.get(reference))
