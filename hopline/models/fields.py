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
            description="Maximum number of tokens per chunk, including the overlap; by default that of the "
            "settings.",
            json_schema_extra={"default": None},
        ),
    ]
    chunk_overlap: Annotated[
        Annotated[int, Field(ge=0), InWords("a whole number of tokens from 0")] | None,
        Field(
            description="With chunk_tokens: maximum number of tokens that a chunk repeats from the previous "
            "one, at most half of chunk_tokens; by default that of the settings, or half of chunk_tokens if "
            "that is less.",
            json_schema_extra={"default": None},
        ),
    ]


class ReadingOptionsFields(TypedDict, total=False):
    """Options for reading documents."""

    encoding: Annotated[EncodingName, Field(json_schema_extra={"default": ""})]
    code: Annotated[
        bool,
        Field(
            description="Also read source code and configuration, split at each definition.",
            json_schema_extra={"default": False},
        ),
    ]
    reread: Annotated[
        bool,
        Field(
            description="Also read unchanged files again if an outdated reader read them.",
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
        int | None,
        Field(
            ge=1,
            description="Maximum number of tokens over all model calls.",
            json_schema_extra={"default": None},
        ),
    ]
    max_calls: Annotated[
        int | None, Field(ge=1, description="Model calls.", json_schema_extra={"default": None})
    ]
    hours: Annotated[
        str,
        Field(
            max_length=20,
            description="Run only during these hours, such as 22:00-06:00; by default at any time.",
            json_schema_extra={"default": ""},
        ),
    ]
    zone: Annotated[
        str,
        Field(
            max_length=60,
            description="Time zone of these hours, such as Europe/Berlin; UTC by default.",
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
            description="Share of a fact's score that is lost per hop, 0 to 1.",
            json_schema_extra={"default": 0.2},
        ),
    ]
    max_seeds: Annotated[
        int,
        Field(ge=1, le=50, description="Number of nodes to start from.", json_schema_extra={"default": 5}),
    ]
    max_visits: Annotated[
        int,
        Field(
            ge=1, le=300, description="Maximum number of nodes to read.", json_schema_extra={"default": 40}
        ),
    ]
    max_neighbours: Annotated[
        int,
        Field(
            ge=0,
            le=100,
            description="Number of neighbours offered to the model per node.",
            json_schema_extra={"default": 20},
        ),
    ]
    start_candidates: Annotated[
        int,
        Field(
            ge=1,
            le=100,
            description="Number of nodes among which the reader chooses its start nodes.",
            json_schema_extra={"default": 50},
        ),
    ]
    max_path_calls: Annotated[
        int,
        Field(
            ge=1,
            le=50,
            description="Maximum number of model calls per path of the reader.",
            json_schema_extra={"default": 10},
        ),
    ]
    max_rounds: Annotated[
        int,
        Field(
            ge=1,
            le=6,
            description="Maximum number of rounds of tool calls, unless the answer is complete before.",
            json_schema_extra={"default": 3},
        ),
    ]
    max_facts: Annotated[
        int,
        Field(
            ge=1,
            le=1000,
            description="Maximum number of facts that the survey scores.",
            json_schema_extra={"default": 100},
        ),
    ]
    max_topics: Annotated[
        int,
        Field(
            ge=1,
            le=50,
            description="Number of topics from which the survey makes claims.",
            json_schema_extra={"default": 8},
        ),
    ]
    score_threshold: Annotated[
        float,
        Field(
            ge=0,
            le=1,
            description="Facts whose score, lowered with depth, is below this are dropped.",
            json_schema_extra={"default": 0.05},
        ),
    ]
    facts_per_critic: Annotated[
        int,
        Field(
            ge=1,
            le=10,
            description="Number of facts scored in one model call.",
            json_schema_extra={"default": 5},
        ),
    ]
    default_score: Annotated[
        float,
        Field(
            ge=0,
            le=1,
            description="Score given to a fact that could not be scored.",
            json_schema_extra={"default": 0.1},
        ),
    ]
    evidence_tokens: Annotated[
        int,
        Field(
            ge=100,
            le=100_000,
            description="Maximum number of tokens of facts that the writing model sees.",
            json_schema_extra={"default": 6000},
        ),
    ]
    summarise_overflow: Annotated[
        bool,
        Field(
            description="Summarise facts that do not fit, instead of leaving them out.",
            json_schema_extra={"default": True},
        ),
    ]
    max_model_calls: Annotated[
        int,
        Field(
            ge=1, le=10_000, description="Maximum number of model calls.", json_schema_extra={"default": 200}
        ),
    ]
    max_tokens: Annotated[
        int | None,
        Field(
            ge=1,
            description="Maximum number of tokens over all calls; no limit unless given.",
            json_schema_extra={"default": None},
        ),
    ]
    timeout: Annotated[
        float,
        Field(
            gt=0,
            le=3600,
            description="Seconds after which the question is answered from what was found so far.",
            json_schema_extra={"default": 120.0},
        ),
    ]


class SchedulePolicyFields(TypedDict, total=False):
    """Policy for a run of a schedule that cannot begin at its time; the names are Temporal's."""

    overlap_policy: Annotated[
        Literal["skip", "buffer_one", "cancel_other"],
        Field(
            description="How to treat a run that is due while the previous sync still runs: skip leaves it "
            "out, buffer_one starts the latest such run when that sync has ended, cancel_other cancels that "
            "sync.",
            json_schema_extra={"default": "skip"},
        ),
    ]
    catchup_window: Annotated[
        int,
        Field(
            ge=_MINUTE,
            le=_YEAR,
            description="Longest delay in seconds with which a run may start; later it counts as missed.",
            json_schema_extra={"default": _YEAR},
        ),
    ]
