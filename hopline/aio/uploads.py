"""Uploads of this machine's files for batches and estimates, in parts that are sent only once."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, cast

from pydantic import Field

from hopline.aio.noun import AsyncNoun
from hopline.aio.server import AsyncServer
from hopline.errors import InvalidInput
from hopline.models.documents import DocumentReport
from hopline.models.uploads import (
    MOST_REFUSED,
    UPLOAD,
    LocalFile,
    Sha256,
    StoredFiles,
    Uploaded,
    UploadPart,
)
from hopline.operation import operation, operation_of
from hopline.trees import place_of
from hopline.uploads import FilePart, Room, look_at, requests_of

if TYPE_CHECKING:
    from io import BufferedReader

_LABEL = 100  # characters


class AsyncUploads(AsyncNoun):
    """Uploads, for administrators only, as batches and estimates are."""

    @operation("POST", "/v1/uploads", right="admin", safe=True)
    async def add(
        self,
        files: Annotated[
            Sequence[LocalFile],
            Field(
                max_length=10_000,
                description="Files of the upload; at most as many as a request may have documents.",
            ),
        ],
        *,
        after: Annotated[Sha256 | None, Field(description="The reference of the previous files.")] = None,
        refused: Annotated[
            Sequence[DocumentReport],
            Field(max_length=MOST_REFUSED, description="What the client could not send, for the report."),
        ] = (),
    ) -> UploadPart:
        """Add files to an upload by the hashes of their bytes; the reply lists the missing ones.

        Once none is missing, the reply has a reference. Batches and estimates accept
        `upload://REFERENCE/LABEL` as a source, with any label, for these files and all previous ones. Files
        that no batch uses are removed like other blobs.

        Raises:
            InvalidInput: a value is not valid, or `after` is not the reference of an upload.
        """
        raise NotImplementedError

    @operation("PUT", "/v1/uploads/files", right="admin", safe=True)
    async def store(self) -> StoredFiles:
        """Store the bytes of files, each in a form field `files`, up to the number of documents per request.

        Raises:
            InvalidInput: there are too many, or the body is not a form.
        """
        raise NotImplementedError

    async def send(self, files: Iterable[tuple[str, bytes | BinaryIO]]) -> StoredFiles:
        """Store files; raises the same errors as `store`.

        Args:
            files: pairs of a name and its bytes, or an open file, which is read while it is sent.
        """
        stores = operation_of(type(self).store)
        reply = await self._session.exchange(
            stores.request({}), files=[("files", (name, data)) for name, data in files]
        )
        stored: StoredFiles = self._session.connection.endpoint.read(stores, reply)
        return stored

    async def places(
        self,
        paths: Sequence[str | Path],
        *,
        progress: Callable[[int, int], None] | None = None,
        code: bool = False,
    ) -> Uploaded:
        """Return sources for batches and estimates: this machine's files are uploaded, addresses are kept.

        If the server reads this machine's files itself, nothing is sent. The same call resumes an interrupted
        upload: files that the server has are not sent again.

        Args:
            paths: files, folders with all their subfolders, patterns, addresses.
            progress: called with the number of files that the server has, and their total.
            code: whether to send source code and configuration, too.

        Raises:
            InvalidInput: there is nothing to send.
            HoplineError: any error of a request.
        """
        about = await AsyncServer(self._session).about()
        if about.caller.reads_paths:
            return Uploaded(sources=tuple(map(place_of, paths)))
        room = Room.of(about)
        addresses = [str(path) for path in paths if "://" in str(path)]
        own = [path for path in paths if "://" not in str(path)]
        named = look_at(own, room, code=code)
        if not addresses:
            named.check(paths)
        after: str | None = None
        refused, done, documents = list(named.refused), 0, 0
        for parts in requests_of(named.parts, room):
            added = await self._add(parts, after, refused if after is None else [])
            after, documents, done = added.reference, documents + added.documents, done + len(parts)
            if progress is not None:
                progress(done, len(named.parts))
        sent = [f"{UPLOAD}{after}/{_label(own)}"] if after else []
        return Uploaded(sources=(*addresses, *sent), documents=documents, refused=tuple(refused))

    async def _add(
        self, parts: Sequence[FilePart], after: str | None, refused: list[DocumentReport]
    ) -> UploadPart:
        """Add some files to an upload; missing ones are sent.

        Raises:
            InvalidInput: a file changed while it was sent.
        """
        contents = list[tuple[str, bytes | BinaryIO]]()
        with ExitStack() as opened:
            for part in parts:
                try:
                    contents += part.open(opened)
                except OSError as error:  # it was there a moment ago
                    refused.append(
                        DocumentReport(uri=str(part.path), status="failed", error=f"cannot be read: {error}")
                    )
            hashes = [_sha256(data) for _name, data in contents]
            files = [
                LocalFile(name=name, sha256=sha) for (name, _), sha in zip(contents, hashes, strict=True)
            ]
            given: dict[str, Any] = {"after": after, "refused": refused[:MOST_REFUSED]}
            added = await self.add(files, **given)
            if added.missing:
                missing = set(added.missing)
                await self.send(each for each, sha in zip(contents, hashes, strict=True) if sha in missing)
                added = await self.add(files, **given)
        if added.missing:
            names = [name for (name, _), sha in zip(contents, hashes, strict=True) if sha in added.missing]
            message = f"{names[0]} changed while it was sent: run the same command again"
            raise InvalidInput(
                "paths", names[0], "files that do not change during the upload", message=message
            )
        return added


def _sha256(content: bytes | BinaryIO) -> str:
    if isinstance(content, bytes):
        return hashlib.sha256(content).hexdigest()
    return hashlib.file_digest(cast("BufferedReader", content), "sha256").hexdigest()


def _label(paths: Sequence[str | Path]) -> str:
    """Return the label that people see for uploaded paths."""
    names = [PurePosixPath(place_of(path)).name for path in paths]
    return "+".join(names)[:_LABEL]
