"""Each view once: it opens, shows what it is for, answers to its main use, and axe-core finds no fault.

That the console tells of no error is checked by `open_page`. Other states of the views are in the files that
are named for them.
"""

import re
from typing import Any

import pytest
from fleet.ask_view import answer, click_ask, fill_question
from fleet.page import BRIDGES, NARROW, OpenPage, Site
from playwright.sync_api import expect

VIEWS = ("Ask", "Documents", "Concepts", "Graph", "Topics", "Jobs")
QUESTION = "Where was the designer of the Clifton Suspension Bridge born?"
BATCH = "ferries"
TEXT = "The Ferry House was built by Ida Grove in 1901. Ida Grove was born in Leith.\n"
_LOADED = "performance.getEntriesByType('resource').map((entry) => entry.name)"
_LINES = """links => links.map((link) => {
  const range = document.createRange();
  range.selectNodeContents(link);
  return range.getClientRects().length;
})"""


@pytest.fixture(scope="module")
def question(site: Site) -> str:
    """The id of an answered question."""
    return site.crew.client.ask(QUESTION, collection=BRIDGES, strategy="graph").job_id


@pytest.fixture(scope="module")
def batch(site: Site, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The id of a named batch that has ended, but for one document that is none."""
    folder = tmp_path_factory.mktemp("ferries")
    (folder / "house.txt").write_text(TEXT, encoding="utf-8")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    return site.crew.client.jobs.wait(
        site.crew.client.batches.submit(BATCH, [str(folder)], "ferries").job_id
    ).id


def test_every_view_is_reached_and_marked(open_page: OpenPage) -> None:
    shown = open_page(width=NARROW, own=True)  # another test's collection may be deleted meanwhile
    shown.expected.append("/topics?")  # 404 where no topics were built yet
    page = shown.page
    for name in VIEWS:
        page.get_by_role("navigation", name="Views").get_by_role("link", name=name).click()
        expect(page.locator('.views [aria-current="page"]')).to_have_text(name)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        expect(page).to_have_title(f"{name} · hopline")
    assert page.locator(".views a").evaluate_all(_LINES) == [1] * len(VIEWS), "a name is broken into lines"


def test_an_answer_leads_to_a_sentence_in_its_document(open_page: OpenPage, look_of: dict[str, Any]) -> None:
    shown = open_page("ask", **look_of)
    expect(shown.page.get_by_text("Nothing asked yet")).to_be_visible()
    assert not [name for name in shown.page.evaluate(_LOADED) if "cytoscape" in name], "before a walk"
    shown.look("ask-empty")
    fill_question(shown.page, QUESTION, BRIDGES)
    click_ask(shown.page)
    card = answer(shown.page)
    expect(card).to_contain_text("Portsmouth")
    nodes = shown.page.get_by_role("region", name="Nodes read").locator(".graph-list li")
    for name, carried in (("Clifton Suspension Bridge", "[1]"), ("Portsmouth", "[2]")):
        expect(nodes.filter(has_text=name)).to_contain_text(f"carries {carried}")
    expect(nodes.filter(has_text="Isambard Kingdom Brunel")).to_contain_text("carries [1] [2]")
    shown.look("ask-answer")
    card.get_by_role("button", name=re.compile(r"^Citation 2")).click()
    marked = shown.page.locator("dialog mark")
    expect(marked).to_have_text("Isambard Kingdom Brunel was born in Portsmouth on 9 April 1806.")
    expect(card.locator(".claim.is-chosen")).to_contain_text("born in Portsmouth")
    shown.look("ask-citation", modal=True)
    shown.page.keyboard.press("Escape")
    expect(card.get_by_role("button", name=re.compile(r"^Citation 2"))).to_be_focused()


def test_documents_are_listed_and_opened(open_page: OpenPage, look_of: dict[str, Any]) -> None:
    shown, page = open_page(f"documents?collection={BRIDGES}", **look_of)
    expect(page.get_by_role("region", name="Documents of the collection").locator("li")).to_have_count(12)
    shown.look("documents")
    opened = page.get_by_role("button", name="Thomas Telford", exact=True)
    opened.press("Enter")
    text = page.get_by_role("region", name="Text of Thomas Telford")
    expect(text).to_contain_text("born on 9 August 1757")
    expect(text).to_be_focused()
    shown.look("documents-text", modal=True)
    page.keyboard.press("Escape")
    expect(opened).to_be_focused()


def test_a_map_grows_and_is_explained(open_page: OpenPage, look_of: dict[str, Any], collection: str) -> None:
    shown, page = open_page(f"concepts?collection={collection}", **look_of)
    expect(page.get_by_role("heading", name="Begin with a concept")).to_be_visible()
    shown.look("concepts-empty")
    page.get_by_role("searchbox", name="Concept").fill("entropy")
    page.get_by_role("button", name="Grow the map").click()
    expect(page.get_by_role("log", name="Reasoning")).to_contain_text("Saved as version 1")
    expect(page.locator(".graph[data-settled='5']")).to_be_visible()
    chosen = page.get_by_role("region", name="The chosen concept")
    expect(chosen.get_by_role("heading")).to_have_text("entropy")
    expect(chosen.get_by_role("listitem")).to_have_count(4)
    expect(chosen).to_contain_text("strength 5 of 5")
    expect(page.get_by_role("list", name="Colours and lines").get_by_role("listitem")).to_have_count(5)
    shown.look("concepts-map")
    page.get_by_text("History", exact=True).click()
    expect(page.get_by_role("heading", name="Version 1")).to_be_visible()
    expect(page.locator(".concept-history")).to_contain_text("Added: Gibbs free energy, strength 5")
    shown.look("concepts-history")


def test_a_name_shows_its_facts_and_a_fact_opens_the_document_at_the_sentence(open_page, look_of):
    shown, page = open_page(f"graph?collection={BRIDGES}", **look_of)
    expect(page.get_by_role("list", name="Names with the most facts")).to_be_visible()
    shown.look("graph-empty")
    page.get_by_role("searchbox", name="Name").fill("Thomas Telford")
    page.get_by_role("button", name="Show", exact=True).click()
    facts = page.get_by_role("region", name="Facts").locator("ol > li")
    fact = facts.filter(has_text="first president of the Institution of Civil Engineers")
    expect(fact).to_be_visible()
    expect(page.locator(".graph[data-settled]:not([data-settled='0'])")).to_be_visible()
    assert page.locator(".graph-list button").count() > 20
    shown.look("graph-around")
    source = fact.get_by_role("button", name="Open Thomas Telford at this sentence")
    source.click()
    marked = page.locator("dialog[open] mark")
    expect(marked).to_contain_text("In 1820")
    expect(marked).to_be_in_viewport()
    shown.look("graph-document", modal=True)
    page.keyboard.press("Escape")
    expect(source).to_be_focused()


def test_topics_are_built_and_lead_to_facts(open_page: OpenPage, look_of: dict[str, Any]) -> None:
    shown, page = open_page(f"topics?collection={BRIDGES}", **look_of)
    shown.expected.append("404")  # where they were never built
    topics = page.get_by_role("list", name="Topics, by how many documents speak of them").get_by_role(
        "button"
    )
    build = page.get_by_role("button", name="Build the topics")
    expect(build).to_be_visible()
    if page.get_by_role("heading", name="No topics yet").is_visible():
        build.click()
    expect(topics.first).to_be_visible()
    assert topics.count() > 3
    expect(page.get_by_text(re.compile(r"^Built .* from \d+ facts$"))).to_be_visible()
    shown.look("topics")
    expect(topics.first).to_have_accessible_name(re.compile(r"\d+ documents? ?, \d+ facts?\b"))
    topics.first.click()
    expect(page.get_by_role("navigation", name="Where this topic lies")).to_be_visible()
    facts = page.get_by_role("region", name="Central facts")
    source = facts.get_by_role("button", name=re.compile("^Open .* at this sentence$")).first
    shown.look("topics-one")
    source.click()
    expect(page.locator("dialog[open] mark").first).to_be_in_viewport()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="All topics").click()
    expect(page.get_by_text(re.compile(r"^Built "))).to_be_visible()


def test_jobs_are_listed_and_one_shows_when_its_items_ran(open_page, question, look_of):
    shown, page = open_page("jobs", **look_of)
    row = page.get_by_role("row").filter(has_text=QUESTION).first
    expect(row).to_contain_text("done")
    shown.look("jobs")
    shown.go(f"jobs/{question}")
    rows = page.get_by_role("region", name="When the tasks waited and ran").get_by_role("row")
    plan = rows.filter(has=page.get_by_role("rowheader", name="plan", exact=True))
    expect(plan).to_contain_text("interactive@")
    expect(plan).to_contain_text("done")
    expect(rows.filter(has_text="synthesize").locator(".timeline-run")).to_have_count(1)
    tokens = rows.filter(has_text="synthesize").locator(".timeline-tokens")
    expect(tokens).to_contain_text(re.compile(r"[1-9]"))
    shown.look("timeline")


def test_batches_are_listed_with_their_progress_and_reports(open_page, batch, look_of):
    shown, page = open_page("jobs", **look_of)
    beside = page.get_by_role("navigation", name="Jobs, batches, schedules, history")
    beside.get_by_role("link", name="Batches").click()
    row = page.get_by_role("row").filter(has_text=BATCH)
    expect(row).to_contain_text("of 2 documents")
    expect(row).to_contain_text("1 not wholly in the graph")
    shown.look("batches")
    row.get_by_role("link", name=BATCH).click()
    expect(page.get_by_role("heading", name="Report", exact=True)).to_be_visible()
    failed = page.get_by_role("region", name="What failed, and why")
    expect(failed).to_contain_text("broken.pdf")
    expect(failed).not_to_contain_text("DocumentUnreadable")
    expect(page.get_by_role("link", name=batch)).to_be_visible()
    expect(page.get_by_role("button", name="Retry")).to_be_visible()
    shown.look("batch")


def test_schedules_are_listed_and_history_is_filtered(site, open_page, question, look_of):
    schedules = site.crew.client.schedules
    schedules.set("nightly", ["/archive/reports"], BRIDGES, every="0 2 * * *", zone="Europe/Berlin")
    shown, page = open_page("jobs/schedules", **look_of)
    row = page.get_by_role("row").filter(has_text="nightly")
    expect(row).to_contain_text("0 2 * * *")
    expect(page.get_by_text("No beat process runs")).to_be_visible()
    shown.look("schedules")
    row.get_by_role("button", name="Pause nightly").focus()
    page.keyboard.press("Enter")
    expect(row.get_by_text("paused", exact=True)).to_be_visible()
    expect(row.get_by_role("button", name="Resume nightly")).to_be_focused()
    assert [each.schedule.paused for each in schedules.list().schedules] == [True]
    schedules.delete("nightly")
    shown.go("jobs/history")
    expect(page.locator(f'[data-job="{question}"]')).to_be_visible()
    expect(page.locator(".cost-day").last).to_be_attached()
    shown.look("history")
    page.get_by_label("Kind").select_option("batch")
    expect(page.locator(f'[data-job="{question}"]')).to_have_count(0)


def test_a_view_is_the_same_in_chinese_whether_opened_or_switched(open_page: OpenPage) -> None:
    switched = open_page("jobs", scheme="dark").page
    switched.get_by_role("button", name="change the page's language").click()
    opened = open_page("jobs", width=NARROW, locale="zh-CN")
    for page in (switched, opened.page):
        expect(page).to_have_title("任务 · hopline")
        expect(page.get_by_role("navigation", name="视图").get_by_role("link")).to_have_text(
            ["提问", "文档", "概念", "图谱", "主题", "任务"]
        )
    opened.look("zh-jobs")
