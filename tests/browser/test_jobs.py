"""The view Jobs: the list, one job and its timeline, named batches, schedules and history."""

import re
from typing import Any

import pytest
from doubles.history import Ends, row
from fleet.page import BRIDGES, NARROW, OpenPage, Site
from playwright.sync_api import Page, expect

from hopline.models.schedules import NotBegun
from workers.ledger.schedules import ScheduleBook

pytestmark = pytest.mark.long
QUESTION = "When was the Forth Bridge opened?"


@pytest.fixture(scope="module", autouse=True)
def _questions(site: Site) -> None:
    """Have an answered question, so that there is something to list."""
    site.crew.client.ask(QUESTION, collection=BRIDGES, strategy="graph")


def test_jobs_are_filtered_and_the_address_keeps_the_filter(open_page: OpenPage) -> None:
    shown, page = open_page("jobs")
    expect(page.get_by_role("row").filter(has_text=QUESTION).first).to_be_visible()
    page.get_by_label("Kind").select_option("batch")
    expect(page.get_by_role("row").filter(has_text=QUESTION)).to_have_count(0)
    expect(page.get_by_role("row").filter(has_text="batch in").first).to_be_visible()
    page.get_by_label("State").select_option("failed")
    expect(page.get_by_text("No job is like that")).to_be_visible()
    page.reload()
    expect(page.get_by_label("State")).to_have_value("failed")
    expect(page.get_by_text("No job is like that")).to_be_visible()
    shown.look("jobs-none")


def test_pages_follow_one_another_without_gap_or_repetition(open_page: OpenPage, site: Site) -> None:
    page = open_page().page
    page.route(
        "**/v1/jobs?*", lambda route: route.continue_(url=re.sub(r"limit=\d+", "limit=2", route.request.url))
    )
    page.goto(f"{site.url}/#/jobs")
    listed = site.crew.client.jobs.list(limit=200).jobs
    all_jobs = [job.id for job in listed if job.parent is None]
    while len(page.locator("tr[data-job]").all()) < min(len(all_jobs), 6):
        before = page.locator("tr[data-job]").count()
        page.get_by_role("button", name="Older jobs").click()
        expect(page.locator("tr[data-job]")).not_to_have_count(before)
    ids = [row.get_attribute("data-job") for row in page.locator("tr[data-job]").all()]
    assert ids[: len(all_jobs)] == all_jobs[: len(ids)]


def test_a_running_job_grows_and_is_cancelled(open_page: OpenPage, site: Site) -> None:
    site.crew.model.set(chat={"hold": True})  # a step lasts until it has been looked at
    job_id = site.crew.client.queries.submit(QUESTION, collection=BRIDGES, strategy="graph").id
    shown, page = open_page(f"jobs/{job_id}")
    expect(page.locator(".step-line").first).to_contain_text("plan search")
    shown.look("job-running")
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator(".badge.is-cancelled")).to_be_visible()
    site.crew.model.set()
    page.get_by_role("button", name="Retry").click()
    expect(page).not_to_have_url(re.compile(job_id))  # a question is asked again as a new job
    expect(page.locator(".badge.is-done")).to_be_visible()
    page.get_by_role("link", name="Search and answer").click()
    expect(page.locator(".card[data-state=done]")).to_contain_text("1890")


def test_a_job_tells_what_was_given_up_and_retries_it(open_page: OpenPage, site: Site, tmp_path: Any) -> None:
    site.crew.model.set(chat={"fail": {"refusal": 1.0}})
    document = tmp_path / "refused.txt"
    document.write_text("The Ferry House was built by Ida Grove in 1901.\n", encoding="utf-8")
    batch = site.crew.client.hand_over([document], "refused").job_id
    site.crew.client.jobs.wait(batch)
    shown, page = open_page(f"jobs/{batch}", width=NARROW, scheme="dark")
    expect(page.get_by_role("heading", name="Outcome")).to_be_visible()
    expect(page.locator(".badge.is-failed, .badge.is-partial").first).to_be_visible()
    shown.look("job-failed")
    site.crew.model.set()
    page.get_by_role("button", name="Retry").click()
    expect(page.locator("h1 + p .badge.is-done")).to_be_visible()


def test_an_unknown_job_is_an_error_that_says_so(open_page: OpenPage) -> None:
    shown = open_page("jobs/j0000")
    shown.expected.append("404")
    expect(shown.page.get_by_role("alert").filter(has_text="Not found")).to_be_visible()
    shown.look("jobs-error")


TEXT = "The Ferry House was built by Ida Grove in 1901. Ida Grove was born in Leith.\n"


@pytest.fixture(scope="module")
def question(site: Site) -> str:
    """The id of an answered question."""
    return site.crew.client.ask(QUESTION, collection=BRIDGES, strategy="graph").job_id


@pytest.fixture(scope="module")
def batch(site: Site, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The name of a named batch that has ended."""
    folder = tmp_path_factory.mktemp("barges")
    (folder / "house.txt").write_text(TEXT, encoding="utf-8")
    site.crew.client.jobs.wait(site.crew.client.batches.submit("barges", [str(folder)], "barges").job_id)
    return "barges"


def test_a_replay_stands_beside_its_question(site: Site, open_page: OpenPage, question: str) -> None:
    replay = site.crew.client.jobs.replay(question, params={"max_depth": 1}).id
    site.crew.client.jobs.wait(replay)
    shown = open_page(f"jobs/{replay}", width=NARROW, other_scheme="dark")
    region = shown.page.get_by_role("region", name="Beside the question that it asks again")
    depth = region.get_by_role("row").filter(has=shown.page.get_by_role("rowheader", name="max_depth"))
    expect(depth.get_by_role("cell").last).to_have_text("1")
    answers = region.get_by_role("row").filter(has=shown.page.get_by_role("rowheader", name="Answer"))
    expect(answers.get_by_role("cell").first).to_contain_text("1890")
    shown.look("replay")
    region.get_by_role("link", name=question).click()
    expect(region).to_be_hidden()


def _many(count: int) -> dict[str, Any]:
    def item(n: int) -> dict[str, Any]:
        done = {"began": 0.2 + n / 50, "ended": 0.7 + n / 40, "how": "done", "why": None, "worker": "w@h"}
        lost = {"began": 0.1, "ended": 0.2, "how": "lost", "why": None, "worker": "w@gone"}
        attempts = [lost, done] if n == 3 else [done]
        return {
            "item": f"visit:{n:016x}", "step": "traverse.visit", "phase": 2, "opened": 0.1,
            "attempts": attempts,
        }  # fmt: skip

    items = [item(n) for n in range(count)]
    return {"started": 0, "seconds": 7.0, "state": "done", "items": items, "closed": {}, "cut": True}


def test_a_timeline_of_many_items_shows_the_slowest_and_opens(open_page: OpenPage, question: str) -> None:
    shown = open_page("jobs")
    shown.page.route("**/timeline", lambda route: route.fulfill(json=_many(200)))
    shown.go(f"jobs/{question}")
    region = shown.page.get_by_role("region", name="When the tasks waited and ran")
    expect(region).to_contain_text("read node: 200 tasks")
    expect(region.locator("tbody tr")).to_have_count(7)  # the phase, its items together, the slowest
    expect(shown.page.get_by_text("The first events are not kept any more")).to_be_visible()
    expect(region).not_to_contain_text("visit:")  # numbers name nothing
    shown.look("timeline-many")
    region.get_by_role("button", name="Show all 200").click()
    expect(region.locator("tbody tr")).to_have_count(202)
    expect(region.get_by_text("worker lost, done")).to_be_visible()
    expect(region.get_by_role("button", name="Show the slowest 5")).to_be_focused()


def _running(page: Page, batch: str, acts: list[tuple[str, Any]]) -> None:
    """Let the batch run, or wait, as the page asks: a real one may end before it does."""

    def fulfil(route: Any) -> None:
        request = route.request
        if request.method == "POST":
            acts.append((request.url.rpartition("/")[2], request.post_data_json))
        paused = acts != [] and acts[-1][0] == "pause"
        why = {"kind": "user", "why": "somebody asked for it", "since": 1.0}
        known = route.fetch(
            method="GET", url=request.url.removesuffix("/pause").removesuffix("/resume")
        ).json()
        state = {
            "state": "paused" if paused else "running", "pauses": [why] if paused else [], "ended": 1,
            "budget": {"model_calls": 100, "tokens": None, "cost": None},
            "hours": "22:00-06:00", "zone": "UTC",
        }  # fmt: skip
        route.fulfill(json=known | state)

    for path in ("", "/pause", "/resume"):
        page.route(f"**/v1/batches/{batch}{path}", fulfil)


def test_a_batch_is_paused_and_goes_on_with_other_limits_and_hours(open_page: OpenPage, batch: str) -> None:
    shown, acts = open_page("jobs"), list[tuple[str, Any]]()
    _running(shown.page, batch, acts)
    shown.go(f"jobs/batches/{batch}")
    page = shown.page
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_text("Somebody paused it.")).to_be_visible()
    page.get_by_role("button", name="Limits and hours").click()
    dialog = page.get_by_role("dialog", name=f"Limits and hours of {batch}")
    expect(dialog.get_by_label("Hours", exact=True)).to_have_value("22:00-06:00")
    dialog.get_by_label("Model calls at most").fill("500")
    dialog.get_by_label("Hours", exact=True).fill("20:00-07:00")
    shown.look("batch-limits", modal=True)
    dialog.get_by_role("button", name="Apply and go on").click()
    expect(dialog).to_be_hidden()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    assert acts[-1] == ("resume", {"now": False, "max_calls": 500, "between": "20:00-07:00", "zone": "UTC"})


def test_what_a_schedule_has_begun_is_listed_in_its_row(site: Site, open_page: OpenPage) -> None:
    schedules = site.crew.client.schedules
    schedules.set("weekly", ["/archive/reports"], BRIDGES, every="0 2 * * 1")
    ended = {"kind": "sync", "collection": BRIDGES, "params": {"schedule": "weekly"}}
    Ends(site.crew.redis).put(
        row(1, id="jolder", reason="cut off", state="partial", **ended), row(2, **ended)
    )
    book = ScheduleBook(site.crew.redis)
    book.note_begun("weekly", "j2", "")
    missed = NotBegun(due=1.8e9, times=3, outcome="missed", reason="no beat process ran")
    book.change("weekly", lambda runs: runs.add(1.9e9, missed).left(1.9e9, "skipped", "the last still ran"))
    shown, page = open_page("jobs/schedules", width=NARROW, other_scheme="dark")
    page.get_by_role("row").filter(has_text="weekly").locator("summary").click()
    runs = page.get_by_role("list", name="Syncs of weekly").get_by_role("listitem")
    expect(runs).to_have_count(2)
    expect(runs.nth(0)).to_contain_text("done")
    expect(runs.nth(1)).to_contain_text("cut off")
    not_begun = page.get_by_role("list", name="Times at which weekly began nothing").get_by_role("listitem")
    expect(not_begun).to_have_count(2)
    expect(not_begun.nth(0)).to_contain_text("the last still ran")
    expect(not_begun.nth(1)).to_contain_text("3 times from")
    expect(page.get_by_text("3 missed · 1 skipped")).to_be_visible()
    shown.look("schedule-runs")
    schedules.delete("weekly")


def test_a_schedule_is_changed_without_losing_what_the_dialog_does_not_show_and_deleted(
    site: Site, open_page: OpenPage
) -> None:
    schedules = site.crew.client.schedules
    schedules.set(
        "monthly", ["/archive/reports"], BRIDGES, every="0 5 1 * *", zone="Europe/Berlin",
        hours="20:00-07:00", tags={"team": "a"}, overlap_policy="buffer_one", chunk_tokens=300,
        most_removed=0.25, max_calls=9,
    )  # fmt: skip
    before = schedules.get("monthly").schedule
    shown, page = open_page("jobs/schedules")
    shown.expected.append("422")  # this server may read no places for callers over HTTP
    page.get_by_role("button", name="Change monthly").click()
    dialog = page.get_by_role("dialog", name="Change…")
    expect(dialog.get_by_label("Name")).to_have_value("monthly")
    dialog.get_by_label("Times, as cron writes them").fill("0 6 1 * *")
    shown.look("schedule-change", modal=True)
    with page.expect_request("**/v1/schedules/monthly") as sent:
        dialog.get_by_role("button", name="Keep the changes").click()
    assert sent.value.headers["if-match"]
    schedules.set("monthly", **sent.value.post_data_json)
    after = schedules.get("monthly").schedule
    assert after == before.model_copy(update={"every": "0 6 1 * *", "created": after.created})
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Delete monthly").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_role("button", name="Delete monthly")).to_be_hidden()
    assert "monthly" not in [each.schedule.name for each in schedules.list().schedules]


def test_history_is_filtered_and_its_costs_are_summed(open_page: OpenPage) -> None:
    shown, page = open_page("jobs/history")
    page.get_by_label("By", exact=True).select_option("kind")
    costs = page.get_by_role("region", name="Costs by group")
    expect(costs.get_by_role("row").filter(has_text="query")).to_be_visible()
    shown.look("history-costs")
    page.get_by_label("Order").select_option("tokens")
    page.get_by_label("Kind").select_option("batch")
    expect(page.get_by_role("region", name="History").get_by_role("link").first).to_be_visible()
    page.reload()
    expect(page.get_by_label("Kind")).to_have_value("batch")
    page.get_by_label("State").select_option("cancelled")
    page.get_by_label("Error contains").fill("no such error")
    page.keyboard.press("Enter")
    expect(page.get_by_text("No job is like that")).to_be_visible()


def test_the_state_of_the_server_is_shown_and_a_pause_is_ended(site: Site, open_page: OpenPage) -> None:
    site.crew.client.pauses.pause("queue", "ocr")
    shown, page = open_page("jobs/health", other_scheme="dark")
    shown.expected.append("503")  # no worker of this site takes what was quarantined
    expect(page.get_by_role("region", name="The server")).to_contain_text("stand-in")
    expect(page.get_by_role("row").filter(has_text="neo4j")).to_contain_text("up")
    expect(page.get_by_role("row").filter(has_text="quarantine")).to_contain_text("down")
    shown.look("health")
    page.get_by_role("button", name="Resume ocr").click()
    expect(page.get_by_text("Nothing is paused.")).to_be_visible()
    assert site.crew.client.pauses.list().pauses == ()


def test_a_schedule_is_sent_as_it_was_filled_in_and_its_refusal_stands_in_the_dialog(
    open_page: OpenPage,
) -> None:
    shown, page = open_page("jobs/schedules", width=NARROW)
    shown.expected.append("422")  # this server may read no places for callers over HTTP
    page.get_by_role("button", name="New schedule…").click()
    dialog = page.get_by_role("dialog", name="New schedule…")
    dialog.get_by_label("Name").fill("weekly-notes")
    dialog.get_by_label("Places").fill("/archive/notes\n/archive/letters\n")
    dialog.get_by_label("When it runs").select_option("every Sunday at 2 in the night")
    dialog.get_by_label("Time zone").select_option("Europe/Berlin")
    with page.expect_request("**/v1/schedules/weekly-notes") as sent:
        dialog.get_by_role("button", name="Make the schedule").click()
    given = sent.value.post_data_json
    assert (given["every"], given["zone"]) == ("0 2 * * 0", "Europe/Berlin")
    assert given["sources"] == ["/archive/notes", "/archive/letters"]
    expect(dialog.get_by_role("alert")).to_contain_text("/archive/notes")
    shown.look("schedule-refused", modal=True)
