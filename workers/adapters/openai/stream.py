"""Assembles a chat completion that is streamed as server-sent events."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import orjson

from workers.adapters.openai.complaints import Complaint, read_complaint
from workers.adapters.openai.replies import text_of

_DATA, _END = b"data:", b"[DONE]"


class StreamFault(Exception):
    """An event of a stream is not a chat completion's, or reports an error.

    Attributes:
        complaint: what it says; its code is "" where it reports none.
    """

    def __init__(self, complaint: Complaint) -> None:
        super().__init__(complaint.words)
        self.complaint = complaint


def events_of(parts: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the data of each event; skip names, and comments that keep the connection open.

    Every event of a chat completion is one line, so a line is an event: some endpoints leave out the empty
    line after it. Lines may end in a line feed, a carriage return, or both.
    """
    rest = b""
    for part in parts:
        lines = (rest + part).splitlines(keepends=True)
        rest = lines.pop() if lines and not lines[-1].endswith(b"\n") else b""
        yield from _data(lines)
    yield from _data([rest])


def _data(lines: Iterable[bytes]) -> Iterator[bytes]:
    for line in lines:
        if line.startswith(_DATA) and (data := line.removeprefix(_DATA).strip()):
            yield data


class Pieces:
    """The pieces of one completion, put together as they come."""

    def __init__(self) -> None:
        self.content = ""
        self._refusal = ""
        self._finish: str | None = None
        self._usage: dict[str, Any] | None = None
        self._seen = False  # a piece of a choice
        self._ended = False  # by the mark of the end

    @property
    def whole(self) -> bool:
        """Whether the completion is complete, even if the connection drops now; usage may lack."""
        return self._seen and (self._ended or self._finish is not None)

    def take(self, data: bytes) -> bool:
        """Take an event in; return whether the content grew.

        Raises:
            StreamFault: it is no piece of a chat completion.
        """
        if data == _END:
            self._ended = True
            return False
        chunk = _chunk(data)
        usage = chunk.get("usage")
        if isinstance(usage, dict):
            self._usage = usage
        before = len(self.content)
        for choice in chunk.get("choices") or ():
            self._add(choice)
        return len(self.content) > before

    def _add(self, choice: Any) -> None:
        if not isinstance(choice, dict) or choice.get("index"):
            return  # one was asked for
        self._seen = True
        delta = choice.get("delta") or choice.get("message")
        if isinstance(delta, dict):
            self.content += text_of(delta.get("content"))
            self._refusal += text_of(delta.get("refusal"))
        self._finish = choice.get("finish_reason") or self._finish

    def completion(self) -> dict[str, Any]:
        """Return the completion as if it had come in one piece."""
        message = {"role": "assistant", "content": self.content, "refusal": self._refusal or None}
        choices = [{"index": 0, "message": message, "finish_reason": self._finish}]
        return {"choices": choices} | ({"usage": self._usage} if self._usage is not None else {})


def _chunk(data: bytes) -> dict[str, Any]:
    try:
        chunk = orjson.loads(data)
    except orjson.JSONDecodeError:
        chunk = None
    if not isinstance(chunk, dict) or not isinstance(chunk.get("choices") or [], list):
        raise StreamFault(read_complaint(data))
    if chunk.get("error"):
        complaint = read_complaint(data)
        raise StreamFault(complaint.model_copy(update={"code": complaint.code or "error"}))
    return chunk
