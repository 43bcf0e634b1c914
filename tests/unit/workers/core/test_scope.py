"""What a question is about, as it is given."""

from __future__ import annotations

from datetime import date

import pytest

from workers.core.errors import InvalidInput
from workers.core.jobs.params import QueryParams, SearchParams, parse_params
from workers.core.scope import Scope


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("documents", []),
        ("documents", ["x" * 201]),
        ("where", ""),
        ("where", "tags has"),
        *(("as_of", wrong) for wrong in ("", "2024", "2024-13-01", 0, 1_700_000_000)),
    ],
)
@pytest.mark.parametrize("kind", [QueryParams, SearchParams])
def test_what_means_nothing_is_refused_by_name(kind: type, field: str, value: object) -> None:
    with pytest.raises(InvalidInput, match=field):
        parse_params(kind, {"question": "?", field: value})


def test_a_scope_is_kept_with_a_question_only_where_there_is_one() -> None:
    plain = parse_params(QueryParams, {"question": "?"}).model_dump(mode="json")
    assert plain.keys() & Scope.model_fields.keys() == set()
    assert Scope.of(plain) is None
    given = {"where": 'tags has "a" or author = "Ann"', "as_of": "2024-12-31", "documents": ["d1"]}
    stored = parse_params(QueryParams, {"question": "?", **given}).model_dump(mode="json")
    scope = Scope.of(stored)
    assert scope is not None
    assert (scope.as_of, scope.documents) == (date(2024, 12, 31), ("d1",))
    assert QueryParams.read_stored(stored).where == scope.where


def test_a_strategy_that_reads_more_than_the_scope_is_refused_with_it() -> None:
    params = parse_params(QueryParams, {"question": "?", "documents": ["d1"], "strategy": "tools"})
    with pytest.raises(InvalidInput, match="strategy"):
        params.check_alone(params.strategy)
    parse_params(QueryParams, {"question": "?", "strategy": "tools"}).check_alone("tools")
    parse_params(QueryParams, {"question": "?", "documents": ["d1"]}).check_alone("auto")


@pytest.mark.parametrize("model", [QueryParams, SearchParams])
def test_what_was_known_at_a_time_is_refused_with_the_reason(model: type[Scope]) -> None:
    with pytest.raises(InvalidInput, match=r"known_at: .*earlier texts of documents are not kept"):
        parse_params(model, {"question": "q?", "known_at": "2024-01-01"})
