"""The view Jobs: the list and one job."""

from __future__ import annotations

import re
from typing import Any

import pytest
from fleet.crew import wait_until
from fleet.page import BRIDGES, NARROW, OpenPage, Site
from playwright.sync_api import expect

pytestmark = pytest.mark.long
QUESTION = "When was the Forth Bridge opened?"


@pytest.fixture(scope="module", autouse=True)
def _questions(site: Site) -> None:
    """Have an answered question, so that there is something to list."""
    site.crew.client.ask(QUESTION, BRIDGES, strategy="graph")


def test_jobs_are_filtered_and_the_address_keeps_the_filter(open_page: OpenPage) -> None:
    shown = open_page("jobs")
    page = shown.page
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
    all_jobs = [record.job.id for record in site.crew.client.jobs(limit=200) if record.parent is None]
    while len(page.locator("tr[data-job]").all()) < min(len(all_jobs), 6):
        before = page.locator("tr[data-job]").count()
        page.get_by_role("button", name="Older jobs").click()
        expect(page.locator("tr[data-job]")).not_to_have_count(before)
    ids = [row.get_attribute("data-job") for row in page.locator("tr[data-job]").all()]
    assert ids[: len(all_jobs)] == all_jobs[: len(ids)]


def test_a_running_job_grows_and_is_cancelled(open_page: OpenPage, site: Site) -> None:
    site.crew.model.set(chat={"hold": True})  # a step lasts until it has been looked at
    job_id = site.crew.client.submit_question(QUESTION, BRIDGES, strategy="graph")
    shown = open_page(f"jobs/{job_id}")
    page = shown.page
    expect(page.locator(".step-line").first).to_contain_text("plan traverse")
    shown.look("job-running")
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator(".badge.is-cancelled")).to_be_visible()
    site.crew.model.set()
    page.get_by_role("button", name="Retry").click()
    expect(page).not_to_have_url(re.compile(job_id))  # a question is asked again as a new job
    expect(page.locator(".badge.is-done")).to_be_visible()
    page.get_by_role("link", name="Walk and answer").click()
    expect(page.locator(".card[data-state=done]")).to_contain_text("1890")


def test_a_job_tells_what_was_given_up_and_retries_it(open_page: OpenPage, site: Site, tmp_path: Any) -> None:
    site.crew.model.set(chat={"fail": {"refusal": 1.0}})
    document = tmp_path / "refused.txt"
    document.write_text("The Ferry House was built by Ida Grove in 1901.\n", encoding="utf-8")
    batch = site.crew.client.submit_documents([document], "refused").job_id
    wait_until(lambda: site.crew.client.job(batch).ended, "the batch ends")
    shown = open_page(f"jobs/{batch}", width=NARROW, scheme="dark")
    page = shown.page
    expect(page.get_by_role("heading", name="Outcome")).to_be_visible()
    expect(page.locator(".badge.is-failed, .badge.is-partial").first).to_be_visible()
    shown.look("job-failed")
    site.crew.model.set()
    page.get_by_role("button", name="Retry").click()
    expect(page.locator("h1 + p .badge.is-done")).to_be_visible()


def test_an_unknown_job_is_an_error_that_says_so(open_page: OpenPage) -> None:
    shown = open_page("jobs/j0000")
    shown.expected.append("404")
    expect(shown.page.get_by_role("alert").filter(has_text="There is no such thing")).to_be_visible()
    shown.look("jobs-error")
