"""The reader of what an answer cites: the page of the file, its tables, and from citation to citation."""

import re
import secrets

import pytest
from fleet.ask_view import answer
from fleet.kinds_of_files import ASKED_FILES, AskedFile, write_asked_files
from fleet.page import BRIDGES, NARROW, OpenPage, Shown, Site
from playwright.sync_api import Locator, Page, expect

QUESTION = "Where was the designer of the Clifton Suspension Bridge born?"
PICTURES = "**/pages/*/picture?*"
_SMOKE = "pdf-table"
_KINDS = [pytest.param(kind, marks=() if kind == _SMOKE else pytest.mark.long) for kind in ASKED_FILES]


@pytest.fixture(scope="module")
def filed(site: Site, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A collection of a file of each kind."""
    name = f"kinds-{secrets.token_hex(4)}"
    site.crew.ingest(write_asked_files(tmp_path_factory.mktemp("kinds")), name, code=True)
    return name


def open_cited(shown: Shown, site: Site, question: str, collection: str) -> Locator:
    """Ask, and open the first citation of the answer."""
    shown.go(f"ask/{site.crew.client.ask(question, collection=collection).job_id}")
    answer(shown.page).locator("button.citation").first.click()
    return shown.page.get_by_role("dialog")


def expect_marked_page(reader: Locator) -> None:
    """The page of the file is there, with its first mark in sight."""
    expect(reader.get_by_role("img", name=re.compile("^Page 1 of "))).to_be_visible()
    expect(reader.locator(".reader-box").first).to_be_in_viewport()


@pytest.mark.parametrize("kind", _KINDS)
def test_each_kind_of_file_is_shown_at_what_is_cited(open_page, site, filed, kind, look_of):
    asked: AskedFile = ASKED_FILES[kind]
    shown = open_page("ask", **look_of)
    reader = open_cited(shown, site, asked.question, filed)
    cells = asked.quote.strip("| ").split(" | ") if asked.quote.startswith("|") else []
    expect(reader.locator("td:has(mark)")).to_have_text(cells)
    if not cells:
        expect(reader.locator("mark")).to_have_text(asked.quote)
    expect(reader).to_contain_text(asked.place or "")
    if asked.printed or asked.is_picture:
        expect_marked_page(reader)
    else:
        expect(reader.locator(".reader-pages")).to_have_count(0)
        why = reader.get_by_text("Only PDFs and pictures are shown as pages")
        expect(why).to_have_count(0 if kind in {"markdown-table", "attachment"} else 1)
    expect(reader.locator(".reader-text")).to_be_focused()
    shown.look(f"reader-{kind}", modal=True)


@pytest.mark.long
def test_one_goes_from_citation_to_citation_by_button_and_key(open_page: OpenPage, site: Site) -> None:
    shown, page = open_page("ask")
    reader = open_cited(shown, site, QUESTION, BRIDGES)
    [before, after] = [reader.get_by_role("button", name=f"{way} citation") for way in ("Previous", "Next")]
    mark = reader.locator("mark")
    expect(reader.get_by_role("status").filter(has_text="citation 1 of 2")).to_be_visible()
    expect(before).to_be_disabled()
    first = mark.inner_text()
    after.click()
    expect(reader.get_by_role("status").filter(has_text="citation 2 of 2")).to_be_visible()
    expect(mark).to_contain_text("born in Portsmouth")
    expect(after).to_be_focused()
    expect(after).to_be_disabled()
    shown.look("reader-second-citation", modal=True)
    page.keyboard.press("ArrowRight")  # there is none
    page.keyboard.press("ArrowLeft")
    expect(mark).to_have_text(first)
    reader.locator(".reader-text").focus()
    page.keyboard.press("ArrowRight")
    expect(mark).to_contain_text("born in Portsmouth")
    expect(reader.locator(".reader-text")).to_be_focused()
    page.keyboard.press("Escape")
    expect(answer(page).locator("button.citation").first).to_be_focused()


@pytest.mark.long
def test_a_page_that_cannot_be_drawn_says_so_and_is_asked_for_again(open_page, site, filed) -> None:
    shown, page = open_page("ask", width=NARROW)
    shown.expected.append("503")
    busy = '{"title": "Unavailable", "detail": "All drawers are busy."}'
    page.route(
        PICTURES, lambda route: route.fulfill(status=503, content_type="application/problem+json", body=busy)
    )
    reader = open_cited(shown, site, ASKED_FILES["pdf-columns"].question, filed)
    pages = reader.get_by_role("region", name="Two mills of Hallow, page 1")
    expect(pages.get_by_role("alert")).to_contain_text("All drawers are busy.")
    expect(reader.locator("mark")).to_have_text(ASKED_FILES["pdf-columns"].quote)
    shown.look("reader-no-drawer", modal=True)
    page.unroute(PICTURES)
    before = reader.locator(".reader-text").bounding_box()
    pages.get_by_role("button", name="Try again").click()
    expect_marked_page(reader)
    assert reader.locator(".reader-text").bounding_box() == before, "the text moved"


SHOW = """async ({ given, text, document }) => {
  const { openDocument } = await import("./web/reader/document.js");
  const letters = Array.from(text);
  const get = async (_path, { start, end }) => {
    const [first, last] = [Math.max(0, start), Math.min(end, letters.length)];
    const read = letters.slice(first, last).join("");
    return { document, start: first, end: last, length: letters.length, text: read };
  };
  openDocument({ api: { get }, signal: new AbortController().signal }, { id: "d", title: "Rents", ...given });
}"""
ROWS = "\n".join(f"| mill {nth} | {nth} euros |" for nth in range(700))
LONG = f"{'Before it. ' * 500}\n\n| Mill | Rent |\n| --- | --- |\n{ROWS}\n\nAfter it."


def show(page: Page, text: str, quote: str, original: str | None = None, **place: object) -> Locator:
    start = text.index(quote)
    told = {"uri": "rents.pdf", "status": "indexed", "media_type": "application/pdf", "original": original}
    given = {"start": start, "end": start + len(quote), **place}
    page.evaluate(SHOW, {"given": given, "text": text, "document": told})
    return page.get_by_role("dialog").last


@pytest.mark.long
def test_a_cited_row_is_shown_with_the_names_of_its_columns(open_page: OpenPage) -> None:
    page = open_page("ask").page
    reader = show(page, LONG, "| mill 350 | 350 euros |")
    expect(reader.get_by_role("columnheader")).to_have_text(["Mill", "Rent"])
    expect(reader.locator("td:has(mark)")).to_have_text(["mill 350", "350 euros"])
    expect(reader.locator("td mark").first).to_be_in_viewport()
    reader.get_by_role("button", name="Later text").click()
    expect(reader.get_by_role("cell", name="mill 699")).to_be_attached()
    expect(reader.locator("td mark").first).to_be_in_viewport()
    expect(reader.get_by_role("table")).to_have_count(1)


@pytest.mark.long
def test_what_is_a_table_and_what_is_cited_of_it_is_told_by_the_text(open_page: OpenPage) -> None:
    page = open_page("ask").page
    in_code = "```\n| no | table |\n| --- | --- |\n```\n"
    text = f"😀 a|b\n{in_code}| a\\|b | *c* |\r\n| :-- | --: |\r\n| 1 |  |\r\n| x | y\n"
    reader = show(page, text, "| x | y", place={"words": "", "table": 1, "row": "x", "column": "*c*"})
    expect(reader.get_by_role("columnheader")).to_have_text(["a|b", "*c*"])
    expect(reader.get_by_role("cell")).to_have_text(["1", "", "x", "y"])
    expect(reader.locator("mark")).to_have_text(["y"])
    expect(reader.locator(".reader-text")).to_contain_text("| no | table |")


def test_headings_of_markdown_are_shown_as_such_and_what_is_cited_stays_marked(open_page: OpenPage) -> None:
    shown, page = open_page("ask")
    text = "# Mills of Hallow\n\nOf rye.\n```\n# not one\n```\n## The rent\nIt is 9."
    reader = show(page, text, "Mills of Hallow\n\nOf rye.")
    expect(reader.locator(".reader-heading")).to_have_text(["Mills of Hallow", "The rent"])
    assert [mark.inner_text().strip() for mark in reader.locator("mark").all()] == [
        "Mills of Hallow",
        "Of rye.",
    ]
    expect(reader.locator(".reader-text")).to_contain_text("# not one")
    shown.look("reader-headings", modal=True)


@pytest.mark.long
def test_lists_and_links_of_markdown_are_shown_without_their_signs_but_in_code(open_page: OpenPage) -> None:
    page = open_page("ask").page
    code = "```\n- no **list**\n```\n"
    table = "| a | b |\n|--|--|\n| **c** | - d |"
    text = f"Mills:\n- **Hallow**\n  * [Rye](rye.md), [x\n{code}- 2 - 1 - **0**\n{table}"
    reader = show(page, text, "[Rye](rye.md), [x")
    shown = reader.locator(".reader-text").inner_text()
    assert shown.startswith(f"Mills:\n• Hallow\n  • Rye, [x\n{code}• 2 - 1 - 0\n")
    expect(reader.locator("mark")).to_have_text(["Rye, [x"])
    expect(reader.get_by_role("cell")).to_have_text(["c", "- d"])


@pytest.mark.long
@pytest.mark.parametrize("locale", ["en-GB", "zh-CN"])
def test_why_there_is_no_page_is_said(open_page: OpenPage, locale: str) -> None:
    shown, page = open_page("ask", width=NARROW, scheme="dark", locale=locale)
    hebrew = "הטחנה נבנתה בשנת 1771 על ידי Ana Ruiz."
    reader = show(page, f"A mill.\n\n{hebrew}", hebrew, "too large", place={"words": "page 1", "page": 1})
    why = {"en-GB": "the file was too large to be kept", "zh-CN": "文件过大，未予保存"}[locale]
    expect(reader).to_contain_text(why)
    right, edge = page.evaluate(
        """() => {
          const [mark, text] = ["mark", ".reader-text"].map((one) => document.querySelector(`dialog ${one}`));
          return [mark.getBoundingClientRect().right, text.getBoundingClientRect().right];
        }"""
    )
    assert 0 < edge - right < 40, "a line that is written from right to left does not begin at the right"
    shown.look(f"reader-no-page-{locale}", modal=True)
    reader = show(page, hebrew, hebrew, "kept", place=None)
    expect(reader).to_contain_text({"en-GB": "The page is not known", "zh-CN": "页码未知"}[locale])
