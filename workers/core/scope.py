"""What a question is about: the documents that it may be answered from."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, PlainSerializer, WithJsonSchema

from workers.core.errors import InvalidInput
from workers.core.metadata.filter import Both, Comparison, Filter
from workers.core.records import Frozen

MOST_DOCUMENTS = 1000  # named one by one


def _read_filter(given: Any) -> Any:
    if given is None:
        return None
    from workers.core.metadata.filter_text import filter_of_json, parse_filter  # noqa: PLC0415 - loads a parser

    if isinstance(given, str):
        return parse_filter(given)
    return filter_of_json(given) if isinstance(given, Mapping) else given


def _as_json(tree: Filter | None) -> dict[str, Any] | None:
    from workers.core.metadata.filter_text import filter_json  # noqa: PLC0415 - loads a parser

    return None if tree is None else filter_json(tree)


ScopeFilter = Annotated[
    Filter | None,
    BeforeValidator(_read_filter),
    PlainSerializer(_as_json),
    WithJsonSchema({"anyOf": [{"type": "null"}, {"type": "string"}, {"type": "object"}]}),
]


def _read_date(given: Any) -> Any:
    if given is None or isinstance(given, date):
        return given
    try:
        return date.fromisoformat(given)
    except (TypeError, ValueError):
        raise InvalidInput("as_of", given, "a date such as 2024-12-31") from None


DocumentId = Annotated[str, Field(max_length=200)]
_DATE = {"anyOf": [{"type": "null"}, {"type": "string", "format": "date"}]}


class Scope(Frozen):
    """Documents of a collection; what is not in it might as well not have been ingested."""

    where: ScopeFilter = Field(
        default=None,
        description="Only documents whose metadata this filter means, in the language or as JSON.",
        examples=['tags has "contract" and date >= 2024-01-01'],
    )
    documents: tuple[DocumentId, ...] = Field(
        default=(), min_length=1, max_length=MOST_DOCUMENTS, description="Only these documents; ids."
    )
    as_of: Annotated[date | None, BeforeValidator(_read_date), WithJsonSchema(_DATE)] = Field(
        default=None, description="Only documents dated until then: those without a date are left out."
    )

    @classmethod
    def of(cls, params: Mapping[str, Any]) -> Self | None:
        """Return the scope that parameters name; None where they leave nothing out."""
        named = {name: params[name] for name in Scope.model_fields if params.get(name) not in (None, (), [])}
        return cls.read_stored(named) if named else None

    @property
    def is_everything(self) -> bool:
        """Whether it leaves nothing out."""
        return self.where is None and not self.documents and self.as_of is None

    @property
    def filter(self) -> Filter | None:
        """The filter that its documents pass, the date included."""
        if self.as_of is None:
            return self.where
        dated = Comparison(field="date", op="<=", value=self.as_of)
        return Both(**{"and": (self.where, dated)}) if self.where else dated

    def check_alone(self, strategy: str, session: str | None) -> None:
        """Check that nothing beside it would read more than it.

        Raises:
            InvalidInput: tools, or the earlier answers of a session, know of other documents.
        """
        if self.is_everything:
            return
        with_scope = "with where, documents or as_of"
        if strategy == "tools":
            allowed = f"auto, graph or reader {with_scope}: tools read everything"
            raise InvalidInput("strategy", strategy, allowed)
        if session:
            allowed = f"nothing {with_scope}: earlier answers of a session rest on other documents"
            raise InvalidInput("session", session, allowed)
