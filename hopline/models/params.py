"""Parameters that callers may set for a job, with bounds."""

from __future__ import annotations

import codecs
from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator

from hopline.allowed_values import InWords
from hopline.errors import InvalidInput
from hopline.models.base import Frozen
from hopline.models.hours import parse_hours
from hopline.models.jobs import Budget

_GRACE = 60.0  # seconds that a question may take beyond twice its own time: it waits for others
LEAST_CHUNK, MOST_CHUNK = 50, 4000  # tokens; of a larger one a reply cannot hold all facts


class QueryBounds(Frozen):
    """Bounds of the search for an answer."""

    max_depth: int = Field(
        default=3,
        ge=1,
        le=10,
        description="Steps of the search: 3 reads the start nodes and two steps further.",
    )
    decay_rate: float = Field(
        default=0.2, ge=0, le=1, description="Share of a fact's score that is lost per hop, 0 to 1."
    )
    max_seeds: int = Field(default=5, ge=1, le=50, description="Number of nodes to start from.")
    max_visits: int = Field(default=40, ge=1, le=300, description="Maximum number of nodes to read.")
    max_neighbours: int = Field(
        default=20, ge=0, le=100, description="Number of neighbours offered to the model per node."
    )
    start_candidates: int = Field(
        default=50,
        ge=1,
        le=100,
        description="Number of nodes among which the reader chooses its start nodes.",
    )
    max_path_calls: int = Field(
        default=10, ge=1, le=50, description="Maximum number of model calls per path of the reader."
    )
    max_rounds: int = Field(
        default=3,
        ge=1,
        le=6,
        description="Maximum number of rounds of tool calls, unless the answer is complete before.",
    )
    max_facts: int = Field(
        default=100, ge=1, le=1000, description="Maximum number of facts that the survey scores."
    )
    max_topics: int = Field(
        default=8, ge=1, le=50, description="Number of topics from which the survey makes claims."
    )
    score_threshold: float = Field(
        default=0.05,
        ge=0,
        le=1,
        description="Facts whose score, lowered with depth, is below this are dropped.",
    )
    facts_per_critic: int = Field(
        default=5, ge=1, le=10, description="Number of facts scored in one model call."
    )
    default_score: float = Field(
        default=0.1, ge=0, le=1, description="Score given to a fact that could not be scored."
    )
    evidence_tokens: int = Field(
        default=6000,
        ge=100,
        le=100_000,
        description="Maximum number of tokens of facts that the writing model sees.",
    )
    summarise_overflow: bool = Field(
        default=True, description="Summarise facts that do not fit, instead of leaving them out."
    )
    max_model_calls: int = Field(default=200, ge=1, le=10_000, description="Maximum number of model calls.")
    max_tokens: int | None = Field(
        default=None, ge=1, description="Maximum number of tokens over all calls; no limit unless given."
    )
    timeout: float = Field(
        default=120.0,
        gt=0,
        le=3600,
        description="Seconds after which the question is answered from what was found so far.",
    )


def patience_of(timeout: float | None = None) -> float:
    """Return how long to wait for a question with this timeout, after which it writes its answer."""
    own = QueryBounds.model_fields["timeout"].default if timeout is None else timeout
    return 2 * float(own) + _GRACE


class ChunkSizes(Frozen):
    """Sizes of the chunks of documents, in tokens; the setting `limits` applies unless set."""

    chunk_tokens: (
        Annotated[
            int,
            Field(ge=LEAST_CHUNK, le=MOST_CHUNK),
            InWords(f"a whole number of tokens from {LEAST_CHUNK} to {MOST_CHUNK}"),
        ]
        | None
    ) = Field(
        default=None,
        description="Maximum number of tokens per chunk, including the overlap; by default that of the "
        "settings.",
    )
    chunk_overlap: Annotated[int, Field(ge=0), InWords("a whole number of tokens from 0")] | None = Field(
        default=None,
        description="With chunk_tokens: maximum number of tokens that a chunk repeats from the previous "
        "one, at most half of chunk_tokens; by default that of the settings, or half of chunk_tokens if "
        "that is less.",
    )

    @model_validator(mode="after")
    def _fit(self) -> Self:
        if self.chunk_overlap is None:
            return self
        if self.chunk_tokens is None:
            raise InvalidInput("chunk_overlap", self.chunk_overlap, "left out without chunk_tokens")
        if self.chunk_overlap > self.chunk_tokens // 2:
            allowed = f"0 to {self.chunk_tokens // 2}, half of chunk_tokens {self.chunk_tokens}"
            raise InvalidInput("chunk_overlap", self.chunk_overlap, allowed)
        return self


# What Python has codecs for, and no text is kept in; to decode Punycode takes the square of its length.
NOT_OF_TEXTS = frozenset(("idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape", "utf-7"))


def _of_texts(name: str) -> str:
    try:
        b"a".decode(name or "utf-8", "replace")
    except (LookupError, ValueError) as error:  # unknown, or of bytes
        raise ValueError("not known") from error
    if name and codecs.lookup(name).name in NOT_OF_TEXTS:
        raise ValueError("not of texts")
    return name


EncodingName = Annotated[
    str,
    AfterValidator(_of_texts),
    InWords("an encoding of texts, such as gbk, shift_jis or windows-1251"),
    Field(
        max_length=40,
        description="Encoding of texts that are not UTF-8, if it cannot be detected: gbk, shift_jis, "
        "windows-1251. A byte order mark overrides it.",
    ),
]


class ReadingOptions(Frozen):
    """Options for reading documents."""

    encoding: EncodingName = ""
    code: bool = Field(
        default=False, description="Also read source code and configuration, split at each definition."
    )
    reread: bool = Field(
        default=False,
        description="Also read unchanged files again if an outdated reader read them.",
    )


class BulkBounds(Frozen):
    """Budget of a large job, and the hours at which it may run."""

    max_cost: float | None = Field(default=None, gt=0, description="In the currency of the prices.")
    max_tokens: int | None = Field(
        default=None, ge=1, description="Maximum number of tokens over all model calls."
    )
    max_calls: int | None = Field(default=None, ge=1, description="Model calls.")
    hours: str = Field(
        default="",
        max_length=20,
        description="Run only during these hours, such as 22:00-06:00; by default at any time.",
    )
    zone: str = Field(
        default="",
        max_length=60,
        description="Time zone of these hours, such as Europe/Berlin; UTC by default.",
    )

    @model_validator(mode="after")
    def _are_hours(self) -> Self:
        if self.hours:
            parse_hours(self.hours, self.zone)
        return self

    @property
    def budget(self) -> Budget:
        """The job's limits of model use."""
        return Budget(model_calls=self.max_calls, tokens=self.max_tokens, cost=self.max_cost)


class SyncParams(BulkBounds, ChunkSizes, ReadingOptions):
    """A sync of a collection with sources that workers can read."""

    sources: tuple[Annotated[str, Field(min_length=1, max_length=2000)], ...] = Field(
        min_length=1, max_length=100
    )
    dry_run: bool = False  # find what would change, change nothing
    profile: str = Field(default="", max_length=200)  # reference of a profile in the blob store
    # Of the documents that lie under the sources: if more would go, nothing is done. 1 lets all go.
    most_removed: float = Field(default=0.5, ge=0, le=1)
    schedule: str = Field(default="", max_length=100)  # that began it
    confined: bool = False  # the sources came by a request: neither links nor lists lead out of them


class ConceptBounds(Frozen):
    """Bounds of the work on a concept map."""

    wanted: int = Field(default=5, ge=1, le=10)  # valid relations
    tries: int = Field(default=3, ge=1, le=6)  # rounds of expanding at most
    max_model_calls: int = Field(default=100, ge=1, le=10_000)
    max_tokens: int | None = Field(default=None, ge=1)
    timeout: float = Field(default=120.0, gt=0, le=3600)  # seconds
