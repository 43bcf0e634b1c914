"""Models for merging key elements that name the same thing: candidates, proposals and results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

from pydantic import Field

from hopline.models.base import Frozen
from hopline.models.documents import KeyElement
from hopline.models.merges import Merge, NameCandidates, Proposal


class ElementProfile(KeyElement):
    """A key element as the search for doubles sees it."""

    facts: int = Field(default=0, ge=0)  # facts that hold it, counted from the graph


class Pattern(Frozen):
    """Which names to look for.

    phrase: with the words one after another. ends: with a word that begins like the first one given, and with
    the last one given. resembling: with all the words but for a letter in each, or a gap.
    """

    mode: Literal["phrase", "ends", "resembling"]
    name: str  # normalised; for "ends" the two words with a space between


class Shared(Frozen):
    """What two key elements have in common, counted over at most some hundred places of each."""

    facts: int
    chunks: int
    documents: int
    source_documents: int  # of the first alone
    whole: bool = True  # all places of the first were looked at


class Undone(Frozen):
    """What an undoing brought back, and took away: elements that no fact holds without the merge."""

    merge: Merge
    restored: tuple[KeyElement, ...] = ()
    removed: tuple[str, ...] = ()


class Merging(Protocol):
    """The part of the graph that merges key elements. Every method is one round trip and idempotent."""

    def element_page(
        self, collection: str, *, after: str, before: str, limit: int
    ) -> tuple[list[ElementProfile], str]:
        """Return live elements, after < id < before, no redirects, and where to go on ("" at the end)."""

    def elements_matching(
        self, collection: str, patterns: Sequence[Pattern], limit: int
    ) -> list[list[ElementProfile]]:
        """Return per pattern the live elements whose names fit, best first."""

    def shared(self, collection: str, pairs: Sequence[tuple[str, str]]) -> list[Shared]:
        """Return what the two elements of each pair have in common."""

    def merge_elements(self, collection: str, proposal: Proposal, job: str) -> bool:
        """Make the source a redirect to the target, or to the target's own; return whether it is one.

        Nothing is done (False) where one of them is gone, where they were kept apart by an undoing, or where
        the target was merged into the source.
        """

    def undo_merge(self, collection: str, merge: str) -> Undone | None:
        """Restore a merged element with its facts and spellings; None if there is no such merge."""

    def merge(self, merge: str) -> Merge | None:
        """Return a merge by id."""

    def merges(self, collection: str | None, *, after: str = "", limit: int = 100) -> list[Merge]:
        """Return a page of merges, ordered by id, those that were undone too."""

    def name_candidates(self, collection: str, *, after: str = "", limit: int = 100) -> list[NameCandidates]:
        """Return a page of the names that may mean several, ordered by the ids of their elements."""

    def candidates_of(self, collection: str, element: str) -> list[KeyElement]:
        """Return those whose name a key element may be, by name."""

    def names_in(self, collection: str, chunk_ids: Sequence[str]) -> dict[str, list[tuple[str, ...]]]:
        """Return per chunk all names of each key element of its facts to which another leads."""

    def redirects(self, collection: str, ids: Sequence[str]) -> dict[str, str]:
        """Return for those ids that are redirects which element they lead to."""
