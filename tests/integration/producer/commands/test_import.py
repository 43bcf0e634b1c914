"""`hopline import`: a script into an empty database of its own, whole or not at all."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import neo4j as driver
import pytest
from doubles import foreign
from doubles.command_line import Run
from doubles.foreign import MOVIES, PASSWORD, ForeignServer
from doubles.relay import Relay
from typer.testing import CliRunner, Result

from hopline.cli import app
from hopline.commands.mistakes import explain
from hopline.errors import Permanent
from infra.local.neo4j_server import neo4j_address
from infra.local.settings import LocalSettings
from producer.service.script_import import Target, import_script
from workers.settings import Settings, load_settings
from workers.text2cypher.script import split_script

ON_A_DATABASE = pytest.mark.long  # not hopline's own: a server more
NOWHERE, OWN = "bolt://127.0.0.1:1", "bolt://127.0.0.1:2"
GOOD = """
CREATE CONSTRAINT person_name FOR (p:Person) REQUIRE p.name IS UNIQUE;
CREATE INDEX born FOR (p:Person) ON (p.born);
CREATE (:Person {name: 'Ada; Countess', born: 1815});  // a remark; with a stop
MATCH (a:Person) CREATE (a)-[:KNOWS]->(:Person {name: 'Charles'});
"""


@pytest.fixture(scope="module")
def query(foreign_neo4j: ForeignServer) -> Iterator[Callable[[str], list[dict[str, Any]]]]:
    login = (foreign_neo4j.user, foreign_neo4j.password)
    with driver.GraphDatabase.driver(foreign_neo4j.url, auth=login) as raw:
        yield lambda text: [record.data() for record in raw.execute_query(text).records]


@pytest.fixture
def empty(foreign_neo4j: ForeignServer) -> ForeignServer:
    foreign.empty(foreign_neo4j)
    return foreign_neo4j


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("GRAPH_PASSWORD", PASSWORD)

    def load(script: str | Path, url: str, *more: str, own: str = OWN) -> Result:
        path = script if isinstance(script, Path) else tmp_path / "script.cypher"
        if isinstance(script, str):
            path.write_text(script, encoding="utf-8")
        load_settings.cache_clear()
        words = ("import", str(path), "--into", url, "--password-env", "GRAPH_PASSWORD", *more)
        return CliRunner().invoke(app, words, env={"HOPLINE_NEO4J_URL": own})

    return load


def left(query: Callable[[str], list[dict[str, Any]]]) -> tuple[int, set[str]]:
    """Return how many nodes there are, and the names of constraints and indexes."""
    names = query("SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP' RETURN name")
    return query("MATCH (n) RETURN count(n) AS n")[0]["n"], {row["name"] for row in names}


@ON_A_DATABASE
def test_a_script_is_loaded_and_its_names_are_indexed(empty, query, load: Run) -> None:
    result = load(GOOD, empty.url)
    assert result.exit_code == 0, result.stderr
    assert "2 nodes, 1 relationship: 2 statements in 1 transaction, and 2 on the schema." in result.stdout
    assert "Names are indexed: Person." in result.stdout
    assert "(:Person)-[:KNOWS]->(:Person)" in result.stdout
    assert f"export HOPLINE_TOOLS_NEO4J_URL={empty.url}" in result.stdout
    assert "hopline up" in result.stdout.partition("export HOPLINE_TOOLS_NEO4J_PASSWORD")[2]
    assert PASSWORD not in result.output
    assert left(query) == (2, {"person_name", "born", "hopline_names"})


@ON_A_DATABASE
def test_a_failing_statement_is_named_with_its_line_and_nothing_is_kept(empty, query, load: Run) -> None:
    result = load(GOOD + "\nCREATE (:Person {name: 'Eve'})\nSET broken = ;\n", empty.url)
    assert result.exit_code == 1
    assert "line 7: " in result.stderr
    assert "line 8, column" in result.stderr
    assert "the database is empty again" in result.stderr
    assert left(query) == (0, set())
    committed_before = (
        "UNWIND range(1, 9) AS x CALL (x) { CREATE (:A {x: x}) } IN TRANSACTIONS OF 2 ROWS;\n"
        "CREATE INDEX of_a FOR (a:A) ON (a.x);\n"
        "CREATE INDEX FOR (n) ON;\n"
    )
    result = load(committed_before, empty.url)
    assert (result.exit_code, "line 3: " in result.stderr, left(query)) == (1, True, (0, set()))


@pytest.fixture
def broken(empty, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, int, Callable[[], None]], str]:
    """Return what runs a script and does something after some statements; gives what is said of the end."""

    def broken(script: str, after: int, then: Callable[[], None]) -> str:
        def tell(count: int) -> None:
            if count == after:
                then()

        target = Target(url=empty.url, user=empty.user, password=empty.password)
        monkeypatch.setenv("HOPLINE_NEO4J_URL", OWN)
        with pytest.raises((MemoryError, Permanent)) as ended:
            import_script(list(split_script(script)), target, load_settings(), tell)
        return explain(ended.value)[0]

    return broken


@ON_A_DATABASE
def test_whatever_ends_a_script_leaves_nothing_of_it(broken, query) -> None:
    def full() -> None:
        raise MemoryError("no room")

    script = GOOD + "CREATE INDEX FOR (a:A) ON (a.x); MATCH (n) CALL (n) { SET n.x = 1 } IN TRANSACTIONS;"
    for after in (1, 4, 5, 6):
        message = broken(script, after, full)
        assert "unexpected MemoryError: no room" in message
        assert "the database is empty again" in message
        assert left(query) == (0, set())


@ON_A_DATABASE
def test_what_others_did_to_the_schema_meanwhile_stays_and_is_told(broken, query) -> None:
    def stranger() -> None:
        query("CREATE INDEX `of a stranger` FOR (s:Stranger) ON (s.name)")
        query("CREATE CONSTRAINT strange FOR (s:Stranger) REQUIRE s.id IS UNIQUE")

    query("CREATE INDEX older FOR (o:Older) ON (o.name)")
    script = "CREATE INDEX FOR (a:A) ON (a.x); DROP INDEX older;" + GOOD + "CREATE (n:A) SET broken = ;"
    for after in (1, 6):  # within a statement on the schema, and between
        message = broken(script, after, stranger)
        assert "indexes that may be somebody else's: of a stranger" in message
        assert "constraints that may be somebody else's: strange" in message
        assert "indexes that were there before are gone: older" in message
        assert left(query) == (0, {"of a stranger", "strange"})
        query("DROP INDEX `of a stranger`")
        query("DROP CONSTRAINT strange")
        query("CREATE INDEX older FOR (o:Older) ON (o.name)")


@ON_A_DATABASE
def test_nodes_of_others_are_not_removed(broken, query) -> None:
    message = broken(GOOD + "CREATE (n:A) SET broken = ;", 2, lambda: query("CREATE (:Mine)"))
    assert "1 nodes are there, of which the script is known to have made 0" in message
    assert left(query) == (1, set())


@ON_A_DATABASE
def test_a_database_that_is_not_empty_is_refused_with_what_it_holds(empty, query, load: Run) -> None:
    query("UNWIND range(1, 1234) AS x CREATE (:Mine)")
    result = load(GOOD, empty.url)
    assert result.exit_code == 2
    assert "1,234 nodes" in result.stderr
    assert left(query) == (1234, set())


@pytest.fixture
def forwarded(empty: ForeignServer) -> Iterator[str]:
    """Another address of the database, at which nothing shows that it is the same."""
    relay = Relay(int(empty.url.rpartition(":")[2]))
    yield f"bolt://127.0.0.1:{relay.port}"
    relay.close()


def test_hoplines_own_address_is_refused_while_it_is_away_and_no_example_names_it(load: Run) -> None:
    for host in ("127.0.0.1", "localhost", "[::1]"):
        result = load(GOOD, OWN.replace("127.0.0.1", host))
        assert result.exit_code == 2, result.output
        assert "is hopline's own database: import scripts into another one" in result.stderr
    help_text = " ".join(CliRunner().invoke(app, ["import", "--help"], env={"COLUMNS": "200"}).output.split())
    own = {
        Settings.model_fields["neo4j_url"].default,
        neo4j_address(LocalSettings.model_fields["neo4j_port"].default),
    }
    assert "--into bolt://" in help_text
    assert not [address for address in own if address in help_text]


@ON_A_DATABASE
@pytest.mark.parametrize(("password", "code", "message"), [
    (PASSWORD, 2, "is hopline's own database"),  # another in each process, which an id must not be
    ("wrong", 1, "Nothing was imported: hopline could not check whether this is its own database. Neo4j"),
], ids=["its password", "another"])  # fmt: skip
def test_hoplines_database_is_refused(empty, query, load, forwarded, monkeypatch, password, code, message):
    monkeypatch.setenv("HOPLINE_NEO4J_PASSWORD", password)
    result = load(GOOD, empty.url, own=forwarded)
    assert result.exit_code == code, result.output
    assert message in result.stderr
    assert ("HOPLINE_NEO4J_PASSWORD" in result.stderr) is (code == 1)
    assert left(query) == (0, set())


def test_an_address_with_a_login_or_of_something_else_is_refused(load: Run) -> None:
    login, scheme = "an address without a login", "bolt://127"
    for url, wrong in {
        "bolt://neo4j:secret@127.0.0.1:7687": login,
        "bolt://neo4j:#secret@127.0.0.1:7687": login,
        "bolt://neo4j:/secret@127.0.0.1:7687": login,
        "neo4j:secret@127.0.0.1": login,
        "bolt://neo4j:secret": scheme,
        "bolt://127.0.0.1:76870": scheme,
        "bolt://[127.0.0.1": scheme,
        "http://127.0.0.1": scheme,
    }.items():
        result = load(GOOD, url)
        assert (result.exit_code, wrong in result.stderr, "secret" in result.output) == (2, True, False), url


def test_a_script_that_is_none_or_without_a_password_is_refused_before_a_connection(load, tmp_path):
    assert (
        "line 2:1: `:use other` is a command of a shell" in load("CREATE (:A);\n:use other", NOWHERE).stderr
    )
    assert load("// nothing", NOWHERE).exit_code == 2
    assert load(tmp_path / "none.cypher", NOWHERE).exit_code == 2
    assert "cannot be reached" in load(GOOD, NOWHERE).stderr
    result = load(GOOD, NOWHERE, "--password-env", "NOT_SET")
    assert result.exit_code == 2
    assert "password-env" in result.stderr
    assert "--password " not in CliRunner().invoke(app, ["import", "--help"]).output


@ON_A_DATABASE
def test_without_an_address_the_database_of_the_tools_is_meant(empty, monkeypatch, tmp_path):
    script = tmp_path / "good.cypher"
    script.write_text(GOOD, encoding="utf-8")
    nowhere = CliRunner().invoke(app, ["import", str(script)], env={"HOPLINE_NEO4J_URL": OWN})
    assert nowhere.exit_code == 2
    assert "HOPLINE_TOOLS_NEO4J_PORT" in nowhere.stderr
    for name, value in (("URL", empty.url), ("USER", empty.user), ("PASSWORD", empty.password)):
        monkeypatch.setenv(f"HOPLINE_TOOLS_NEO4J_{name}", value)
    load_settings.cache_clear()
    done = CliRunner().invoke(app, ["import", str(script)], env={"HOPLINE_NEO4J_URL": OWN})
    assert done.exit_code == 0, done.output
    assert "Tools and questions ask this graph." in done.stdout
    assert "export" not in done.stdout


@pytest.mark.long
def test_the_movies_graph_loads_and_the_tools_find_names_in_it(empty, load: Run, monkeypatch) -> None:
    if not MOVIES.is_file():
        pytest.skip("no evaluation folder")
    result = load(MOVIES, empty.url, "--json")
    assert result.exit_code == 0, result.stderr
    done = json.loads(result.stdout)
    assert (done["nodes"], done["relationships"], done["indexed"]) == (171, 253, ["Movie", "Person"])
    for name, value in (("URL", empty.url), ("USER", empty.user), ("PASSWORD", empty.password)):
        monkeypatch.setenv(f"HOPLINE_TOOLS_NEO4J_{name}", value)
        monkeypatch.setenv(f"HOPLINE_NEO4J_{name}", value)  # looked at first, for the collection's own graph
    load_settings.cache_clear()
    lookup = CliRunner().invoke(app, ["tools", "run", "lookup_knowledge", "entity=Keanu Reves", "--json"])
    assert lookup.exit_code == 0, lookup.output
    assert "The Matrix" in lookup.stdout
