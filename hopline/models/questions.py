"""Options and scopes of questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict

from pydantic import BeforeValidator, Field, WithJsonSchema

from hopline.errors import InvalidInput
from hopline.models.base import Frozen
from hopline.models.fields import QueryBoundsFields
from hopline.models.strategies import strategy_names

MOST_DOCUMENTS = 1000  # named one by one
MOST_TRANSLATIONS = 5  # languages beside the question's that are searched in
DocumentId = Annotated[str, Field(max_length=200)]
if TYPE_CHECKING:
    Strategy = str
else:
    Strategy = Literal[strategy_names()]


def _read_date(day: Any) -> Any:
    if day is None or isinstance(day, date):
        return day
    try:
        return date.fromisoformat(day)
    except (TypeError, ValueError):
        raise InvalidInput("as_of", day, "a date such as 2024-12-31") from None


def _read_time(moment: Any) -> Any:
    if moment is None:
        return None
    try:
        read = moment if isinstance(moment, datetime) else _time_of(moment)
        return (read if read.tzinfo else read.replace(tzinfo=UTC)).astimezone(UTC)
    except (TypeError, ValueError, OverflowError):
        allowed = "a time such as 2024-12-31T18:00, of UTC unless it says another zone, or a date: its end"
        raise InvalidInput("known_at", moment, allowed) from None


def _time_of(text: str) -> datetime:
    try:
        return datetime.combine(date.fromisoformat(text), time.max, UTC)
    except ValueError:
        return datetime.fromisoformat(text)


_DATE = {"anyOf": [{"type": "null"}, {"type": "string", "format": "date"}]}
_TIME = {"anyOf": [{"type": "null"}, *({"type": "string", "format": form} for form in ("date-time", "date"))]}
AsOf = Annotated[date | None, BeforeValidator(_read_date), WithJsonSchema(_DATE)]
KnownAt = Annotated[datetime | None, BeforeValidator(_read_time), WithJsonSchema(_TIME)]
if TYPE_CHECKING:
    DocumentIds = Sequence[str]
    DateGiven = date | str | None
    TimeGiven = datetime | str | None
else:
    DocumentIds, DateGiven, TimeGiven = tuple[DocumentId, ...], AsOf, KnownAt


class _DocumentScope(TypedDict, total=False):
    documents: Annotated[
        DocumentIds,
        Field(
            min_length=1, max_length=MOST_DOCUMENTS, description="Ids of documents; all others are ignored."
        ),
    ]
    as_of: Annotated[
        DateGiven, Field(description="Only documents dated up to this day; undated documents are left out.")
    ]
    known_at: Annotated[
        TimeGiven,
        Field(
            description="Read the versions that were live at this time, if they are kept; a bare date means "
            "the end of that day in UTC."
        ),
    ]


class SearchScope(_DocumentScope, total=False):
    """The documents that a search covers; all of its collections unless given."""

    where: Annotated[str | None, Field(description="Only documents whose metadata matches this filter.")]


class QuestionScope(_DocumentScope, total=False):
    """The documents that a question covers; all of its collections unless given."""

    where: Annotated[
        str | Mapping[str, Any] | None,
        Field(
            description="Only documents whose metadata matches this filter, as text or JSON.",
            examples=['tags has "contract" and date >= 2024-01-01'],
        ),
    ]


class QuestionCheck(Frozen):
    """The result of checking a question without submitting it."""

    remembered: int = Field(
        description="Number of the session's earlier questions that would be taken into account."
    )


class QuestionOptions(QuestionScope, QueryBoundsFields, total=False):
    """The documents that a question covers, and the bounds of the search for an answer."""
