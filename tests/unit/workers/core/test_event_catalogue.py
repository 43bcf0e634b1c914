"""Every event has one model that reads what is stored; the page listens for no other names."""

import re
from pathlib import Path

from hopline.events.catalogue import CATALOGUE, read_event
from hopline.events.jobs import ItemDone, JobEnded
from hopline.events.questions import FactScored, PlanFinished
from hopline.models.jobs import JobState
from workers.core.jobs.work import Event, Outcome

ROOT = Path(__file__).parents[4]
_CASE = re.compile(
    r"""(?:^\s*case |^\s+|event\.name === )["']([a-z_]+\.[a-z_]+)["'](?=:| *\?|;)""", re.MULTILINE
)


def test_an_event_is_stored_under_its_name_without_what_is_as_it_is_anyway() -> None:
    outcome = Outcome(events=(PlanFinished(entities=("Tove",), sub_questions=()),))
    assert outcome.events == (Event(name="plan.finished", data={"entities": ["Tove"], "sub_questions": []}),)


def test_a_score_of_none_is_sent_since_it_says_that_the_fact_is_unscored() -> None:
    data = FactScored(fact="Tove left.", score=None, scored_by="unscored")
    assert Event.of(data).data == {"fact": "Tove left.", "score": None, "scored_by": "unscored"}


def test_an_event_is_read_with_fields_that_only_a_newer_version_knows() -> None:
    event = Event(name="item.done", data={"item": "visit:1", "step": "traverse.visit", "ms": 3, "new": 1})
    assert read_event(event) == ItemDone(item="visit:1", step="traverse.visit", ms=3)
    assert read_event(Event(name="job.ended", data={"state": "done"})) == JobEnded(state=JobState.DONE)


def test_an_event_that_is_unknown_or_not_whole_is_none() -> None:
    for event in [Event(name="moon.risen"), Event(name="item.done", data={"item": "a"})]:
        assert read_event(event) is None, event


def test_the_scripts_of_the_ledger_and_the_page_name_events_of_the_catalogue() -> None:
    emitted = re.compile(r"emit(?:_item)?\('([\w.]+)'")
    scripts = (ROOT / "workers/ledger/lua").glob("*.lua")
    names = {name for path in scripts for name in emitted.findall(path.read_text(encoding="utf-8"))}
    assert {"job.ended", "item.done", "phase.opened"} <= names
    assert names <= set(CATALOGUE)
    pages = (ROOT / "producer/web").rglob("*.js")
    heard = {name for path in pages for name in _CASE.findall(path.read_text(encoding="utf-8"))}
    assert {"job.ended", "visit.finished", "concept.saved"} <= heard
    assert heard <= set(CATALOGUE), heard - set(CATALOGUE)
