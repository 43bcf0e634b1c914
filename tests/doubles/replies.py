"""Kept replies in memory, for unit tests of what keeps them."""

from collections.abc import Iterable


class MemoryReplies:
    """Entries in a dictionary."""

    def __init__(self) -> None:
        self.entries: dict[tuple[str, str], bytes] = {}
        self.purged: list[str] = []

    def get(self, content: str, key: str) -> bytes | None:
        return self.entries.get((content, key))

    def put(self, content: str, key: str, data: bytes) -> None:
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
