"""A survey that is under way while its workers are replaced by those of another version."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import pytest
from doubles.library import Library
from doubles.strategies import THEMES, SurveyRun
from doubles.topics import MemoryTopics

from hopline.models.jobs import JobState
from workers.core.jobs.flow import Results
from workers.core.jobs.work import Done, End, Item, Job, Phase
from workers.traverse.survey import results as survey_results
from workers.traverse.survey import rounds
from workers.traverse.survey.flow import SURVEY
from workers.traverse.survey.results import Calls
from workers.traverse.survey.schema import SurveyPlan

Patches = Callable[[pytest.MonkeyPatch], object]


@pytest.fixture
def library() -> Library:
    held = Library()
    for theme in THEMES:
        for n in range(40):
            complaint, walk = f"Guest{n} complained about {theme}.", f"Guest{n} walked to {theme} lake."
            held.add(f"{theme}-{n}", (complaint, [theme, "guests complain"]), (walk, ["lake", theme]))
    return held


class Upgraded(SurveyRun):
    """A survey whose first phases are followed by an earlier version's, each worker reading again.

    Args:
        library: what is searched.
        until: number of the phase from which on the present version advances.
        patches: what makes the earlier version.
        params: of the question.
    """

    replies = {
        **SurveyRun.replies,
        SurveyPlan: SurveyPlan(question=SurveyRun.asks["question"], sub_questions=[]),
    }

    def __init__(self, library: Library, until: int = 0, patches: Patches = id, **params: Any) -> None:
        super().__init__(library, **params)
        library.topics = MemoryTopics(library, lambda text: ("stay", text.split()[-1], text[-6:]))
        self.until, self.patches = until, patches
        self.flow = replace(SURVEY, advance=self.advance)

    def advance(self, phase: int, results: Results, job: Job) -> Phase | End:
        unread = {number: [item.model_copy() for item in done] for number, done in results.items()}
        with pytest.MonkeyPatch.context() as earlier:
            if phase < self.until:
                self.patches(earlier)
            return SURVEY.advance(phase, unread, job)

    def scored_facts(self) -> list[str]:
        """Return the facts that critics were asked for."""
        return [fact["fact"] for material in self.asked("score_each") for fact in material["facts"]]


class Unnamed(Upgraded):
    """One whose results do not say which facts they are of, as those of an earlier version."""

    def drained(self, items: Sequence[Item], caps: Mapping[str, int] | None = None) -> list[Done]:
        steps, names = {"critic.score_fact", "critic.survey_claims"}, {"ids", "calls", "facts"}
        every = super().drained(items, caps)
        for nth, done in enumerate(every):
            if done.step in steps:
                kept = {key: value for key, value in done.result.items() if key not in names}
                every[nth] = done.model_copy(update={"result": kept})
        return every


class Short(Upgraded):
    """One whose results lack the score of their last fact."""

    def drained(self, items: Sequence[Item], caps: Mapping[str, int] | None = None) -> list[Done]:
        every = super().drained(items, caps)
        for nth, done in enumerate(every):
            if done.step == "critic.score_fact":
                result = done.result | {"others": done.result.get("others", [])[:-1]}
                every[nth] = done.model_copy(update={"result": result})
        return every


def other_order(earlier: pytest.MonkeyPatch) -> None:
    earlier.setattr(rounds.Picker, "worth", lambda _picker, n: n * 7919 % 101)


def calls_of(facts: int) -> Patches:
    return lambda earlier: earlier.setattr(rounds, "BATCH", facts)


@pytest.mark.parametrize(("until", "patches"), [(2, other_order), (3, calls_of(20)), (4, calls_of(8))])
def test_scores_are_of_the_facts_that_critics_were_asked_for(library, until, patches):
    run = Upgraded(library, until, patches)
    end = run.to_end()
    facts = run.scored_facts()
    coverage = end.outcome["details"]["coverage"]
    assert end.state is JobState.DONE
    assert coverage["facts"] == len(facts) == len(set(facts))
    assert coverage["hits"] == sum("complained" in fact for fact in facts)
    assert coverage["hits"] < len(facts)
    assert end.outcome["details"]["rounds"] >= 3


def test_results_that_name_no_facts_are_read_in_the_order_of_the_round(library: Library) -> None:
    assert Unnamed(library).to_end() == Upgraded(library).to_end()


def one_group_a_call(earlier: pytest.MonkeyPatch) -> None:
    earlier.setattr(survey_results, "packed_groups", lambda alike, *_room: list(alike.values()))


def one_call(earlier: pytest.MonkeyPatch) -> None:
    earlier.setattr(survey_results, "packed_groups", lambda alike, *_room: [list(chain(*alike.values()))])


def less_to_score(earlier: pytest.MonkeyPatch) -> None:
    earlier.setattr(Calls, "of", lambda _params: Calls(batches=2, claims=8))


@pytest.mark.parametrize("patches", [one_group_a_call, one_call, less_to_score])
def test_claims_stand_that_an_earlier_version_ordered(library: Library, patches: Patches) -> None:
    run = Upgraded(library, 99, patches)
    run.to_end()
    for until in range(3, len(run.phases)):
        upgraded = Upgraded(library, until, patches)
        end = upgraded.to_end()
        claims = [claim["text"] for claim in end.outcome["details"]["claims"]]
        assert sorted(claims) == [f"Guests complained about {theme}." for theme in sorted(THEMES)]
        assert len(upgraded.asked("survey_answer")) == 1
    assert len(upgraded.phases) == len(run.phases)


def test_a_fact_whose_score_is_missing_is_not_asked_for_again(library: Library) -> None:
    run = Short(library)
    assert run.to_end().state is JobState.DONE
    assert len(run.scored_facts()) == len(set(run.scored_facts()))
