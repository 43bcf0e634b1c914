"""Assembles a chat completion that is streamed as server-sent events."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from workers.adapters.openai.bodies import decode_json, is_json, without_envelope
from workers.adapters.openai.complaints import Complaint, read_complaint
from workers.adapters.openai.replies import error_in, text_of, thoughts_of

_DATA, _END = b"data:", b"DONE"
_NOTHING = (b"null", b'""')  # sent to keep the connection open


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

    An event of a chat completion is one line, and some endpoints leave out the empty line after it, so a line
    is an event, unless it begins an object that a later line closes. Lines may end in a line feed, a carriage
    return, or both; some endpoints send lines of JSON alone.
    """
    begun: list[bytes] = []
    for line in _lines(parts):
        if line.startswith(b"{"):
            data = line.strip()
        elif line.startswith(_DATA):
            data = line.removeprefix(_DATA).strip()
        else:
            if begun and not line.strip():
                yield b"\n".join(begun)
                begun = []
            continue
        if begun or (data.startswith(b"{") and not data.endswith(b"}")):
            begun.append(data)
            if data.endswith(b"}") and is_json(whole := b"\n".join(begun)):
                yield whole
                begun = []
        elif data:
            yield data
    if begun:
        yield b"\n".join(begun)


def _lines(parts: Iterable[bytes]) -> Iterator[bytes]:
    rest, is_first = b"", True
    for part in parts:
        lines = (rest + part).splitlines(keepends=True)
        rest = lines.pop() if lines and not lines[-1].endswith(b"\n") else b""
        for line in lines:
            yield line.removeprefix(b"\xef\xbb\xbf") if is_first else line
            is_first = False
    yield rest.removeprefix(b"\xef\xbb\xbf") if is_first else rest


class Pieces:
    """The pieces of one completion, put together as they come."""

    def __init__(self) -> None:
        self.content = ""
        self._thoughts = ""
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
        if data in _NOTHING:
            return False
        if data.strip(b'"[] ').upper() == _END:
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
        if not isinstance(choice, dict) or choice.get("index") not in (None, 0, "0"):
            return  # one was asked for
        self._seen = True
        delta = choice.get("delta") or choice.get("message")
        if isinstance(delta, dict):
            self.content += text_of(delta.get("content"))
            self._refusal += text_of(delta.get("refusal"))
            self._thoughts += thoughts_of(delta)
        elif isinstance(choice.get("text"), str):
            self.content += choice["text"]
        self._finish = choice.get("finish_reason") or self._finish

    def completion(self) -> dict[str, Any]:
        """Return the completion as if it had come in one piece."""
        message = {"role": "assistant", "content": self.content, "refusal": self._refusal or None}
        if self._thoughts:
            message["reasoning"] = self._thoughts
        choices = [{"index": 0, "message": message, "finish_reason": self._finish}]
        return {"choices": choices} | ({"usage": self._usage} if self._usage is not None else {})


def _chunk(data: bytes) -> dict[str, Any]:
    try:
        chunk = without_envelope(decode_json(data))
    except ValueError:
        chunk = None
    if not isinstance(chunk, dict) or not isinstance(chunk.get("choices") or [], list):
        raise StreamFault(read_complaint(data))
    told = "choices" not in chunk and isinstance(chunk.get("message") or chunk.get("detail"), str)
    if chunk.get("error") or told or (within := error_in(chunk)):
        complaint = read_complaint(data if chunk.get("error") or told else within)
        raise StreamFault(complaint.model_copy(update={"code": complaint.code or "error"}))
    return chunk
