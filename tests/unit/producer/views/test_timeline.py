"""A job's timeline: what its events say of when items ran, failed, waited and were taken over."""

import io

import pytest
from rich.console import Console

from hopline.events.jobs import (
    ItemBegun,
    ItemDead,
    ItemDeferred,
    ItemDone,
    ItemFailed,
    JobEnded,
    JobRetried,
    JobSubmitted,
    LeaseLost,
    PhaseClosed,
    PhaseOpened,
)
from hopline.models.events import EventData
from hopline.models.jobs import JobState, Usage
from hopline.models.timelines import Timeline
from hopline.models.times import timestamp
from hopline.views.timeline import print_timeline
from workers.core.events.timeline import timeline_of
from workers.core.jobs.work import Event

START = 1_790_000_000_000  # milliseconds since 1970
VISIT = {"item": "visit:a", "step": "traverse.visit"}


def told(*events: tuple[int, EventData]) -> list[tuple[str, Event]]:
    """Return a stream's entries; each with its milliseconds since the start."""
    return [(f"{START + at}-0", Event.of(data)) for at, data in events]


def opened(phase: int, step: str = "traverse.visit") -> PhaseOpened:
    return PhaseOpened(phase=phase, items=1, step=step)


def folded(*events: tuple[int, EventData]) -> Timeline:
    return timeline_of(told((0, JobSubmitted()), (10, opened(0)), *events))


def test_an_item_waits_from_its_phase_on_and_runs_until_it_is_done() -> None:
    timeline = folded((110, ItemBegun(**VISIT)), (1110, ItemDone(**VISIT, ms=1000)))
    (item,) = timeline.items
    assert (item.item, item.step, item.phase) == ("visit:a", "traverse.visit", 0)
    assert item.waited == pytest.approx(0.1)
    assert item.ran(timeline.seconds) == pytest.approx(1.0)
    assert [attempt.how for attempt in item.attempts] == ["done"]
    assert timeline.started == timestamp(START / 1000)
    assert timeline.seconds == pytest.approx(1.11)


def test_each_attempt_stands_with_how_it_ended() -> None:
    timeline = folded(
        (100, ItemBegun(**VISIT)),
        (200, ItemFailed(**VISIT, attempt=1, error="503")),
        (400, ItemBegun(**VISIT)),
        (500, ItemDeferred(**VISIT, why="neo4j is away")),
        (600, ItemBegun(**VISIT)),
        (900, LeaseLost(**VISIT, times=1)),
        (950, ItemBegun(**VISIT)),
        (990, ItemFailed(**VISIT, attempt=2, error="400")),
        (990, ItemDead(**VISIT, error="400")),
    )
    (item,) = timeline.items
    ends = [(attempt.how, attempt.why) for attempt in item.attempts]
    assert ends == [("failed", "503"), ("deferred", "neo4j is away"), ("lost", None), ("dead", "400")]
    assert item.ran(timeline.seconds) == pytest.approx(0.1 + 0.1 + 0.3 + 0.04)


def test_an_item_runs_until_now_or_is_taken_over_and_has_begun_before_kept_events() -> None:
    timeline = folded((100, ItemBegun(**VISIT)), (2100, opened(1, "critic.score_fact")))
    assert timeline.state is None
    assert timeline.items[0].attempts[0].ended is None
    assert timeline.items[0].ran(timeline.seconds) == pytest.approx(2.0)
    timeline = folded((100, ItemBegun(**VISIT)), (300, ItemBegun(**VISIT)), (400, ItemDone(**VISIT, ms=100)))
    assert [attempt.how for attempt in timeline.items[0].attempts] == ["lost", "done"]
    timeline = timeline_of(told((0, opened(3)), (500, ItemDone(**VISIT, ms=200))))
    assert timeline.cut
    assert timeline.items[0].began == pytest.approx(0.3)
    assert timeline.items[0].phase == 3


def test_an_attempt_tells_its_worker_and_a_retried_job_has_not_ended() -> None:
    other = {"item": "visit:b", "step": "traverse.visit"}
    begun = (100, ItemBegun(**VISIT, worker="bulk@one")), (200, ItemDone(**VISIT, ms=100))
    ended = (310, JobEnded(state=JobState.PARTIAL))
    timeline = folded(*begun, (300, ItemBegun(**other)), ended)
    assert [item.attempts[0].worker for item in timeline.items] == ["bulk@one", None]
    assert "bulk@one: 1 attempt\n" in printed(timeline)
    assert timeline.state == "partial"
    assert folded(ended, (320, JobRetried()), (400, ItemBegun(**VISIT))).state is None


def printed(timeline: Timeline, usage: Usage | None = None, *, every: bool = False) -> str:
    out = io.StringIO()
    print_timeline(Console(file=out, width=140, color_system=None), timeline, usage, every=every)
    return out.getvalue()


def test_few_items_have_a_line_each_with_bars_in_proportion() -> None:
    other = {"item": "visit:b", "step": "traverse.visit"}
    shown = printed(
        folded(
            (10, ItemBegun(**VISIT)),
            (500, ItemFailed(**VISIT, attempt=1, error="503")),
            (750, ItemBegun(**other)),
            (1000, ItemDone(**other, ms=250)),
            (1000, PhaseClosed(phase=0, why="the deadline has passed")),
        )
    )
    first, second = (line for line in shown.splitlines() if "visit:" in line)
    assert first.rstrip().endswith("x")
    assert second.index("█") > first.rindex("x")
    assert first.count("█") > 1.5 * second.count("█")
    assert "stage 0 took no more tasks: the deadline has passed" in shown


def test_of_many_items_the_slowest_have_a_line_and_all_are_counted() -> None:
    events: list[tuple[int, EventData]] = []
    for n in range(200):
        item = {"item": f"visit:{n:03}", "step": "traverse.visit"}
        events += [(20 + n, ItemBegun(**item)), (520 + 2 * n, ItemDone(**item, ms=500 + n))]
    timeline = folded(*sorted(events, key=lambda event: event[0]))
    shown = printed(timeline)
    slowest = [line.split()[1] for line in shown.splitlines() if " visit:" in line]
    assert slowest == [f"visit:{n}" for n in (199, 198, 197, 196, 195)]
    assert "200 tasks" in shown
    assert "200 at once" in shown
    assert len([line for line in printed(timeline, every=True).splitlines() if " visit:" in line]) == 200


def test_each_item_has_its_tokens_and_the_job_its_cost() -> None:
    timeline = folded((10, ItemBegun(**VISIT)), (500, ItemDone(**VISIT, ms=490, tokens=1234)))
    shown = printed(timeline, Usage(model_calls=3, prompt_tokens=1500, completion_tokens=34, cost=0.25))
    (line,) = (line for line in shown.splitlines() if "visit:" in line)
    assert "1,234" in line
    assert "model calls: 3 · tokens: 1,534 · cost: 0.2500" in shown
    assert timeline.items[0].tokens == 1234
    assert "No task has started yet." in printed(folded())


def test_on_a_terminal_of_80_columns_each_bar_stands_in_the_line_of_its_item() -> None:
    long = {"item": "visit:k2ab2f5a654f1c0e2a7d", "step": "critic.score_fact"}
    begun = [ItemBegun(item=f"score:{n:030}", step="critic.score_fact") for n in range(200)]
    timeline = folded((110, ItemBegun(**long)), *((200 + n, event) for n, event in enumerate(begun)))
    console = Console(file=io.StringIO(), width=80, force_terminal=True, color_system=None)
    print_timeline(console, timeline)
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert all(len(line) <= 80 for line in lines)
    table = [line for line in lines if line.startswith("critic.")]
    assert len(table) == 6, "201 items in one line, and the five slowest"
    assert all("█" in line for line in table)
