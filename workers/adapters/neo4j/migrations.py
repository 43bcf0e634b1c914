"""Schema migrations: numbered files that create constraints and indexes once."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import structlog

from hopline.errors import Permanent
from hopline.models.base import Frozen
from workers.adapters.neo4j.connection import Connection, load_query

_SECONDS = 600.0  # an index over a large graph takes its time
_log = structlog.get_logger()


class Migration(Frozen):
    """One file of `cypher/migrations`: statements that may be run twice."""

    version: int
    name: str
    statements: tuple[str, ...]


@cache
def migrations() -> tuple[Migration, ...]:
    """Return all migrations, oldest first."""
    folder = files("workers.adapters.neo4j") / "cypher" / "migrations"
    all_migrations = []
    for file in folder.iterdir():
        if file.name.endswith(".cypher"):
            number, _, name = file.name.removesuffix(".cypher").partition("-")
            _comment, _, text = file.read_text(encoding="utf-8").partition("\n")
            statements = tuple(part.strip() for part in text.split(";\n"))
            all_migrations.append(Migration(version=int(number), name=name, statements=statements))
    return tuple(sorted(all_migrations, key=lambda migration: migration.version))


def migrate(connection: Connection) -> int:
    """Run the migrations that were not run yet, one process at a time; return the newest version.

    The lock is an open transaction on one node: it ends with the process that holds it. Schema commands
    cannot share a transaction with data, so they run beside it.
    """
    newest = migrations()[-1].version
    if _done(connection) >= newest:
        return newest
    connection.run("migration_bootstrap")
    with connection.holding("migration_lock", _SECONDS):
        done = _done(connection)
        for migration in migrations():
            if migration.version > done:
                _run(connection, migration)
        connection.run_text("await_indexes", load_query("await_indexes"), _SECONDS, seconds=int(_SECONDS))
    return newest


def check(connection: Connection) -> None:
    """Raise Permanent where the graph's version is not the one this code was written for."""
    newest, done = migrations()[-1].version, _done(connection)
    if done < newest:
        raise Permanent(f"the graph is at version {done}, this program needs {newest}: migrate it")
    if done > newest:
        raise Permanent(f"the graph is at version {done}, this program knows {newest}: update the program")


def _done(connection: Connection) -> int:
    return max((row["version"] for row in connection.run("migration_versions")), default=0)


def _run(connection: Connection, migration: Migration) -> None:
    for statement in migration.statements:
        connection.run_text(f"migration {migration.version}", statement, _SECONDS)
    connection.run("migration_record", version=migration.version, name=migration.name)
    _log.info("graph.migrated", version=migration.version, migration=migration.name)
