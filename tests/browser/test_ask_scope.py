"""The view Ask, for questions about some documents of a collection."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any

import pytest
from fleet.ask_view import (
    NOTICE_CONTRACT,
    NOTICE_QUESTION,
    answer,
    click_ask,
    open_scope,
    open_scope_in_chinese,
)
from fleet.page import NARROW, Shown, Site
from playwright.sync_api import expect

from producer.service.texts import TextDocument

OpenPage = Callable[..., Shown]


@pytest.fixture(scope="module")
def contracts(site: Site) -> str:
    """A collection of two contracts that differ; the newer one is signed."""
    name = f"contracts-{secrets.token_hex(4)}"
    texts = [
        TextDocument(
            text=NOTICE_CONTRACT.format(days),
            name=f"contract {year}",
            metadata={"date": f"{year}-05-01", "tags": [tag]},
        )
        for year, days, tag in (("2019", 180, "draft"), ("2021", 270, "signed"))
    ]
    assert not site.crew.client.ingest_texts(texts, name).failed
    return name


def test_an_answer_rests_on_the_documents_with_a_tag_and_says_so(
    open_page: OpenPage, contracts: str, look_of: dict[str, Any]
) -> None:
    shown = open_page("ask", **look_of)
    page = shown.page
    open_scope(page, NOTICE_QUESTION, contracts)
    chip = page.get_by_role("group", name="Only documents with these tags").get_by_role(
        "button", name="signed"
    )
    chip.press("Enter")
    expect(chip).to_have_attribute("aria-pressed", "true")
    expect(chip).to_be_focused()
    expect(chip).to_have_text("signed 1")
    shown.look("ask-scope")
    click_ask(page)
    card = answer(page)
    expect(card).to_contain_text("270 days")
    expect(card).not_to_contain_text("180 days")
    expect(card).to_contain_text('Read only: tags has "signed"')
    expect(page.get_by_label("Follow-up question")).to_be_visible()
    shown.look("ask-scope-answer")
    card.get_by_role("button", name="Ask again").click()
    expect(answer(page)).to_contain_text("270 days")
    page.reload()
    expect(answer(page)).to_contain_text("270 days")
    page.get_by_role("button", name="Edit question").click()
    expect(page.get_by_label("Only documents whose metadata fits")).to_have_value('tags has "signed"')


def test_a_follow_up_is_about_the_same_documents(open_page: OpenPage, contracts: str) -> None:
    page = open_page("ask").page
    open_scope(page, NOTICE_QUESTION, contracts)
    page.get_by_label("Only documents whose metadata fits").fill('tags has "signed"')
    click_ask(page)
    expect(answer(page)).to_contain_text("270 days")
    first = page.url
    page.get_by_label("Follow-up question").fill(NOTICE_QUESTION)
    page.get_by_role("button", name="Ask on").click()
    page.wait_for_url(lambda url: url != first)
    expect(answer(page)).to_contain_text("270 days")
    expect(answer(page)).not_to_contain_text("180 days")
    expect(page.get_by_role("navigation", name="Questions of this session")).to_be_visible()


def test_documents_until_a_date_and_chosen_ones_are_read(open_page: OpenPage, contracts: str) -> None:
    page = open_page("ask", width=NARROW).page
    open_scope(page, NOTICE_QUESTION, contracts)
    page.get_by_label("Only documents dated until").fill("2020-12-31")
    click_ask(page)
    expect(answer(page)).to_contain_text("180 days")
    expect(answer(page)).to_contain_text("documents dated until 2020-12-31")
    page.get_by_role("link", name="New question").click()
    open_scope(page, NOTICE_QUESTION, contracts)
    page.get_by_label("Only chosen documents").fill("2021")
    page.get_by_role("group", name="Documents to choose").get_by_role("button").press("Enter")
    expect(page.get_by_label("Only chosen documents")).to_be_focused()
    chosen = page.get_by_role("group", name="Chosen documents").get_by_role("button")
    expect(chosen).to_have_count(1)
    click_ask(page)
    expect(answer(page)).to_contain_text("270 days")
    expect(answer(page)).to_contain_text("1 chosen document")


def test_documents_until_a_date_are_read_also_in_chinese(open_page: OpenPage, contracts: str) -> None:
    shown = open_page("ask", width=NARROW, locale="zh-CN")
    page = shown.page
    open_scope_in_chinese(page, NOTICE_QUESTION, contracts)
    page.get_by_label("仅限此日期及以前的文档").fill("2020-12-31")
    page.locator(".ask-form button.primary").click()
    card = answer(page)
    expect(card).to_contain_text("180 days")
    expect(card).not_to_contain_text("270 days")
    expect(card).to_contain_text("2020-12-31 及以前的文档")
    shown.look("ask-as-of-zh")


def test_what_is_wrong_with_a_filter_stands_below_it(open_page: OpenPage, contracts: str) -> None:
    shown = open_page("ask")
    shown.expected.append("422")
    page = shown.page
    open_scope(page, NOTICE_QUESTION, contracts)
    where = page.get_by_label("Only documents whose metadata fits")
    where.fill("author is Ann")
    click_ask(page)
    expect(page.get_by_text("at character 8")).to_be_visible()
    expect(where).to_have_attribute("aria-invalid", "true")
    expect(where).to_be_focused()
    shown.look("ask-scope-invalid")
    where.fill('author = "Nobody"')
    click_ask(page)
    expect(page.get_by_text("what some document of collection")).to_be_visible()
    expect(where).to_have_attribute("aria-invalid", "true")
