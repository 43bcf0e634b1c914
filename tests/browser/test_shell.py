"""What every view stands in: colours, the key, the connection, the event stream's reader."""

from contextlib import suppress

import pytest
from fleet.page import BRIDGES, HOSTILE, HOSTILE_QUESTION, HOSTILE_TITLE, OpenPage, Site
from playwright.sync_api import Route, expect

from hopline.errors import NotFound
from producer.service.keys import ApiKeys

pytestmark = pytest.mark.long
DRAWN = ".graph[data-settled]:not([data-settled='0'])"
_DRAWN_ANEW = """async () => {
  const { redraw } = await import(new URL("focus.js", document.querySelector("script[type=module]").src));
  const part = document.body.appendChild(document.createElement("div"));
  // A view that still loads moves what follows it.
  part.style.cssText = "position: fixed; inset: auto 0 0 auto; z-index: 9";
  window.drawings = 0;
  window.drawAnew = () => {
    redraw(part, () => {
      const open = part.querySelector("details")?.open ? "open" : "";
      part.innerHTML = `<details ${open}><summary>Path 1</summary>an action</details>`;
      window.drawings += 1;
    });
    return window.drawings;
  };
  window.drawAnew();
}"""


def test_the_chosen_colours_last(open_page: OpenPage) -> None:
    page = open_page(scheme="light").page
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    toggle = page.get_by_role("button", name="Theme")
    toggle.click()
    toggle.click()
    expect(toggle).to_have_text("Theme: dark")
    page.reload()
    expect(toggle).to_have_text("Theme: dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != light


def test_a_press_is_a_click_though_its_part_of_the_page_is_drawn_anew(open_page: OpenPage) -> None:
    page = open_page().page
    page.evaluate(_DRAWN_ANEW)
    summary = page.get_by_text("Path 1")
    page.get_by_role("link", name="Jobs").focus()  # which loses it by the press
    summary.hover()
    page.mouse.down()
    assert page.evaluate("drawAnew()") == 1, "drawn while the button was down"
    page.mouse.up()
    expect(page.get_by_text("an action")).to_be_visible()
    page.wait_for_function("drawings === 2")
    expect(page.get_by_text("an action")).to_be_visible()


def test_a_server_with_keys_asks_for_one_and_the_tab_keeps_it(open_page: OpenPage, site: Site) -> None:
    keys = ApiKeys(site.crew.redis)
    key, secret = keys.create("page", frozenset({"submit"}))
    try:
        shown, page = open_page("jobs")
        shown.expected.append("401")
        dialog = page.get_by_role("dialog", name="API key")
        expect(dialog).to_be_visible()
        expect(dialog).to_contain_text("hopline keys create NAME")
        shown.look("key", modal=True)
        dialog.get_by_role("button", name="Close").click()
        expect(page.get_by_role("alert").filter(has_text="An API key is needed")).to_be_visible()
        page.get_by_role("button", name="Try again").click()
        dialog.get_by_label("Key", exact=True).fill("hop_wrong_key")
        dialog.get_by_role("button", name="Use this key").click()
        expect(dialog.get_by_role("alert")).to_contain_text("does not know this key")
        dialog.get_by_label("Key", exact=True).fill(secret)
        page.keyboard.press("Enter")
        expect(dialog).to_be_hidden()
        expect(page.get_by_text("No jobs yet")).to_be_visible()
        page.reload()
        expect(page.get_by_text("No jobs yet")).to_be_visible()
        expect(page.get_by_role("button", name="Key: page")).to_be_visible()
        assert secret not in page.evaluate("JSON.stringify(localStorage) + location.href")
        keys.revoke(key.id)
        page.reload()
        expect(dialog).to_contain_text("hopline keys open")
        keys.drop_need()
        dialog.get_by_role("button", name="Forget the key").click()
        expect(page.get_by_role("region", name="Jobs").get_by_role("link").first).to_be_visible()
    finally:
        with suppress(NotFound):
            keys.revoke(key.id)
        keys.drop_need()


def test_whoever_declines_to_give_a_key_is_not_asked_by_what_was_under_way(open_page: OpenPage) -> None:
    asks = open_page("jobs").page.evaluate(
        """async () => {
          const { onKeyWanted, request } = await import("/web/api.js");
          const { promise: closed, resolve: close } = Promise.withResolvers();
          const real = globalThis.fetch;
          const asks = [];
          let path = "";
          globalThis.fetch = async (address) => {
            if (String(address).endsWith("/slow")) await closed;
            return new Response('{"detail": "no key"}', { status: 401 });
          };
          onKeyWanted(async () => asks.push(path) && false);
          const statusOf = (name) => request((path = name)).catch((problem) => problem.status);
          const slow = statusOf("slow");
          const statuses = [await statusOf("first")];
          close();
          path = "slow";
          statuses.push(await slow, await statusOf("next"));
          globalThis.fetch = real;
          return [asks, statuses];
        }"""
    )
    assert asks == [["first", "next"], [401, 401, 401]]


def answered(site: Site) -> str:
    """Return the id of a question's job that has ended."""
    answer = site.crew.client.ask("When was the Forth Bridge opened?", collection=BRIDGES, strategy="graph")
    return answer.job_id


def test_a_stream_that_breaks_goes_on_without_repetition(open_page: OpenPage, site: Site) -> None:
    job_id = answered(site)
    page = open_page("jobs").page
    log = page.evaluate(
        """async (job) => {
          const { followJob } = await import("/web/events.js");
          const { request } = await import("/web/api.js");
          const real = globalThis.fetch;
          let breaks = 3;
          globalThis.fetch = async (...given) => {
            const response = await real(...given);
            if (!String(given[0]).endsWith("/events") || breaks-- <= 0) return response;
            const text = await response.text();  // part of it arrives, then the connection is gone
            const part = text.slice(0, 60 + Math.floor(text.length / 3));
            return new Response(part, { status: 200 });
          };
          const ids = [], states = [];
          const onEvent = (name, data, id) => ids.push(id), onState = (one) => states.push(one);
          await followJob(job, { onEvent, onState });
          globalThis.fetch = real;
          const whole = await (await request(`v1/jobs/${job}/events`)).text();
          return { ids, states, all: [...whole.matchAll(/^id: (.*)$/gm)].map((one) => one[1].trim()) };
        }""",
        job_id,
    )
    assert log["ids"] == log["all"]
    assert log["states"].count("lost") >= 2


def test_a_snapshot_is_said_and_the_answer_is_shown(open_page: OpenPage, site: Site) -> None:
    job_id = answered(site)
    shown = open_page("jobs")

    def cut(route: Route) -> None:
        text = 'event: snapshot\r\ndata: {"job": {}, "missed_after": "0"}\r\n\r\n: still here\r\n\r\n'
        text += 'id: 9-1\r\nevent: job.ended\r\ndata: {"state": "done"}\r\n\r\n'
        route.fulfill(status=200, content_type="text/event-stream", body=text)

    shown.page.route("**/events", cut)
    shown.go(f"ask/{job_id}")
    expect(shown.page.locator(".card[data-state=done]")).to_contain_text("1890")
    expect(shown.page.get_by_text("no longer kept")).to_be_visible()
    expect(shown.page.locator(".graph[data-settled]")).to_be_visible()  # from the answer's walk


def test_markup_stays_text_in_every_view(open_page: OpenPage, site: Site) -> None:
    told = site.crew.client.ask(HOSTILE_QUESTION, collection=HOSTILE, strategy="graph").job_id
    question = "<script>document.title='taken'</script><img src=x onerror=document.title='taken'>"
    asked = site.crew.client.queries.submit(question, collection=HOSTILE, strategy="graph").id
    shown, page = open_page(f"ask/{told}")
    reader = shown.page.locator("dialog[open] .reader-text")
    expect(page.locator(".card[data-state=done]")).to_contain_text("The Lantern <b>House</b> was built")
    page.locator("button.citation").first.click()
    expect(page.get_by_role("dialog", name=HOSTILE_TITLE)).to_be_visible()
    assert not page.locator(
        "dialog img, dialog script, main img, main script, main b:text-is('House')"
    ).count()
    assert page.title() == f"{HOSTILE_QUESTION} · hopline"
    page.keyboard.press("Escape")
    shown.go(f"documents?collection={HOSTILE}")
    page.get_by_role("button", name=HOSTILE_TITLE, exact=True).click()
    expect(reader).to_contain_text('Ada "<script>" Quill')
    assert "born in Leith." in reader.inner_text()  # the file has tag characters there, which nobody sees
    assert page.title() == "Documents · hopline"
    page.keyboard.press("Escape")
    shown.go(f"graph?collection={HOSTILE}&name=Ada")
    page.get_by_role("region", name="Facts").locator("ol > li").first.get_by_role("button").first.click()
    expect(reader).to_contain_text("<b>House</b>")
    assert page.title() == "Graph · hopline"
    page.keyboard.press("Escape")
    shown.go(f"jobs/{asked}")
    expect(page.get_by_role("heading", name=question)).to_be_visible()
    assert page.title().startswith("<script>document.title=")


@pytest.mark.parametrize(("view", "field", "text", "button"), [
    (f"graph?collection={BRIDGES}&name=Thomas+Telford", "Name", "London", "Show"),
    ("concepts?concept=entropy&collection=maps-offline", "Concept", "entropy", "Grow the map"),
], ids=["graph", "concepts"])  # fmt: skip
def test_without_the_server_what_is_shown_stays_and_is_retried(open_page, site, view, field, text, button):
    site.crew.client.concepts.generate("entropy", collection="maps-offline", wait=60)
    shown, page = open_page(view)
    shown.expected.append("ERR_")
    expect(page.locator(DRAWN)).to_be_visible()
    shown.context.set_offline(True)
    page.get_by_role("searchbox", name=field).fill(text)
    page.get_by_role("button", name=button, exact=True).click()
    offline = page.get_by_role("alert").filter(has_text="Offline")
    expect(offline).to_be_visible()
    expect(page.locator(DRAWN)).to_be_visible()
    shown.look(f"{field.lower()}-offline")
    shown.context.set_offline(False)
    page.get_by_role("button", name="Try again").click()
    expect(offline).to_be_hidden()


def test_the_skip_link_leads_on_and_what_is_drawn_anew_keeps_the_focus(open_page: OpenPage) -> None:
    page = open_page("jobs").page
    expect(page.get_by_role("heading", name="Jobs")).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()
    focus_texts = open_page("jobs").page.evaluate(
        """async () => {
          const { h, fill } = await import("./web/elements.js");
          const { redraw } = await import("./web/focus.js");
          const box = h("div"), button = (text, keep) => h("button", { data: { keep } }, text);
          document.querySelector("main").append(box);
          const draw = (...buttons) => redraw(box, () => fill(box, ...buttons), () => box.firstChild);
          const seen = [], note = () => seen.push(document.activeElement.textContent);
          draw(button("one", "a"), button("two", "b"));
          note();
          box.lastChild.focus();
          draw(button("zero", "z"), button("one", "a"), button("two of 3", "b"));
          note();
          draw(button("one", "a"));
          note();
          return seen;
        }"""
    )
    assert focus_texts[1:] == ["two of 3", "one"]
    assert focus_texts[0] not in ("one", "two")  # what had no focus takes none


def test_the_api_is_described_without_a_request_to_others(open_page: OpenPage, site: Site) -> None:
    page = open_page("jobs").page
    requested = list[str]()
    page.on("request", lambda request: requested.append(request.url))
    page.goto(f"{site.url}/docs")
    page.locator("#operations-tag-batches").click()
    expect(page.get_by_text("/v1/batches/{name}/report")).to_be_visible()
    assert requested
    assert not [url for url in requested if not url.startswith((site.url, "data:"))]
