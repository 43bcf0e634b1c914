"""The view Ask, for questions about what was known at a time."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

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
from workers.adapters.neo4j.graph import Neo4jGraph

OpenPage = Callable[..., Shown]
ZONE = "Asia/Kathmandu"  # 5:45 h before UTC
# Makes versions of two days ago of those that ended a moment ago.
DAYS_AGO = """
MATCH (s:KeptSince {collection: $collection}), (v:KeptVersion {collection: $collection})
SET s.since = s.since - $ms, v.live_since = v.live_since - $ms
"""


class Renewed(NamedTuple):
    collection: str
    day: str  # at which the first version was live, in the zone,
    clock: str  # and the time of it


@pytest.fixture(scope="module")
def renewed(site: Site) -> Renewed:
    """A collection of one contract, of which there was a version before."""
    name = f"renewed-{secrets.token_hex(4)}"
    moments = []
    for days in (180, 270):
        text = TextDocument(text=NOTICE_CONTRACT.format(days), name="contract")
        assert not site.crew.client.ingest_texts([text], name).failed
        moments.append(datetime.now(ZoneInfo(ZONE)))
    shown = moments[0].isoformat(timespec="milliseconds")
    return Renewed(name, shown[:10], shown[11:23])


def test_an_answer_rests_on_what_was_live_at_a_time_and_its_citations_open_that_version(
    open_page: OpenPage, renewed: Renewed, look_of: dict[str, Any]
) -> None:
    shown = open_page("ask", timezone_id=ZONE, **look_of)
    page = shown.page
    open_scope(page, NOTICE_QUESTION, renewed.collection)
    page.get_by_label("As known on").fill(renewed.day)
    page.get_by_label("At a time of that day").fill(renewed.clock)
    shown.look("ask-known-at")
    click_ask(page)
    card = answer(page)
    expect(card).to_contain_text("180 days")
    expect(card).not_to_contain_text("270 days")
    expect(card).to_contain_text("Read only: versions that were live at ")
    expect(card).to_contain_text("version 1, live until ")
    shown.look("ask-known-at-answer")
    card.locator("button.citation").first.click()
    reader = page.get_by_role("dialog")
    expect(reader.locator("mark")).to_contain_text("180 days")
    expect(reader).not_to_contain_text("270 days")
    expect(reader).to_contain_text("version 1, live until ")
    shown.look("ask-known-at-citation", modal=True)
    page.keyboard.press("Escape")
    card.get_by_role("button", name="Ask again").click()
    expect(answer(page)).to_contain_text("180 days")
    page.reload()
    expect(answer(page)).to_contain_text("180 days")
    page.get_by_role("button", name="Edit question").click()
    expect(page.get_by_label("As known on")).to_have_value(renewed.day)
    expect(page.get_by_label("At a time of that day")).to_have_value(renewed.clock)


def test_a_day_that_is_refused_says_so_below_its_field_also_in_chinese(
    open_page: OpenPage, renewed: Renewed
) -> None:
    shown = open_page("ask", width=NARROW, locale="zh-CN", timezone_id=ZONE)
    shown.expected.append("422")
    page = shown.page
    open_scope_in_chinese(page, NOTICE_QUESTION, renewed.collection)
    day = page.get_by_label("截至此日已知的内容")
    expect(page.get_by_label("当日的时刻")).to_be_disabled()
    day.fill((datetime.now(UTC) + timedelta(days=3)).date().isoformat())
    page.locator(".ask-form button.primary").click()
    expect(day).to_have_attribute("aria-invalid", "true")
    expect(day).to_be_focused()
    expect(page.locator(".field-error", has_text="a time that has passed")).to_be_visible()
    shown.look("ask-known-at-refused-zh")


def test_a_day_of_which_a_part_is_missing_is_not_taken_for_none(
    open_page: OpenPage, renewed: Renewed
) -> None:
    page = open_page("ask").page
    open_scope(page, NOTICE_QUESTION, renewed.collection)
    day = page.get_by_label("As known on")
    day.focus()
    page.keyboard.type("12")
    click_ask(page)
    expect(page.get_by_text("A part of it is missing.")).to_be_visible()
    expect(day).to_be_focused()
    expect(page).to_have_url(page.url)
    expect(page.locator(".run")).to_have_count(0)


def test_a_year_has_four_digits_however_many_are_typed(open_page: OpenPage, renewed: Renewed) -> None:
    shown = open_page("ask")
    shown.expected.append("422")
    page = shown.page
    open_scope(page, NOTICE_QUESTION, renewed.collection)
    day = page.get_by_label("As known on")
    day.focus()
    page.keyboard.type("01012026")
    page.keyboard.type("5")
    click_ask(page)
    expect(day).to_have_value("0265-01-01")
    expect(page.locator(".field-error", has_text="or later")).to_be_visible()


def test_a_part_of_a_time_is_in_nobodys_way_once_its_day_is_taken_away(
    open_page: OpenPage, renewed: Renewed
) -> None:
    page = open_page("ask").page
    open_scope(page, NOTICE_QUESTION, renewed.collection)
    page.get_by_label("As known on").fill(renewed.day)
    page.get_by_label("At a time of that day").focus()
    page.keyboard.type("10")
    page.get_by_label("As known on").fill("")
    click_ask(page)
    expect(answer(page)).to_contain_text("270 days")


def test_a_day_alone_is_the_end_of_it_and_its_answer_is_told_in_chinese(
    open_page: OpenPage, renewed: Renewed, neo4j_graph: Neo4jGraph
) -> None:
    days = timedelta(days=2)
    neo4j_graph.connection.run_text(
        "days ago", DAYS_AGO, collection=renewed.collection, ms=days // timedelta(milliseconds=1)
    )
    page = open_page("ask", locale="zh-CN", timezone_id=ZONE).page
    yesterday = (datetime.now(ZoneInfo(ZONE)) - timedelta(days=1)).date().isoformat()
    expect(page.locator(f"option[value={renewed.collection}]")).to_be_attached()
    page.get_by_label("集合", exact=True).select_option(renewed.collection)
    page.get_by_label("策略").select_option("graph")
    page.locator("textarea").fill(NOTICE_QUESTION)
    page.get_by_text("阅读范围").click()
    page.get_by_label("截至此日已知的内容").fill(yesterday)
    page.locator(".ask-form button.primary").click()
    card = answer(page)
    expect(card).to_contain_text("180 days")
    expect(card).not_to_contain_text("270 days")
    expect(card).to_contain_text("时有效的版本")
    expect(card).to_contain_text("版本 1，有效至")
    page.get_by_role("button", name="修改问题").click()
    expect(page.get_by_label("截至此日已知的内容")).to_have_value(yesterday)
    expect(page.get_by_label("当日的时刻")).to_have_value("")
