"""Documents: submit them, list them, read them, change their metadata, delete them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, BinaryIO, TypedDict, Unpack

from pydantic import Field, StringConstraints

from hopline.aio.noun import AsyncNoun
from hopline.aio.paging import each
from hopline.allowed_values import InWords
from hopline.models.collections import CollectionName
from hopline.models.documents import (
    LAST_OFFSET,
    Document,
    DocumentFacets,
    DocumentOrder,
    DocumentPage,
    MetadataEdited,
    TextDocument,
)
from hopline.models.graph import Passage
from hopline.models.jobs import JobTags, Priority
from hopline.models.metadata import ChangedMetadata, Metadata
from hopline.models.params import LEAST_CHUNK, MOST_CHUNK, EncodingName
from hopline.models.results import Job, Taken
from hopline.models.webhooks import WebhookUrl
from hopline.operation import Cursor, IdempotencyKey, IfMatch, Wait, operation, operation_of

_DocumentId = Annotated[str, Field(max_length=200, examples=["d0"])]
_Offset = Annotated[int, Field(ge=0, le=LAST_OFFSET)]
_KnownAt = Annotated[
    str | None,
    Field(max_length=40, description="Read the version that was live at that time, if it is kept."),
]
_LONGEST_WHERE = 4_000  # characters; an address that is longer, encoded, is not read at all
_Where = Annotated[
    str,
    Field(
        max_length=_LONGEST_WHERE,
        description="A metadata filter, as text or JSON.",
        examples=['tags has "contract" and date >= 2024-01-01'],
    ),
]


class DocumentFilter(TypedDict, total=False):
    """Selects and sorts listed documents; everything except sorting by id needs a collection."""

    collection: CollectionName
    q: Annotated[
        str,
        Field(
            max_length=200,
            description="Words that the title or address must all contain, ignoring case.",
        ),
    ]
    sort: Annotated[
        DocumentOrder,
        Field(
            description="Text is sorted ascending, numbers descending.", json_schema_extra={"default": "id"}
        ),
    ]
    where: _Where


class IntakeOptions(TypedDict, total=False):
    """Options of an ingestion."""

    chunk_tokens: Annotated[
        Annotated[
            int,
            Field(ge=LEAST_CHUNK, le=MOST_CHUNK),
            InWords(f"a whole number of tokens from {LEAST_CHUNK} to {MOST_CHUNK}"),
        ]
        | None,
        Field(
            description="Maximum number of tokens per chunk, including the overlap; by default that of "
            "the settings."
        ),
    ]
    chunk_overlap: Annotated[
        Annotated[int, Field(ge=0), InWords("a whole number of tokens from 0")] | None,
        Field(
            description="With chunk_tokens: maximum number of tokens that a chunk repeats from the previous "
            "one, at most half of chunk_tokens; by default that of the settings, or half of chunk_tokens "
            "if that is less."
        ),
    ]
    encoding: Annotated[EncodingName, Field(json_schema_extra={"default": ""})]
    code: Annotated[
        bool, Field(description="Also read source code and configuration, split at each definition.")
    ]
    reread: Annotated[
        bool, Field(description="Also read unchanged files again if an outdated reader read them.")
    ]
    profile: Annotated[
        Annotated[str, Field(max_length=100_000)] | None,
        Field(
            description="The entities, relations and events to extract: a bundled profile's name, or TOML."
        ),
    ]
    priority: Annotated[Priority, Field(json_schema_extra={"default": "normal"})]
    webhook: WebhookUrl | None
    metadata: Annotated[
        Metadata,
        Field(
            description="Metadata fields for all these documents, which override each document's own: texts, "
            "numbers, dates (2024-05-01) and lists of texts; in a form, a JSON object.",
            examples=[{"author": "Ann", "date": "2024-05-01", "tags": ["contract"], "priority": 2}],
        ),
    ]
    tags: JobTags


class Intake(IntakeOptions, total=False):
    """Where submitted documents go, and how they are ingested."""

    collection: Annotated[CollectionName, Field(json_schema_extra={"default": "default"})]


class AsyncDocuments(AsyncNoun):
    """Documents of all collections."""

    @operation("POST", "/v1/documents", right="submit")
    async def submit(
        self,
        *,
        texts: Sequence[TextDocument] = (),
        uris: Annotated[
            Sequence[Annotated[str, StringConstraints(min_length=1, max_length=2000)]],
            Field(
                description="Addresses in a store that the server may read. The user who runs the server may "
                "also give paths and addresses of files, folders and lists."
            ),
        ] = (),
        key: IdempotencyKey = None,
        wait: Wait = 0,
        **intake: Unpack[Intake],
    ) -> Taken:
        """Submit documents: files, texts, or addresses in a store that the server may read.

        The reply names a job for each document and the batch job that they belong to. Submitting the same
        content again changes nothing and calls no model.

        Raises:
            InvalidInput: no document can be accepted, there are too many, or a value is not valid.
            KeyReused: the key was used for another request.
            TooManyJobs: too much work is waiting.
        """
        raise NotImplementedError

    async def upload(
        self,
        files: Iterable[Path | tuple[str, bytes | BinaryIO]],
        *,
        key: IdempotencyKey = None,
        wait: Wait = 0,
        **intake: Unpack[Intake],
    ) -> Taken:
        """Submit files: any that `hopline ingest` reads, archives of them, and lists of texts (.jsonl).

        A file may bring its metadata: add `a.pdf.meta.json` for that of `a.pdf`.

        Args:
            files: each by its path, or as a pair of its name, which may include folders, and its content.
            key: idempotency key: repeating the call with the same key and files returns the same job.
            wait: seconds to wait for the end, up to the server's limit.
            **intake: options of `submit`.

        Raises:
            OSError: a file cannot be read.
            HoplineError: as `submit`.
        """
        operation = operation_of(type(self).submit)
        sent = operation.request({**intake, "key": key, "wait": wait})
        fields = {name: _in_form(value) for name, value in sent.body.items() if value is not None}
        with ExitStack() as opened:
            parts = [("files", _part(file, opened)) for file in files]
            form = replace(sent, body=None, has_body=False)
            reply = await self._session.exchange(form, files=parts, data=fields)
        taken: Taken = self._session.connection.endpoint.read(operation, reply)
        return taken

    @operation("GET", "/v1/documents", right="read")
    async def list(
        self,
        *,
        cursor: Cursor = "",
        limit: Annotated[int, Field(ge=1, le=500)] = 100,
        prefix: Annotated[
            str,
            Field(
                max_length=200,
                description="Prefix of ids; only if documents are listed by id, without q and where.",
            ),
        ] = "",
        **which: Unpack[DocumentFilter],
    ) -> DocumentPage:
        """List documents, by default ordered by id; filtering and other orders need a collection.

        Raises:
            InvalidInput: a value is not valid, or a collection is needed.
        """
        raise NotImplementedError

    def iterate(self, **which: Unpack[DocumentFilter]) -> AsyncIterator[Document]:
        """Yield all documents that `list` lists, page by page."""
        return each(lambda cursor: self.list(cursor=cursor, **which), lambda page: page.documents)

    @operation("GET", "/v1/documents/facets", right="read")
    async def facets(self, collection: CollectionName, *, where: _Where = "") -> DocumentFacets:
        """Count a collection's documents by tag and by year, the 20 most frequent of each."""
        raise NotImplementedError

    @operation("PATCH", "/v1/documents", right="submit", safe=True)
    async def change_metadata(
        self,
        documents: Annotated[Sequence[str], Field(max_length=10_000, description="Ids.")] = (),
        *,
        collection: CollectionName | None = None,
        where: Annotated[
            str | dict[str, Any] | None,
            Field(
                description="Instead of ids, with a collection: a metadata filter, as text or JSON.",
                examples=['tags has "draft"'],
            ),
        ] = None,
        set: Annotated[ChangedMetadata, Field(description="Metadata fields to set.")] = {},  # noqa: A002, B006 - its name on the wire; nobody changes it
        unset: Annotated[Sequence[str], Field(max_length=50, description="Metadata fields to remove.")] = (),
        if_match: IfMatch = None,
    ) -> MetadataEdited:
        """Change metadata fields of documents; everything is checked before the first change.

        Raises:
            InvalidInput: a field does not fit, or both ids and a filter are given.
            NotFound: there is no such document.
            EditConflict: somebody changed the document since it was read.
        """
        raise NotImplementedError

    @operation("DELETE", "/v1/documents", right="submit")
    async def delete_where(
        self, collection: CollectionName, where: _Where, *, key: IdempotencyKey = None, wait: Wait = 0
    ) -> Job:
        """Delete the documents of a collection that match a filter when the job begins.

        If versions are kept, their live versions are kept, too.

        Returns:
            The job that does it.

        Raises:
            InvalidInput: the filter is not valid, or is empty; `collections.delete` deletes everything.
            NotFound: there is no such collection.
            KeyReused: the key was used for another request.
            TooManyJobs: too much work is waiting.
        """
        raise NotImplementedError

    @operation("GET", "/v1/documents/{document_id}", right="read")
    async def get(self, document_id: _DocumentId) -> Document:
        """Show a document.

        Raises:
            NotFound: there is no such document.
        """
        raise NotImplementedError

    @operation("DELETE", "/v1/documents/{document_id}", right="submit")
    async def delete(
        self,
        document_id: _DocumentId,
        *,
        erase: Annotated[bool, Field(description="Also erase all of its kept versions.")] = False,
        key: IdempotencyKey = None,
        wait: Wait = 0,
    ) -> Job:
        """Delete a document and everything that only it holds.

        If versions are kept, so is the one that was live; with `erase`, all versions are removed.

        Returns:
            The job that does it.

        Raises:
            NotFound: there is no such document.
            KeyReused: the key was used for another request.
            TooManyJobs: too much work is waiting.
        """
        raise NotImplementedError

    @operation("GET", "/v1/documents/{document_id}/text", right="read")
    async def text(
        self,
        document_id: str,
        *,
        start: _Offset = 0,
        end: Annotated[_Offset | None, Field(description="Offset after the last character.")] = None,
        known_at: _KnownAt = None,
    ) -> Passage:
        """Return an excerpt of a document's stored text, at most 20,000 characters from `start`.

        Offsets are those of facts and citations. White space between two chunks is returned as blanks and
        line breaks of the same length. With `known_at`, the text of a document that was deleted since is
        available, too, unless the request is limited to some principals.

        Raises:
            NotFound: there is no such document.
        """
        raise NotImplementedError

    @operation("GET", "/v1/documents/{document_id}/original", right="read")
    async def original(self, document_id: _DocumentId, *, known_at: _KnownAt = None) -> bytes:
        """Return the unchanged file that a document was read from.

        Raises:
            NotFound: there is no such document, or its file is not kept; the message says why.
        """
        raise NotImplementedError

    @operation("GET", "/v1/documents/{document_id}/pages/{page}/picture", right="read")
    async def picture(
        self,
        document_id: _DocumentId,
        page: Annotated[
            int, Field(ge=1, le=100_000, description="Page number; the first page is 1.", examples=[1])
        ],
        *,
        width: Annotated[int, Field(ge=100, le=3000, description="Width of the picture in pixels.")] = 1000,
        known_at: _KnownAt = None,
    ) -> bytes:
        """Draw a page of a PDF, as a PNG.

        The picture shows the page's crop box, turned as a viewer shows it. The boxes of a citation's place
        are in points from its upper left corner: a box begins at the share `left / Page-Width` of the
        picture's width, and at `top / Page-Height` of its height. These two are headers of the reply. The
        picture of a very long page is narrower than requested.

        Raises:
            NotFound: there is no such document or page, it is not a PDF, or its file is not kept; the message
                says why.
            InvalidInput: a value is not valid.
            Permanent: the page cannot be drawn.
        """
        raise NotImplementedError


def _in_form(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _part(file: Path | tuple[str, bytes | BinaryIO], opened: ExitStack) -> tuple[str, bytes | BinaryIO]:
    """Return a file's name and content in the form that HTTP clients accept."""
    return file if isinstance(file, tuple) else (file.name, opened.enter_context(file.open("rb")))
