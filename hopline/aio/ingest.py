"""Submits documents from paths, addresses and texts in as many requests as the API's limits need."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO
from uuid import uuid4

from hopline.aio.documents import AsyncDocuments, IntakeOptions
from hopline.errors import HoplineError, InvalidInput, KeyReused, no_document
from hopline.models.about import About
from hopline.models.documents import DocumentReport, TextDocument
from hopline.models.ingest_reports import Submitted
from hopline.models.results import Taken
from hopline.operation import operation_of
from hopline.uploads import (
    FilePart,
    Room,
    in_place,
    look_at,
    requests_of,
    requests_of_texts,
    requests_of_uris,
)

Source = str | Path | TextDocument | Mapping[str, Any]  # a path, a pattern, an address, or a text
Progress = Callable[[int, int], None]  # documents of the requests that were answered, and of all


class AsyncHandover:
    """The documents of one call, submitted in successive requests.

    If a request is refused, the others still go out, and its documents are reported as refused.

    Args:
        documents: the client's noun.
        about: describes the server: how much a request may contain, and whether it reads this machine's
            files.
        key: idempotency key of the call, from which those of further requests are derived, so that repeating
            the call submits nothing twice. By default a random one.
        progress: called after each request.
        intake: options for the documents.
    """

    def __init__(
        self,
        documents: AsyncDocuments,
        about: About,
        *,
        key: str | None,
        progress: Progress | None,
        intake: IntakeOptions,
    ) -> None:
        self._documents = documents
        self._room = Room.of(about)
        self._reads_paths = about.caller.reads_paths
        self._key = key or uuid4().hex
        self._progress = progress
        self._intake = intake
        self._collection = "default"
        self._taken: list[Taken] = []
        self._refused: list[DocumentReport] = []
        self._faults: list[InvalidInput] = []

    async def submit(self, sources: Sequence[Source], collection: str) -> Submitted:
        """Submit the documents of some sources.

        Raises:
            InvalidInput: no document can be accepted.
            KeyReused: the key was used for other documents.
            TooManyJobs: too much work is waiting.
            DependencyAway: the API is away; repeating the call with a key continues it.
            If some requests were accepted before an error, a note on it names their jobs.
        """
        try:
            return await self._submit(sources, collection)
        except HoplineError as error:
            if self._taken:
                ids = ", ".join(taken.batch.id for taken in self._taken)
                error.add_note(f"Submitted before this error, and going on: {ids}")
            raise

    async def _submit(self, sources: Sequence[Source], collection: str) -> Submitted:
        self._collection = collection
        paths = [source for source in sources if isinstance(source, str | Path)]
        texts = _checked([source for source in sources if not isinstance(source, str | Path)])
        named = (
            in_place(paths)
            if self._reads_paths
            else look_at(paths, self._room, code=bool(self._intake.get("code")))
        )
        if not texts:
            named.check(paths)
        self._refused += named.refused
        uploads = list(requests_of(named.parts, self._room))
        at_once = self._reads_paths and named.uris
        uris = [named.uris] if at_once else list(requests_of_uris(named.uris, self._room))
        grouped = list(requests_of_texts(texts, self._room))
        keys = iter(self._keys(len(uploads) + len(uris) + len(grouped)))
        of_all, done = len(named.parts) + len(named.uris) + len(texts), 0
        for files in uploads:
            await self._upload(files, next(keys))
            done = self._tell(done + len(files), of_all)
        for addresses in uris:
            await self._send(addresses, next(keys), uris=addresses)
            done = self._tell(done + len(addresses), of_all)
        for some in grouped:
            await self._send([str(text["name"]) for text in some], next(keys), texts=some)
            done = self._tell(done + len(some), of_all)
        return self._submitted()

    def _tell(self, done: int, of_all: int) -> int:
        if self._progress is not None:
            self._progress(done, of_all)
        return done

    async def _upload(self, parts: Sequence[FilePart], key: str) -> None:
        files: list[tuple[str, bytes | BinaryIO]] = []
        with ExitStack() as opened:
            for part in parts:
                try:
                    files += part.open(opened)
                except OSError as error:  # it was there a moment ago
                    self._refuse(str(part.path), f"cannot be read: {error}")
            if not files:
                return
            try:
                sent = await self._documents.upload(
                    files, key=key, collection=self._collection, **self._intake
                )
            except KeyReused:
                raise
            except InvalidInput as error:
                self._refuse_all([str(part.path) for part in parts], error)
            else:
                self._take(sent)

    async def _send(self, names: Sequence[str], key: str, **documents: Any) -> None:
        try:
            sent = await self._documents.submit(
                key=key, collection=self._collection, **documents, **self._intake
            )
        except KeyReused:
            raise
        except InvalidInput as error:
            self._refuse_all(names, error)
        else:
            self._take(sent)

    def _keys(self, count: int) -> Sequence[str]:
        """Return the keys of the call's requests, numbered whether or not earlier requests are sent.

        Raises:
            InvalidInput: the first or the last key is not valid.
        """
        keys = [self._key, *(f"{self._key}.{number}" for number in range(2, count + 1))]
        request = operation_of(AsyncDocuments.submit).request
        request({"key": self._key})
        try:
            request({"key": keys[-1]})
        except InvalidInput as error:
            allowed = f"a shorter one: this takes {count} requests, and the last one's key ends with .{count}"
            raise InvalidInput("key", self._key, allowed) from error
        return keys

    def _take(self, taken: Taken) -> None:
        self._taken.append(taken)
        self._refused += taken.refused

    def _refuse_all(self, names: Sequence[str], error: InvalidInput) -> None:
        self._faults.append(error)
        for name in names:
            self._refuse(name, str(error))

    def _refuse(self, place: str, reason: str) -> None:
        self._refused.append(DocumentReport(uri=place, status="failed", error=reason))

    def _submitted(self) -> Submitted:
        if not self._taken:
            if self._faults:
                raise self._faults[0]
            raise no_document("documents", None, [each.refusal for each in self._refused])
        first, *more = (taken.batch.id for taken in self._taken)
        return Submitted(
            job_id=first,
            documents=sum(len(taken.documents) for taken in self._taken),
            refused=tuple(self._refused),
            more=tuple(more),
        )


def _checked(texts: Sequence[TextDocument | Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """Return texts in the form that JSON has.

    Raises:
        InvalidInput: names the first field that is not valid, its value and what is allowed.
    """
    found: Sequence[Mapping[str, Any]] = (
        operation_of(AsyncDocuments.submit).request({"texts": texts}).body["texts"] if texts else ()
    )
    return found
