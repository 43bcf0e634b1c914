"""Models for merging key elements that name the same thing: candidates, proposals and results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

from pydantic import Field

from hopline.models.base import Frozen
from hopline.models.documents import KeyElement
from hopline.models.merges import Merge, NameCandidates, Proposal


class ElementProfile(KeyElement):
    """A key element as seen by the search for duplicates."""

    facts: int = Field(default=0, ge=0)  # facts that hold it, counted from the graph


class Pattern(Frozen):
    """Names to look for.

    phrase: containing the words in this order. ends: containing a word that starts like the first one given,
    and the last one given. resembling: containing all the words, apart from a letter in each, or a gap.
    """

    mode: Literal["phrase", "ends", "resembling"]
    name: str  # normalised; for "ends" the two words with a space between


class Shared(Frozen):
    """Common ground of two key elements, counted over at most a few hundred places of each."""

    facts: int
    chunks: int
    documents: int
    source_documents: int  # of the first alone
    whole: bool = True  # all places of the first were looked at


class Undone(Frozen):
    """The elements that an undo restored, and those it removed as no fact contains them without the merge."""

    merge: Merge
    restored: tuple[KeyElement, ...] = ()
    removed: tuple[str, ...] = ()


class Merging(Protocol):
    """The part of the graph that merges key elements. Every method is idempotent and takes one round trip."""

    def element_page(
        self, collection: str, *, after: str, before: str, limit: int
    ) -> tuple[list[ElementProfile], str]:
        """Return live elements (no redirects), after < id < before, and the next cursor ("" at the end)."""

    def elements_matching(
        self, collection: str, patterns: Sequence[Pattern], limit: int
    ) -> list[list[ElementProfile]]:
        """Return, for each pattern, the live elements with matching names, best first."""

    def shared(self, collection: str, pairs: Sequence[tuple[str, str]]) -> list[Shared]:
        """Return the common ground of each pair of elements."""

    def merge_elements(self, collection: str, proposal: Proposal, job: str) -> bool:
        """Redirect the source to the target (or to its own target); return whether it is a redirect now.

        Does nothing and returns False if one of them is gone, if an undo has separated them, or if the target
        was merged into the source.
        """

    def undo_merge(self, collection: str, merge: str) -> Undone | None:
        """Restore a merged element with its facts and spellings; None if there is no such merge."""

    def merge(self, merge: str) -> Merge | None:
        """Return a merge by id."""

    def merges(self, collection: str | None, *, after: str = "", limit: int = 100) -> list[Merge]:
        """Return a page of merges, ordered by id, including undone ones."""

    def name_candidates(self, collection: str, *, after: str = "", limit: int = 100) -> list[NameCandidates]:
        """Return a page of names that may mean several key elements, ordered by element id."""

    def candidates_of(self, collection: str, element: str) -> list[KeyElement]:
        """Return the key elements that a name may stand for, ordered by name."""

    def names_in(self, collection: str, chunk_ids: Sequence[str]) -> dict[str, list[tuple[str, ...]]]:
        """Return per chunk all names of each key element in its facts to which another redirects."""

    def redirects(self, collection: str, ids: Sequence[str]) -> dict[str, str]:
        """Return the target of each given id that is a redirect."""
