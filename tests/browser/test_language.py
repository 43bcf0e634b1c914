"""The page in English and Chinese: which comes first, what is remembered, and that a switch loses nothing."""

from __future__ import annotations

from collections.abc import Callable

from fleet.page import NARROW, Shown
from playwright.sync_api import expect

OpenPage = Callable[..., Shown]
CHINESE = {"locale": "zh-CN"}


def test_the_first_language_is_the_browsers(open_page: OpenPage) -> None:
    page = open_page("jobs", locale="zh-TW").page
    expect(page).to_have_title("任务 · hopline")
    expect(page.locator("html")).to_have_attribute("lang", "zh-Hans")
    page = open_page("jobs", locale="fr-FR").page
    expect(page).to_have_title("Jobs · hopline")
    expect(page.locator("html")).to_have_attribute("lang", "en")


def test_the_chosen_language_is_remembered(open_page: OpenPage) -> None:
    page = open_page("jobs", width=NARROW).page
    page.get_by_role("button", name="change the page's language").click()
    expect(page).to_have_title("任务 · hopline")
    page.reload()
    expect(page).to_have_title("任务 · hopline")
    expect(page.get_by_role("navigation", name="视图").get_by_role("link")).to_have_text(
        ["提问", "文档", "概念", "图谱", "任务"]
    )
    page.get_by_role("button", name="切换页面语言").click()
    expect(page).to_have_title("Jobs · hopline")


def test_numbers_plurals_and_times_are_written_as_the_language_does(open_page: OpenPage) -> None:
    told = open_page("jobs").page.evaluate(
        """async () => {
          const { chooseLanguage, listed, t } = await import("./web/texts.js");
          const { duration, number, when } = await import("./web/words.js");
          const year = 86400 * 365, seen = [];
          const error = t("error.status", { status: 1234 });
          const line = listed([error, duration(125), number(9999.5), when(year)]);
          for (const language of ["en", "zh"]) {
            await chooseLanguage(language);
            seen.push(String(line));
          }
          return seen;
        }"""
    )
    assert told[0].startswith("Error 1,234, 2 min 5 s, 9,999.5, 1 Jan 1971, ")
    assert told[1].startswith("错误 1,234，2 分 5 秒，9,999.5，1971年1月1日 ")
