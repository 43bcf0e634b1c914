"""A reader of Cypher without a guard: for tests of what runs over it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import neo4j

from workers.core.cypher import CypherRows, ReadLimits


class PlainReader:
    """`core.cypher.CypherReader` over a real Neo4j, for values that are JSON but for dates."""

    def __init__(self, url: str, user: str, password: str) -> None:
        self.driver = neo4j.GraphDatabase.driver(url, auth=(user, password), notifications_min_severity="OFF")
        self.texts: list[str] = []

    def close(self) -> None:
        self.driver.close()

    def read(self, text: str, parameters: Mapping[str, Any], limits: ReadLimits) -> CypherRows:
        self.texts.append(text)
        with self.driver.session(default_access_mode=neo4j.READ_ACCESS) as session:
            found = session.run(neo4j.Query(text, timeout=limits.seconds), dict(parameters))
            columns = tuple(found.keys())
            rows = [tuple(_json(value) for value in record.values()) for record in found]
        cut = "rows" if len(rows) > limits.rows else None
        return CypherRows(columns=columns, rows=tuple(rows[: limits.rows]), cut=cut)


def _json(value: Any) -> Any:
    if isinstance(value, list):
        return [_json(one) for one in value]
    if isinstance(value, dict):
        return {key: _json(one) for key, one in value.items()}
    return value.iso_format() if hasattr(value, "iso_format") else value
