"""The view Ask, over real questions: what is beside the one answer of test_views.py."""

import json
import re
import secrets
from pathlib import Path

import pytest
from fleet.ask_view import answer, click_ask, fill_question, follow_up
from fleet.page import BRIDGES, HOSTILE, NARROW, STORY, OpenPage, Site
from playwright.sync_api import Page, Route, expect

pytestmark = pytest.mark.long
# However short a time a sentence stands alone, it is noted what screen readers were given to read.
NOTE_SENTENCES = """() => {
  window.said = [];
  const note = (records) => {
    for (const { target, addedNodes } of records) {
      const live = target.nodeType === 1 && target.closest('.answer-text[aria-live="polite"]');
      if (live) window.said.push(...[...addedNodes].map((node) => node.textContent));
    }
  };
  new MutationObserver(note).observe(document.body, { childList: true, subtree: true });
}"""
# Frames that come late: what was asked for before the answer is drawn after it.
SLOW_FRAMES = """
  const soon = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (draw) => setTimeout(() => soon(draw), 600);
"""
NOON = "2026-11-30T12:00:00Z"
QUESTION = "Where was the designer of the Clifton Suspension Bridge born?"


def ask(page: Page, question: str = QUESTION, collection: str = BRIDGES, strategy: str = "graph") -> None:
    fill_question(page, question, collection, strategy)
    click_ask(page)


def test_topics_of_a_survey_light_up_with_its_claims(open_page: OpenPage) -> None:
    shown, page = open_page("ask", other_scheme="dark")
    ask(page, "What are the main themes of these texts?", strategy="survey")
    topics = page.get_by_role("region", name="Topics", exact=True)
    expect(topics.locator("[data-state=helps]").first).to_be_visible()
    card = answer(page)
    expect(card).to_contain_text("Looked at")
    expect(topics.get_by_text(re.compile(r"^\d+ of \d+ facts? helps?$")).first).to_be_visible()
    expect(page.get_by_role("region", name="Claims").get_by_role("listitem").first).to_be_visible()
    expect(card.locator("button.citation:visible")).to_have_count(8)
    last = card.locator("button.citation").last
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(last).to_be_visible()
    card.locator(".more-citations summary").click()
    expect(last).to_be_hidden()
    shown.look("ask-survey")


def test_a_frame_after_the_answer_draws_no_sentence_again(open_page: OpenPage) -> None:
    page = open_page("ask").page
    page.add_init_script(SLOW_FRAMES)
    page.reload()
    ask(page)
    answer(page)
    page.wait_for_timeout(1200)
    expect(page.locator('.answer-text[aria-live="polite"]')).to_be_empty()
    expect(page.locator(".answer-text p")).to_have_count(1)


def test_a_question_that_was_asked_is_edited_or_followed_by_a_new_one(open_page: OpenPage) -> None:
    page = open_page("ask").page
    ask(page)
    card = answer(page)
    for first in (page.get_by_role("heading", level=2, name=QUESTION), card.locator(".answer-text p").first):
        expect(first).to_be_in_viewport(ratio=1)
    expect(page).to_have_title(re.compile("^Where was the designer of the Clifton Suspension Bridge"))
    box = page.get_by_label("Follow-up question", exact=True)
    expect(box).to_be_focused()
    expect(box).to_have_value("")
    page.get_by_role("button", name="Edit question").click()
    expect(box).to_be_focused()
    expect(box).to_have_value(QUESTION)
    page.get_by_role("link", name="New question").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Ask a question")
    expect(page.get_by_label("Question", exact=True)).to_have_value("")


def test_a_marker_stays_on_the_line_of_the_word_before_it(open_page: OpenPage) -> None:
    """At every width: a chip that begins a line says nothing of what it belongs to."""
    alone = open_page("ask").page.evaluate(
        """async () => {
          const { createAnswerPanel } = await import("./web/ask/answer_panel.js");
          const panel = createAnswerPanel({}, {});
          const box = document.createElement("div");
          document.body.append(box);
          box.append(panel.element);
          const cited = [1, 2].map((n) => ({ n, fact: "a fact" }));
          const text = "It was built in 1831 [1]. Brunel was born there [1] [2], and he died in London [2].";
          const chinese = "白苓的姑母是秦三娘，她住在山上很多很多年，后来下山去了很远的一个村子[1]。";
          const said = [text, chinese].map((words, nth) => ({ n: nth + 1, text: words, citations: cited }));
          panel.showProvisional(said);
          const alone = [];
          for (let width = 140; width < 420; width += 3) {
            box.style.width = `${width}px`;
            for (const marker of box.querySelectorAll(".answer-text .marker")) {
              const line = marker.closest("p").getBoundingClientRect();
              const { left, right } = marker.getBoundingClientRect();
              if (left - line.left < 4) alone.push([width, "begins a line"]);
              if (right > line.right + 1) alone.push([width, "is cut off"]);
            }
          }
          box.remove();
          return alone;
        }"""
    )
    assert alone == []


def test_a_calculation_opens_to_what_it_takes_from_its_citations(open_page: OpenPage) -> None:
    shown, page = open_page("ask")
    ask(page, "How much longer is the main span of the Forth Bridge than that of the Brooklyn Bridge?")
    card = answer(page)
    text = card.locator(".answer-text p")
    expect(text).to_contain_text("The difference is 35 metres (521 − 486)")
    operands = text.get_by_role("listitem")
    expect(operands.first).to_be_hidden()
    text.get_by_text("(521 − 486)").click()
    expect(operands).to_have_text(["521 1", "486 2", "= 35"])
    shown.look("ask-calculation")
    operands.nth(1).get_by_role("button").click()
    expect(page.get_by_role("dialog")).to_contain_text("486 metres")


def test_calculations_open_in_any_order_and_no_text_is_repeated(open_page: OpenPage) -> None:
    shown = open_page("ask").page.evaluate(
        """async () => {
          const { createAnswerPanel } = await import("./web/ask/answer_panel.js");
          const panel = createAnswerPanel({}, {});
          const operands = [{ n: 1, number: "5" }];
          const calculation = (expression) => ({ expression, operands, result: "12" });
          const calculations = ["7 − 5", "(7 − 5) ÷ 5", "5 + 7", "5 × 7"].map(calculation);
          const text = "5 × 7 is not told; it cost 12 (5 + 7), 0.4 ((7 − 5) ÷ 5) more, 2 (7 − 5) in all [1].";
          panel.showProvisional([{ n: 1, text, citations: [{ n: 1, fact: "a fact" }], calculations }]);
          const summaries = [...panel.element.querySelectorAll(".answer-text summary")];
          const opened = summaries.map((one) => one.textContent);
          panel.element.querySelectorAll(".answer-text ul").forEach((one) => one.remove());
          return [opened, panel.element.querySelector(".answer-text p").textContent];
        }"""
    )
    opened = ["(5 + 7)", "((7 − 5) ÷ 5)", "(7 − 5)"]
    told = "5 × 7 is not told; it cost 12 (5 + 7), 0.4 ((7 − 5) ÷ 5) more, 2 (7 − 5) in all 1."
    assert shown == [opened, told]


def test_a_page_without_documents_finds_them_when_they_are_in(open_page: OpenPage) -> None:
    shown = open_page("jobs", own=True)
    none = '{"collections": []}'
    collections = "**/v1/collections"
    shown.page.route(collections, lambda route: route.fulfill(content_type="application/json", body=none))
    shown.go("ask")
    expect(shown.page.get_by_role("heading", name="There are no documents yet")).to_be_visible()
    shown.look("ask-without-documents")
    shown.page.unroute(collections)
    expect(shown.page.get_by_role("heading", name="Nothing asked yet")).to_be_visible()
    expect(shown.page.get_by_label("Collection")).to_have_value(BRIDGES)


def test_questions_to_begin_with_come_from_the_collection_and_have_answers(open_page: OpenPage) -> None:
    page = open_page("ask", own=True).page
    examples = page.get_by_role("list", name="Example questions")
    expect(page.get_by_label("Collection")).to_have_value(BRIDGES)
    expect(examples.get_by_role("button")).to_have_count(3)
    for question in examples.get_by_role("button").all_inner_texts():
        examples.get_by_role("button", name=question).click()
        expect(page.get_by_role("heading", level=2, name=question)).to_be_visible()
        answer(page)
        page.get_by_role("link", name="Ask", exact=True).click()
    page.get_by_label("Collection").select_option(HOSTILE)
    expect(examples).to_contain_text("What is said about Ada?")
    expect(examples).not_to_contain_text("Bridge")


def test_the_reader_shows_its_paths(open_page: OpenPage) -> None:
    shown = open_page("ask", width=NARROW, scheme="dark")
    ask(shown.page, strategy="reader")
    expect(answer(shown.page)).to_contain_text("Portsmouth")
    paths = shown.page.get_by_role("region", name="Paths")
    paths.get_by_text(re.compile("^Path 1")).click()
    expect(paths.get_by_text("check facts").first).to_be_visible()
    expect(paths.locator("p.walk-reason").first).to_contain_text("what is asked")
    shown.look("ask-reader")


def test_a_citation_of_the_graph_shows_tool_row_and_query(open_page: OpenPage) -> None:
    shown = open_page("ask", width=NARROW)
    ask(shown.page, "Who belongs to the Bell Guild?", STORY, "tools")
    card = answer(shown.page)
    expect(card).to_contain_text("Old Hesk")
    tools = shown.page.get_by_role("region", name="Tools asked")
    expect(tools.get_by_role("listitem").first).to_contain_text("lookup_knowledge(")
    shown.look("ask-tools")
    card.locator("button.citation").first.click()
    opened = shown.page.get_by_role("dialog").filter(has_text="lookup_knowledge")
    for part in ("Call", "Row", "Query", "Stated in"):
        expect(opened.get_by_role("heading", name=part)).to_be_visible()
    shown.look("ask-graph-citation", modal=True)
    opened.get_by_role("button", name=re.compile("^Open ")).click()
    expect(shown.page.locator("dialog mark")).to_contain_text("Bell Guild")


def test_a_walk_is_shown_while_it_goes_on_and_can_be_cancelled(open_page: OpenPage, site: Site) -> None:
    shown = open_page("ask")
    # It is at its walk for a while, and does not end before it is cancelled.
    site.crew.model.set(chat={"latency": 2.0}, schemas={"AnswerDraft": {"hold": True}})
    ask(shown.page)
    expect(
        shown.page.get_by_role("region", name="Nodes read").locator(".graph[data-settled]")
    ).to_be_visible()
    shown.look("ask-running")
    shown.page.get_by_role("button", name="Stop").click()
    expect(answer(shown.page, "cancelled")).to_contain_text("Cancelled")
    shown.look("ask-cancelled")


def test_sentences_come_before_the_answer_does(open_page: OpenPage, site: Site) -> None:
    shown = open_page("ask")
    site.crew.model.set(chat={"piece_latency": 0.7})
    shown.page.evaluate(NOTE_SENTENCES)
    ask(shown.page)
    expect(answer(shown.page)).to_contain_text("Portsmouth")
    sentences = shown.page.evaluate("window.said")
    assert any("The Clifton Suspension Bridge was designed" in sentence for sentence in sentences)


def test_a_coming_sentence_can_cite_what_one_before_it_cited(open_page: OpenPage) -> None:
    page = open_page("ask").page
    page.evaluate(
        """async () => {
          const { createAnswerPanel } = await import("./web/ask/answer_panel.js");
          const { Walk } = await import("./web/ask/walk.js");
          const panel = createAnswerPanel({}, {});
          window.walk = new Walk();
          window.say = (name, data) => (walk.add(name, data), panel.showProvisional(walk.sentences));
          document.body.append(panel.element); // the view redraws its own part of the page
          say("answer.sentence", { n: 1, text: "It is old [1].", citations: [{ n: 1, fact: "a fact" }] });
          say("answer.sentence", { n: 2, text: "So it is [1].", citations: [] });
          say("answer.sentence", { n: 3, text: "בנה אותו Alan Reed [1]. הוא ישן.", citations: [] });
        }"""
    )
    cited = page.get_by_role("button", name="Citation 1: a fact")
    expect(cited).to_have_count(3)
    # A sentence that is written from right to left begins at the right, and its marker follows the word on
    # the left, though that word itself is written from left to right.
    hebrew = page.locator(".answer-text p", has_text="Alan Reed")
    expect(hebrew).to_have_css("direction", "rtl")
    drawn = hebrew.evaluate(
        """(line) => {
          const range = document.createRange();
          const place = (word) => {
            const nodes = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
            while (nodes.nextNode()) {
              const at = nodes.currentNode.data.indexOf(word);
              if (at < 0) continue;
              range.setStart(nodes.currentNode, at);
              range.setEnd(nodes.currentNode, at + word.length);
              return range.getBoundingClientRect().left;
            }
          };
          const marker = line.querySelector(".marker").getBoundingClientRect().left;
          return [place("בנה"), place("Reed"), marker, place("ישן")];
        }"""
    )
    assert drawn == sorted(drawn, reverse=True)
    # What is cited has a direction of its own.
    page.evaluate(
        """async () => {
          const { createAnswerPanel } = await import("./web/ask/answer_panel.js");
          const panel = createAnswerPanel({}, {});
          document.body.append(panel.element);
          const place = { quote: "הגשר ישן.", document: { id: "d", title: "הגשר", uri: "d" } };
          const citations = [{ n: 1, kind: "document", fact: "a fact", score: 1, ...place }];
          panel.showFinal({ id: "j", state: "done", outcome: { text: "It is old [1].", citations } });
        }"""
    )
    entry = page.locator(".citation", has_text="הגשר")
    expect(entry.locator("b")).to_have_css("direction", "rtl")
    expect(entry.locator("q")).to_have_css("direction", "rtl")
    expect(page.get_by_role("textbox", name="Question", exact=True)).to_have_attribute("dir", "auto")
    entry.evaluate("(one) => one.closest('section').remove()")
    page.evaluate('say("snapshot", {})')
    expect(cited).to_have_count(0)


def test_an_unanswered_question_says_why_and_shows_what_is_nearest(open_page: OpenPage) -> None:
    shown = open_page("ask", other_scheme="dark")
    ask(shown.page, "Who composed the opera Carmen?")
    expect(answer(shown.page, "abstained")).to_contain_text("No answer:")
    nearest = shown.page.get_by_role("region", name="Nearest passages")
    expect(nearest).to_contain_text("may hold the answer")
    expect(nearest.get_by_role("listitem").first).to_be_visible()
    shown.look("ask-abstained")
    nearest.get_by_role("listitem").first.get_by_role("button").click()
    expect(shown.page.locator("dialog mark")).to_be_visible()
    shown.look("ask-abstained-passage", modal=True)


def test_an_answer_is_the_same_after_a_reload_and_as_json_and_markdown(open_page: OpenPage) -> None:
    page = open_page("ask").page
    ask(page)
    answer(page)
    assert re.search(r"#/ask/c/[0-9a-f]{32}$", page.url)
    page.reload()
    expect(answer(page)).to_contain_text("Portsmouth")
    expect(page.get_by_role("heading", level=2, name=QUESTION)).to_be_visible()
    expect(page.locator(".graph[data-settled]")).to_be_visible()
    expect(page.get_by_role("region", name="Facts and their scores")).to_contain_text("Portsmouth")
    with page.expect_download() as got:
        page.get_by_role("button", name="Download as JSON").click()
    content = json.loads(got.value.path().read_text(encoding="utf-8"))
    assert (content["status"], len(content["citations"])) == ("done", 2)
    with page.expect_download() as got:
        page.get_by_role("button", name="Download as Markdown").click()
    text = got.value.path().read_text(encoding="utf-8")
    assert text.startswith(f"# {QUESTION}\n")
    assert "> Isambard Kingdom Brunel was born in Portsmouth" in text


def test_a_follow_up_goes_on_below_the_answers_that_are_there(open_page: OpenPage) -> None:
    page = open_page("ask").page
    ask(page, "Who designed the Clifton Suspension Bridge?")
    answer(page)
    first = page.url
    follow_up(page, "Where was he born?")
    turns = page.get_by_role("region", name="Conversation").get_by_role("article")
    expect(turns).to_have_count(2)
    expect(page).to_have_url(first)
    expect(answer(page)).to_contain_text("Portsmouth")
    expect(turns.first).to_contain_text("Isambard Kingdom Brunel")
    expect(turns.last.locator(".graph[data-settled]")).to_be_visible()
    expect(turns.first.locator(".graph")).to_have_count(0)
    turns.first.get_by_role("button", name="Show how it got there").click()
    expect(turns.first.locator(".graph[data-settled]")).to_be_visible()
    page.reload()
    expect(turns).to_have_count(2)
    expect(turns.first).to_contain_text("Isambard Kingdom Brunel")
    expect(answer(page)).to_contain_text("Portsmouth")


def test_what_is_not_allowed_is_said_at_its_field_by_page_and_server(open_page: OpenPage) -> None:
    shown, page = open_page("ask")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.get_by_label("Question", exact=True)).to_have_attribute("aria-invalid", "true")
    page.get_by_text("How far to go").click()
    expect(page.get_by_label("Time limit")).to_be_visible()
    expect(page.get_by_label("Steps from the start")).to_be_hidden()  # it is not a bound of every strategy
    page.get_by_label("Strategy").select_option("graph")
    page.get_by_label("Steps from the start").fill("99")
    ask(page)
    expect(page.get_by_label("Steps from the start")).to_be_focused()
    expect(page.get_by_text("Allowed: 1 to 10")).to_be_visible()
    shown.look("ask-invalid")
    shown, page = open_page("ask")
    shown.expected.append("422")
    page.get_by_text("How far to go").click()
    page.get_by_label("Steps from the start").evaluate("field => { field.max = ''; }")

    def send_too_deep(route: Route) -> None:
        fields = json.loads(route.request.post_data or "{}")
        route.continue_(post_data=json.dumps({**fields, "parameters": {"max_depth": 99}}))

    page.route("**/v1/queries", send_too_deep)
    ask(page)
    expect(page.get_by_label("Steps from the start")).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_label("Steps from the start")).to_be_focused()


def test_a_question_is_asked_by_keyboard_alone(open_page: OpenPage) -> None:
    page = open_page("ask", own=True).page
    expect(page.get_by_label("Question", exact=True)).to_be_focused()
    expect(page.get_by_label("Collection").locator(f"option[value={BRIDGES}]")).to_be_attached()
    page.keyboard.type(QUESTION)
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Ask", exact=True)).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_label("Collection")).to_be_focused()
    page.keyboard.type(BRIDGES)
    page.keyboard.press("Tab")
    page.keyboard.type("Graph")
    for _ in range(3):
        page.keyboard.press("Shift+Tab")
    expect(page.get_by_label("Question", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    card = answer(page)
    follow = page.get_by_label("Follow-up question", exact=True)
    expect(follow).to_be_focused()
    for _ in range(40):  # back over the walk, the tools of the answer and its citations
        page.keyboard.press("Shift+Tab")
        if page.evaluate("document.activeElement.matches('.answer-text button.marker')"):
            break
    marker = card.get_by_role("button", name=re.compile("^Citation 2"))
    expect(marker).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("dialog mark")).to_be_visible()
    expect(page.get_by_role("region", name="Text of Isambard Kingdom Brunel")).to_be_focused()
    page.keyboard.press("Escape")
    expect(marker).to_be_focused()
    page.get_by_role("application").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator('.graph-list button[aria-pressed="true"]')).to_have_count(1)
    follow.focus()
    page.keyboard.type("Who designed the Forth Bridge?")
    page.keyboard.press("Enter")
    expect(page.get_by_role("article")).to_have_count(2)
    expect(answer(page)).to_contain_text("Benjamin Baker")
    page.get_by_role("link", name="New question").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Ask a question")
    entry = page.locator(".conversation-list a").first
    expect(entry).to_contain_text(QUESTION)
    page.get_by_role("link", name="Jobs").focus()
    for key in ("Tab", "Tab", "Tab", "Enter", "Tab", "Tab"):  # language, theme; the list opens; its search
        page.keyboard.press(key)
    expect(entry).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("article")).to_have_count(2)


def test_a_long_conversation_searches_for_no_passages_that_are_not_seen(open_page: OpenPage) -> None:
    shown, searched = open_page("jobs"), []
    shown.expected.append(f"/v1/jobs/j{39:024}")  # 404: the last question's job is no longer kept
    page = shown.page
    turn = {"collections": [BRIDGES], "state": "abstained", "asked": NOON, "ended": NOON}
    outcome = {"text": "", "reason": "No fact was found.", "citations": []}
    turns = [
        {**turn, "job_id": f"j{nth:024}", "question": f"Question {nth}?", "outcome": outcome}
        for nth in range(40)
    ]
    told = {"id": "0" * 32, "title": "Forty", "shared": False, "own": True, "turns": turns}
    page.route(f"**/v1/conversations/{told['id']}", lambda route: route.fulfill(json=told))
    page.route("**/v1/jobs/j*/events", lambda route: route.fulfill(status=204))
    page.on("request", lambda request: searched.append(request.url) if "v1/search" in request.url else None)
    page.evaluate(f"location.hash = '#/ask/c/{told['id']}'")
    expect(page.get_by_role("article")).to_have_count(40)
    expect(page.get_by_role("article").first.locator(".nearest .citation").first).to_be_visible()
    assert 0 < len(searched) < 20
    last = page.get_by_role("article").last
    last.scroll_into_view_if_needed()
    expect(last.locator(".nearest .citation").first).to_be_visible()


def test_documents_that_are_still_coming_in_are_counted_below_the_box(
    open_page: OpenPage, site: Site, tmp_path: Path
) -> None:
    site.crew.model.set(chat={"hold": True})
    fresh = f"coming-{secrets.token_hex(4)}"
    shown, page = open_page(f"documents?collection={fresh}")
    for nth in range(2):
        (tmp_path / f"mill-{nth}.txt").write_text(f"Mill {nth} was built by Tom Reed.", encoding="utf-8")
    page.locator("input[type=file]").set_input_files(sorted(tmp_path.iterdir()))
    expect(page.locator(".batch")).to_be_visible()
    shown.go("ask")
    expect(page.get_by_label("Collection", exact=True)).to_have_value(fresh)
    line = page.get_by_text("2 documents are still coming in")
    expect(line).to_be_visible()
    shown.look("ask-coming-in")
    page.get_by_label("Collection", exact=True).select_option(BRIDGES)
    expect(line).to_be_hidden()
    page.get_by_label("Collection", exact=True).select_option(fresh)
    expect(line).to_be_visible()
    site.crew.model.set()
    expect(line).to_be_hidden()
    chosen = page.get_by_label("Collection", exact=True).locator(f"option[value={fresh}]")
    expect(chosen).to_have_text(f"{fresh} (2)")


def test_lists_links_and_strong_words_of_an_answer_are_shown_without_their_signs(open_page: OpenPage) -> None:
    page = open_page("jobs").page
    text = "**Two** mills:\n- Hallow [1]\n- see [the list](mills.html) [1]"
    cited = {"kind": "text", "fact": "Of rye.", "document": {"id": "d", "title": "Mills", "uri": "m.md"}}
    quote = "## Mills\n| Mill | Rent |\n|---|--:|\n| Hallow | 9 |\n* **old** [mill](m.html)"
    outcome = {"text": text, "citations": [{**cited, "n": 1, "quote": quote}]}
    page.evaluate(
        """async (outcome) => {
          const { createAnswerPanel } = await import("./web/ask/answer_panel.js");
          const panel = createAnswerPanel({}, {});
          panel.showFinal({ id: "j1", state: "done", collection: "c", outcome });
          document.body.append(panel.element);
        }""",
        outcome,
    )
    assert page.locator(".answer-text").last.inner_text() == "Two mills:\n• Hallow 1\n• see the list 1"
    assert page.locator(".cited").inner_text() == "Mills\nMill · Rent\nHallow · 9\n• old mill"


def test_a_closed_dialog_takes_no_focus_from_where_the_reader_went(open_page: OpenPage) -> None:
    page = open_page("ask").page
    ask(page)
    answer(page).get_by_role("button", name=re.compile("^Citation 1")).click()
    expect(page.locator("dialog mark")).to_be_visible()
    page.evaluate(
        """() => {
          document.querySelector("dialog[open]").close(); // its event comes after what follows here
          document.querySelector('[role="application"]').focus();
        }"""
    )
    expect(page.locator("dialog.reader")).not_to_be_attached()
    expect(page.get_by_role("application")).to_be_focused()


def test_a_lost_server_is_told_and_the_question_goes_on_afterwards(open_page: OpenPage, site: Site) -> None:
    shown = open_page("ask")
    shown.expected += ["ERR_", "Failed to load"]
    site.crew.model.set(chat={"hold": True})
    ask(shown.page, collection=STORY, question="Who is Mara?")
    expect(shown.page.locator(".card[data-state=running]")).to_be_visible()
    shown.context.set_offline(True)
    site.stop_api()
    banner = shown.page.locator("#connection")
    expect(banner).to_contain_text("Offline")
    shown.look("ask-offline")
    site.crew.model.set()
    site.start_api()
    shown.context.set_offline(False)
    expect(banner).to_be_hidden()
    expect(shown.page.locator(".card[data-state=done], .card[data-state=abstained]")).to_be_visible()


def test_an_answer_that_was_asked_elsewhere_says_that_the_next_question_begins_a_conversation(
    open_page: OpenPage, site: Site
) -> None:
    job = site.crew.client.queries.submit("Who is Mara?", collection=STORY, wait=60)
    page = open_page(f"ask/{job.id}").page
    note = page.get_by_text("This answer is in no conversation.")
    expect(note).to_be_visible()
    page.get_by_label("Follow-up question").fill("And Teodor?")
    page.keyboard.press("Enter")
    expect(note).to_be_hidden()


def test_the_server_is_asked_once_what_it_is_and_its_absence_is_said_once(open_page: OpenPage) -> None:
    shown = open_page("ask")
    shown.expected += ["ERR_", "Failed to load"]
    page, asked = shown.page, []
    page.wait_for_load_state("networkidle")  # or its requests are counted, too
    page.on("request", lambda request: asked.append(request.url) if "v1/about" in request.url else None)
    page.reload()
    page.wait_for_load_state("networkidle")
    assert len(asked) == 1
    page.route("**/v1/**", lambda route: route.abort())
    page.evaluate("location.hash = '#/ask?again'")
    expect(page.locator("#connection")).to_contain_text("does not answer")
    expect(page.get_by_role("alert").filter(has_text="Offline")).to_have_count(1)
    expect(page.get_by_text("does not answer")).to_have_count(1)


def test_a_page_without_a_model_says_who_answers_and_how_to_connect_one(open_page: OpenPage) -> None:
    page = open_page("ask", own=True).page
    line = page.locator(".ask-form .stand-in")
    expect(line).to_contain_text("No model is connected: the built-in stand-in answers")
    line.locator("summary").click()
    expect(line.get_by_role("listitem")).to_have_count(3)
    expect(line).to_contain_text("HOPLINE_MODEL_URL")


def test_a_page_names_the_model_that_writes_the_answers(open_page: OpenPage) -> None:
    page = open_page("ask", own=True).page

    def with_model(route: Route) -> None:
        reply = route.fetch()
        route.fulfill(response=reply, json=reply.json() | {"model": "large-1"})

    page.route("**/v1/about", with_model)
    page.reload()
    expect(page.locator(".ask-form")).to_contain_text("large-1 writes the answers.")
    expect(page.locator(".ask-form .stand-in")).to_have_count(0)


def test_a_conversation_is_found_again_renamed_shared_saved_and_deleted(open_page: OpenPage) -> None:
    shown, page = open_page("ask", other_scheme="dark")
    ask(page, "Who designed the Clifton Suspension Bridge?")
    answer(page)
    follow_up(page, "Where was he born?")
    expect(answer(page)).to_contain_text("Portsmouth")
    page.get_by_role("button", name="Rename…").click()
    page.get_by_role("dialog").get_by_label("Title").fill("The engineer of Clifton")
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("The engineer of Clifton")
    page.get_by_role("link", name="New question").click()
    page.get_by_text("Conversations", exact=True).click()
    entry = page.get_by_role("navigation", name="Conversations").get_by_role("link", name="The engineer of")
    expect(entry).to_contain_text("2 questions")
    shown.look("ask-conversations")
    entry.press("Enter")
    turns = page.get_by_role("region", name="Conversation").get_by_role("article")
    expect(turns).to_have_count(2)
    expect(answer(page)).to_contain_text("Portsmouth")
    with page.expect_download() as got:
        page.get_by_role("button", name="Save as Markdown").click()
    text = got.value.path().read_text(encoding="utf-8")
    assert text.index("# Who designed the Clifton") < text.index("# Where was he born?")
    page.get_by_role("button", name="Share…").click()
    link = page.get_by_role("dialog").get_by_label("Link").input_value()
    shown.look("ask-share", modal=True)
    reader = open_page("ask").page  # another browser
    reader.goto(link)
    expect(reader.get_by_role("article")).to_have_count(2)
    expect(reader.get_by_role("button", name="Rename…")).to_have_count(0)
    page.keyboard.press("Escape")
    page.get_by_text("Conversations", exact=True).click()
    expect(entry).to_contain_text("shared")
    page.get_by_role("button", name="Delete…").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete the conversation").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Ask a question")
    expect(entry).to_have_count(0)


def test_a_browser_that_gives_no_clipboard_is_named_where_one_copies(open_page: OpenPage) -> None:
    page = open_page("ask").page
    page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined})")  # as without https
    ask(page)
    copy = answer(page).get_by_role("button", name="Copy")
    copy.evaluate("button => button.id = 'copy'")
    copy.click()
    expect(page.locator("#copy")).to_have_text("Not copied: the browser does not allow it")
