"""The scope of a question: the documents that its answer may be based on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Self

from pydantic import BeforeValidator, Field, PlainSerializer, WithJsonSchema

from hopline.errors import InvalidInput
from hopline.models.base import Sparse
from hopline.models.questions import MOST_DOCUMENTS, AsOf, DocumentId, KnownAt
from hopline.models.strategies import names_within_scope, strategy_names
from hopline.principals import ALLOW, EVERYONE
from workers.core.metadata.filter import Both, Comparison, Either, Filter, Not


def _read_filter(condition: Any) -> Any:
    if condition is None:
        return None
    from workers.core.metadata.filter_text import filter_of_json, parse_filter  # noqa: PLC0415 - loads a parser

    if isinstance(condition, str):
        return parse_filter(condition)
    return filter_of_json(condition) if isinstance(condition, Mapping) else condition


def _as_json(tree: Filter | None) -> dict[str, Any] | None:
    from workers.core.metadata.filter_text import filter_json  # noqa: PLC0415 - loads a parser

    return None if tree is None else filter_json(tree)


ScopeFilter = Annotated[
    Filter | None,
    BeforeValidator(_read_filter),
    PlainSerializer(_as_json),
    WithJsonSchema({"anyOf": [{"type": "null"}, {"type": "string"}, {"type": "object"}]}),
]


class Scope(Sparse):
    """A selection of a collection's documents; the others are treated as if they had not been ingested."""

    LEFT_OUT: ClassVar[frozenset[str]] = frozenset({"known_at"})

    where: ScopeFilter = Field(
        default=None,
        description="Only documents whose metadata matches this filter, as text or JSON.",
        examples=['tags has "contract" and date >= 2024-01-01'],
    )
    documents: tuple[DocumentId, ...] = Field(
        default=(),
        min_length=1,
        max_length=MOST_DOCUMENTS,
        description="Ids of documents; all others are ignored.",
    )
    as_of: AsOf = Field(
        default=None, description="Only documents dated up to this day; undated documents are left out."
    )

    known_at: KnownAt = Field(
        default=None,
        description="Read the versions that were live at this time, if they are kept; a bare date means the "
        "end of that day in UTC.",
    )

    @classmethod
    def of(cls, params: Mapping[str, Any]) -> Self | None:
        """Return the scope that parameters define; None if it excludes nothing."""
        named = {name: params[name] for name in Scope.model_fields if params.get(name) not in (None, (), [])}
        return cls.read_stored(named) if named else None

    @property
    def scope(self) -> Scope | None:
        """The scope in this model, without its other fields; None if it excludes nothing."""
        fields = {name: getattr(self, name) for name in Scope.model_fields}
        return None if self.is_everything else Scope.model_construct(**fields)

    @property
    def is_everything(self) -> bool:
        """Whether it excludes nothing."""
        return self.where is None and not self.documents and self.as_of is None and self.known_at is None

    @property
    def filter(self) -> Filter | None:
        """The filter for its documents, including the date."""
        if self.as_of is None:
            return self.where
        dated = Comparison(field="date", op="<=", value=self.as_of)
        return Both(**{"and": (self.where, dated)}) if self.where else dated

    def seen_by(self, principals: Sequence[str]) -> Scope:
        """Return the part of the scope that the given principals may see."""
        seen = allowed_to(principals)
        where = Both(**{"and": (self.where, seen)}) if self.where else seen
        fields = {**dict(self), "where": where}
        fields = {name: fields[name] for name in Scope.model_fields}
        if self.known_at is None:
            return Scope.model_construct(**fields)
        return SeenScope.model_construct(**fields, principals=tuple(principals))

    def check_alone(self, strategy: str) -> None:
        """Check that the strategy reads nothing outside the scope.

        Raises:
            InvalidInput: the strategy uses tools, which read other documents too.
        """
        if not self.is_everything:
            check_reads_less(strategy, "with where, documents, as_of or known_at")


class SeenScope(Scope):
    """The part of a scope of earlier versions that the given principals may see."""

    principals: tuple[str, ...]  # they must be allowed to see the later versions too


def allowed_to(principals: Sequence[str]) -> Filter:
    """Return the filter for documents that the principals may see: those that allow one of them, or all.

    Everybody may see a document without `allow`. Nobody may see one whose `allow` is not a list of texts,
    which can date from before the field had this meaning.
    """
    names = dict.fromkeys((*principals, EVERYONE))
    allowed = (Comparison(field=ALLOW, op="has", value=name) for name in names)
    return Either(**{"or": (Not(**{"not": Comparison(field=ALLOW, op="exists")}), *allowed)})


def scope_for(scope: Scope | None, principals: Sequence[str] | None) -> Scope | None:
    """Return the scope that a question of the given principals reads; None means everything, or everybody."""
    return scope if principals is None else (scope or Scope()).seen_by(principals)


def reads_less(params: Mapping[str, Any], principals: Sequence[str] | None) -> bool:
    """Return whether a question reads anything but all documents of one collection: fewer, or of several."""
    return bool(params.get("collections")) or scope_for(Scope.of(params), principals) is not None


def check_reads_less(strategy: str, where: str = "for some principals only") -> None:
    """Check that the strategy of a question with a limited scope respects that scope.

    Args:
        strategy: strategy of the question.
        where: why the question may not read everything, for the error text.

    Raises:
        InvalidInput: the strategy uses tools, which read other documents too.
    """
    *names, last = names_within_scope()
    if strategy in strategy_names() and strategy not in (*names, last):
        allowed = f"{', '.join(names)} or {last} {where}: {strategy} reads everything"
        raise InvalidInput("strategy", strategy, allowed)
