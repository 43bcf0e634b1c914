"""The schema that the offline model's unit tests ask about is that of the Movies graph."""

from __future__ import annotations

import pytest
from doubles.foreign import ForeignServer
from doubles.offline import MOVIES

from workers.adapters.neo4j.connection import Connection
from workers.adapters.neo4j.schema import Neo4jSchema


@pytest.mark.long  # a foreign database
def test_the_schema_of_the_unit_tests_is_the_graphs_own(movies_neo4j: ForeignServer) -> None:
    connection = Connection(movies_neo4j.url, movies_neo4j.user, movies_neo4j.password, 30.0)
    assert Neo4jSchema(connection).schema().as_text() == MOVIES
    connection.close()
