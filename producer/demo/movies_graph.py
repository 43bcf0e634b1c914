"""Loads the bundled Movies graph into a database."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from producer.service.script_import import Target
from workers.text2cypher.script import ScriptStatement, split_script

if TYPE_CHECKING:
    from workers.settings import Settings

_FOLDER = files("producer.demo") / "movies"
_SECONDS = 30.0  # of a look at what is there


def movies_statements() -> list[ScriptStatement]:
    """Return the statements that make the graph, each with the facts as its parameters."""
    facts = {name: _facts()[name] for name in ("people", "films")}
    return [replace(statement, parameters=facts) for statement in split_script(_cypher("graph"))]


def tools_target(settings: Settings) -> Target:
    """Return the database that tools ask."""
    url, user, password = settings.tools_login
    return Target(url=url, user=user, password=password, settings="HOPLINE_TOOLS_NEO4J")


def has_movies(settings: Settings) -> bool:
    """Return whether the database that tools ask holds all films of the graph.

    Raises:
        DependencyAway: it cannot be reached.
    """
    from workers.adapters.neo4j.script import ScriptConnection  # noqa: PLC0415 - the driver

    connection = ScriptConnection(
        *settings.tools_login, _SECONDS, "HOPLINE_TOOLS_NEO4J", ca_file=settings.ca_file
    )
    titles = [film["title"] for film in _facts()["films"]]
    try:
        rows = connection.run_text("films_present", _cypher("films_present"), _SECONDS, titles=titles)
    finally:
        connection.close()
    return bool(rows[0]["films"] == len(titles))


@cache
def _facts() -> dict[str, Any]:
    facts: dict[str, Any] = json.loads((_FOLDER / "facts.json").read_text(encoding="utf-8"))
    return facts


def _cypher(name: str) -> str:
    return (_FOLDER / f"{name}.cypher").read_text(encoding="utf-8")
