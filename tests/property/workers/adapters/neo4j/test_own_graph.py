"""Whatever a statement asks, it finds what it would find if the collection's graph were all there is.

What stands beside it: another collection with the same names, a version that is not live, a deleted document,
nodes of no collection, and relationships that lead out of the collection and back. What there would be to
find is asked of a copy under labels of its own, by the same statement, which is kept to nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import neo4j as driver
import pytest
from doubles.own_graph import OwnGraph, holding
from fleet.cases import cases
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

from workers.adapters.neo4j.graph import Neo4jGraph
from workers.core.errors import CypherRefused

LABELS = ("Person", "Movie", "Year", "MajorEvent")
TYPES = ("ACTED_IN", "DIRECTED", "PRODUCED", "WROTE", "REVIEWED", "FOLLOWS", "RELEASED_IN", "EXPERIENCES")
NAMES = ("keanu reeves", "tom hanks", "matrix", "top gun", "1999", "secret person", "secret nobody")
LENGTHS = ("*1..2", "*0..1", "*2", "*..3")


@dataclass(frozen=True)
class Dialect:
    """How labels and types are written, and what stands where none is."""

    before: str = ""
    label: str = ""
    kind: str = ""

    def node(self, name: str, label: str | None, held: str | None) -> str:
        label_part = f":{self.before}{label}" if label else self.label
        return f"({name}{label_part}{f' {{name: {held!r}}}' if held else ''})"

    def relationship(self, name: str, kind: str | None, length: str, arrow: str) -> str:
        type_part = f":{self.before.upper()}{'_' if self.before else ''}{kind}" if kind else self.kind
        left, right = {"out": ("-", "->"), "in": ("<-", "-"), "any": ("-", "-")}[arrow]
        inside = f"{'' if length else name}{type_part}{length}"
        return f"{left}{f'[{inside}]' if inside else ''}{right}"


OWN = Dialect()
SHADOW = Dialect("Shadow", ":Shadow", ":" + "|".join(f"SHADOW_{kind}" for kind in TYPES))
Pair = tuple[str, str]  # the statement over the collection, and over the copy


def _both(template: str, *pairs: Pair) -> Pair:
    return template.format(*(own for own, _ in pairs)), template.format(*(copy for _, copy in pairs))


@st.composite
def nodes(draw: st.DrawFn, name: str = "") -> Pair:
    label = draw(st.sampled_from((None, None, *LABELS)))
    held = draw(st.sampled_from((None, None, None, *NAMES)))
    return OWN.node(name, label, held), SHADOW.node(name, label, held)


@st.composite
def paths(draw: st.DrawFn, *names: str, longer: bool = True) -> Pair:
    """A path from the first name on; further nodes have the names that follow, then none."""
    made = draw(nodes(names[0] if names else ""))
    for nth in range(1, draw(st.integers(1 if len(names) < 2 else len(names) - 1, 2)) + 1):
        kind = draw(st.sampled_from((None, *TYPES)))
        length = draw(st.sampled_from(("", "", *LENGTHS))) if longer and nth == 1 else ""
        arrow = draw(st.sampled_from(("out", "in", "any")))
        between = tuple(dialect.relationship("", kind, length, arrow) for dialect in (OWN, SHADOW))
        made = _both("{}{}{}", made, between, draw(nodes(names[nth] if nth < len(names) else "")))
    return made


@st.composite
def conditions(draw: st.DrawFn, *names: str) -> Pair:
    name = draw(st.sampled_from(names))
    kind = draw(
        st.sampled_from(("equal", "holds", "fails", "pattern", "exists", "count", "or", "not", "any"))
    )
    match kind:
        case "equal":
            text = f"{name}.name = {draw(st.sampled_from(NAMES))!r}"
        case "holds":
            text = f"toLower({name}.name) CONTAINS {draw(st.sampled_from(('e', 'secret', '19')))!r}"
        case "fails":  # over a name that looks like a year and is no date, which only strangers have
            held = f"size({name}.name) = 4"
            text = f"CASE WHEN {held} THEN date({name}.name) > date('1996') END"
        case "pattern":
            return _both("{}", draw(paths(name)))
        case "exists":
            return _both("EXISTS {{ MATCH {} WHERE {} }}", draw(paths(name, "x")), draw(_simple("x")))
        case "count":
            return _both("COUNT {{ {} }} > 1", draw(paths(name)))
        case "or":
            return _both("({} OR {})", draw(_simple(name)), draw(paths(name, longer=False)))
        case "not":
            return _both("NOT {}", draw(paths(name)))
        case _:
            text = f"any(one IN labels({name}) WHERE one ENDS WITH 'e')"
    return text, text


@st.composite
def _simple(draw: st.DrawFn, name: str) -> Pair:
    text = f"{name}.name {draw(st.sampled_from(('>', '<>', 'CONTAINS')))} {draw(st.sampled_from(NAMES))!r}"
    return text, text


RETURNED = (
    "count(*) AS n",
    "count(DISTINCT a.name) AS n, min(b.name) AS least, max(b.name) AS most",
    "a.name AS a, b.name AS b",
    "a.name AS a, count(DISTINCT b) AS n",
    "a.name AS a, collect(DISTINCT b.name) AS names",
)


@st.composite
def matches(draw: st.DrawFn) -> Pair:
    where = [draw(conditions("a", "b")) for _ in range(draw(st.integers(0, 2)))]
    pattern = _both("MATCH {}", draw(paths("a", "b")))
    return (
        _both("{} WHERE {}", pattern, _both(" AND ".join("{}" for _ in where), *where)) if where else pattern
    )


def further(holds: Pair, fits: Pair) -> st.SearchStrategy[Pair]:
    """What may follow a MATCH of a and b."""
    beyond, shared = paths("b", "c"), paths("a", "c")
    inner = st.builds(lambda pattern: _both("{} WHERE {}", pattern, fits), shared)

    def said(template: str, patterns: st.SearchStrategy[Pair], *more: Pair) -> st.SearchStrategy[Pair]:
        return patterns.map(lambda pattern: _both(template, pattern, *more))

    return st.one_of(
        st.sampled_from(RETURNED).map(lambda columns: (f"RETURN {columns}",) * 2),
        said("OPTIONAL MATCH {} WHERE {} RETURN a.name AS a, c.name AS c", beyond, holds),
        said("WITH DISTINCT b MATCH {} WHERE {} RETURN count(*) AS n, min(c.name) AS c", beyond, holds),
        said("RETURN count(a) AS n UNION ALL MATCH {} RETURN count(b) AS n", beyond),
        said("CALL (a) {{ MATCH {} RETURN count(c) AS n }} RETURN a.name AS a, n", inner),
        said("RETURN a.name AS a, [{} | c.name] AS names", inner),
        said("RETURN a.name AS a, COLLECT {{ MATCH {} RETURN c.name }} AS names", inner),
    )


@st.composite
def statements(draw: st.DrawFn) -> Pair:
    rest = draw(further(draw(conditions("c")), draw(_simple("c"))))
    return _both("{} {}", draw(matches()), rest)


@pytest.fixture(scope="module")
def own(neo4j, neo4j_graph: Neo4jGraph) -> Iterator[OwnGraph]:
    with driver.GraphDatabase.driver(
        neo4j.url, auth=(neo4j.user, neo4j.password), notifications_min_severity="OFF"
    ) as raw:
        made = OwnGraph(neo4j_graph, raw, "own-graph-drawn")
        made.add_strangers()
        made.add_shadows()
        made.look()
        yield made
        made.remove()


@settings(max_examples=cases(40), deadline=None, suppress_health_check=list(HealthCheck))
@given(statement=statements())
def test_a_statement_finds_what_it_would_if_there_were_nothing_else(own: OwnGraph, statement: Pair) -> None:
    over_own, over_copy = statement
    try:
        rows = own.rows(over_own)
    except CypherRefused:  # too many paths of several lengths, or patterns: the guard's bounds
        reject()
    assert rows == own.plain_rows(over_copy)
    assert not holding(rows)
