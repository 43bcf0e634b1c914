"""Merging key elements from a client: make the merges, list them, undo one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING

from workers.core.errors import Gone

if TYPE_CHECKING:
    from workers.core.merging import Merge
    from workers.core.work import Json
    from workers.ledger.records import JobRecord
    from workers.services import Services

_PAGE = 200


class ElementCalls(ABC):
    """What `Hopline` does with key elements."""

    @property
    @abstractmethod
    def services(self) -> Services:
        """The adapters behind the client."""

    @abstractmethod
    def _run(self, kind: str, collection: str, params: Json, timeout: float | None) -> JobRecord:
        """Submit a job that must end done; return its record."""

    def merge_elements(
        self, collection: str = "default", *, dry_run: bool = False, timeout: float | None = None
    ) -> Json:
        """Merge the key elements of a collection that name one thing; return what was done.

        Args:
            collection: whose elements.
            dry_run: find them and merge nothing.
            timeout: seconds to wait; the job goes on after it.

        Returns:
            elements: how many were compared; found, made, refused: how many merges; proposals: with dry_run
            the first [source, target, rule, evidence].

        Raises:
            Permanent: it could not be done.
        """
        return self._run("merge", collection, {"dry_run": dry_run}, timeout).outcome or {}

    def merges(self, collection: str | None = None) -> Iterator[Merge]:
        """Yield the merges of a collection, or of all, undone ones too, ordered by id."""
        after = ""
        while page := self.services.graph.merges(collection, after=after, limit=_PAGE):
            yield from page
            after = page[-1].id

    def undo_merge(self, merge: str, *, timeout: float | None = None) -> Json:
        """Undo a merge; it is not made again. Return {merge, restored: names, removed}.

        Raises:
            Gone: there is no such merge.
            Permanent: it could not be undone.
        """
        found = self.services.graph.merge(merge)
        if found is None:
            raise Gone(f"no merge {merge}: `hopline elements merges` lists them")
        return self._run("merge", found.collection, {"undo": merge}, timeout).outcome or {}
