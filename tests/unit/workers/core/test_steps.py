"""A step takes and brings the models that it names."""

from __future__ import annotations

from typing import cast

import pytest

from workers.core.errors import InvalidInput
from workers.core.jobs.flow import Step, result_of
from workers.core.jobs.work import Done, Item, Outcome, as_json
from workers.core.ports import Ports
from workers.core.records import Frozen


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
