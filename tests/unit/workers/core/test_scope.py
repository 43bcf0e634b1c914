"""What a question is about, as it is given."""

from __future__ import annotations

from datetime import date, datetime

import pytest

from workers.core.errors import InvalidInput
from workers.core.jobs.params import QueryParams, SearchParams, parse_params
from workers.core.scope import Scope, SeenScope, check_reads_less


@pytest.mark.parametrize("kind", [QueryParams, SearchParams])
def test_what_means_nothing_is_refused_by_name(kind: type) -> None:
    wrong = {
        "documents": ([], ["x" * 201]),
        "where": ("", "tags has"),
        "as_of": ("", "2024", "2024-13-01", 0),
    }
    for field, values in wrong.items():
        for value in values:
            with pytest.raises(InvalidInput, match=field):
                parse_params(kind, {"question": "?", field: value})


def test_a_scope_is_kept_with_a_question_only_where_there_is_one() -> None:
    plain = parse_params(QueryParams, {"question": "?"}).model_dump(mode="json")
    assert plain.keys() & Scope.model_fields.keys() == set()
    assert Scope.of(plain) is None
    fields = {"where": 'tags has "a" or author = "Ann"', "as_of": "2024-12-31", "documents": ["d1"]}
    stored = parse_params(QueryParams, {"question": "?", **fields}).model_dump(mode="json")
    scope = Scope.of(stored)
    assert scope is not None
    assert (scope.as_of, scope.documents) == (date(2024, 12, 31), ("d1",))
    assert QueryParams.read_stored(stored).where == scope.where


def test_a_strategy_that_reads_more_than_the_scope_is_refused_with_it() -> None:
    params = parse_params(QueryParams, {"question": "?", "documents": ["d1"], "strategy": "tools"})
    with pytest.raises(InvalidInput, match="strategy"):
        params.check_alone(params.strategy)
    check_reads_less("graph")
    with pytest.raises(InvalidInput, match="principals"):
        check_reads_less("tools")
    parse_params(QueryParams, {"question": "?", "strategy": "tools"}).check_alone("tools")
    parse_params(QueryParams, {"question": "?", "documents": ["d1"]}).check_alone("auto")


@pytest.mark.parametrize("model", [QueryParams, SearchParams])
def test_a_time_is_of_utc_unless_it_says_otherwise_and_a_date_is_its_end(model: type[Scope]) -> None:
    for known_at, moment in (
        ("2024-12-31T18:00", "2024-12-31T18:00:00+00:00"),
        ("2024-12-31T18:00+02:00", "2024-12-31T16:00:00+00:00"),
        ("2024-12-31T18:00:00.250Z", "2024-12-31T18:00:00.250000+00:00"),
        ("2024-12-31", "2024-12-31T23:59:59.999999+00:00"),
    ):
        params = parse_params(model, {"question": "q?", "known_at": known_at})
        assert params.known_at == datetime.fromisoformat(moment)
        assert not params.is_everything
        kept = Scope.of(params.model_dump(mode="json"))
        assert kept is not None
        assert kept.known_at == params.known_at


def test_what_is_no_time_is_refused() -> None:
    beyond = ("9999-12-31T23:59-10:00", "0001-01-01T00:00+10:00")  # in UTC, of no year that there is
    for wrong in ("", "someday", "2024", "2024-13-01", 0, 1_700_000_000, *beyond):
        with pytest.raises(InvalidInput, match=r"known_at: .*a time such as 2024-12-31T18:00"):
            parse_params(QueryParams, {"question": "q?", "known_at": wrong})


def test_a_scope_without_a_time_is_stored_as_before_there_were_any() -> None:
    scope = Scope(where='author = "Ann"')
    assert "known_at" not in scope.model_dump_json()
    assert "principals" not in scope.seen_by(("user:ann",)).model_dump_json()


def test_who_asks_for_earlier_versions_is_part_of_the_scope() -> None:
    scope = Scope(known_at="2024-12-31")
    seen = scope.seen_by(("user:ann",))
    assert isinstance(seen, SeenScope)
    assert (seen.principals, seen.known_at) == (("user:ann",), scope.known_at)
    assert seen.model_dump_json() != scope.seen_by(("user:bo",)).model_dump_json()
