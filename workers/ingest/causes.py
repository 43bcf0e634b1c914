"""Groups failures by cause: errors that differ only in numbers, paths, names and ids are one cause."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from hopline.models.reports import Cause, FailureExample

_MOST_CAUSES = 300  # told apart; of more only the number is kept
_SHOWN = 40
_EXAMPLES = 3
_ERROR = 300  # characters of an error in an example
_CAUSE = 160
_SHORTEST_NAME = 4  # of an address that is looked for in its error
_RULES = (
    (re.compile(r"\b[a-z][a-z0-9+.-]*://[^\s'\"<>,;)\]]+", re.IGNORECASE), "URL"),
    (re.compile(r"(?<![\w.])(?:~|\.{1,2}|[A-Za-z]:)?(?:[\\/][^\s'\"<>|:,;)\]]+)+"), "PATH"),
    (re.compile(r"(?<!\w)'[^'\n]{0,2000}'(?!\w)|\"[^\"\n]{0,2000}\"|“[^”\n]{0,2000}”|`[^`\n]{0,2000}`"), "…"),
    (re.compile(r"\b0x[0-9a-f]+\b", re.IGNORECASE), "ID"),
    (re.compile(r"\b(?=\w*\d)[0-9a-f]{4,}(?:-[0-9a-f]{4,})+\b", re.IGNORECASE), "ID"),
    (re.compile(r"\b(?=[0-9a-z]*\d)(?=[0-9a-z]*[a-z])[0-9a-z]{8,}\b", re.IGNORECASE), "ID"),
    # A status of HTTP in brackets is a cause, and not a number.
    (re.compile(r"(?<![A-Za-z\d])(?!(?<=\()[45]\d\d\))\d+(?:[.,:]\d+)*"), "N"),
)
_SPACE = re.compile(r"\s+")

Kind = Literal["document", "chunk", "source"]


def cause_of(error: str, uri: str = "") -> str:
    """Return an error with its varying parts replaced by URL, PATH, ID, N and ….

    Args:
        error: as it was reported. A path in it ends at a space or a colon.
        uri: the document's; however it is written, it is a path.
    """
    named = error.replace(uri, "PATH") if len(uri) >= _SHORTEST_NAME else error
    text = _SPACE.sub(" ", named).strip()
    for pattern, sign in _RULES:
        text = pattern.sub(sign, text)
    return text[:_CAUSE] or "no reason recorded"


@dataclass
class _Group:
    count: int = 0
    documents: int = 0
    last: str = ""  # the document that was counted last
    examples: list[FailureExample] = field(default_factory=list)

    def add(self, uri: str, error: str) -> None:
        self.count += 1
        if uri != self.last:
            self.documents += 1
            self.last = uri
            if len(self.examples) < _EXAMPLES:
                self.examples.append(FailureExample(uri=uri, error=_SPACE.sub(" ", error).strip()[:_ERROR]))


class Causes:
    """Counts failures by cause, in bounded memory.

    Attributes:
        left_out: failures of more causes than are told apart.
    """

    def __init__(self) -> None:
        self.left_out = 0
        self._groups: dict[tuple[Kind, str], _Group] = {}

    def add(self, kind: Kind, uri: str, error: str) -> None:
        """Count one entry; entries of the same document follow one another."""
        key = kind, cause_of(error, uri)
        if key not in self._groups and len(self._groups) >= _MOST_CAUSES:
            self.left_out += 1
            return
        self._groups.setdefault(key, _Group()).add(uri, error)

    def add_all(self, kind: Kind, places: Iterable[tuple[str, str]]) -> None:
        """Count some, each (uri, error)."""
        for uri, error in places:
            self.add(kind, uri, error)

    def ranked(self) -> tuple[Cause, ...]:
        """Return the causes, most frequent first."""
        ordered = sorted(self._groups.items(), key=lambda group: (-group[1].count, group[0]))
        self.left_out += sum(group.count for _, group in ordered[_SHOWN:])
        del ordered[_SHOWN:]
        self._groups = dict(ordered)
        return tuple(
            Cause(
                kind=kind,
                cause=cause,
                count=group.count,
                documents=group.documents,
                examples=tuple(group.examples),
            )
            for (kind, cause), group in ordered
        )
