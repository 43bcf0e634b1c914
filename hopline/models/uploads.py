"""Uploads of a client's files to the server."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from hopline.models.base import Frozen
from hopline.models.documents import DocumentReport

MOST_REFUSED = 1000  # files of one request that the client itself refuses
UPLOAD = "upload://"  # how the address of what was uploaded begins; a label for people follows its reference
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class LocalFile(Frozen):
    """A client's file, or some lines of it."""

    name: Annotated[str, StringConstraints(min_length=1, max_length=520)]
    sha256: Sha256 = Field(description="SHA-256 of the file's bytes.")


class UploadPart(Frozen):
    """The server's reply about files of an upload."""

    missing: tuple[Sha256, ...] = Field(default=(), description="Files whose bytes must be sent first.")
    reference: Sha256 | None = Field(
        default=None,
        description="Reference to these files and all previous ones; null while some are missing.",
    )
    documents: int = Field(
        default=0, description="Number of documents in these files; a .jsonl file has one per line."
    )


class StoredFiles(Frozen):
    """Files that were stored."""

    files: int


class Uploaded(Frozen):
    """Uploaded paths of the client's machine, as sources for batches and estimates."""

    sources: tuple[str, ...]
    documents: int = 0  # that were uploaded, or were there
    refused: tuple[DocumentReport, ...] = ()  # by the client; they are in the batch's report as well
