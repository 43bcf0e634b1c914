"""The simulator agrees with measured runs, and a plan with its arithmetic."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from simulation import MEASURED, Load, simulate
from sizing import Wanted, make_plan

from producer.estimate.factors import USED_OF_MINUTE
from workers import limits

# bench/ingest.py, two cores: documents of ten chunks, seconds of a call, calls in flight -> seconds in all.
RUNS = [(128, 2.0, 64, 42.97), (30, 0.2, 8, 8.46), (30, 0.0, 64, 5.58)]


@pytest.mark.parametrize(("documents", "latency", "calls", "seconds"), RUNS)
def test_a_simulated_run_takes_as_long_as_the_measured_one(documents, latency, calls, seconds):
    shape = {"documents": documents, "chunks": 10, "window": 50, "latency": latency, "calls": calls}
    machine = {"processes": 2, "threads": calls // 2 + 8, "cores": 2, "offline_model": True}
    load = Load(**shape, **machine)
    assert simulate(load, MEASURED).seconds == pytest.approx(seconds, rel=0.1)


def test_a_limit_of_requests_is_used_up_and_not_passed() -> None:
    wanted = Wanted(documents=2_000, chunks=2, latency=1.0, rpm=600)
    plan = make_plan(wanted)
    best = plan.rows[-1]
    assert plan.limits[0].calls_per_second == pytest.approx(10 * USED_OF_MINUTE)
    assert 0.97 <= (best.of_limit or 0) <= 1.001
    assert best.hours == pytest.approx(4_000 / (10 * USED_OF_MINUTE) / 3600, rel=0.05)


def test_the_tighter_of_two_limits_decides() -> None:
    plan = make_plan(Wanted(documents=500, chunks=2, latency=1.0, rpm=6_000, tpm=600_000, tokens=5_000))
    assert [limit.name for limit in plan.limits] == ["tokens", "requests"]
    assert plan.rows[-1].calls_per_second == pytest.approx(2 * USED_OF_MINUTE, rel=0.03)


def test_processes_are_as_many_as_hold_slow_calls_and_no_more_than_cores_where_they_are_the_limit() -> None:
    """100 calls a second of 4 seconds are 400 at a time, and a process holds 64."""
    slow = make_plan(Wanted(documents=20_000, chunks=10, latency=4.0, rpm=6_000))
    assert slow.processes in {6, 8}, "the numbers of processes that are tried"
    assert make_plan(Wanted(documents=1_000, chunks=10, latency=0.0, cores=2)).processes <= 2


def test_calls_in_flight_leave_the_interactive_share_free() -> None:
    plan = make_plan(Wanted(documents=500, chunks=4, latency=1.0, calls=16, interactive_share=0.25))
    assert plan.limits[0].calls_per_second == 12
    assert plan.rows[-1].calls_per_second == pytest.approx(12, rel=0.03)


def test_the_share_of_a_minute_is_what_the_limiter_lets_go() -> None:
    script = (Path(limits.__file__).parent / "lua" / "turns_prelude.lua").read_text(encoding="utf-8")
    window, fill = (
        re.search(rf"^local {name} = ([\d.]+)", script, re.MULTILINE) for name in ("WINDOW", "FILL")
    )
    assert window
    assert fill
    assert pytest.approx(float(fill[1]) * 60 / float(window[1])) == USED_OF_MINUTE
