"""The page in English and Chinese: which comes first, what is remembered, and that a switch loses nothing."""

import re
from pathlib import Path

import pytest
from fleet.page import BRIDGES, NARROW, OpenPage, Site
from playwright.sync_api import Browser, Page, Route, expect

NARROWEST = 320  # px
QUESTION = "Where was the designer of the Clifton Suspension Bridge born?"
WEB = Path(__file__).resolve().parents[2] / "producer" / "web"
pytestmark = pytest.mark.long
# Views as addresses, and what stands in each when it is whole.
VIEWS = {
    "ask": ".examples li",
    f"documents?collection={BRIDGES}": ".document-row",
    f"concepts?collection={BRIDGES}": ".chips",
    f"graph?collection={BRIDGES}&name=Thomas+Telford": ".graph[data-settled] .graph-legend li",
    f"jobs?collection={BRIDGES}": ".job-list tbody tr",
}
# An answer that lacks a part, with its analysis, what was dropped, and a path of the reader with its reasons.
BEHIND_AN_ANSWER = """async () => {
  const { createAnswerPanel } = await import("./web/ask/answer_panel.js");
  const { createWalkPanel } = await import("./web/ask/walk_panel.js");
  const { Walk } = await import("./web/ask/walk.js");
  const [panel, walkPanel, walk] = [createAnswerPanel({}, {}), createWalkPanel(), new Walk()];
  const fact = "Ada designed it.";
  const document_ = { id: "d1", title: "Ada", uri: "ada.txt" };
  const citation = { n: 1, kind: "text", fact, quote: fact, score: 0.9, document: document_ };
  const details = {
    analysis: "The first note says who designed it; no note says who paid.",
    dropped_sentences: [{ sentence: "It was <b>1901</b>.", why: "not in the cited text: 1901" }],
    below_threshold: 1,
    shortened: 2,
  };
  const citations = [{ ...citation, source_description: "a letter of 1843" }];
  const missing = ["Who paid?", "Who painted it?"];
  const reason = `Nothing was found for: ${missing[0]}`;
  const outcome = { text: "Ada designed it [1].", reason, missing, citations, details };
  panel.showFinal({ id: "j1", state: "partial", collection: "c", outcome });
  walk.add("starts.chosen", { starts: [{ path: 1, name: "Ada", score: 1 }] });
  const action = { path: 1, step: "check_facts", at: "Ada", decision: "read_chunk(c1)", noted: [fact] };
  walk.add("path.moved", { ...action, reason: "It names the bridge." });
  walk.add("path.ended", { path: 1, why: "complete" });
  walk.add("job.ended", { state: "partial" });
  walkPanel.show(walk);
  const body = document.createElement("div");
  body.className = "columns";
  body.append(panel.element, walkPanel.element);
  document.querySelector(".view").replaceChildren(body);
  for (const one of body.querySelectorAll("details")) one.open = true;
}"""


def test_the_first_language_is_the_browsers_and_the_chosen_one_is_remembered(open_page: OpenPage) -> None:
    page = open_page("jobs", locale="zh-TW").page
    expect(page).to_have_title("任务 · hopline")
    expect(page.locator("html")).to_have_attribute("lang", "zh-Hans")
    page = open_page("jobs", locale="fr-FR").page
    expect(page).to_have_title("Jobs · hopline")
    expect(page.locator("html")).to_have_attribute("lang", "en")
    page = open_page("jobs", width=NARROW).page
    page.get_by_role("button", name="change the page's language").click()
    expect(page).to_have_title("任务 · hopline")
    page.reload()
    expect(page).to_have_title("任务 · hopline")
    page.get_by_role("button", name="切换页面语言").click()
    expect(page).to_have_title("Jobs · hopline")


def test_a_language_that_cannot_be_had_leaves_the_page_in_english(open_page: OpenPage) -> None:
    shown = open_page("jobs")
    shown.expected.append("404")
    absent = {"status": 404, "content_type": "application/json", "body": '{"title": "absent"}'}
    shown.page.route("**/texts/zh.json", lambda route: route.fulfill(**absent))
    with shown.page.expect_response("**/texts/zh.json"):
        shown.page.get_by_role("button", name="change the page's language").click()
    expect(shown.page).to_have_title("Jobs · hopline")
    expect(shown.page.get_by_role("navigation", name="Views")).to_be_visible()


class BareTexts:
    """The module of texts alone in a page, its catalogues served or not."""

    def __init__(self, browser: Browser, *, catalogues: bool) -> None:
        self.page = browser.new_page(locale="en-GB")
        self.complaints: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.catalogues = catalogues
        self.page.route("**/*", self._serve)
        self.page.goto("http://page.invalid/")

    def _serve(self, route: Route) -> None:
        name = route.request.url.removeprefix("http://page.invalid/")
        if not name:
            route.fulfill(body="<!doctype html><title>t</title>", content_type="text/html")
        elif name.endswith(".json") and not self.catalogues:
            route.fulfill(status=404)
        else:
            route.fulfill(path=WEB / name)


def test_a_part_that_cannot_be_written_leaves_no_other_in_the_language_before(browser: Browser) -> None:
    bare = BareTexts(browser, catalogues=True)
    text = bare.page.evaluate(
        """async () => {
          const { chooseLanguage, keepWritten, t } = await import("./texts.js");
          const [broken, whole] = [document.createElement("p"), document.createElement("p")];
          let written = 0;
          keepWritten(broken, "text", () => {
            if (written++) throw new Error("cannot be written");
          });
          keepWritten(whole, "text", () => (whole.textContent = String(t("jobs.title"))));
          await chooseLanguage("zh");
          return whole.textContent;
        }"""
    )
    assert text == "任务"
    assert any("cannot be written" in complaint for complaint in bare.complaints)
    bare.page.close()


def test_without_any_catalogue_texts_are_their_keys(browser: Browser) -> None:
    bare = BareTexts(browser, catalogues=False)
    texts = bare.page.evaluate(
        """async () => {
          const { language, listed, t } = await import("./texts.js");
          return [language().id, String(t("jobs.title", { n: 1 })), String(listed([t("a"), t("b")]))];
        }"""
    )
    assert texts == ["en", "jobs.title", "a,b"]
    bare.page.close()


def test_numbers_plurals_and_times_are_written_as_the_language_does(open_page: OpenPage) -> None:
    lines = open_page("jobs").page.evaluate(
        """async () => {
          const { chooseLanguage, listed, t } = await import("./web/texts.js");
          const { duration, number, when } = await import("./web/words.js");
          const year = "1971-01-01T12:00:00Z", seen = [];
          const error = t("error.status", { status: 1234 });
          const line = listed([error, duration(125), number(9999.5), when(year)]);
          for (const language of ["en", "zh"]) {
            await chooseLanguage(language);
            seen.push(String(line));
          }
          return seen;
        }"""
    )
    assert lines[0].startswith("Error 1,234, 2 min 5 s, 9,999.5, 1 Jan 1971, ")
    assert lines[1].startswith("错误 1,234，2 分 5 秒，9,999.5，1971年1月1日 ")


def test_two_documents_of_one_title_are_told_apart(open_page: OpenPage) -> None:
    uris = ["/a/x/report.md", "/b/x/report.md", "/b/y/report.md"]
    shown = open_page("jobs").page.evaluate(
        """async (uris) => {
          const { titlesOf } = await import("./web/words.js");
          const { labelsOf } = await import("./web/jobs/label.js");
          const documents = uris.map((uri) => ({ title: "Report", uri }));
          const jobs = documents.map((params) => ({ id: "j", kind: "document", params }));
          const labels = (some) => some.map(labelsOf(some));
          return [documents.map(titlesOf(documents)), labels(jobs.slice(1)), labels(jobs.slice(2))];
        }""",
        uris,
    )
    assert shown == [["Report (a/x)", "Report (b/x)", "Report (y)"], ["Report (x)", "Report (y)"], ["Report"]]


def written(page: Page) -> list[str]:
    """Return all that the page shows and says to screen readers, but for durations and jobs' ids."""
    page.evaluate("document.getElementById('announcer').replaceChildren()")
    texts = page.evaluate(
        """() => {
          const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
          const texts = [document.title];
          while (walker.nextNode()) texts.push(walker.currentNode.data);
          for (const one of document.querySelectorAll("[aria-label], [placeholder], [data-label]"))
            texts.push(one.ariaLabel, one.getAttribute("placeholder"), one.dataset.label);
          return texts.filter(Boolean);
        }"""
    )
    plain = (re.sub(r"[\d.]+ (?=秒)|j[0-9a-f]{8,}", "", str(text)).strip() for text in texts)
    return sorted(text for text in plain if text)


def ask(page: Page, question: str, *, collection: str, button: str) -> None:
    choice = page.locator("select").first
    expect(choice.locator(f"option[value={collection}]")).to_be_attached()
    choice.select_option(collection)
    page.locator("select").nth(1).select_option("graph")
    page.locator("textarea").fill(question)
    page.get_by_role("button", name=button, exact=True).click()


def test_a_question_that_runs_survives_a_switch_of_the_language(open_page: OpenPage, site: Site) -> None:
    page = open_page("ask", locale="en").page
    site.crew.model.set(chat={"latency": 2.0}, schemas={"AnswerDraft": {"hold": True}})
    ask(page, "Who designed the Clifton Suspension Bridge?", collection=BRIDGES, button="Ask")
    expect(page.get_by_role("region", name="Nodes read").locator(".graph[data-settled]")).to_be_visible()
    page.get_by_role("button", name="change the page's language").click()
    expect(page.get_by_role("region", name="答案")).to_be_visible()
    expect(page.locator(".card[data-state=running]")).to_contain_text("停止")
    site.crew.model.set()
    expect(page.locator(".card[data-state=done]")).to_contain_text("Isambard Kingdom Brunel")
    page.get_by_label("追问").fill("Where was he born?")
    page.get_by_role("button", name="切换页面语言").click()
    expect(page.get_by_label("Follow-up question")).to_have_value("Where was he born?")


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.partition("?")[0])
def test_a_view_is_the_same_in_chinese_whether_opened_or_switched(open_page: OpenPage, view: str) -> None:
    name = view.partition("?")[0]
    shown = open_page(view, scheme="dark", own=True)
    expect(shown.page.locator(VIEWS[view]).first).to_be_visible()
    shown.page.get_by_role("button", name="change the page's language").click()
    expect(shown.page.get_by_role("button", name="切换页面语言")).to_be_visible()
    shown.look(f"zh-{name}")
    switched = written(shown.page)
    narrow = open_page(view, width=NARROW, own=True, locale="zh-CN")
    expect(narrow.page.locator(VIEWS[view]).first).to_be_visible()
    narrow.look(f"zh-{name}")
    assert written(narrow.page) == switched


@pytest.mark.parametrize("locale", ["en-GB", "zh-CN"])
def test_every_view_fits_the_narrowest_of_phones(open_page: OpenPage, site: Site, locale: str) -> None:
    question = site.crew.client.ask(QUESTION, collection=BRIDGES, strategy="graph").job_id
    views = VIEWS | {
        f"ask/{question}": ".graph[data-settled] .graph-legend li",
        f"jobs/{question}": ".timeline",
        "jobs/batches": ".view h1",
        "jobs/schedules": ".view h1",
        "jobs/history": ".view h1",
        "jobs/health": ".view h1",
    }
    shown = open_page(width=NARROWEST, own=True, locale=locale, other_scheme="dark")
    shown.expected.append("/health/ready")  # 503: these tests have no part of every kind
    for view, whole in views.items():
        shown.go(view)
        expect(shown.page.locator(whole).first).to_be_visible()
        shown.look(f"{locale}-{re.sub('[^a-z]+', '-', view.partition('?')[0])}")


@pytest.mark.parametrize("locale", ["en-GB", "zh-CN"])
def test_all_that_is_behind_an_answer_is_shown_in_both_languages(open_page: OpenPage, locale: str) -> None:
    for look in ({"scheme": "light"}, {"scheme": "dark", "width": NARROW}):
        shown = open_page("jobs", locale=locale, **look)
        expect(shown.page.locator(".view h1")).to_be_visible()
        shown.page.evaluate(BEHIND_AN_ANSWER)
        card = shown.page.locator("section.card[data-state=partial]")
        chinese = ["答案不完整：没有找到：Who paid?", "未找到：Who painted it?"]
        english = ["Not the whole answer: Nothing was found for: Who paid?", "Not found: Who painted it?"]
        reasons = card.locator("p.answer-reason")
        expect(reasons).to_have_text(chinese if locale == "zh-CN" else english)
        expect(shown.page.locator("p.walk-reason")).to_have_text("It names the bridge.")
        expect(card.locator("p.analysis")).to_contain_text("The first note says who designed it")
        expect(card.locator("button.citation").first).to_contain_text("a letter of 1843")
        expect(card.locator("li").filter(has_text="It was <b>1901</b>.")).to_be_visible()
        shown.look(f"{locale}-behind-an-answer")
