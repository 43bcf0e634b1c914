"""What happens now: rates between two readings of the metrics."""

import io

import pytest
from rich.console import Console

from producer.reports.activity import Activity, Reading
from producer.views.stack import activity_view


def reading(at: float, done: int, *, calls: int = 0, depth: int = 0) -> Reading:
    """Return a reading with so many items done, each in half a second, and so many calls."""
    tokens = "hopline_model_tokens_total"
    numbers = {
        ("hopline_items_total", (("outcome", "done"), ("step", "traverse.visit"))): float(done),
        ("hopline_items_total", (("outcome", "dead"), ("step", "traverse.seed"))): 3.0,
        ("hopline_item_seconds_count", (("step", "traverse.visit"),)): float(done),
        ("hopline_item_seconds_sum", (("step", "traverse.visit"),)): done / 2,
        ("hopline_model_calls_total", (("model", "small"), ("tier", "fast"))): float(calls),
        (tokens, (("direction", "in"), ("model", "small"), ("tier", "fast"))): calls * 90.0,
        (tokens, (("direction", "out"), ("model", "small"), ("tier", "fast"))): calls * 10.0,
        ("hopline_queue_messages", (("queue", "bulk"),)): float(depth),
        ("hopline_workers", (("queue", "bulk"),)): 0.0,
        ("hopline_jobs_running", (("kind", "query"),)): 2.0,
        ("hopline_jobs_running", (("kind", "batch"),)): 0.0,
    }
    if depth:
        numbers["hopline_queue_oldest_seconds", (("queue", "bulk"),)] = 45.0
    return Reading(at, numbers)


@pytest.fixture
def activity() -> Activity:
    return Activity(reading(100.0, 10), reading(104.0, 30, calls=8, depth=7))


def test_counters_become_rates_unless_they_began_anew_or_stand_still(activity: Activity) -> None:
    visits = {"done": 5.0, "failed": 0, "deferred": 0.0, "mean_seconds": 0.5}
    assert activity.steps() == {"traverse.visit": visits}
    (model,) = activity.models().values()
    assert (model["calls"], model["tokens"], model["failures"]) == (120.0, 12_000.0, 0.0), "a minute"
    body = activity.as_json()
    assert body["queues"] == {"bulk": {"messages": 7, "oldest_seconds": 45.0, "workers": 0}}
    assert (body["running"], body["seconds"]) == ({"query": 2}, 4.0)
    assert Activity(reading(0.0, 30), reading(1.0, 5)).steps() == {}


def test_prometheus_text_is_read_and_added_up_by_labels() -> None:
    reading = Reading.of(
        '# TYPE hopline_items counter\nhopline_items_total{step="a",outcome="done"} 2\n'
        'hopline_items_total{step="b",outcome="done"} 3\n'
        "# TYPE hopline_messages_held gauge\nhopline_messages_held 4\n"
    )
    assert reading.by("hopline_items_total", "outcome") == {("done",): 5.0}
    assert reading.total("hopline_messages_held") == 4.0
    assert reading.total("hopline_nothing") == 0.0


def test_the_picture_shows_what_is_late_and_what_nobody_serves(activity: Activity) -> None:
    out = io.StringIO()
    console = Console(file=out, width=120, color_system=None)
    console.print(activity_view(activity, []))
    shown = out.getvalue()
    for part in (
        "bulk",
        "45.0 s",
        "traverse.visit",
        "500 ms",
        "reading nodes of the graph",
        "fast small",
        "120",
    ):
        assert part in shown
    console.print(activity_view(None, []))
    assert "Measuring…" in out.getvalue()
