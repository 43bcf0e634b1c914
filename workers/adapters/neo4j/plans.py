"""Reads the server's query plan for what a statement's declared type does not show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from neo4j import ResultSummary

from workers.core.errors import CypherRefused

# These plans are of the type that reads, as tried on 5.26.30: LOAD CSV reaches files and addresses, IN
# TRANSACTIONS leaves the statement's own transaction, and the commands tell or end what other users do.
_REFUSED = ("LoadCSV", "Transaction", "Terminate", "Show", "Administration", "Foreach")
# What only looks things up by a name or in an index.
_CALLED = frozenset(
    {
        "apoc.meta.data",
        "db.index.fulltext.querynodes",
        "db.index.fulltext.queryrelationships",
        "db.index.vector.querynodes",
        "db.index.vector.queryrelationships",
        "db.labels",
        "db.propertykeys",
        "db.relationshiptypes",
        "db.schema.nodetypeproperties",
        "db.schema.reltypeproperties",
        "db.schema.visualization",
    }
)


def refuse_plan(summary: ResultSummary) -> None:
    """Refuse a plan that does more than read the graph.

    Args:
        summary: of the statement's EXPLAIN.

    Raises:
        CypherRefused: it writes, or has an operator or calls a procedure that it may not.
    """
    if summary.query_type != "r":
        raise CypherRefused(f"the server says that the statement does not only read ({summary.query_type})")
    if not summary.plan:
        raise CypherRefused("the server did not plan the statement")
    for operator in _operators(summary.plan):
        name = str(operator.get("operatorType", "")).partition("@")[0]
        if name.startswith(_REFUSED):
            raise CypherRefused(f"the server plans to {name}, which is not allowed")
        if name.startswith("ProcedureCall"):
            _refuse_call(str(operator.get("args", {}).get("Details", "")))


def _operators(plan: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield plan
    for child in plan.get("children", ()):
        yield from _operators(child)


def _refuse_call(details: str) -> None:
    name = details.partition("(")[0].strip().replace("`", "")
    if name.lower() not in _CALLED:
        raise CypherRefused(f"the server plans to call {name or 'a procedure'}, which is not allowed")
