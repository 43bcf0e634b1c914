"""Lists the documents of sources at once, for ingestion without a named batch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from hopline.errors import InvalidInput
from hopline.models.metadata import NO_METADATA, Value
from workers.core.jobs.params import DocumentParams
from workers.core.ports import Blobs
from workers.sources.addresses import InPlace, Uploaded
from workers.sources.command_metadata import with_metadata
from workers.sources.documents import list_sources
from workers.sources.doubles import FirstPlaces, without_doubles
from workers.sources.formats import Named, Refused

_MAX_BYTES = 20_000_000  # as Limits.max_document_bytes


@dataclass
class Listing:
    """A listing of sources that stops when the caller no longer waits."""

    is_left: bool = field(default=False, init=False)  # who asked for it does not wait any more

    def leave(self) -> None:
        """Stop the listing, because the caller no longer waits."""
        self.is_left = True

    def check_left(self, listed: int) -> None:
        """Check that the caller still waits.

        Args:
            listed: number of documents so far.

        Raises:
            InvalidInput: the caller no longer waits.
        """
        if self.is_left:
            raise InvalidInput(
                "sources", f"{listed} documents so far", "sources whose listing somebody waits for"
            )

    def watched(self, named: Iterable[Named]) -> Iterator[Named]:
        """Yield the listed documents.

        Raises:
            InvalidInput: nobody waits for it any more.
        """
        for count, entry in enumerate(named):
            self.check_left(count)
            yield entry


class Expansion(NamedTuple):
    """Documents to submit, and those that were refused."""

    documents: tuple[DocumentParams, ...]
    refused: tuple[Refused, ...]


def expand_sources(
    paths: Sequence[str | Path],
    blobs: Blobs,
    *,
    upload: bool = False,
    max_bytes: int = _MAX_BYTES,
    metadata: Mapping[str, Value] = NO_METADATA,
    listing: Listing | None = None,
    code: bool = False,
) -> Expansion:
    """Return the documents of files, folders (searched to the bottom), patterns and addresses, in order.

    Hidden files of folders are skipped; everything else that is not a document is listed with the reason:
    unknown suffix, missing file, malformed line, or repeated id.

    Args:
        paths: the named sources.
        blobs: stores every file if `upload` is set.
        upload: put files into the blob store, for workers that cannot read them by path.
        max_bytes: larger files are not uploaded.
        metadata: fields for all documents, which override their own.
        listing: stops this when the caller no longer waits.
        code: whether source code is accepted.

    Raises:
        InvalidInput: nobody waits for it any more.
    """
    keeping = Uploaded(blobs, max_bytes=max_bytes, stores_too=True) if upload else InPlace()
    listed = (listing or Listing()).watched(list_sources(paths, keeping, code=code))
    return expansion_of(with_metadata(listed, metadata))


def expansion_of(named: Iterable[Named]) -> Expansion:
    """Return documents and refusals separately, each place and each name once."""
    places = FirstPlaces()
    try:
        listed = list(without_doubles(named, places))
    finally:
        places.close()
    refused = dict.fromkeys(entry for entry in listed if isinstance(entry, Refused))
    documents = tuple(entry.document for entry in listed if not isinstance(entry, Refused))
    return Expansion(documents, tuple(refused))
