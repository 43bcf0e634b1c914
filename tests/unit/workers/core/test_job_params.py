"""What jobs are given: tags, hours, inputs of steps, and values that are refused in words."""

from datetime import UTC, datetime
from typing import Annotated, cast

import pytest
from pydantic import Field, StringConstraints, TypeAdapter, ValidationError

from hopline.allowed_values import InWords, allowed_in_words
from hopline.errors import InvalidInput
from hopline.models.base import Frozen
from hopline.models.hours import parse_hours
from hopline.models.params import SyncParams
from hopline.models.tags import checked_tags, has_tags, parse_tags
from workers.core.jobs.flow import Step, result_of
from workers.core.jobs.params import BatchParams, QueryParams, parse_params
from workers.core.jobs.work import Done, Item, Outcome, as_json
from workers.core.ports import Ports


def test_tags_are_names_and_values() -> None:
    assert parse_tags(["team=legal", "run=a=b"]) == {"team": "legal", "run": "a=b"}
    assert parse_tags(["team=legal", "team=legal"]) == {"team": "legal"}


def test_other_tags_are_refused() -> None:
    single = ("team", "=legal", "team=", "Team=legal", "a b=c", "t=\n", "a" * 41 + "=b", "a=" + "b" * 101)
    for pairs in (
        *([pair] for pair in single),
        ["team=a", "team=b"],
        [f"n{number}=v" for number in range(11)],
    ):
        with pytest.raises(InvalidInput, match="tag"):
            parse_tags(pairs)


def test_all_tags_that_are_wanted_must_be_there() -> None:
    tags = checked_tags({"team": "legal", "run": "1"})
    assert has_tags(tags, {})
    assert has_tags(tags, {"run": "1"})
    assert not has_tags(tags, {"run": "2"})
    assert not has_tags({}, {"run": "1"})


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def test_hours_hold_over_midnight_or_by_day_and_end_before_their_last_minute():
    hours = parse_hours("22:00-06:00")
    held = {hour: hours.hold(at(f"2026-03-01T{hour:02}:00")) for hour in range(24)}
    assert [hour for hour, inside in held.items() if inside] == [0, 1, 2, 3, 4, 5, 22, 23]
    hours = parse_hours(" 9:30 - 17:00 ")
    assert hours.hold(at("2026-03-01T09:30"))
    assert not hours.hold(at("2026-03-01T17:00"))
    assert str(hours) == "09:30-17:00 UTC"


def test_hours_are_read_off_the_clock_of_their_zone_in_summer_and_in_winter():
    hours = parse_hours("22:00-06:00", "Europe/Berlin")
    assert hours.hold(at("2026-01-15T04:30"))  # 05:30 in Berlin
    assert not hours.hold(at("2026-07-15T04:30"))  # 06:30
    assert hours.hold(at("2026-07-15T20:00"))
    assert not hours.hold(at("2026-01-15T20:00"))


def test_what_is_no_hours_and_an_unknown_zone_are_refused_by_the_field():
    for text in ("22-06", "25:00-06:00", "22:00", "06:00-06:00", "now"):
        with pytest.raises(InvalidInput, match="hours"):
            parse_hours(text)
    with pytest.raises(InvalidInput, match="zone is 'Europe/Atlantis'"):
        parse_params(SyncParams, {"sources": ["/a"], "hours": "22:00-06:00", "zone": "Europe/Atlantis"})
    with pytest.raises(InvalidInput, match="hours is 'nights'"):
        parse_params(BatchParams, {"documents": 1, "hours": "nights"})


class CountInput(Frozen):
    text: str
    parent: str | None  # always written: a worker of the version before reads it


class CountResult(Frozen):
    words: int
    failed: str | None = None


def count_words(step_input: CountInput, _ports: Ports) -> Outcome:
    return Outcome(result=CountResult(words=len(step_input.text.split())))


STEP = Step(run=count_words, input=CountInput, result=CountResult)
NO_PORTS = cast("Ports", None)


def test_a_step_takes_its_input_as_it_is_stored() -> None:
    stored = Item(id="1", step="x.count", input=CountInput(text="two words", parent=None)).input
    assert stored == {"text": "two words", "parent": None}
    outcome = STEP.do(stored | {"of_a_newer_version": 1}, NO_PORTS)
    assert as_json(outcome.result) == {"words": 2}


def test_an_input_of_another_shape_and_a_step_that_brings_something_else_are_refused() -> None:
    with pytest.raises(InvalidInput, match="parent"):
        STEP.do({"text": "two words"}, NO_PORTS)
    other = Step(
        run=lambda step_input, _ports: Outcome(result=step_input), input=CountInput, result=CountResult
    )
    with pytest.raises(TypeError, match="CountInput"):
        other.do({"text": "", "parent": None}, NO_PORTS)


def test_results_are_read_once_as_what_their_step_brings_and_leave_the_item_as_it_was() -> None:
    done = Done(item_id="1", step="x.count", result={"words": 2})
    lost = Done(item_id="2", step="x.count", result={}, error="given up")
    assert result_of(done, CountResult) == CountResult(words=2)
    assert result_of(lost, CountResult) is None
    assert result_of(done, CountResult) is result_of(done, CountResult)
    other = Done(item_id="1", step="x.count", result={"words": 2})
    assert done == other
    assert done.model_dump_json() == other.model_dump_json()


Name = Annotated[str, StringConstraints(max_length=3, pattern="^[a-z]+$"), InWords("1 to 3 small letters")]


class Given(Frozen):
    name: Name = "a"
    plain: Annotated[str, Field(pattern="^x$")] = "x"
    few: tuple[int, ...] = Field(default=(1,), min_length=1, max_length=2)
    word: str = Field(default="a", min_length=1, max_length=1)
    number: int = 1


def test_what_is_allowed_is_said_in_words() -> None:
    for value, allowed in [
        ({"name": "A"}, "1 to 3 small letters"),
        ({"name": 1}, "1 to 3 small letters"),
        ({"plain": "y"}, "text of another form"),
        ({"few": [1, 2, 3]}, "at most 2 items"),
        ({"word": "ab"}, "at most 1 character"),
        ({"word": 1}, "a valid string"),
        ({"number": "x"}, "a valid integer"),
        ({"other": 1}, "left out: there is no field of this name"),
        ([], "an object"),
    ]:
        with pytest.raises(ValidationError) as refused:
            Given.model_validate(value)
        assert allowed_in_words(refused.value.errors()[0]) == allowed, value


def test_words_change_nothing_of_what_is_documented() -> None:
    assert TypeAdapter(Name).json_schema() == {"type": "string", "maxLength": 3, "pattern": "^[a-z]+$"}


def test_parameters_are_refused_in_words() -> None:
    with pytest.raises(InvalidInput) as refused:
        parse_params(QueryParams, {"question": "x" * 4001})
    assert refused.value.allowed == "at most 4,000 characters"
