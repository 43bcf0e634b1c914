"""The view Graph, over documents that were really ingested."""

import os
import re
from pathlib import Path
from typing import Any

import pytest
from fleet.forks import ForkedProgram
from fleet.page import BRIDGES, NARROW, STORY, WIDE, OpenPage, Site, page_program
from fleet.servers import START_SECONDS
from playwright.sync_api import Page, Route, expect

from infra.local.process import free_port
from infra.local.work import api_address

pytestmark = pytest.mark.long
# What the library itself says of the boxes of labels and nodes, in px of the screen, without its own margin.
CROWDED = """() => {
  const { cy } = document.querySelector(".graph-canvas")._cyreg;
  const body = { includeLabels: false, includeOverlays: false };
  const label = { includeNodes: false, includeEdges: false, includeLabels: true, includeOverlays: false };
  const boxes = [];
  for (const one of cy.elements().toArray()) {
    if (one.isNode()) boxes.push([one.id(), "node", one.renderedBoundingBox(body)]);
    if (one.style("label")) boxes.push([one.id(), "label", one.renderedBoundingBox(label)]);
  }
  const off = 4;
  const over = (a, b) =>
    a.x1 + off < b.x2 - off && b.x1 + off < a.x2 - off && a.y1 + off < b.y2 - off && b.y1 + off < a.y2 - off;
  const crowded = [];
  boxes.forEach(([id, kind, box], nth) => {
    for (const [other, otherKind, otherBox] of boxes.slice(0, nth)) {
      // Only the chosen one may be named over a small node.
      const isChosen = [id, other].some((one) => cy.getElementById(one).hasClass("is-chosen"));
      const isLabel = kind === "label" && otherKind === "label";
      const isEither = kind === "label" || otherKind === "label";
      if (id !== other && (isLabel || (isEither && !isChosen)) && over(box, otherBox))
        crowded.push(`${kind} ${id} and ${otherKind} ${other}`);
    }
    const { x1, x2, y1, y2 } = box;
    if (kind === "label" && (x1 + off < 0 || y1 + off < 0 || x2 - off > cy.width() || y2 - off > cy.height()))
      crowded.push(`${id} is cut off`);
  });
  const named = cy.nodes().filter((node) => node.style("label")).length;
  const chosen = cy.nodes(".is-chosen").style("label");
  const size = cy.nodes(".is-chosen")[0].renderedStyle("font-size");
  return { crowded, chosen, named, nodes: cy.nodes().length, size };
}"""
# A walk that comes in faster than its nodes are arranged; returns how many were while more came.
LARGE_WALK = """async (nodes) => {
  const { createWalkPanel } = await import("./web/ask/walk_panel.js");
  const { Walk } = await import("./web/ask/walk.js");
  const [panel, walk] = [createWalkPanel(), new Walk()];
  document.querySelector(".view").replaceChildren(panel.element);
  walk.add("seed.finished", { seeds: ["Name 0", "Name 1"] });
  panel.show(walk);
  const soon = () => new Promise((done) => setTimeout(done, 20));
  while (!panel.element.querySelector(".graph[data-settled]")) await soon();
  let wereSettled = 0;
  for (let nth = 2; nth < nodes; nth += 2) {
    for (const one of [nth, nth + 1]) {
      const depth = one < 20 ? 1 : one < 80 ? 2 : 3;
      const parent = `Name ${Math.floor(one / 4)}`;
      walk.add("visit.finished", { node: `Name ${one}`, parent, depth, facts: one % 7 });
    }
    panel.show(walk);
    await soon();
    wereSettled = Math.max(wereSettled, Number(panel.element.querySelector(".graph").dataset.settled));
  }
  const settled = () => panel.element.querySelector(".graph").dataset.settled === String(nodes);
  while (!settled()) await soon();
  return wereSettled;
}"""
# How many nodes are seen, no two in one place.
IN_VIEW = """() => {
  const { cy } = document.querySelector(".graph-canvas")._cyreg;
  const isIn = ({ x, y }) => x > 0 && y > 0 && x < cy.width() && y < cy.height();
  const seen = cy.nodes().filter((node) => isIn(node.renderedPosition()));
  return new Set(seen.map((node) => JSON.stringify(node.position()))).size;
}"""
NAME = "Thomas Telford"
FLAGSHIP = "Where was the designer of the Clifton Suspension Bridge born?"
ARROWS = ("ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp")


def look_for(page: Page, name: str = NAME) -> None:
    page.get_by_role("searchbox", name="Name").fill(name)
    page.get_by_role("button", name="Show", exact=True).click()


def facts(page: Page) -> Any:
    return page.get_by_role("region", name="Facts").locator("ol > li")


def drawn(page: Page) -> int:
    """Return how many elements are drawn, once they have their places."""
    expect(page.locator(".graph[data-settled]:not([data-settled='0'])")).to_be_visible()
    return page.locator(".graph-list button").count()


def test_no_label_lies_over_another_and_most_are_there(open_page: OpenPage, look_of: dict[str, Any]) -> None:
    shown = open_page(f"graph?collection={BRIDGES}&name=Thomas+Telford", **look_of)
    drawn(shown.page)
    layout = shown.page.evaluate(CROWDED)
    assert layout["crowded"] == []
    assert layout["chosen"] == NAME
    assert layout["named"] >= (0.9 if look_of["width"] > NARROW else 0.5) * layout["nodes"]
    assert float(layout["size"].removesuffix("px")) >= 12  # however far it is zoomed
    for _ in range(3):
        shown.page.get_by_role("button", name="Zoom in").click()
    shown.page.wait_for_function(f"({CROWDED})().named > {layout['named'] * 0.99 - 1}")
    assert [overlap for overlap in shown.page.evaluate(CROWDED)["crowded"] if "cut off" not in overlap] == []


def test_a_walk_of_300_nodes_is_in_view_while_it_grows(open_page: OpenPage) -> None:
    page = open_page("jobs").page
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert page.evaluate(LARGE_WALK, 300) > 2, "nothing is arranged while more comes in"
    assert page.evaluate(IN_VIEW) == 300


def test_a_drawn_answer_has_its_citations_in_view(open_page: OpenPage, site: Site) -> None:
    job = site.crew.client.ask(FLAGSHIP, collection=BRIDGES, strategy="graph").job_id
    for width in (WIDE, NARROW):
        page = open_page(f"ask/{job}", width=width).page
        cited = """() => document.querySelector(".graph-canvas")?._cyreg?.cy.edges("[cites]").length > 1"""
        page.wait_for_function(cited)
        all_of_it = f"() => ({IN_VIEW})() === document.querySelectorAll('.graph-list li').length"
        page.wait_for_function(all_of_it)


def test_typed_relations_are_drawn_with_their_type_and_said_in_words(open_page: OpenPage) -> None:
    shown, page = open_page(f"graph?collection={STORY}&name=Ilse+Varn", other_scheme="dark")
    drawn(page)
    relations = page.get_by_role("list", name="Relations")
    expect(relations.get_by_role("listitem").first).to_contain_text(re.compile("Ilse Varn"))
    words = page.evaluate(
        "document.querySelector('.graph-canvas')._cyreg.cy.edges('.is-relation').map((e) => e.style('label'))"
    )
    assert [word for word in words if word]
    assert not [word for word in words if "_" in word or word != word.lower()]
    legend = page.get_by_role("list", name="Colours and lines")
    expect(legend).to_contain_text("A relation that a document states")
    assert page.evaluate(CROWDED)["crowded"] == []
    shown.look("graph-relations")


def test_an_element_is_chosen_and_expanded_by_keyboard(open_page: OpenPage) -> None:
    shown, page = open_page(f"graph?collection={BRIDGES}&name=Thomas+Telford")
    before = drawn(page)
    heading = page.get_by_role("region", name="Facts").get_by_role("heading")
    expect(heading).to_have_text(NAME)
    page.locator(".graph-canvas").focus()
    expand = page.get_by_role("button", name="Expand")
    for turn in range(40):
        page.keyboard.press(ARROWS[turn % 4] if turn % 3 else "ArrowRight")
        if expand.count():
            break
    chosen = heading.inner_text()
    assert chosen != NAME
    page.keyboard.press("Enter")
    expect(expand).to_have_count(0)
    expect(page.locator(".graph-list button")).not_to_have_count(before)
    expect(heading).to_have_text(chosen)
    shown.look("graph-expanded")
    page.get_by_role("button", name="Begin here").click()
    expect(page.get_by_role("searchbox", name="Name")).to_have_value(chosen)
    expect(page).to_have_url(re.compile("element=k"))
    page.go_back()
    expect(page.get_by_role("searchbox", name="Name")).to_have_value(NAME)


def test_the_list_says_what_the_drawing_shows_and_expands_too(open_page: OpenPage) -> None:
    page = open_page(f"graph?collection={BRIDGES}&name=Thomas+Telford", width=NARROW).page
    before = drawn(page)
    page.get_by_text(f"As a list ({before})").click()
    entry = page.locator(".graph-list button").filter(has_text="London")
    expect(entry).to_contain_text(re.compile(r"\d+ facts"))
    entry.click()
    expect(entry).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Expand").click()
    expect(page.locator(".graph-list button")).not_to_have_count(before)


def test_facts_of_one_document_and_then_of_all_again(open_page: OpenPage) -> None:
    page = open_page(f"graph?collection={BRIDGES}&name=London").page
    drawn(page)
    whole = facts(page).count()
    filtered = page.get_by_label("Document", exact=True)
    filtered.select_option(label="Tower Bridge (1 fact)")
    expect(facts(page)).to_have_count(1)
    expect(facts(page)).to_contain_text("Tower of London")
    page.get_by_label("Document", exact=True).select_option(label="All documents")
    expect(facts(page)).to_have_count(whole)


def test_a_part_of_a_name_is_enough_and_what_else_it_may_mean_is_offered(open_page: OpenPage) -> None:
    page = open_page(f"graph?collection={BRIDGES}").page
    look_for(page, "suspension bridges of Roebling")
    expect(page.get_by_text("It may also mean:")).to_be_visible()
    expect(facts(page).first).to_be_visible()
    other = page.locator(".near-notice button").first
    name = other.inner_text()
    other.click()
    expect(page.get_by_role("region", name="Facts").get_by_role("heading")).to_have_text(name)


def test_what_was_asked_while_the_collections_were_read_stays(open_page: OpenPage) -> None:
    shown, page = open_page("jobs")
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/v1/collections", hold)
    shown.go(f"graph?collection={BRIDGES}")
    look_for(page)
    expect(facts(page).first).to_be_visible()
    with page.expect_response("**/v1/collections"):
        for route in held:
            route.continue_()
    page.wait_for_timeout(500)
    expect(facts(page).first).to_be_visible()


def test_nothing_of_that_name_an_empty_collection_and_no_name_say_so(open_page: OpenPage) -> None:
    shown, page = open_page(f"graph?collection={BRIDGES}", width=NARROW)
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.get_by_text("Type a name to look for.")).to_be_visible()
    look_for(page, "Qwertzuiop")
    expect(page.get_by_role("heading", name="Nothing of that name")).to_be_visible()
    shown.look("graph-nothing")
    shown.expected.append("404")  # the collection's own address, which says that there is none
    shown.go("graph?collection=nowhere")
    expect(page.get_by_role("heading", name="No facts yet")).to_be_visible()


def test_more_facts_are_there_on_demand(open_page: OpenPage, site: Site, tmp_path: Path) -> None:
    streets = "\n\n".join(f"Ely has the street Lane {nth}." for nth in range(60))
    (tmp_path / "streets.txt").write_text(streets + "\n", encoding="utf-8")
    site.crew.ingest(tmp_path, "streets")
    page = open_page("graph?collection=streets&name=Ely", width=NARROW, scheme="dark").page
    expect(facts(page)).to_have_count(40)
    page.get_by_role("button", name="More facts").click()
    expect(facts(page)).to_have_count(60)
    expect(page.get_by_role("button", name="More facts")).to_have_count(0)


def test_the_tools_own_database_is_shown_around_a_name(open_page, site, movies_neo4j):
    """By an API whose tools ask the Movies graph."""
    port = free_port()
    tools = {
        f"HOPLINE_TOOLS_NEO4J_{name.upper()}": getattr(movies_neo4j, name)
        for name in ("url", "user", "password")
    }
    log = site.logs / "api-of-movies.log"
    api = ForkedProgram(page_program(port), log, os.environ | site.crew.environment | tools)
    try:
        api.wait_ready(START_SECONDS)
        shown = open_page("graph")
        shown.url, page = api_address(port), shown.page
        shown.go("graph")
        page.get_by_role("link", name="The tools' graph").click()
        page.get_by_role("list", name="Nodes with the most relations").get_by_text("Tom Hanks").wait_for()
        look_for(page, "the matrix")
        relations = page.get_by_role("region", name="Relations")
        expect(relations.get_by_role("heading", name="The Matrix")).to_be_visible()
        expect(relations.get_by_role("listitem")).to_have_count(8)
        expect(relations).to_contain_text("Keanu Reeves acted in The Matrix")
        shown.look("tools-graph")
        page.get_by_text(re.compile(r"As a list")).click()
        page.get_by_role("button", name=re.compile("Keanu Reeves")).click()
        relations.get_by_role("button", name="Expand").click()
        expect(relations).to_contain_text("Keanu Reeves acted in Johnny Mnemonic")
        look_for(page, "Tokyo Story of nobody")
        expect(page.get_by_text("does not contain")).to_be_visible()
        assert not shown.sound()
    finally:
        api.stop()
