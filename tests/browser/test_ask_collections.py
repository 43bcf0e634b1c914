"""The view Ask, for a question over several collections."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any

import pytest
from fleet.ask_view import answer, click_ask, open_scope
from fleet.page import Shown, Site
from playwright.sync_api import Locator, Page, Route, expect

from producer.service.texts import TextDocument
from workers.core.jobs.params import MOST_COLLECTIONS

OpenPage = Callable[..., Shown]
QUESTION = "Where was the designer of the Clifton Suspension Bridge born?"
CONTRACT = "The Clifton Suspension Bridge was designed by Isambard Kingdom Brunel. Its toll is one pound."
LETTER = "Isambard Kingdom Brunel was born in Portsmouth. Isambard Kingdom Brunel smoked cigars."
TEXTS = {"contracts": CONTRACT, "letters": LETTER}


@pytest.fixture(scope="module")
def both(site: Site) -> tuple[str, str]:
    """One with who designed a bridge, and one with where he was born; both have a signed document."""
    names = tuple(f"{kind}-{secrets.token_hex(4)}" for kind in TEXTS)
    for name, (kind, text) in zip(names, TEXTS.items(), strict=True):
        document = TextDocument(text=text, name=kind, metadata={"tags": ["signed", kind]})
        assert not site.crew.client.ingest_texts([document], name).failed
    return names[0], names[1]


def chosen(page: Page, both: tuple[str, str], question: str = QUESTION) -> Locator:
    """Choose the contracts and, beside them, the letters; return the chip of these."""
    open_scope(page, question, both[0])
    chip = offered(page).get_by_role("button", name=both[1])
    chip.press("Enter")
    return chip


def offered(page: Page) -> Locator:
    return page.get_by_role("group", name="Also read")


def test_an_answer_rests_on_all_collections_that_were_chosen_and_says_so(
    open_page: OpenPage, both: tuple[str, str], look_of: dict[str, Any]
) -> None:
    shown = open_page("ask", **look_of)
    page = shown.page
    chip = chosen(page, both)
    expect(chip).to_have_attribute("aria-pressed", "true")
    expect(chip).to_be_focused()
    expect(chip).to_have_text(f"{both[1]} 1")
    expect(offered(page).get_by_role("button", name=both[0])).to_have_count(0)
    expect(page.get_by_role("button", name="signed 2")).to_be_visible()
    shown.look("ask-collections")
    click_ask(page)
    card = answer(page)
    expect(card.locator(".answer-text").last).to_contain_text("Portsmouth")
    expect(card).to_contain_text(f"Read only: collections {both[0]}, {both[1]}")
    born = card.locator("button.citation", has_text="Portsmouth").first
    expect(born).to_contain_text(both[1])
    shown.look("ask-collections-answer")
    born.click()
    expect(page.get_by_role("dialog")).to_contain_text(f"In collection {both[1]}")
    shown.look("ask-collections-citation", modal=True)


def test_asking_again_and_on_and_the_file_and_the_job_are_of_all_collections(
    open_page: OpenPage, both: tuple[str, str]
) -> None:
    page = open_page("ask").page
    chosen(page, both)
    click_ask(page)
    expect(answer(page)).to_contain_text("Portsmouth")
    for button in ("Ask again", "Ask on"):
        before = page.url
        page.get_by_label("Follow-up question").fill(QUESTION)
        page.get_by_role("button", name=button).click()
        page.wait_for_url(lambda url, before=before: url != before)
        expect(answer(page)).to_contain_text(f"Read only: collections {both[0]}, {both[1]}")
    with page.expect_download() as got:
        page.get_by_role("button", name="Download as Markdown").click()
    text = got.value.path().read_text(encoding="utf-8")
    assert f"collections {both[0]}, {both[1]}, done" in text
    assert f"letters, {both[1]}, characters" in text
    page.reload()
    answer(page)
    page.get_by_role("button", name="Edit question").click()
    expect(offered(page).get_by_role("button", name=both[1])).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_label("Collection", exact=True)).to_have_value(both[0])
    page.goto(page.url.replace("#/ask/", "#/jobs/"))
    expect(page.locator(".view-head")).to_contain_text(f"in {both[0]}, {both[1]}")


def test_what_is_nearest_is_looked_for_in_all_collections(open_page: OpenPage, both: tuple[str, str]) -> None:
    page = open_page("ask").page
    chosen(page, both, "Who composed cigars of Portsmouth?")
    click_ask(page)
    nearest = page.get_by_role("region", name="Nearest passages")
    expect(nearest.get_by_role("listitem").filter(has_text=both[1])).to_have_count(1)
    expect(nearest.get_by_role("listitem").filter(has_text=both[0])).to_have_count(1)


def test_what_is_nearest_is_looked_for_in_what_the_question_may_read_only(
    open_page: OpenPage, both: tuple[str, str]
) -> None:
    page = open_page("ask").page
    chosen(page, both, "Who composed cigars of Portsmouth?")
    page.get_by_role("button", name="contracts 1").press("Enter")
    click_ask(page)
    nearest = page.get_by_role("region", name="Nearest passages")
    expect(nearest.get_by_role("listitem").filter(has_text=both[0])).to_have_count(1)
    expect(nearest.get_by_role("listitem").filter(has_text=both[1])).to_have_count(0)


def test_no_more_collections_can_be_chosen_than_a_question_may_be_of(
    open_page: OpenPage, both: tuple[str, str]
) -> None:
    page = open_page("home").page

    def with_many(route: Route) -> None:
        there = route.fetch().json()
        more = [{**there["collections"][0], "name": f"many-{n}"} for n in range(MOST_COLLECTIONS)]
        route.fulfill(json={**there, "collections": [*there["collections"], *more]})

    page.route("**/v1/collections*", with_many)
    page.goto(page.url.split("#")[0] + "#/ask")
    chosen(page, both)
    many = offered(page).get_by_role("button", name="many-")
    expect(many).to_have_count(MOST_COLLECTIONS)
    for n in range(MOST_COLLECTIONS - 2):
        many.nth(n).press("Enter")
    expect(many.nth(MOST_COLLECTIONS - 2)).to_be_disabled()
    expect(page.get_by_text("A question reads at most 10 collections.")).to_be_visible()
    many.first.press("Enter")
    expect(many.nth(MOST_COLLECTIONS - 2)).to_be_enabled()


def test_another_collection_is_chosen_and_a_strategy_that_reads_more_is_refused(
    open_page: OpenPage, both: tuple[str, str]
) -> None:
    shown = open_page("ask")
    shown.expected.append("422")
    page = shown.page
    chosen(page, both)
    page.get_by_label("Collection", exact=True).select_option(both[1])
    expect(offered(page).get_by_role("button", name=both[1])).to_have_count(0)
    other = offered(page).get_by_role("button", name=both[0])
    expect(other).to_have_attribute("aria-pressed", "false")
    other.press("Enter")
    page.get_by_label("Strategy").select_option("tools")
    click_ask(page)
    expect(page.get_by_label("Strategy")).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_label("Strategy")).to_be_focused()
