"""The view Ask, for what a question reads: some documents, several collections, what was known at a time."""

import re
import secrets
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

import pytest
from fleet.ask_view import (
    NOTICE_CONTRACT,
    NOTICE_QUESTION,
    answer,
    ask_on,
    click_ask,
    open_scope,
    open_scope_in_chinese,
)
from fleet.page import NARROW, OpenPage, Site
from playwright.sync_api import Locator, Page, Route, expect

from hopline.models.collections import MOST_COLLECTIONS
from hopline.models.documents import TextDocument

pytestmark = pytest.mark.long
QUESTION = "Where was the designer of the Clifton Suspension Bridge born?"
CONTRACT = "The Clifton Suspension Bridge was designed by Isambard Kingdom Brunel. Its toll is one pound."
LETTER = "Isambard Kingdom Brunel was born in Portsmouth. Isambard Kingdom Brunel smoked cigars."
TEXTS = {"contracts": CONTRACT, "letters": LETTER}
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
    site.crew.ingest(texts, name)
    return name


def test_an_answer_rests_on_the_documents_with_a_tag_and_says_so(open_page: OpenPage, contracts: str) -> None:
    shown, page = open_page("ask", other_scheme="dark")
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
    ask_on(page, NOTICE_QUESTION, told="270 days", untold="180 days")
    expect(page.get_by_label("Only documents whose metadata fits")).to_have_value('tags has "signed"')


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


def test_what_is_wrong_with_a_filter_stands_below_it(open_page: OpenPage, contracts: str) -> None:
    shown, page = open_page("ask")
    shown.expected.append("422")
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
    expect(page.get_by_text("a filter that matches a document of collection")).to_be_visible()
    expect(where).to_have_attribute("aria-invalid", "true")


@pytest.fixture(scope="module")
def both(site: Site) -> tuple[str, str]:
    """One with who designed a bridge, and one with where he was born; both have a signed document."""
    names = tuple(f"{kind}-{secrets.token_hex(4)}" for kind in TEXTS)
    for name, (kind, text) in zip(names, TEXTS.items(), strict=True):
        document = TextDocument(text=text, name=kind, metadata={"tags": ["signed", kind]})
        site.crew.ingest([document], name)
    return names[0], names[1]


def chosen(page: Page, both: tuple[str, str], question: str = QUESTION) -> Locator:
    """Choose the contracts and, beside them, the letters; return the chip of these."""
    open_scope(page, question, both[0])
    chip = offered(page).get_by_role("button", name=both[1])
    chip.press("Enter")
    return chip


def offered(page: Page) -> Locator:
    return page.get_by_role("group", name="Also read")


def test_an_answer_rests_on_all_collections_that_were_chosen_and_says_so(open_page, both):
    shown, page = open_page("ask", other_scheme="dark")
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
    page.keyboard.press("Escape")
    with page.expect_download() as got:
        page.get_by_role("button", name="Download as Markdown").click()
    text = got.value.path().read_text(encoding="utf-8")
    assert f"collections {both[0]}, {both[1]}, done" in text
    assert re.search(rf"letters, line \d+, {both[1]}, characters", text)
    ask_on(page, QUESTION, told=f"Read only: collections {both[0]}, {both[1]}")
    expect(offered(page).get_by_role("button", name=both[1])).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_label("Collection", exact=True)).to_have_value(both[0])
    shown.go(f"jobs/{page.get_by_role('article').last.get_attribute('data-job')}")
    expect(page.locator(".view-head")).to_contain_text(f"in {both[0]}, {both[1]}")


def test_what_is_nearest_is_of_what_the_question_may_read(open_page: OpenPage, both: tuple[str, str]) -> None:
    page = open_page("ask").page
    nearest = page.get_by_role("region", name="Nearest passages").get_by_role("listitem")
    for letters in (1, 0):
        chosen(page, both, "Who composed cigars of Portsmouth?")
        if not letters:
            page.get_by_role("button", name="contracts 1").press("Enter")
        click_ask(page)
        expect(nearest.filter(has_text=both[0])).to_have_count(1)
        expect(nearest.filter(has_text=both[1])).to_have_count(letters)
        page.get_by_role("link", name="New question").click()


def test_no_more_collections_are_chosen_than_are_allowed(open_page: OpenPage, both: tuple[str, str]) -> None:
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


def test_another_collection_is_chosen_and_a_strategy_that_reads_more_is_refused(open_page, both):
    shown, page = open_page("ask")
    shown.expected.append("422")
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


@pytest.fixture(scope="module")
def renewed(site: Site) -> Renewed:
    """A collection of one contract, of which there was a version before."""
    name = f"renewed-{secrets.token_hex(4)}"
    moments = []
    for days in (180, 270):
        text = TextDocument(text=NOTICE_CONTRACT.format(days), name="contract")
        site.crew.ingest([text], name)
        moments.append(datetime.now(ZoneInfo(ZONE)))
    shown = moments[0].isoformat(timespec="milliseconds")
    return Renewed(name, shown[:10], shown[11:23])


def test_an_answer_rests_on_what_was_live_at_a_time_and_its_citations_open_that_version(open_page, renewed):
    shown, page = open_page("ask", timezone_id=ZONE, other_scheme="dark")
    open_scope(page, NOTICE_QUESTION, renewed.collection)
    page.get_by_label("As known on").fill(renewed.day)
    page.get_by_label("At a time of that day").fill(renewed.clock)
    shown.look("ask-known-at")
    click_ask(page)
    card = answer(page)
    expect(card).to_contain_text("180 days")
    expect(card).not_to_contain_text("270 days")
    expect(card).to_contain_text("Read only: versions current at ")
    expect(card).to_contain_text("version 1, current until ")
    shown.look("ask-known-at-answer")
    card.locator("button.citation").first.click()
    reader = page.get_by_role("dialog")
    expect(reader.locator("mark")).to_contain_text("180 days")
    expect(reader).not_to_contain_text("270 days")
    expect(reader).to_contain_text("version 1, current until ")
    shown.look("ask-known-at-citation", modal=True)
    page.keyboard.press("Escape")
    ask_on(page, NOTICE_QUESTION, told="180 days", untold="270 days")
    expect(page.get_by_label("As known on")).to_have_value(renewed.day)
    expect(page.get_by_label("At a time of that day")).to_have_value(renewed.clock)


def test_a_day_of_which_a_part_is_missing_is_not_none(open_page: OpenPage, renewed: Renewed) -> None:
    shown, page = open_page("ask")
    shown.expected.append("422")
    open_scope(page, NOTICE_QUESTION, renewed.collection)
    day = page.get_by_label("As known on")
    day.focus()
    page.keyboard.type("12")
    click_ask(page)
    expect(page.get_by_text("A part of it is missing.")).to_be_visible()
    expect(day).to_be_focused()
    expect(page.locator(".run")).to_have_count(0)
    page.reload()
    open_scope(page, NOTICE_QUESTION, renewed.collection)
    day.focus()
    page.keyboard.type("01012026")
    page.keyboard.type("5")
    click_ask(page)
    expect(page.locator(".field-error", has_text="or later")).to_be_visible()  # a year has four digits
    day.fill(renewed.day)
    page.get_by_label("At a time of that day").focus()
    page.keyboard.type("10")
    day.fill("")
    click_ask(page)  # a part of a time is in nobody's way without its day
    expect(answer(page)).to_contain_text("270 days")


def test_a_day_to_come_is_refused_and_a_day_alone_is_its_end_in_chinese(open_page, renewed, neo4j_graph):
    days = timedelta(days=2)
    neo4j_graph.connection.run_text(
        "days ago", DAYS_AGO, collection=renewed.collection, ms=days // timedelta(milliseconds=1)
    )
    shown, page = open_page("ask", width=NARROW, locale="zh-CN", timezone_id=ZONE)
    shown.expected.append("422")
    open_scope_in_chinese(page, NOTICE_QUESTION, renewed.collection)
    page.get_by_label("策略").select_option("graph")
    day = page.get_by_label("截至此日已知的内容")
    expect(page.get_by_label("当日的时刻")).to_be_disabled()
    day.fill((datetime.now(UTC) + timedelta(days=3)).date().isoformat())
    page.locator(".ask-form button.primary").click()
    expect(day).to_have_attribute("aria-invalid", "true")
    expect(day).to_be_focused()
    expect(page.locator(".field-error", has_text="a time in the past")).to_be_visible()
    shown.look("ask-known-at-refused-zh")
    yesterday = (datetime.now(ZoneInfo(ZONE)) - timedelta(days=1)).date().isoformat()
    day.fill(yesterday)
    page.locator(".ask-form button.primary").click()
    card = answer(page)
    expect(card).to_contain_text("180 days")
    expect(card).not_to_contain_text("270 days")
    expect(card).to_contain_text("时有效的版本")
    expect(card).to_contain_text("版本 1，有效至")
    page.get_by_role("button", name="修改问题").click()
    expect(page.get_by_label("截至此日已知的内容")).to_have_value(yesterday)
    expect(page.get_by_label("当日的时刻")).to_have_value("")
