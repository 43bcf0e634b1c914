"""The prompt that chooses tools names those that are on offer, and no others."""

from workers.core.prompts import Prompt, load_prompt
from workers.tools.toolbox import OWN

ALL = {tool.name for tool in OWN}
LANGUAGES = {"languages"}  # an input, which is there where documents are in other languages


def choosing(offered: set[str]) -> str:
    return load_prompt("workers.traverse.tools", "choose_tools").for_tools(offered).text


def test_every_tool_on_offer_is_named_and_no_other() -> None:
    text = choosing(ALL | LANGUAGES)
    assert text == load_prompt("workers.traverse.tools", "choose_tools").text
    assert all(f"`{name}`" in text for name in ALL)
    for left_out in ALL:
        text = choosing(ALL - {left_out})
        assert left_out not in text
        assert text.count("\n| ") >= len(ALL)


def test_translations_are_asked_for_where_there_are_other_languages_and_documents_are_searched() -> None:
    assert "translations" in choosing(ALL | LANGUAGES)
    assert "translations" not in choosing(ALL)
    assert "translations" not in choosing(ALL - {"search_memory"} | LANGUAGES)


def test_of_the_rest_not_a_word_is_changed() -> None:
    prompt = Prompt(name="x", text="a `first`\n\nb `second`, `first`\n`No tool` c")
    assert prompt.for_tools({"first"}).text == "a `first`\n\n`No tool` c"
