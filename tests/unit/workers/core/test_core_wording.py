"""What a value may be, in words: no regular expression, and nothing of the library that checks it."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from pydantic import Field, StringConstraints, TypeAdapter, ValidationError

from workers.core.errors import InvalidInput
from workers.core.jobs.params import QueryParams, parse_params
from workers.core.language.allowed_values import InWords, allowed_in_words
from workers.core.records import Frozen

Name = Annotated[str, StringConstraints(max_length=3, pattern="^[a-z]+$"), InWords("1 to 3 small letters")]


class Given(Frozen):
    name: Name = "a"
    plain: Annotated[str, Field(pattern="^x$")] = "x"
    few: tuple[int, ...] = Field(default=(1,), min_length=1, max_length=2)
    word: str = Field(default="a", min_length=1, max_length=1)
    number: int = 1


@pytest.mark.parametrize(
    ("value", "allowed"),
    [
        ({"name": "A"}, "1 to 3 small letters"),
        ({"name": 1}, "1 to 3 small letters"),
        ({"plain": "y"}, "text of another form"),
        ({"few": [1, 2, 3]}, "at most 2 items"),
        ({"word": "ab"}, "at most 1 character"),
        ({"word": 1}, "a valid string"),
        ({"number": "x"}, "a valid integer"),
        ({"other": 1}, "no field of this name"),
        ([], "an object"),
    ],
)
def test_what_is_allowed_is_said_in_words(value: Any, allowed: str) -> None:
    with pytest.raises(ValidationError) as refused:
        Given.model_validate(value)
    assert allowed_in_words(refused.value.errors()[0]) == allowed


def test_words_change_nothing_of_what_is_documented() -> None:
    assert TypeAdapter(Name).json_schema() == {"type": "string", "maxLength": 3, "pattern": "^[a-z]+$"}


def test_parameters_are_refused_in_words() -> None:
    with pytest.raises(InvalidInput) as refused:
        parse_params(QueryParams, {"question": "x" * 4001})
    assert refused.value.allowed == "at most 4000 characters"
