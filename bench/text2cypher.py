"""What the guard of model-written Cypher does to recorded statements: which it catches, which it lets return.

Replays an evaluation file of questions and statements, some marked as wrong, over the graph that they were
written for, in a Neo4j of its own. Good statements run twice, guarded and not, and must return the same.

    python bench/text2cypher.py ../shared/eval/text2cypher_movies_opus.csv [--graph FILE.cypher] [--json FILE]
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import structlog
from neo4j import Driver, GraphDatabase
from neo4j.exceptions import Neo4jError
from report import keep, machine, options
from rich.console import Console
from rich.table import Table
from world import World, started_world

from workers.adapters.neo4j.rows import to_value
from workers.adapters.neo4j.untrusted_cypher import GuardedReader
from workers.core.errors import CypherRefused, CypherTooLong
from workers.core.graph.cypher import ReadLimits
from workers.text2cypher.check import checked
from workers.text2cypher.names import GraphNames

WIDE = ReadLimits(rows=1_000_000, bytes=1_000_000_000, seconds=60)
# The server's warnings of a label, a type and a property that no node or relationship ever had.
_UNKNOWN = {"01N50", "01N51", "01N52"}
_CYPHER = Path(__file__).parent / "cypher"


@dataclass(frozen=True)
class Replayed:
    """One row: what it is, and what became of it."""

    kind: str  # syntax error, false schema, good; of the good: not of this graph, not of this server
    end: str  # refused by its text, by its names, by the plan; ran and returned the same, or other rows
    line: int  # of the row's statement in the file, the first row is 1
    told: str = ""


def main() -> None:
    """Replay and print."""
    arguments = _parse_arguments()
    if not arguments.file.is_file():
        print(f"text2cypher: skipped, there is no {arguments.file}")
        return
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(40))
    with arguments.file.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    with started_world() as world:
        replayed = list(_replayed(world, rows, arguments.graph or arguments.file.with_name("movies.cypher")))
    report = _report(replayed, arguments.file.name)
    _print(Console(width=None if sys.stdout.isatty() else 150), report, replayed)
    keep(report, arguments.json)


def _parse_arguments() -> argparse.Namespace:
    parser = options(__doc__)
    parser.add_argument("file", type=Path, help="questions and statements, as CSV")
    parser.add_argument(
        "--graph", type=Path, help="the statements that make the graph; default: movies.cypher beside FILE"
    )
    return parser.parse_args()


def _replayed(world: World, rows: list[dict[str, str]], graph: Path) -> Iterator[Replayed]:
    settings = world.settings
    login = (settings.neo4j_user, settings.neo4j_password.get_secret_value())
    reader = GuardedReader(settings.neo4j_url, *login)
    with GraphDatabase.driver(settings.neo4j_url, auth=login) as driver:
        for statement in graph.read_text(encoding="utf-8").split(";\n"):
            if statement.strip():
                driver.execute_query(statement)
        names = _names(driver)
        for line, row in enumerate(rows, start=1):
            yield _replay(line, row, names, reader, driver)
    reader.close()


def _names(driver: Driver) -> GraphNames:
    of: dict[str, frozenset[str]] = {}
    kinds: dict[str, set[str]] = {"label": set(), "type": set()}
    for kind, query in (("label", "names_of_labels"), ("type", "names_of_types")):
        for record in driver.execute_query((_CYPHER / f"{query}.cypher").read_text(encoding="utf-8")).records:
            kinds[kind].add(record["name"])
            of[record["name"]] = frozenset(record["properties"])
    properties = frozenset[str]().union(*of.values())
    return GraphNames(frozenset(kinds["label"]), frozenset(kinds["type"]), properties, of)


def _replay(
    line: int, row: dict[str, str], names: GraphNames, reader: GuardedReader, driver: Driver
) -> Replayed:
    text = row["cypher"]
    kind = (
        "syntax error" if row["syntax_error"] == "True" else "false schema" if row["false_schema"] else "good"
    )
    plain = _unguarded(driver, text) if kind == "good" else None
    if isinstance(plain, str):
        kind = plain
    try:
        statement = checked(text)
    except CypherRefused as error:
        return Replayed(kind, "refused: text", line, str(error))
    try:
        checked(text, names)
    except CypherRefused as error:
        # The server warns of names that nothing has, not of what one label lacks.
        kind = "good, not of this graph" if kind == "good" else kind
        return Replayed(kind, "refused: names", line, str(error))
    try:
        result = reader.read(statement, {}, WIDE)
    except (CypherRefused, CypherTooLong) as error:
        return Replayed(
            kind, "refused: plan" if isinstance(error, CypherRefused) else "too long", line, str(error)
        )
    if kind != "good":
        return Replayed(kind, "ran", line)
    same = plain is not None and [list(record) for record in result.rows] == plain and result.cut is None
    return Replayed(kind, "ran: the same rows" if same else "ran: other rows", line, str(result.cut or ""))


def _unguarded(driver: Driver, text: str) -> list[list[Any]] | str:
    """Return the rows that the driver returns, or why the row is not answerable here."""
    try:
        with driver.session() as session:
            result = session.run(text)
            rows = [[to_value(value) for value in record.values()] for record in result]
            statuses = {status.gql_status for status in result.consume().gql_status_objects}
    except Neo4jError:
        return "good, not of this server"
    return "good, not of this graph" if statuses & _UNKNOWN else rows


def _report(replayed: list[Replayed], name: str) -> dict[str, Any]:
    counts = Counter((replay.kind, replay.end) for replay in replayed)
    kinds = sorted({replay.kind for replay in replayed})
    wrong = [replay for replay in replayed if replay.kind in {"syntax error", "false schema"}]
    good = [replay for replay in replayed if replay.kind == "good"]
    return {
        "benchmark": "text2cypher",
        "machine": machine(),
        "file": name,
        "rows": len(replayed),
        "kinds": {kind: {end: n for (of, end), n in sorted(counts.items()) if of == kind} for kind in kinds},
        "wrong": len(wrong),
        "wrong_caught_before_running": sum(replay.end.startswith("refused") for replay in wrong),
        "good_and_answerable": len(good),
        "good_that_return_the_same": sum(replay.end == "ran: the same rows" for replay in good),
    }


def _print(console: Console, report: dict[str, Any], replayed: list[Replayed]) -> None:
    table = Table("rows", "what became of them", "number", title=f"{report['file']}, {report['rows']} rows")
    for kind, ends in report["kinds"].items():
        for end, number in ends.items():
            table.add_row(kind, end, str(number))
    console.print(table)
    caught, wrong = report["wrong_caught_before_running"], report["wrong"]
    console.print(f"marked as wrong: {caught} of {wrong} caught before anything ran")
    same, good = report["good_that_return_the_same"], report["good_and_answerable"]
    console.print(f"good and answerable on this graph: {same} of {good} return what they return unguarded")
    for replay in replayed:
        missed = replay.kind in {"syntax error", "false schema"} and not replay.end.startswith("refused")
        if (
            missed
            or (replay.kind == "good" and replay.end != "ran: the same rows")
            or "server" in replay.kind
        ):
            console.print(
                f"row {replay.line}, {replay.kind}: {replay.end} {replay.told}", markup=False, highlight=False
            )


if __name__ == "__main__":
    main()
