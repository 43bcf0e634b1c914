"""Job parameters that users may set, with defaults and bounds."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeVar

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    ValidationError,
)

from hopline.allowed_values import allowed_in_words
from hopline.errors import InvalidInput
from hopline.models.base import Frozen, Sparse
from hopline.models.collections import COLLECTION_WORDS, MOST_COLLECTIONS
from hopline.models.conversations import ConversationId
from hopline.models.formats import format_names
from hopline.models.jobs import Json
from hopline.models.merges import MOST_ASKED
from hopline.models.metadata import Metadata, Value, merged
from hopline.models.params import BulkBounds, ChunkSizes, ConceptBounds, QueryBounds, ReadingOptions
from hopline.models.questions import MOST_TRANSLATIONS, Strategy
from hopline.models.strategies import names_to_choose
from hopline.visible import visible
from workers.core.scope import Scope, ScopeFilter, check_reads_less

if TYPE_CHECKING:
    ChosenStrategy = str
    Format = str
else:
    ChosenStrategy = Literal[names_to_choose()]
    Format = Literal[format_names()]
Parameters = TypeVar("Parameters", bound=Frozen)
_NO_TEXT = frozenset(("Cc", "Co", "Cs"))  # control and private characters, halves of pairs
_MOST = 1_000_000  # of chapters, and of documents in order


def _chapter(value: Any) -> Any:
    known = value is None or (isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST)
    if known or (isinstance(value, str) and 0 < len(value.strip()) <= 200):  # noqa: PLR2004 - as told
        return value
    raise ValueError(f"a whole number from 0 to {_MOST}, or a heading of up to 200 characters")


def _concept(name: str) -> str:
    line = " ".join(name.split())
    kinds = {unicodedata.category(letter) for letter in line}
    # What Python's Unicode does not know yet may be a letter.
    hides = line != visible(line)
    if not hides and not kinds & _NO_TEXT and any(kind[0] in "LN" or kind == "Cn" for kind in kinds):
        return line
    raise ValueError("a name with letters or digits, in one line of 1 to 200 characters")


class QueryParams(QueryBounds, Scope):
    """A question, its scope, and how far to go for its answer."""

    LEFT_OUT = frozenset({"collections", "conversation", "replay_of", *Scope.model_fields})

    question: str = Field(min_length=1, max_length=4000)
    strategy: Strategy = "auto"
    session: str | None = Field(default=None, max_length=200)
    conversation: ConversationId | None = None  # a session that is kept, see `ledger.conversations`
    retry_of: str | None = Field(default=None, max_length=100)  # the job that this one asks again
    # The job that this one asks again to compare, with what it was told of its session.
    replay_of: str | None = Field(default=None, max_length=100)
    # All that it reads, its job's own first; none where that is the only one.
    collections: tuple[str, ...] = Field(default=(), max_length=MOST_COLLECTIONS)

    def check_alone(self, strategy: str) -> None:
        """Check that the strategy reads nothing beyond the question's collections.

        Raises:
            InvalidInput: the strategy uses tools, which read other documents too.
        """
        super().check_alone(strategy)
        if self.collections:
            check_reads_less(strategy, "with several collections")


class SearchParams(Scope):
    """A search, done immediately and without a job."""

    question: str = Field(min_length=1, max_length=4000)
    limit: int = Field(default=10, ge=1, le=100)  # chunks at most
    # The question, or its names and words, in other languages; a text each.
    translations: tuple[Annotated[str, Field(min_length=1, max_length=1000)], ...] = Field(
        default=(), max_length=MOST_TRANSLATIONS
    )


UNSIZED = ChunkSizes()  # as the settings have it


class DocumentParams(Sparse, ChunkSizes, ReadingOptions):
    """A document to ingest."""

    LEFT_OUT = frozenset({"metadata", "command_metadata", "keeps_command", "confined", "reread"})

    uri: str = Field(min_length=1, max_length=2000)  # what citations show
    source: str = Field(
        min_length=1, max_length=2000
    )  # where workers read it: an fsspec address, or blob:REF
    format: Format
    name: str = Field(default="", max_length=2000)  # given id; the uri unless set
    title: str = Field(default="", max_length=500)  # taken from the text unless set
    profile: str = Field(default="", max_length=200)  # reference of a profile in the blob store
    # Where the document stands in a story; used with a profile. Chapters come from headings unless set.
    chapter: Annotated[int | str | None, BeforeValidator(_chapter)] = None
    order: int | None = Field(default=None, strict=True, ge=0, le=_MOST)  # among the documents
    # Of one that was moved: the document that it was, and the title under which its chunks' facts were asked.
    moved_from: str = Field(default="", max_length=200)
    known_as: str = Field(default="", max_length=500)
    metadata: Metadata = {}  # of the line or the sidecar; goes before that of a front matter
    command_metadata: Metadata = {}  # goes before both
    keeps_command: bool = False  # what the last command set stays: nobody gave one now
    confined: bool = False  # a request named its place: HOPLINE_API_SOURCES holds when it is read

    def with_metadata(self, metadata: Mapping[str, Value]) -> Self:
        """Return the document with a command's metadata, which takes precedence over its own.

        Raises:
            InvalidInput: the combined metadata has too many fields, or is too long.
        """
        if not metadata:
            return self
        merged(self.metadata, metadata)
        return self.model_copy(update={"command_metadata": dict(metadata)})


class BatchParams(BulkBounds):
    """Documents ingested in one job; their list is stored as the job's items."""

    documents: int = Field(ge=1)
    label: str = Field(default="", max_length=200)
    digest: str = Field(default="", max_length=64)  # of the documents: what an idempotency key stands for
    manifest: str = Field(default="", max_length=200)  # blob: the stored list of a long one
    name: str = Field(default="", max_length=100)  # of a named batch, whose report is kept
    via: Literal["calls", "batch"] = "calls"  # how the model is asked: call by call, or in provider batches


class DeleteParams(Sparse):
    """A document to remove."""

    LEFT_OUT = frozenset({"erase"})

    document_id: str = Field(min_length=1, max_length=200)
    erase: bool = False  # with all of its versions that are kept


class DeletionParams(Frozen):
    """The documents to remove from the job's collection."""

    where: ScopeFilter = None  # all of them, and what is kept for the collection, without one


class ReindexParams(Frozen):
    """No parameters: the vectors of the job's collection are rebuilt."""


class TopicsParams(Frozen):
    """The parameters of a job that builds topics of its collection."""

    anew: bool = False  # from scratch instead of from the earlier topics; ids are kept


class MergeParams(Sparse):
    """Merges key elements of the job's collection that name the same thing, or undoes one merge."""

    LEFT_OUT = frozenset({"ask"})

    dry_run: bool = False  # find them, merge nothing and ask no model
    undo: str | None = Field(default=None, min_length=1, max_length=100)  # a merge's id
    ask: int = Field(default=0, ge=0, le=MOST_ASKED)  # model calls about pairs that the rules leave open


class ConceptParams(ConceptBounds):
    """A concept whose map of relations to other disciplines is to be created, checked and stored."""

    concept: Annotated[str, AfterValidator(_concept)] = Field(min_length=1, max_length=200)
    refresh: bool = False  # look for new relations also where the map has enough of them


def parse_params(model: type[Parameters], params: Json) -> Parameters:
    """Validate parameters given by a user.

    Raises:
        InvalidInput: names the first invalid field, its value and what is allowed.
    """
    return _validate(model, params, "forbid")


def read_input(model: type[Parameters], stored: Json) -> Parameters:
    """Validate the stored input of a job or a step; fields of newer versions are ignored.

    Raises:
        InvalidInput: names the first invalid field, its value and what is allowed.
    """
    return _validate(model, stored, "ignore")


def _validate(model: type[Parameters], params: Json, extra: Literal["forbid", "ignore"]) -> Parameters:
    try:
        return model.model_validate(params, extra=extra)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"]) or "input"
        allowed = (
            "one of: " + ", ".join(sorted(model.model_fields)) if first["type"] == "extra_forbidden" else ""
        )
        raise InvalidInput(field, first["input"], allowed or allowed_in_words(first)) from error


def check_collections(names: str | Sequence[str]) -> list[str]:
    """Return the names of collections, each once.

    Raises:
        InvalidInput: a name is not a short plain word, or there are no names or too many.
    """
    distinct = list(dict.fromkeys([names] if isinstance(names, str) else names))
    if not 1 <= len(distinct) <= MOST_COLLECTIONS:
        raise InvalidInput("collection", distinct, f"1 to {MOST_COLLECTIONS} collections")
    return [check_collection(name) for name in distinct]


def check_collection(name: str) -> str:
    """Return a collection's name.

    Raises:
        InvalidInput: the name is not a short plain word.
    """
    plain = name.replace("-", "").replace("_", "").replace(".", "")
    if not plain.isalnum() or len(name) > 100:  # noqa: PLR2004 - a name, not a text
        raise InvalidInput("collection", name, COLLECTION_WORDS)
    return name
