"""Kept versions that have nothing but their collection."""

from collections.abc import Sequence

from doubles.graph import MemoryKept
from workers.core.graph.kept_versions import Keeping, KeptKey


class NamedKept(MemoryKept):
    """One version of each of some collections, and what is done to it."""

    def __init__(self, *collections: str) -> None:
        self.versions = [KeptKey(f"{name}-document@1.0", name) for name in collections]
        self.steps: list[str] = []

    def beyond(self, _keeping: Keeping, _document_id: str | None = None) -> list[KeptKey]:
        return list(self.versions)

    def named(self, **meant: str | None) -> list[KeptKey]:
        if "name" in meant:
            return [version for version in self.versions if meant["name"] in (None, version.key)]
        return [version for version in self.versions if version.collection == meant["collection"]]

    def drop(self, keys: Sequence[str]) -> None:
        self.steps += ["drop"] if keys else []

    def forget(self, keys: Sequence[str]) -> None:
        self.steps += ["forget"] if keys else []
        self.versions = [version for version in self.versions if version.key not in keys]
