"""The view Topics, over documents that were really ingested."""

from typing import Any

import pytest
from fleet.page import BRIDGES, NARROW, STORY, OpenPage, Shown
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.long


def boxes(page: Page) -> Any:
    return page.get_by_role("list", name="Topics, by how many documents speak of them").get_by_role("button")


def build(shown: Shown) -> None:
    """Build the topics unless another test has."""
    page = shown.page
    shown.expected.append("404")  # where they were never built
    either = page.get_by_role("button", name="Build the topics")
    expect(either).to_be_visible()
    if page.get_by_role("heading", name="No topics yet").is_visible():
        either.click()
    expect(boxes(page).first).to_be_visible()


def test_boxes_do_not_overlap_and_keep_within_the_picture(open_page: OpenPage) -> None:
    shown, page = open_page(f"topics?collection={BRIDGES}", width=NARROW)
    build(shown)
    rects = boxes(page).evaluate_all(
        "all => all.map(one => { const { x, y, width, height } = one.getBoundingClientRect();"
        " return [x, y, x + width, y + height]; })"
    )
    for nth, (x1, y1, x2, y2) in enumerate(rects):
        assert x1 >= 0
        assert x2 <= NARROW + 1
        for a1, b1, a2, b2 in rects[:nth]:
            assert x2 <= a1 + 1 or a2 <= x1 + 1 or y2 <= b1 + 1 or b2 <= y1 + 1


def test_a_part_of_the_name_of_its_topic_is_told_by_its_sentence(open_page: OpenPage) -> None:
    page = open_page("jobs").page
    shown = page.evaluate(
        """async () => {
          const { createTreemap } = await import("./web/topics/treemap.js");
          const map = createTreemap(() => {});
          document.querySelector(".view").replaceChildren(map.element);
          const topic = (name, label, documents) =>
            ({ id: label, elements: [name], label, documents, facts: 9 });
          const parts = [topic("Mills", "Hallow has a mill.", 8), topic("Ferries", "A ferry crosses.", 5)];
          map.show([{ ...topic("Mills", "Mills stand.", 9), parts }]);
          while (!document.querySelector(".topic-part")) await new Promise((done) => setTimeout(done, 20));
          return [...document.querySelectorAll(".topic-part")].map((part) => part.textContent);
        }"""
    )
    assert shown == ["Hallow has a mill.", "Ferries"]


def test_a_word_filters_the_topics(open_page: OpenPage) -> None:
    shown, page = open_page(f"topics?collection={BRIDGES}")
    build(shown)
    before = boxes(page).count()
    page.get_by_role("searchbox", name="Filter").fill("telford")
    expect(boxes(page)).not_to_have_count(before)
    assert boxes(page).count() >= 1
    page.get_by_role("searchbox", name="Filter").fill("no such word")
    expect(page.get_by_text("No topic has this word.")).to_be_visible()
    expect(boxes(page)).to_have_count(0)


def listed(*names: str, of: int | None = None) -> dict[str, Any]:
    """Return a list of topics as the server sends it."""
    epoch = {"id": "e", "built_at": 1.0, "facts": 9, "documents": 9, "topics": [of or len(names), 1, 1]}
    topics = [
        {
            "id": f"t{nth}", "level": 0, "parent": None, "label": f"{name} stands.".strip() if name else "",
            "label_fact": "f", "elements": [name] if name else [], "facts": 1,
            "documents": 1 + len(names) - nth,
        }
        for nth, name in enumerate(names)
    ]  # fmt: skip
    return {"collection": BRIDGES, "epoch": epoch, "level": 0, "parent": None, "topics": topics}


def show(open_page: OpenPage, body: dict[str, Any]) -> Page:
    page = open_page("ask").page
    page.route("**/v1/collections/*/topics?*", lambda route: route.fulfill(json=body))
    page.goto(f"{page.url.partition('#')[0]}#/topics?collection={BRIDGES}")
    return page


def test_a_word_finds_topics_beyond_those_drawn_of_the_largest_that_are_read(open_page: OpenPage) -> None:
    page = show(open_page, listed(*(f"thing {nth}" for nth in range(150))))
    expect(boxes(page)).to_have_count(100)
    expect(page.get_by_text("100 of 150 topics are shown")).to_be_visible()
    page.get_by_role("searchbox", name="Filter").fill("thing 149")
    expect(boxes(page)).to_have_count(1)
    expect(page.get_by_text("topics are shown")).to_be_hidden()
    page.get_by_role("searchbox", name="Filter").fill("thing x")
    expect(page.get_by_text("No topic has this word.")).to_be_visible()
    page = show(open_page, listed(*(f"thing {nth}" for nth in range(1000)), of=1300))
    expect(page.get_by_text("100 of 1,300 topics are shown")).to_be_visible()
    page.get_by_role("searchbox", name="Filter").fill("thing x")
    expect(page.get_by_text("None of the 1,000 largest topics has this word.")).to_be_visible()


def test_topics_whose_facts_are_deleted_are_no_boxes(open_page: OpenPage) -> None:
    expect(boxes(show(open_page, listed("bridge", "", "tower")))).to_have_count(2)
    page = show(open_page, listed("", ""))
    expect(page.get_by_text("All facts of the topics are deleted.")).to_be_visible()
    expect(page.get_by_role("button", name="Build the topics")).to_be_visible()


def test_an_address_leads_to_a_topic_and_back(open_page: OpenPage) -> None:
    shown, page = open_page(f"topics?collection={STORY}")
    build(shown)
    boxes(page).first.click()
    expect(page.get_by_role("region", name="Central facts")).to_be_visible()
    assert "topic=" in page.url
    page.reload()
    expect(page.get_by_role("region", name="Central facts")).to_be_visible()
