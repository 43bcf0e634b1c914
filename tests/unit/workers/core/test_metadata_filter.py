"""Filters on metadata: the language, its errors, and what it means."""

from __future__ import annotations

from datetime import date

import pytest

from workers.core.errors import InvalidInput
from workers.core.metadata.filter import matches
from workers.core.metadata.filter_text import filter_json, filter_of_json, parse_filter

ANN = {"author": "Ann", "date": date(2024, 5, 1), "priority": 2, "tags": ("contract", "2024-01-01")}


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ('tags has "contract" and date >= 2024-01-01 and author = "Ann"', True),
        ('author = "ann"', False),
        ("not (date < 2024-05-01 or priority >= 2)", False),
        ('author in ("Bo", "Ann")', True),
        ("size in (1, 3, 2024-05-01)", False),
        ("exists(author) and not exists(editor)", True),
        ('author != "Ann"', False),
        ('not editor = "Ann"', True),
        ("size > 5", False),
        ('tags has "2024-01-01"', True),
        ("priority = 2.0", True),
        ('date = "2024-05-01"', True),
        ('author = "A\\nn"', True),
        ('author = "Ann" or author = "Bo" and priority = 1', True),
        ("not not-final = 1 and not exists(in-part) and not or-1 = 2", True),
        ('author = "Ann" AND NOT(exists(editor))or exists(and-so)', True),
    ],
)
def test_what_a_filter_means(text: str, meant: bool) -> None:  # noqa: FBT001 - a column of the table
    tree = parse_filter(text)
    assert matches(tree, ANN) is meant
    assert filter_of_json(filter_json(tree)) == tree


def test_a_field_of_another_type_is_as_one_that_is_not_there() -> None:
    for text in ("size = 5", 'size = "5"', "size > 2", "size = 2024-05-01", 'size in ("x", 5)'):
        for held in ({"size": ("5",)}, {"size": date(2024, 5, 2)} if "2024" not in text else {}):
            assert not matches(parse_filter(text), held)
            assert matches(parse_filter(f"not {text}"), held)
    assert not matches(parse_filter('size has "5"'), {"size": "5"})


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "at its end"),
        ("date >= foo", "at character 9, at 'foo', allowed is one of: a date such as 2024-05-01; a number"),
        ("author =", "at its end allowed is one of: a date"),
        ("author Ann", "at character 8, at 'Ann', allowed is one of: =, !=, <, <=, >, >=; has; in"),
        ("priority = 1 $", "at character 14, at '$'"),
        ('author = "Ann', "at character 10"),
        ("date = 2024-02-30", "a date that there is"),
        ("priority in (1, 2024-05-01)", "where priority in: got '2024-05-01', allowed is a number"),
        ('tags = "a"', 'ask tags has "…"'),
        ('author > "a"', "texts are not ordered"),
        ('priority has "a"', "`has` looks into a list"),
        ("author in ()", "at character 12"),
        ("priority = ٢", "at character 12"),
        ("not " * 30 + "a = 1", "nested at most 20 deep"),
        (" or ".join(["a = 1"] * 101), "at most 100 comparisons"),
        ("x" * 2001, "at most 2000"),
        ("priority = " + "1" * 400, "where priority =: got 111"),
        ('{"field": "priority", "op": "=", "value": ' + "1" * 5000 + "}", "a filter as JSON"),
        ('{"and": []}', "a list of filters"),
        ('{"field": "a"}', 'an object {"field", "op", "value"}'),
        ('{"field": "a", "op": "like", "value": "b"}', "one of: =, !="),
        ('{"field": "a", "op": "=", "value": ["b"]}', "one text, number or date"),
        ('{"field": "a", "op": "exists", "value": 1}', "where a exists: got 1, allowed is no value"),
        ('{"not": ' * 200 + "1" + "}" * 200, "nested at most 20 deep"),
    ],
)
def test_an_error_says_where_and_what_was_expected(text: str, says: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        parse_filter(text)
    assert says in str(refused.value)


def test_brackets_nested_as_deep_as_the_text_is_long_are_read() -> None:
    assert matches(parse_filter("(" * 900 + "priority = 2" + ")" * 900), ANN)
