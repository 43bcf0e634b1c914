"""hopline history: what it lists, sums and erases."""

import json
from pathlib import Path

import pytest
from doubles.command_line import Run
from doubles.desk import Desk
from doubles.history import Ends, row
from doubles.kept_names import NamedKept

from hopline.models.history import JobError
from workers.adapters.named_files import NamedFiles
from workers.history.books import JOBS
from workers.history.keeper import HistoryKeeper
from workers.history.search import HistorySearch


@pytest.fixture(autouse=True)
def past(desk: Desk, tmp_path: Path) -> None:
    files = NamedFiles(str(tmp_path))
    desk.history = HistoryKeeper(desk.redis, files, 400, JOBS)  # type: ignore[attr-defined]
    desk.history_search = HistorySearch(desk.history.pending, files)  # type: ignore[attr-defined]
    broken = (JobError(step="ingest.extract", error="a.pdf is \x1b[31mbroken"),)
    Ends(desk.redis).put(
        row(0, cost=0.25, calls=2, params={"uri": "a.pdf"}),
        row(1, state="failed", errors=broken, dead=1, collection="books", tags={"team": "a"}),
        row(48, cost=0.5, calls=1),
    )


def listed(run: Run, *options: str) -> list[str]:
    result = run("history", "--json", *options)
    assert result.exit_code == 0, result.output
    return [each["id"] for each in json.loads(result.stdout)["jobs"]]


def test_ended_jobs_are_listed_newest_first_by_what_options_name(run: Run) -> None:
    assert listed(run) == ["j48", "j1", "j0"]
    assert listed(run, "--state", "failed", "--step", "ingest.extract") == ["j1"]
    assert listed(run, "-c", "books", "--tag", "team=a", "--error", "BROKEN") == ["j1"]
    assert listed(run, "--since", "2026-09-23T20:00:00+00:00") == []
    assert listed(run, "--since", "2026-09-22", "--until", "2026-09-24") == ["j48"]
    assert listed(run, "--where", "cost >= 0.5 or dead > 0") == ["j48", "j1"]


def test_jobs_within_jobs_are_listed_where_they_are_asked_for(desk: Desk, run: Run) -> None:
    Ends(desk.redis).put(row(49, kind="document", parent="j1", state="failed"))
    assert listed(run) == ["j48", "j1", "j0"]
    assert listed(run, "--all") == ["j49", "j48", "j1", "j0"]
    assert listed(run, "--kind", "document") == ["j49"]


def test_people_see_why_a_job_failed_where_to_go_on_and_what_it_was_about(run: Run, desk: Desk) -> None:
    shown = run("history", "--limit", "2")
    assert "ingest.extract: a.pdf is" in shown.stdout
    assert "\x1b" not in shown.stdout
    cursor = shown.stderr.strip().rpartition("More: --before ")[2]
    assert listed(run, "--before", cursor) == ["j0"]
    shown = run("history")
    assert "a.pdf" in shown.stdout
    assert "HOPLINE_HISTORY_TEXTS=true" in shown.stderr
    for number, asked in ((49, {"question": "Who built the bridge?"}), (50, {"question": "And when?"})):
        Ends(desk.redis).put(row(number, id=f"q{number}", kind="query", params=asked))
    assert "Who built the bridge?" in run("history", "--limit", "2").stdout


@pytest.mark.parametrize(("args", "named"), [
    (("costs", "week"), "'week' is not one of 'day', 'key'"),
    (("--where", "colour = 1"), "prompt_tokens"),
    (("--tag", "team"), "NAME=VALUE"),
    (("--since", "soon"), "2026-11-20"),
    (("erase",), "--document"),
    (("erase", "--yes", "--document", "ab"), "3 to 1,000 characters"),
])  # fmt: skip
def test_what_is_not_valid_is_named_with_what_is_allowed(run: Run, args: tuple[str, ...], named: str) -> None:
    result = run("history", *args)
    assert result.exit_code != 0
    assert named in str(result.exception) + result.output


@pytest.mark.parametrize(("by", "costs"), [("day", [0.25, 0.5]), ("model", [0.75])])
def test_costs_are_summed_by_what_is_named(run: Run, by: str, costs: list[float]) -> None:
    summed = json.loads(run("history", "costs", by, "--json").stdout)["costs"]
    assert [each["cost"] for each in summed] == costs
    assert f"{costs[0]:.4f}" in run("history", "costs", by).stdout


def test_a_name_and_a_collection_are_erased_with_the_versions_kept_of_them(run: Run, desk: Desk) -> None:
    assert desk.settings.versions_kept == 0, "none are kept any more, and those of before go too"
    kept = desk.graph.kept = NamedKept("books", "default")
    assert run("history", "erase", "--document", "a.pdf", typed="n\n").exit_code == 1
    assert "a.pdf" in run("history", "--json").stdout
    assert run("history", "erase", "--document", "a.pdf", typed="y\n").exit_code == 0
    assert "a.pdf" not in run("history", "--json").stdout
    assert run("history", "erase", "-c", "books", "--yes").exit_code == 0
    assert listed(run) == ["j48", "j0"]
    assert [version.collection for version in kept.versions] == ["default"]
    assert run("history", "erase", "--document", "default-document@1.0", "--yes").exit_code == 0
    assert kept.versions == []
