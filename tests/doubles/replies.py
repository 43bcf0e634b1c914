"""Kept replies in memory, for unit tests of what keeps them."""

import re
from collections.abc import Iterable


class MemoryReplies:
    """Entries in a dictionary."""

    def __init__(self) -> None:
        self.entries: dict[tuple[str, str], bytes] = {}
        self.purged: list[str] = []

    def get(self, content: str, key: str) -> bytes | None:
        _check(content, key)
        return self.entries.get((content, key))

    def put(self, content: str, key: str, data: bytes) -> None:
        _check(content, key)
        self.entries[content, key] = data

    def purge(self, contents: Iterable[str]) -> None:
        gone = set(contents)
        self.purged += gone
        self.entries = {name: data for name, data in self.entries.items() if name[0] not in gone}

    def sweep(self, _days: float, _most_bytes: int) -> int:
        return 0

    @property
    def contents(self) -> set[str]:
        return {content for content, _key in self.entries}


def _check(content: str, key: str) -> None:
    """Refuse the names that the store of files refuses."""
    assert re.fullmatch("[0-9a-f]{64}", content), content
    assert re.fullmatch("[0-9a-z-]{1,100}", key), key
