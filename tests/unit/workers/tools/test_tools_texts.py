"""What the tools say: a catalogue per language, in the language of the question."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from doubles.tooling import NAME, SCHEMA, GivenRows, StandingSchema, node, ports_over

import workers.tools
from hopline.errors import InvalidInput
from hopline.models.graph_schema import NodeKind
from workers.core.models.tool_calls import ToolCall
from workers.tools.session import GraphTools
from workers.tools.texts import LANGUAGES, catalogue, event_type_of, language_of
from workers.tools.tool import ToolPorts
from workers.tools.toolbox import Toolbox

FOLDER = Path(workers.tools.__file__).parent
WITH_EVENTS = SCHEMA.model_copy(
    update={"nodes": (*SCHEMA.nodes, NodeKind(label="MajorEvent", properties=(NAME,)))}
)


def event(name: str, kind: str, chapter: object) -> dict[str, Any]:
    properties = {"name": name, "event_type": kind, "chapter": chapter}
    return {"event": f"id of {name}", "told": properties, "participants": []}


EVENTS = [event("渡河", "sacrifice", 1), event("大雨", "loss", 3), event("重逢", "encounter", 4)]
EVENTS.append(event("尾声", "harvest", "尾声"))
TYPES = [{"type": "harvest", "events": 2}, {"type": "sacrifice", "events": 1}]


def over_events(**more: Any) -> ToolPorts:
    rows = {"RETURN type": TYPES, "EXPERIENCES": EVENTS, "looked_at": [node("阿青")]}
    return replace(ports_over(GivenRows(**rows), StandingSchema(WITH_EVENTS)), **more)


def placeholders(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", text))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_every_text_with_the_same_values(language: Any) -> None:
    english, other = catalogue("en"), catalogue(language)
    assert other.keys() == english.keys()
    for key, text in other.items():
        # "1 relation" needs no number
        assert placeholders(text) | {"count"} == placeholders(english[key]) | {"count"}, key


def test_every_text_is_said_and_every_text_that_is_said_is_there() -> None:
    source = "".join(path.read_text("utf-8") for path in FOLDER.rglob("*.py"))
    quoted_keys = set(re.findall(r'"([a-z_]+\.[a-z_]+)"', source)) & catalogue("en").keys()
    say_keys = set(re.findall(r'say\(\s*"([a-z_]+\.[a-z_]+)"', source.replace("'", '"')))
    many = set(re.findall(r'say_many\(\s*"([a-z_]+\.[a-z_]+)"', source))
    kept = {key for key in catalogue("en") if not key.startswith(("event_type.", "property."))}
    assert say_keys <= kept
    marks = set(re.findall(r"say\('([a-z_]+\.[a-z_]+)'\)", source))
    assert kept == {*quoted_keys, *marks, *many, *(f"{key}_one" for key in many)} & kept


@pytest.mark.parametrize(("text", "language"), [
    ("谁失去了渡船？", "zh"),
    ("Who is 山雀, and whom does she know?", "en"),
    ("Hopline 是什么？它有哪些工具？", "zh"),
    ("明治時代の橋はどこですか", "en"),
    ("누가 갔습니까", "en"),
    ("", "en"),
])  # fmt: skip
def test_a_text_is_of_the_language_that_most_of_it_is_in(text: str, language: str) -> None:
    assert language_of(text) == language


def test_a_call_is_answered_in_its_language() -> None:
    result = Toolbox().run("get_character_events", {"event_type": "Sacrifice"}, over_events())
    assert result.markdown.startswith("### Major events: sacrifice\n\n4 major events were found.")
    result = Toolbox().run("get_character_events", {"event_type": "牺牲"}, over_events())
    assert result.arguments["event_type"] == "sacrifice"
    assert result.markdown.startswith(
        "### 重大事件：牺牲\n\n共找到 4 个重大事件。\n\n**第1章**\n\n- **渡河**（牺牲）"
    )
    assert result.items[0].text == "渡河（牺牲、第1章）"
    assert result.items[0].values[1] == "sacrifice"  # rows are the graph's own


def test_the_question_decides_whatever_the_arguments_are_in() -> None:
    tools = GraphTools(lambda: (Toolbox(), over_events()))
    call = ToolCall(name="get_character_events", arguments={})
    assert "共找到 4 个重大事件" in tools.run(call, "故事里发生了什么？").markdown
    assert "4 major events" in tools.run(call, "What happens to 阿青 in this story?").markdown


@pytest.mark.parametrize(("chapter", "names"), [
    ("3", ["大雨"]),
    ("1-3", ["渡河", "大雨"]),
    ("chapters 3 to 4", ["大雨", "重逢"]),
    ("第3至4章", ["大雨", "重逢"]),
    ("第三章", ["大雨"]),
    ("第三至四章", ["大雨", "重逢"]),
    ("Chapter III: Rain", ["大雨"]),
    ("chapters three to four", ["大雨", "重逢"]),
    ("尾声", ["尾声"]),
    ("9", []),
    ("²", []),
])  # fmt: skip
def test_a_chapter_or_a_range_leaves_the_others_out(chapter: object, names: list[str]) -> None:
    result = Toolbox().run("get_character_events", {"chapter": chapter}, over_events(language="en"))
    assert [item.values[0] for item in result.items] == names
    left = len(EVENTS) - len(names)
    assert f"{left} are left out by the chapters asked for." in result.markdown
    assert result.cut is None


@pytest.mark.parametrize("chapter", ["第三章", "第三章 大雨", "3", "Chapter Three"])
def test_a_chapter_is_found_where_the_graph_has_its_heading(chapter: str) -> None:
    for heading in (3, "3", "第三章", "第三章 大雨", "Chapter 3"):
        rows = {"EXPERIENCES": [event("大雨", "loss", heading), event("重逢", "loss", "第四章")]}
        ports = ports_over(GivenRows(**rows), StandingSchema(WITH_EVENTS))
        result = Toolbox().run("get_character_events", {"chapter": chapter}, ports)
        assert [item.values[0] for item in result.items] == ["大雨"], heading


def test_a_range_of_chapters_goes_upwards() -> None:
    with pytest.raises(InvalidInput, match="chapter is '第五至三章'"):
        Toolbox().run("get_character_events", {"chapter": "第五至三章"}, over_events())


def test_a_model_is_shown_the_types_that_the_graph_has_but_for_what_is_too_long_for_one() -> None:
    types = [*TYPES, {"type": "x" * 61, "events": 1}, {"type": "y" * 60, "events": 1}]
    ports = ports_over(GivenRows(**{"RETURN type": types}), StandingSchema(WITH_EVENTS))
    functions = [offer["function"] for offer in GraphTools(lambda: (Toolbox(), ports)).offered()]
    offered = {function["name"]: function for function in functions}
    shown = offered["get_character_events"]["parameters"]["properties"]["event_type"]
    assert shown["enum"] == ["harvest", "sacrifice", "y" * 60]


def test_telling_a_model_of_the_tools_reads_no_schema_anew() -> None:
    """In every round: over a graph without events its whole schema would be read each time."""
    source = StandingSchema(SCHEMA)
    Toolbox().descriptions(ports_over(GivenRows(), source))
    assert source.refreshed == 0


def test_a_type_of_the_graphs_own_is_taken_and_one_of_nobodys_is_refused() -> None:
    ports = over_events()
    assert Toolbox().run("get_character_events", {"event_type": "Harvest"}, ports).items
    assert {event_type_of(name) for name in ("失去", "LOSS ", "loss")} == {"loss"}
    with pytest.raises(InvalidInput, match="is 'wedding', but must be one of: harvest, sacrifice"):
        Toolbox().run("get_character_events", {"event_type": "wedding"}, ports)


def test_relations_are_counted_in_the_language_of_the_question() -> None:
    other = {"id": "n2", "labels": ["Character"], "name": "李文", "aliases": None}
    relation = {"relationship": "r", "relation": "FRIEND_OF", "outgoing": True, "told": {"chapter": 2}}
    relation |= {"other": other}
    ports = ports_over(GivenRows(looked_at=[node("阿青")], outgoing=[relation]))
    result = Toolbox().run("lookup_knowledge", {"entity": "阿青"}, ports)
    assert "共找到 1 条关系。" in result.markdown
    result = Toolbox().run("track_journey", {"entity": "阿青"}, ports)
    assert "共找到 1 条关系事件。" in result.markdown
