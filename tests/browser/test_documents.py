"""The view Documents, over real ingestion."""

import secrets

import pytest
from fleet.page import BRIDGES, NARROW, OpenPage, Site
from playwright.sync_api import FilePayload, Locator, Page, expect

from hopline.models.documents import TextDocument

pytestmark = pytest.mark.long
FERRY = "The Ferry House was built by Ida Grove in 1901.\n"
MILL = "The Old Mill was built by Tom Reed in 1802.\n"
BATCHES = 7  # more than a browser opens connections to one server


@pytest.fixture
def fresh() -> str:
    """A collection that nothing is in."""
    return f"page-{secrets.token_hex(4)}"


def text_file(name: str, text: str) -> FilePayload:
    return {"name": name, "mimeType": "text/plain", "buffer": text.encode()}


def choose(page: Page, *files: FilePayload) -> None:
    page.locator("input[type=file]").set_input_files(files)


def row_of(page: Page, name: str) -> Locator:
    """Return what the batch says of a file."""
    return page.locator(".batch-row").filter(has_text=name)


def listed(page: Page) -> Locator:
    return page.get_by_role("region", name="Documents of the collection").locator("li")


def test_files_become_documents_and_failures_are_retried(open_page: OpenPage, site: Site, fresh: str) -> None:
    site.crew.model.set(chat={"fail": {"refusal": 1.0}})
    shown, page = open_page(f"documents?collection={fresh}", width=NARROW)
    expect(page.get_by_role("heading", name="No documents yet")).to_be_visible()
    shown.look("documents-empty")
    choose(page, text_file("ferry.txt", FERRY), text_file("notes.exe", "no"), text_file("mill.txt", MILL))
    expect(row_of(page, "notes.exe")).to_contain_text("not a kind of file that is taken: .txt")
    for name in ("ferry.txt", "mill.txt"):
        expect(row_of(page, name).locator(".badge.is-failed, .badge.is-partial")).to_be_visible()
        expect(row_of(page, name).locator(".field-error")).to_be_visible()
    again = page.get_by_role("button", name="Try the failed ones again")
    expect(again).to_be_visible()
    shown.look("documents-failed")
    site.crew.model.set()
    again.click()
    for name in ("ferry.txt", "mill.txt"):
        expect(row_of(page, name)).to_contain_text("1 chunk, 1 fact")
    expect(listed(page)).to_have_count(2)
    expect(again).to_have_count(0)
    shown.look("documents-done")
    ask = page.get_by_role("link", name="Ask about them")
    expect(ask).to_have_attribute("href", f"#/ask?collection={fresh}")
    page.get_by_role("button", name="Dismiss").click()
    expect(page.locator(".batch")).to_have_count(0)
    shown.go(f"ask?collection={fresh}")
    expect(page.get_by_label("Collection", exact=True)).to_have_value(fresh)
    expect(page.get_by_role("list", name="Example questions").get_by_role("button").first).to_be_visible()


def test_a_batch_of_somebody_else_is_shown_and_the_list_follows_it(open_page, site, fresh, tmp_path):
    page = open_page(f"documents?collection={fresh}").page
    expect(page.get_by_role("heading", name="No documents yet")).to_be_visible()
    (tmp_path / "ferry.txt").write_text(FERRY, encoding="utf-8")
    site.crew.ingest(tmp_path, fresh)
    expect(listed(page)).to_contain_text("ferry")
    (tmp_path / "mill.txt").write_text(MILL, encoding="utf-8")
    site.crew.ingest(tmp_path, fresh)
    expect(listed(page)).to_have_count(2)


def test_dropped_files_are_taken(open_page: OpenPage, fresh: str) -> None:
    page = open_page(f"documents?collection={fresh}", scheme="dark").page
    area = page.locator(".drop")
    dropped = page.evaluate_handle(
        """(text) => {
          const held = new DataTransfer();
          held.items.add(new File([text], "ferry.txt", { type: "text/plain" }));
          return held;
        }""",
        FERRY,
    )
    area.dispatch_event("dragover", {"dataTransfer": dropped})
    expect(area).to_have_class("drop is-over")
    area.dispatch_event("drop", {"dataTransfer": dropped})
    expect(row_of(page, "ferry.txt")).to_contain_text("1 chunk, 1 fact")
    expect(listed(page)).to_contain_text("ferry.txt")


def test_what_of_a_drop_cannot_be_read_and_what_is_left_out_is_told(open_page: OpenPage) -> None:
    outcome = open_page("documents").page.evaluate(
        """async () => {
          const { droppedFiles } = await import("./web/documents/files.js");
          const file = (name) =>
            ({ name, fullPath: `/f/${name}`, isFile: true, file: (done) => done(new File([], name)) });
          const broken = { ...file("broken.txt"), file: (_, fail) => fail(new Error("locked")) };
          const many = Array.from({ length: 2001 }, (_, nth) => file(`${nth}.txt`));
          const read = (parts) => ({ readEntries: (done) => done(parts.shift() ?? []) });
          const folder = { name: "f", fullPath: "/f", createReader: () => read([[broken], many]) };
          const { files, refused } = await droppedFiles({ items: [{ webkitGetAsEntry: () => folder }] });
          return [files.length, refused.map((one) => one.uri), refused.map((one) => String(one.error))];
        }"""
    )
    assert outcome[:2] == [2000, ["f/2000.txt", "f/broken.txt"]]
    assert "at most 2,000 files" in outcome[2][0]
    assert "locked" in outcome[2][1]


def test_a_running_batch_shows_each_document_survives_a_reload_and_is_cancelled(open_page, site, fresh):
    site.crew.model.set(chat={"hold": True})
    long = "\n\n".join(f"Section {nth}. {MILL * 30}" for nth in range(40))
    shown, page = open_page(f"documents?collection={fresh}")
    expect(page.get_by_role("heading", name="No documents yet")).to_be_visible()
    choose(page, text_file("long.txt", long))
    expect(row_of(page, "long.txt")).to_contain_text("extracting facts:")
    expect(row_of(page, "long.txt").get_by_role("progressbar")).to_be_visible()
    expect(page.locator(".batch .badge").first).to_have_text("running")
    shown.look("documents-running")
    page.reload()
    expect(row_of(page, "long.txt")).to_contain_text("extracting facts:")
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator(".batch .badge.is-cancelled").first).to_be_visible()


def test_with_many_batches_at_work_uploads_and_cancel_still_reach_the_server(open_page, site, fresh):
    site.crew.model.set(chat={"hold": True})
    page = open_page(f"documents?collection={fresh}").page
    streams: list[str] = []
    page.on(
        "request", lambda request: streams.append(request.url) if request.url.endswith("/events") else None
    )
    expect(page.get_by_role("heading", name="No documents yet")).to_be_visible()
    batches = page.locator(".batch")
    running = batches.filter(has=page.get_by_role("button", name="Cancel"))
    for nth in range(BATCHES):
        long = "\n\n".join(f"Section {nth} {part}. {MILL * 30}" for part in range(20))
        choose(page, text_file(f"long-{nth}.txt", long))
        expect(batches).to_have_count(nth + 1)
    expect(running).to_have_count(BATCHES)
    held = set(streams)
    assert len(held) == 2
    newest = batches.first  # it has no stream: the page asks for it now and then
    newest.get_by_role("button", name="Cancel").click()
    expect(newest.locator(".badge.is-cancelled").first).to_be_visible()
    with page.expect_request(lambda request: request.url.endswith("/events") and request.url not in held):
        batches.last.get_by_role("button", name="Cancel").click()  # another takes its stream's place
    expect(batches.last.locator(".badge.is-cancelled").first).to_be_visible()
    for left in reversed(range(BATCHES - 2)):
        running.first.get_by_role("button", name="Cancel").click()
        expect(running).to_have_count(left)


def test_a_collection_is_begun_described_and_deleted(open_page: OpenPage, site: Site, fresh: str) -> None:
    shown, page = open_page("documents")
    choose(page, text_file("notes.exe", "no"))
    expect(page.get_by_text("1 file cannot be taken")).to_be_visible()
    expect(page.locator(".batch")).to_have_count(0)
    page.get_by_role("button", name="New collection…").click()
    dialog = page.get_by_role("dialog", name="New collection…")
    dialog.get_by_label("Name").fill("a/b")
    dialog.get_by_role("button", name="Begin it").click()
    assert dialog.get_by_label("Name").evaluate("field => field.validity.patternMismatch")
    shown.look("documents-new-collection", modal=True)
    dialog.get_by_label("Name").fill(fresh)
    dialog.get_by_role("button", name="Begin it").click()
    expect(page.get_by_label("Collection", exact=True)).to_have_value(fresh)
    assert page.url.endswith(f"?collection={fresh}")
    choose(page, text_file("ferry.txt", FERRY))
    expect(row_of(page, "ferry.txt")).to_contain_text("1 chunk, 1 fact")
    page.get_by_role("button", name="Title and description…").click()
    dialog = page.get_by_role("dialog", name="Title and description…")
    dialog.get_by_label("Title").fill("Ferries")
    dialog.get_by_label("Description").fill("Houses of ferries.")
    dialog.get_by_role("button", name="Save").click()
    expect(page.locator(f"option[value={fresh}]")).to_have_text("Ferries (1)")
    expect(page.get_by_text("Houses of ferries.")).to_be_visible()
    page.get_by_role("button", name="Delete collection…").click()
    dialog = page.get_by_role("dialog", name="Delete collection…")
    expect(dialog).to_contain_text("1 document")
    dialog.get_by_role("button", name="Delete the collection").click()
    expect(dialog).to_be_hidden()
    expect(page.get_by_label("Collection", exact=True)).not_to_have_value(fresh)
    assert fresh not in [collection.name for collection in site.crew.client.collections.list().collections]


def test_documents_are_searched_and_sorted_by_the_server(open_page: OpenPage, site: Site, fresh: str) -> None:
    names = [f"report {nth:02}" for nth in range(55)]
    texts = [TextDocument(text=FERRY, name=f"{name}.txt", title=name) for name in names]
    site.crew.ingest([*texts, TextDocument(text=f"{MILL}{FERRY}", name="zulu.txt")], fresh)
    shown, page = open_page(f"documents?collection={fresh}", width=NARROW)
    expect(listed(page)).to_have_count(50)
    expect(listed(page).first).to_contain_text("report 00")
    page.get_by_role("button", name="More documents").click()
    expect(listed(page)).to_have_count(56)
    page.get_by_label("Sort by").select_option("Most facts first")
    expect(listed(page).first).to_contain_text("zulu")
    page.get_by_label("Search").fill("REPORT 5")
    expect(listed(page)).to_have_count(10)
    expect(page.get_by_text("10 documents found")).to_be_visible()
    page.get_by_label("Search").fill("nothing of the kind")
    expect(page.get_by_role("heading", name="No document has these words")).to_be_visible()
    expect(page.get_by_label("Search")).to_be_focused()
    shown.look("documents-not-found")


def test_several_are_deleted_at_once_after_a_question_that_says_how_many(open_page, site, fresh):
    texts = [
        TextDocument(text=f"House {nth} was built by Ida Grove.", name=f"house {nth}") for nth in range(4)
    ]
    site.crew.ingest(texts, fresh)
    shown, page = open_page(f"documents?collection={fresh}", width=NARROW, other_scheme="dark")
    expect(listed(page)).to_have_count(4)
    page.get_by_label("Choose all that are shown").check()
    page.get_by_label("Choose house 2").uncheck()
    shown.look("documents-chosen")
    page.get_by_role("button", name="Delete 3 documents…").click()
    dialog = page.get_by_role("dialog", name="Delete 3 documents?")
    expect(dialog).to_contain_text("house 3")
    expect(dialog).not_to_contain_text("house 2")
    shown.look("documents-delete-several", modal=True)
    dialog.get_by_role("button", name="Delete 3 documents").click()
    expect(dialog).to_be_hidden()
    expect(listed(page)).to_have_count(1)
    expect(listed(page)).to_contain_text("house 2")
    expect(page.get_by_role("button", name="Delete 3 documents…")).to_have_count(0)
    (left,) = site.crew.client.documents.iterate(collection=fresh)
    assert left.title == "house 2"
    last = page.get_by_role("button", name="Delete house 2")
    last.click()
    dialog = page.get_by_role("dialog", name="Delete this document?")
    expect(dialog).to_contain_text("house 2")
    shown.look("documents-delete", modal=True)
    dialog.get_by_role("button", name="Keep it").click()
    expect(last).to_be_focused()
    last.click()
    dialog.get_by_role("button", name="Delete it").click()
    expect(page.get_by_role("heading", name="No documents yet")).to_be_visible()


HOUSES = (
    {"tags": ["contract", "signed"], "author": "Ann", "date": "2024-05-01", "priority": 2},
    {"tags": ["contract"], "author": ["Bo", "Cy"]}, {"tags": ['say "so"']}, {},
)  # fmt: skip


def ingest_houses(site: Site, collection: str) -> None:
    texts = [
        TextDocument(text=f"House {nth} was built by Ida Grove.", name=f"house {nth}", metadata=fields)
        for nth, fields in enumerate(HOUSES)
    ]
    site.crew.ingest(texts, collection)


def test_metadata_is_shown_and_filtered_by(open_page: OpenPage, site: Site, fresh: str) -> None:
    ingest_houses(site, fresh)
    shown, page = open_page(f"documents?collection={fresh}", other_scheme="dark")
    shown.expected.append("422")
    expect(listed(page)).to_have_count(4)
    first = listed(page).filter(has_text="house 0")
    expect(first).to_contain_text("2024-05-01")
    expect(first).to_contain_text("Ann")
    first.get_by_text("1 more field").click()
    expect(first).to_contain_text("priority")
    shown.look("documents-metadata")
    first.get_by_role("button", name="contract", exact=True).click()
    expect(listed(page)).to_have_count(2)
    where = page.get_by_label("Filter by metadata")
    where.fill('author = "Ann" or author has "Dee"')
    where.press("Enter")
    expect(listed(page)).to_have_count(1)
    shown.look("documents-filtered")
    where.fill("author is Ann")
    where.press("Enter")
    expect(page.get_by_text("at character 8")).to_be_visible()
    expect(where).to_have_attribute("aria-invalid", "true")
    shown.look("documents-filter-invalid")
    where.fill("")
    expect(listed(page)).to_have_count(2)
    page.get_by_role("group", name="Tags that are filtered by").get_by_role("button").click()
    expect(listed(page)).to_have_count(4)
    page.get_by_role("button", name='say "so"').click()
    expect(listed(page)).to_have_count(1)
    where.fill("priority > 5")
    where.press("Enter")
    expect(page.get_by_role("heading", name="No document fits this filter")).to_be_visible()


def test_the_focus_stays_with_a_tag_that_was_pressed(open_page: OpenPage, site: Site, fresh: str) -> None:
    ingest_houses(site, fresh)
    page = open_page(f"documents?collection={fresh}").page
    expect(listed(page)).to_have_count(4)
    chip = listed(page).filter(has_text="house 0").get_by_role("button", name="contract", exact=True)
    for count in (2, 4, 2):
        chip.press("Enter")
        expect(listed(page)).to_have_count(count)
        expect(chip).to_be_focused()
    page.get_by_role("group", name="Tags that are filtered by").get_by_role("button").press("Enter")
    expect(listed(page)).to_have_count(4)
    expect(page.get_by_label("Filter by metadata")).to_be_focused()


def test_tags_of_chosen_and_found_documents_are_edited(open_page: OpenPage, site: Site, fresh: str) -> None:
    ingest_houses(site, fresh)
    shown, page = open_page(f"documents?collection={fresh}", width=NARROW)
    expect(listed(page)).to_have_count(4)
    page.get_by_label("Choose house 0").check()
    page.get_by_label("Choose house 3").check()
    page.get_by_role("button", name="Tags and access of 2 documents…").click()
    dialog = page.get_by_role("dialog", name="Tags and access of 2 documents…")
    dialog.get_by_label("Tags to add").fill("seen, kept")
    dialog.get_by_label("Tags to take away").fill("contract")
    shown.look("documents-tags", modal=True)
    dialog.get_by_role("button", name="Change", exact=True).click()
    expect(dialog).to_be_hidden()
    expect(listed(page).filter(has_text="house 3").get_by_role("button", name="kept")).to_be_visible()
    page.get_by_label("Filter by metadata").fill("not exists(priority)")
    page.get_by_label("Filter by metadata").press("Enter")
    expect(listed(page)).to_have_count(3)
    page.get_by_label("Choose house 3").uncheck()
    page.get_by_label("Filter by metadata").fill("exists(priority)")  # and not applied
    page.get_by_role("button", name="Tags and access of all that are found…").click()
    dialog = page.get_by_role("dialog", name="Tags and access of all that are found…")
    dialog.get_by_label("Tags to take away").fill('say "so", contract')
    dialog.get_by_role("button", name="Change", exact=True).click()
    expect(dialog).to_be_hidden()
    expect(page.get_by_role("button", name="contract", exact=True)).to_have_count(0)
    held = {
        document.title: set(document.metadata.get("tags", ()))
        for document in site.crew.client.documents.iterate(collection=fresh)
    }
    expected = [{"signed", "seen", "kept"}, set(), set(), {"seen", "kept"}]
    assert [held[title] for title in sorted(held)] == expected


def test_without_the_server_the_list_says_so_and_comes_back(open_page: OpenPage) -> None:
    shown, page = open_page(f"documents?collection={BRIDGES}")
    shown.expected.append("ERR_")
    expect(listed(page)).to_have_count(12)
    shown.context.set_offline(True)
    choose(page, text_file("ferry.txt", FERRY))
    # The list may say so as well, where it was about to be read again.
    expect(page.get_by_role("status").get_by_role("alert").filter(has_text="Offline")).to_be_visible()
    shown.look("documents-offline")
    shown.context.set_offline(False)
    page.get_by_role("status").get_by_role("button", name="Try again").click()  # the list has a button, too
    expect(row_of(page, "ferry.txt")).to_contain_text("1 chunk, 1 fact")
    expect(listed(page)).to_have_count(13)
    [added] = [row for row in page.locator(".document-row").all() if "ferry.txt" in row.inner_text()]
    added.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Delete it").click()
    expect(listed(page)).to_have_count(12)


def test_a_collection_that_is_not_wholly_deleted_says_why(open_page: OpenPage) -> None:
    page = open_page(f"documents?collection={BRIDGES}").page
    left = {"error": "1 document is left: retry the job"}
    ended = {"id": "j1", "state": "partial", "ended": "2026-11-21T21:31:07Z", "outcome": left}
    page.route(f"**/v1/collections/{BRIDGES}", lambda route: route.fulfill(status=202, json=ended))
    page.route("**/v1/jobs/j1*", lambda route: route.fulfill(json=ended))
    page.get_by_role("button", name="Delete collection…").click()
    dialog = page.get_by_role("dialog", name="Delete collection…")
    dialog.get_by_role("button", name="Delete the collection").click()
    expect(dialog.get_by_role("alert")).to_contain_text(left["error"])
