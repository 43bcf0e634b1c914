"""Submission options besides a job's parameters: priority, webhook, how long to wait."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hopline.models.jobs import Json, Priority
from hopline.models.metadata import checked_metadata
from hopline.models.params import ChunkSizes
from hopline.models.tags import checked_tags
from hopline.principals import LOCAL_CALLER, checked_principals
from hopline.traces import current_traceparent
from producer.service.documents import Intake
from workers.core.jobs.params import QueryParams, parse_params
from workers.core.jobs.work import Terms

if TYPE_CHECKING:
    from workers.core.metadata.filter import Filter

# After its timeout a job still writes its answer from what it has, under a hard deadline of its own.
_GRACE_SECONDS = 60.0


def terms_of(
    priority: str,
    webhook: str,
    tags: Mapping[str, str] | None = None,
    act_as: str | Sequence[str] | None = None,
) -> Terms:
    """Return the submission options for a priority, a webhook, tags, and the principals that are asked for.

    Raises:
        InvalidInput: the priority, a tag or a principal is not valid.
    """
    fields: Json = {"priority": priority, "webhook": webhook, "tags": checked_tags(tags)}
    fields["trace"] = current_traceparent()
    if (principals := principals_of(act_as)) is not None:
        fields |= {"principals": principals, "acted_by": LOCAL_CALLER}
    return parse_params(Terms, fields)


def principals_of(act_as: str | Sequence[str] | None) -> tuple[str, ...] | None:
    """Return principals, between commas if they are one text; None where nobody is named.

    Raises:
        InvalidInput: one is not valid.
    """
    if act_as is None:
        return None
    return checked_principals("act_as", act_as)


def intake_of(
    *,
    profile: str | Path | None = None,
    chunk_tokens: int | None = None,
    chunk_overlap: int | None = None,
    key: str | None = None,
    priority: Priority = "normal",
    webhook: str = "",
    tags: Mapping[str, str] | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> Intake:
    """Return how documents are taken in.

    Raises:
        InvalidInput: a size is out of range, the two do not fit together, or the priority, a tag or a field
            of the metadata is not valid.
    """
    sizes = parse_params(ChunkSizes, {"chunk_tokens": chunk_tokens, "chunk_overlap": chunk_overlap})
    return Intake(
        key=key,
        profile=profile,
        sizes=sizes,
        terms=terms_of(priority, webhook, tags),
        metadata=checked_metadata(metadata or {}),
    )


def filter_of(where: str | Json | None) -> Filter | None:
    """Return a filter on metadata, described in the language or as JSON; None without one.

    Raises:
        InvalidInput: it is not valid.
    """
    if not where:
        return None
    from workers.core.metadata.filter_text import filter_of_json, parse_filter  # noqa: PLC0415 - loads a parser

    return parse_filter(where) if isinstance(where, str) else filter_of_json(where)


def patience_of(params: Json) -> float:
    """Return how many seconds to wait for a query that was submitted with these parameters."""
    own = params.get("timeout") or QueryParams.model_fields["timeout"].default
    return 2 * float(own) + _GRACE_SECONDS
