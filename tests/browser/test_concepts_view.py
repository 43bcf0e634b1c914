"""The view Concepts, over real jobs."""

import re
import secrets
from typing import Any

import pytest
from fleet.page import NARROW, OpenPage, Site
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.long
RELATIONS = ("RelationVerdict", "RelationCheck", "ConceptExpansion")  # replies about them, the last of a job


@pytest.fixture
def fresh() -> str:
    """A collection that no map is kept in."""
    return f"maps-{secrets.token_hex(4)}"


def grow(page: Page, concept: str = "entropy") -> None:
    page.get_by_role("searchbox", name="Concept").fill(concept)
    page.get_by_role("button", name="Grow the map").click()


def reasoning(page: Page) -> Any:
    return page.get_by_role("log", name="Reasoning")


def settled(page: Page) -> None:
    expect(reasoning(page)).to_contain_text("Shown")
    expect(page.locator(".graph[data-settled='5']")).to_be_visible()


def test_a_concept_is_chosen_by_keyboard_and_by_its_relation(open_page: OpenPage, fresh: str) -> None:
    page = open_page(f"concepts?collection={fresh}").page
    grow(page)
    settled(page)
    heading = page.get_by_role("region", name="The chosen concept").get_by_role("heading")
    page.locator(".graph-canvas").focus()
    page.keyboard.press("ArrowRight")
    expect(heading).not_to_have_text("entropy")
    expect(page.get_by_role("region", name="The chosen concept")).to_contain_text("entropy")
    page.get_by_role("region", name="The chosen concept").get_by_role("button", name="entropy").click()
    expect(heading).to_have_text("entropy")
    page.get_by_text("As a list (5)").click()
    entry = page.locator(".graph-list button").filter(has_text="Theil index")
    expect(entry).to_contain_text("economics")
    entry.click()
    expect(heading).to_have_text("Theil index")


def test_what_is_held_is_shown_at_once_while_the_job_runs_and_a_reload_finds_both(open_page, site, fresh):
    site.crew.client.concepts.generate("entropy", collection=fresh, wait=60)
    site.crew.model.set(schemas={name: {"hold": True} for name in RELATIONS})
    shown, page = open_page(f"concepts?collection={fresh}")
    grow(page)
    expect(page.get_by_text("Growing the map of “entropy”…")).to_be_visible()
    expect(page.locator(".graph[data-settled='5']")).to_be_visible()
    expect(reasoning(page)).to_contain_text("It is a concept")
    shown.look("concepts-running")
    page.reload()
    expect(page.locator(".graph[data-settled='5']")).to_be_visible()
    expect(page.get_by_text("Growing the map of “entropy”…")).to_be_visible()
    expect(reasoning(page)).to_contain_text("It is a concept")
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("alert")).to_contain_text("Cancelled")
    expect(page.locator(".graph[data-settled='5']")).to_be_visible()


def test_asking_again_is_no_new_place_and_grows_nothing(open_page: OpenPage, site: Site, fresh: str) -> None:
    site.crew.model.set(chat={"hold": True})
    page = open_page(f"concepts?concept=entropy&collection={fresh}").page
    urls: list[str] = []
    page.on("request", lambda request: urls.append(request.url) if request.method == "POST" else None)
    expect(page.get_by_role("heading", name="No map of it yet")).to_be_visible()
    places = page.evaluate("history.length")
    grow(page)
    expect(page.get_by_text("Growing the map of “entropy”…")).to_be_visible()
    expect(page.get_by_role("button", name="Grow the map")).to_have_attribute("aria-disabled", "true")
    page.get_by_role("searchbox", name="Concept").press("Enter")
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("alert")).to_contain_text("Cancelled")
    expect(page.get_by_role("button", name="Grow the map")).not_to_have_attribute("aria-disabled", "true")
    assert len(urls) == 1
    assert page.evaluate("history.length") == places


def test_nothing_held_is_said_and_what_is_held_is_looked_up_without_a_job(open_page, site, fresh):
    shown, page = open_page(f"concepts?collection={fresh}&concept=entropy", width=NARROW)
    expect(page.get_by_role("heading", name="No map of it yet")).to_be_visible()
    shown.look("concepts-nothing")
    page.get_by_role("button", name="Grow a map").click()
    settled(page)
    page.reload()
    page.get_by_role("searchbox", name="Concept").fill("Entropy")
    page.get_by_role("button", name="Only look it up").click()
    expect(page.locator(".graph[data-settled='5']")).to_be_visible()
    page.get_by_role("button", name="Show all 6 concepts").click()
    expect(page.locator(".graph[data-settled='6']")).to_be_visible()
    assert len(site.crew.client.jobs.list(kind="concept", collection=fresh).jobs) == 1


def test_chinese_comes_and_goes(open_page: OpenPage, fresh: str) -> None:
    shown, page = open_page(f"concepts?collection={fresh}", width=NARROW, scheme="dark")
    grow(page, "博弈论")
    settled(page)
    heading = page.get_by_role("region", name="The chosen concept").get_by_role("heading")
    expect(heading).to_have_text("博弈论")
    expect(heading).to_have_attribute("lang", "zh")
    expect(reasoning(page)).to_contain_text("已保存为版本 1")
    expect(page.get_by_role("list", name="Colours and lines")).to_contain_text("经济学")
    shown.look("concepts-chinese")


def test_what_is_no_concept_is_refused_with_the_reason(open_page: OpenPage, fresh: str) -> None:
    shown, page = open_page(f"concepts?collection={fresh}", width=NARROW)
    grow(page, "<img src=x onerror=\"document.title='taken'\">")
    alert = page.get_by_role("alert").filter(has_text="No concept to grow a map from")
    expect(alert).to_contain_text(re.compile(r"\w+ \w+"))
    expect(reasoning(page)).to_contain_text("<img src=x")
    shown.look("concepts-invalid")
    assert page.title() == "Concepts · hopline"
    page.get_by_role("searchbox", name="Concept").fill(" ")
    page.get_by_role("button", name="Grow the map").click()
    expect(page.get_by_text("Type a concept.")).to_be_visible()


def test_a_relation_is_changed_by_hand_and_changed_back(open_page: OpenPage, site: Site, fresh: str) -> None:
    site.crew.client.concepts.generate("entropy", collection=fresh, wait=60)
    shown, page = open_page(f"concepts?concept=entropy&collection={fresh}", width=NARROW, scheme="dark")
    shown.expected.append("422")
    chosen = page.get_by_role("region", name="The chosen concept")
    chosen.get_by_role("button", name="Change the relation to Theil index").click()
    dialog = page.get_by_role("dialog", name="Change the relation to Theil index")
    dialog.get_by_role("button", name="Take it out").click()
    expect(dialog).to_contain_text("Say why.")
    dialog.get_by_label("Reason").fill("another meaning of the word")
    dialog.get_by_label("Strength").select_option("1")
    dialog.get_by_label("What it is, in one sentence").fill("One sentence here. Another there.")
    dialog.get_by_role("button", name="Save the correction").click()
    expect(dialog).to_contain_text("1 sentence, not 2")
    shown.look("concepts-change")
    dialog.get_by_role("button", name="Take it out").click()
    expect(dialog).to_be_hidden()
    expect(chosen).not_to_contain_text("Theil index")
    page.get_by_text("History", exact=True).click()
    history = page.locator(".concept-history")
    expect(history).to_contain_text("Taken out: Theil index")
    expect(history).to_contain_text("another meaning of the word")
    expect(history).to_contain_text("by ")
    shown.look("concepts-by-hand")
    history.get_by_role("button", name="Undo the newest change of Theil index").first.click()
    expect(chosen).to_contain_text("Theil index")
    expect(history).to_contain_text("Restored: Theil index")
