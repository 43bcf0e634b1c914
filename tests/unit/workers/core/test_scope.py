"""What a question is about, and which documents its principals may see."""

from datetime import date, datetime

import pytest

from hopline.errors import InvalidInput
from hopline.models.metadata import (
    bounded,
    checked_metadata,
    filled_up,
    fitting,
    metadata_of_command,
    value_of_text,
)
from hopline.principals import MOST_PRINCIPALS, checked_principals, common
from workers.core.jobs.params import QueryParams, SearchParams, parse_params
from workers.core.metadata.changes import change_by_ingestion
from workers.core.metadata.filter import matches
from workers.core.metadata.filter_text import parse_filter
from workers.core.metadata.schema import parse_schema
from workers.core.scope import Scope, SeenScope, check_reads_less, scope_for


def test_what_means_nothing_is_refused_by_name() -> None:
    for kind in [QueryParams, SearchParams]:
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


def test_a_time_is_of_utc_unless_it_says_otherwise_and_a_date_is_its_end() -> None:
    for model in [QueryParams, SearchParams]:
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
        with pytest.raises(InvalidInput, match=r"known_at is .*a time such as 2024-12-31T18:00"):
            parse_params(QueryParams, {"question": "q?", "known_at": wrong})


def test_who_asks_for_earlier_versions_is_part_of_the_scope() -> None:
    scope = Scope(known_at="2024-12-31")
    seen = scope.seen_by(("user:ann",))
    assert isinstance(seen, SeenScope)
    assert (seen.principals, seen.known_at) == (("user:ann",), scope.known_at)
    assert seen.model_dump_json() != scope.seen_by(("user:bo",)).model_dump_json()


def test_principals_are_kinds_with_names() -> None:
    for value, read in (
        ("user:ann, group:legal", ("user:ann", "group:legal")),
        (["user:ann", "user:ann"], ("user:ann",)),
        ("*", ("*",)),
        ("group:legal/eu@example.org:1, group:法務", ("group:legal/eu@example.org:1", "group:法務")),
    ):
        assert checked_principals("allow", value) == read
        assert checked_metadata({"Allow": value})["allow"] == read


def test_what_is_no_principal_is_refused_with_the_field() -> None:
    many = [f"user:{n}" for n in range(MOST_PRINCIPALS + 1)]
    texts = ("", " ", "ann", "user:", ":ann", "User:ann", "user:a b", "user:*", "user:ann,,", "**")
    for value in (*texts, "user:" + "a" * 200, [], {}, 3, None, True, ["user:ann", None], many):
        with pytest.raises(InvalidInput, match=r"metadata\.allow is .*user:ann"):
            checked_metadata({"allow": value})


def test_a_command_takes_principals_between_commas() -> None:
    assert metadata_of_command([], "", "user:ann, group:legal") == {"allow": ("user:ann", "group:legal")}
    assert value_of_text("allow", '["user:ann"]') == ("user:ann",)
    for wrong in ((["allow=user:ann"], "", "user:bo"), ([], "", ""), (["allow=ann"], "", None)):
        with pytest.raises(InvalidInput):
            metadata_of_command(*wrong)


def test_a_document_is_seen_by_whom_it_allows() -> None:
    for metadata, principals, seen in [
        ({}, (), True),
        ({"allow": ("*",)}, (), True),
        ({"allow": ("user:ann",)}, (), False),
        ({"allow": ("user:ann",)}, ("user:bo",), False),
        ({"allow": ("user:ann", "group:legal")}, ("user:bo", "group:legal"), True),
        ({"allow": "user:ann"}, ("user:ann",), False),  # a text: from before the field had this meaning
        ({"allow": 3}, ("user:ann",), False),
    ]:
        scope = scope_for(None, principals)
        assert scope is not None, metadata
        assert scope.filter is not None, metadata
        assert matches(scope.filter, metadata) is seen, metadata


def test_a_scope_and_principals_leave_what_both_leave() -> None:
    scope = Scope(where='tags has "a"', as_of=date(2024, 1, 1), documents=("d",))
    both = scope_for(scope, ("user:ann",))
    assert both is not None
    assert both.filter is not None
    fields = {"tags": ("a",), "date": date(2023, 1, 1), "allow": ("user:ann",)}
    assert matches(both.filter, fields)
    for other in ({"tags": ("b",)}, {"date": date(2025, 1, 1)}, {"allow": ("user:bo",)}):
        assert not matches(both.filter, fields | other)
    assert both.documents == ("d",)
    assert scope_for(scope, None) is scope
    assert scope_for(None, None) is None
    assert both.model_dump_json() != scope.model_dump_json()
    # A filter of the largest size leaves room for principals.
    where = parse_filter(" or ".join(f'a{n} = "x"' for n in range(100)))
    both = scope_for(Scope.model_construct(where=where), tuple(f"user:{n}" for n in range(MOST_PRINCIPALS)))
    assert both is not None
    assert both.model_dump_json()


def test_what_two_name_is_what_both_name() -> None:
    assert common(None, None) is None
    assert common(("a", "b"), None) == ("a", "b") == common(None, ["a", "b"])
    assert common(("a", "b"), ("b", "c")) == ("b",)
    assert common(("a",), ("b",)) == ()


def test_who_may_see_a_document_stays_until_somebody_says_otherwise() -> None:
    narrow = {"allow": ("user:ann",)}
    assert not change_by_ingestion({}, narrow, (), ())
    kept = change_by_ingestion({"author": "Bo"}, narrow, (), ("allow",))
    assert (kept.unset, kept.values) == ((), {"author": "Bo"})
    assert (kept.ingested or {})["allow"] == ("user:ann",)
    wider = change_by_ingestion({"allow": ("*",)}, narrow)
    assert wider.values == {"allow": ("*",)}
    # What a hand narrowed stays while the source says what it said before.
    assert not change_by_ingestion(narrow, narrow)


def test_a_schema_neither_drops_nor_forbids_who_may_see_a_document() -> None:
    schema = parse_schema({"fields": {"kind": {"type": "text"}}, "only": True})
    assert schema.fitting({"allow": ("user:ann",), "other": "x"}) == {"allow": ("user:ann",)}
    schema.check({"allow": ("user:ann",)})
    rule = {"type": "list", "required": True, "allowed": ["group:legal"]}
    ruled = parse_schema({"fields": {"allow": rule}})
    with pytest.raises(InvalidInput, match="allow"):
        ruled.check(ruled.fitting({"allow": ("user:ann",)}))
    with pytest.raises(InvalidInput, match="allow"):
        ruled.check_whole({})


def test_what_is_left_out_of_other_programs_fields_is_never_who_may_see_them() -> None:
    with pytest.raises(InvalidInput, match="allow"):
        fitting([("allow", True)])
    many = [(f"a{n}", "x" * 70) for n in range(60)]
    assert fitting([*many, ("allow", "user:ann")])["allow"] == ("user:ann",)
    full = bounded({f"b{n}": "x" * 70 for n in range(45)})
    with pytest.raises(InvalidInput, match="metadata"):
        filled_up(full, {"aa": "x", "allow": tuple(f"user:{n}{'x' * 50}" for n in range(20))})


def test_a_filter_of_json_with_a_field_twice_is_refused() -> None:
    with pytest.raises(InvalidInput, match="appears twice"):
        parse_filter('{"and": [], "and": []}')
