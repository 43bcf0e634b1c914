"""`hopline tools` and `hopline tools schema`."""

import json
from dataclasses import dataclass, field, replace

import pytest
from doubles.command_line import Run
from doubles.desk import Desk
from doubles.local_client import client_of
from doubles.tooling import SCHEMA, GivenRows, StandingSchema, node, ports_over
from rich.console import Console

from hopline.errors import InvalidInput
from hopline.models.graph_schema import GraphSchema
from hopline.models.tools import ToolResult
from hopline.views.tools import print_result
from producer.service.service import Service
from workers.tools.packs import load_toolbox
from workers.tools.tool import ToolPorts
from workers.tools.toolbox import Toolbox

RELATION = {
    "relationship": "r1", "relation": "FRIEND_OF", "outgoing": True, "told": {"chapter": 2},
    "other": {"id": "n2", "labels": ["Character"], "name": "Bo \x1b[31m[red]", "aliases": None},
}  # fmt: skip


@dataclass
class ToolDesk(Desk):
    schema: StandingSchema = field(default_factory=StandingSchema)
    reader: GivenRows = field(default_factory=lambda: GivenRows(looked_at=[node("Ada")], outgoing=[RELATION]))
    toolbox: Toolbox = field(default_factory=Toolbox)
    collections: list[str] = field(default_factory=list)

    def tool_ports(self, collection: str, *, limited: bool = False) -> ToolPorts:
        self.collections.append(collection)
        return replace(ports_over(self.reader, self.schema), limited=limited)


@pytest.fixture
def desk() -> ToolDesk:
    return ToolDesk()


@pytest.mark.parametrize(("words", "says"), [
    (["look_up"], "there is no tool 'look_up'; there are: find_connection, get_character_events"),
    (["lookup_knowledge", "Ada"], "argument is 'Ada', but must be key=value"),
    (["lookup_knowledge", "entity=a", "entity=b"], "entity is 'b', but must be given once"),
    (["lookup_knowledge", "entity=a", "collection=b"], "-c names the collection"),
    (["lookup_knowledge", "entity=a", "self=b"], "self is 'b', but must be one of: entity"),
    (["lookup_knowledge", "entity=a", "name=b"], "name is 'b', but must be one of: entity"),
    (["lookup_knowledge", "entity=a", "-c", "a b"], "collection is 'a b'"),
])  # fmt: skip
def test_bad_input_is_refused_with_what_is_allowed(run: Run, words: list[str], says: str) -> None:
    result = run("tools", "run", *words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert says in result.stderr


def test_a_tool_prints_its_markdown_or_all_of_it_as_one_json_object(desk: ToolDesk, run: Run) -> None:
    result = run("tools", "run", "lookup_knowledge", "entity=Ada", "limit=5", "-c", "demo")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith("### Ada (Character)\n\n1 relation was found.\n\n- FRIEND_OF → **Bo")
    assert "\x1b" not in result.stdout
    assert desk.collections == ["demo"]
    printed = run("tools", "run", "lookup_knowledge", "entity=Ada", "--json").stdout
    result = ToolResult.model_validate_json(printed)
    assert result.arguments == {"entity": "Ada", "limit": 20}
    assert result.items[0].relationships == ("r1",)
    assert result.cypher is not None
    assert result.parameters["node"] == "id of Ada ('Character',)"


def test_nothing_found_has_its_own_exit_code_and_says_why(run: Run) -> None:
    result = run("tools", "run", "lookup_knowledge", "entity=Bo=Bo", "-c", "notes")
    assert result.exit_code == 3
    assert "No node is named “Bo=Bo”." in result.stdout
    assert run("tools", "run", "respond", "answer=Hello.").exit_code == 0


def test_tools_are_listed_with_their_purpose_and_packs_with_what_they_lack(desk: ToolDesk, run: Run) -> None:
    desk.toolbox = load_toolbox("movies")
    shown = run("tools").stdout
    assert "lookup_knowledge entity [relation] [limit]" in shown
    assert "movie_info_by_title title\n   What is known of a movie" in shown
    assert "movies on · HOPLINE_TOOL_PACKS names it." in shown
    listed = json.loads(run("tools", "--json").stdout)["tools"]
    assert [tool["name"] for tool in listed] == [tool.name for tool in desk.toolbox]
    assert desk.collections == []
    assert run("tools", "run", "movie_info_by_title", "title=Dusk").exit_code == 3
    desk.toolbox = load_toolbox(None)
    desk.collections.clear()
    shown = run("tools", "-c", "notes").stdout
    assert "movie_info_by_title" not in shown
    assert (
        "Packs over notes\n  movies off · The graph lacks nodes labelled Movie, nodes labelled Person"
        in shown
    )
    assert set(desk.collections) == {"notes"}
    packs = json.loads(run("tools", "--json").stdout)["packs"]
    assert [(pack["name"], pack["on"]) for pack in packs] == [("movies", False), ("narrative", False)]


def test_packs_are_looked_at_over_a_collection_that_is_there(desk: ToolDesk, run: Run) -> None:
    desk.toolbox = load_toolbox(None)
    assert "Packs over bridges" in run("tools").stdout, "the largest, where there is no default"
    assert set(desk.collections) == {"bridges"}
    for words in (
        ("tools", "-c", "ntoes"),
        ("tools", "run", "lookup_knowledge", "entity=Bo=Bo", "-c", "ntoes"),
    ):
        refused = run(*words)
        assert (refused.exit_code, refused.stdout) == (3, "")
        assert "there is no collection ntoes; did you mean notes?" in " ".join(refused.stderr.split())


def test_an_argument_that_a_tool_does_not_have_is_refused(desk: ToolDesk) -> None:
    with client_of(Service(services=desk)) as client:
        result = client.tools.run("lookup_knowledge", {"entity": "Ada"})
        assert result.items[0].nodes == ("id of Ada ('Character',)", "n2")
        with pytest.raises(InvalidInput, match="call is 1"):
            client.tools.run("lookup_knowledge", {"entity": "Ada", "call": 1})


def test_a_terminal_shows_markdown_set(capsys: pytest.CaptureFixture[str]) -> None:
    result = ToolResult(tool="respond", arguments={}, markdown="### Ada\n\n- **Bo**")
    print_result(Console(force_terminal=True, width=40, color_system=None), result)
    shown = capsys.readouterr().out
    assert "• Bo" in shown
    assert "**" not in shown


def test_the_schema_is_printed_as_a_model_sees_it(desk: ToolDesk, run: Run) -> None:
    result = run("tools", "schema")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == SCHEMA.as_text() + "\n"
    assert GraphSchema.model_validate(json.loads(run("tools", "schema", "--json").stdout)) == SCHEMA
    assert run("tools", "schema", "--refresh").exit_code == 0
    assert desk.schema.refreshed == 1
    counts = {"label_counts": {"Place": 2, "Character": 1200}, "type_counts": {"FRIEND_OF": 7}}
    desk.schema.whole = SCHEMA.model_copy(update=counts)
    shown = run("tools", "schema").stdout.removeprefix(SCHEMA.as_text()).split()
    assert "Nodes by label: 1,200 Character 2 Place Relationships by type: 7 FRIEND_OF" in " ".join(shown)
    desk.schema.whole = GraphSchema(notes=("APOC is not there",))
    desk.schema.typed = SCHEMA
    assert run("tools", "schema", "-c", "story").stdout.startswith(SCHEMA.as_text().splitlines()[0])
    assert desk.collections[-1] == "story"
    empty = run("tools", "schema")
    assert empty.exit_code == 3
    assert "APOC is not there" in empty.stderr
