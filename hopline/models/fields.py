# Written from hopline/models by `python -m infra.client_code`: edit the models.
"""Fields of models as groups of parameters; one that is not given has the model's default."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from pydantic import Field

from hopline.allowed_values import InWords
from hopline.models.params import LEAST_CHUNK, MOST_CHUNK, EncodingName
from hopline.models.schedules import _MINUTE, _YEAR


class ChunkSizesFields(TypedDict, total=False):
    """Sizes of the chunks of documents, in tokens; the setting `limits` applies unless set."""

    chunk_tokens: Annotated[
        Annotated[
            int,
            Field(ge=LEAST_CHUNK, le=MOST_CHUNK),
            InWords(f"a whole number of tokens from {LEAST_CHUNK} to {MOST_CHUNK}"),
        ]
        | None,
        Field(
            description="Tokens of a chunk at most, with what it repeats; the settings' unless given.",
            json_schema_extra={"default": None},
        ),
    ]
    chunk_overlap: Annotated[
        Annotated[int, Field(ge=0), InWords("a whole number of tokens from 0")] | None,
        Field(
            description="With chunk_tokens: tokens at most that a chunk repeats of the one before, half of "
            "chunk_tokens at most; the settings' unless given, where that is no more.",
            json_schema_extra={"default": None},
        ),
    ]


class ReadingOptionsFields(TypedDict, total=False):
    """Options for reading documents."""

    encoding: Annotated[EncodingName, Field(json_schema_extra={"default": ""})]
    code: Annotated[
        bool,
        Field(
            description="Also read source code and configuration, by definition.",
            json_schema_extra={"default": False},
        ),
    ]
    reread: Annotated[
        bool,
        Field(
            description="Also read unchanged files again that an older reader read.",
            json_schema_extra={"default": False},
        ),
    ]


class BulkBoundsFields(TypedDict, total=False):
    """Budget of a large job, and the hours at which it may run."""

    max_cost: Annotated[
        float | None,
        Field(gt=0, description="In the currency of the prices.", json_schema_extra={"default": None}),
    ]
    max_tokens: Annotated[
        int | None, Field(ge=1, description="Tokens of all model calls.", json_schema_extra={"default": None})
    ]
    max_calls: Annotated[
        int | None, Field(ge=1, description="Model calls.", json_schema_extra={"default": None})
    ]
    hours: Annotated[
        str,
        Field(
            max_length=20,
            description="Runs at these hours only, 22:00-06:00; always unless set.",
            json_schema_extra={"default": ""},
        ),
    ]
    zone: Annotated[
        str,
        Field(
            max_length=60,
            description="Of these hours, Europe/Berlin; UTC unless set.",
            json_schema_extra={"default": ""},
        ),
    ]


class QueryBoundsFields(TypedDict, total=False):
    """Bounds of the search for an answer."""

    max_depth: Annotated[
        int,
        Field(
            ge=1,
            le=10,
            description="Steps of the search: 3 reads the start nodes and two steps further.",
            json_schema_extra={"default": 3},
        ),
    ]
    decay_rate: Annotated[
        float,
        Field(
            ge=0,
            le=1,
            description="Share of a fact's score lost per hop, 0 to 1.",
            json_schema_extra={"default": 0.2},
        ),
    ]
    max_seeds: Annotated[
        int, Field(ge=1, le=50, description="Nodes to start from.", json_schema_extra={"default": 5})
    ]
    max_visits: Annotated[
        int, Field(ge=1, le=300, description="Nodes to read at most.", json_schema_extra={"default": 40})
    ]
    max_neighbours: Annotated[
        int,
        Field(
            ge=0,
            le=100,
            description="Neighbours offered to the model per node.",
            json_schema_extra={"default": 20},
        ),
    ]
    start_candidates: Annotated[
        int,
        Field(
            ge=1,
            le=100,
            description="Nodes that the reader chooses its starts from.",
            json_schema_extra={"default": 50},
        ),
    ]
    max_path_calls: Annotated[
        int,
        Field(
            ge=1,
            le=50,
            description="Model calls of one of the reader's paths.",
            json_schema_extra={"default": 10},
        ),
    ]
    max_rounds: Annotated[
        int,
        Field(
            ge=1,
            le=6,
            description="Rounds of tool calls at most, until the answer is complete.",
            json_schema_extra={"default": 3},
        ),
    ]
    max_facts: Annotated[
        int,
        Field(
            ge=1, le=1000, description="Facts that the survey looks at.", json_schema_extra={"default": 100}
        ),
    ]
    max_topics: Annotated[
        int,
        Field(
            ge=1,
            le=50,
            description="Topics that the survey makes claims of.",
            json_schema_extra={"default": 8},
        ),
    ]
    score_threshold: Annotated[
        float,
        Field(
            ge=0,
            le=1,
            description="Facts whose lowered score is below this are dropped.",
            json_schema_extra={"default": 0.05},
        ),
    ]
    facts_per_critic: Annotated[
        int,
        Field(ge=1, le=10, description="Facts scored with one model call.", json_schema_extra={"default": 5}),
    ]
    default_score: Annotated[
        float,
        Field(
            ge=0,
            le=1,
            description="Score of a fact that could not be scored.",
            json_schema_extra={"default": 0.1},
        ),
    ]
    evidence_tokens: Annotated[
        int,
        Field(
            ge=100,
            le=100_000,
            description="Tokens of facts that the writer sees.",
            json_schema_extra={"default": 6000},
        ),
    ]
    summarise_overflow: Annotated[
        bool,
        Field(
            description="Shorten facts that do not fit, instead of leaving them out.",
            json_schema_extra={"default": True},
        ),
    ]
    max_model_calls: Annotated[
        int, Field(ge=1, le=10_000, description="Model calls at most.", json_schema_extra={"default": 200})
    ]
    max_tokens: Annotated[
        int | None,
        Field(
            ge=1,
            description="Tokens at most, over all calls; no limit unless given.",
            json_schema_extra={"default": None},
        ),
    ]
    timeout: Annotated[
        float,
        Field(
            gt=0,
            le=3600,
            description="Seconds; then it answers with what it has.",
            json_schema_extra={"default": 120.0},
        ),
    ]


class SchedulePolicyFields(TypedDict, total=False):
    """Policy for a run of a schedule that cannot begin at its time; the names are Temporal's."""

    overlap_policy: Annotated[
        Literal["skip", "buffer_one", "cancel_other"],
        Field(
            description="What becomes of a run that is due while the sync before it still runs: skip "
            "leaves it out, buffer_one begins the latest such run when that sync has ended, "
            "cancel_other cancels the sync.",
            json_schema_extra={"default": "skip"},
        ),
    ]
    catchup_window: Annotated[
        int,
        Field(
            ge=_MINUTE,
            le=_YEAR,
            description="Seconds after its time within which a run may begin late; after that it is missed.",
            json_schema_extra={"default": _YEAR},
        ),
    ]
