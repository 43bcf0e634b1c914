"""Names of sidecars: a file NAME.meta.json holds the metadata of the document NAME beside it."""

from __future__ import annotations

from collections.abc import Collection

from hopline.models.formats import ARCHIVES, SUFFIXES
from hopline.visible import shown_letters

SIDECAR = ".meta.json"
LONGEST_SIDECAR = 64_000  # bytes
_SUFFIXES = (*SUFFIXES, *ARCHIVES)


def is_sidecar(name: str) -> bool:
    """Return whether a file's name is that of a document's sidecar."""
    return name.endswith(SIDECAR) and may_have_sidecar(document_of(name))


def may_have_sidecar(name: str) -> bool:
    """Return whether a file may have a sidecar: documents and archives may, lines of a list have fields."""
    return name.lower().endswith(_SUFFIXES)


def document_of(sidecar: str) -> str:
    """Return the name of the document that a sidecar belongs to."""
    return sidecar[: -len(SIDECAR)]


def without_document(sidecar: str) -> str:
    """Return why a sidecar alone is refused."""
    return f"the metadata of {document_of(sidecar).rpartition('/')[2]}, which is not there"


def is_almost_sidecar(name: str) -> bool:
    """Return whether a file's name ends as a sidecar's does, in any letters, though it is none."""
    return name.lower().endswith(SIDECAR) and not is_sidecar(name)


def not_read(name: str) -> str:
    """Return why a file that is almost a sidecar is refused."""
    allowed = (
        f"the whole name of a document and {SIDECAR!r} in small letters; a line of a list has its own fields"
    )
    shown = repr(name.rpartition("/")[2])
    return f"{shown} is not read as metadata, nor an `allow` in it; a sidecar's name is {allowed}"


def almost_sidecars(names: Collection[str]) -> dict[str, str]:
    """Return the files of a folder that differ from a document's sidecar only in case.

    Args:
        names: of all that lies in the folder.

    Returns:
        Their names by those of the documents that they may be meant for, as `folded`.
    """
    ends = [name for name in names if name.lower().endswith(SIDECAR)]
    its_own = {name for name in ends if is_sidecar(name) and document_of(name) in names}
    return {folded(document_of(name)): name for name in ends if name not in its_own}


def folded(name: str) -> str:
    """Return a file's name as names are compared that differ by their letters only."""
    return shown_letters(name).casefold()


def with_unread(name: str) -> str:
    """Return why a document is refused that a file beside it may say something of.

    Args:
        name: of that file.
    """
    allowed = "a sidecar that is read, or none: it may say who may see the document"
    return f"not taken without {name.rpartition('/')[2]!r}, which is not read; add {allowed}"
