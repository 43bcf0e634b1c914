"""DuckDB over files of history: writes rows as Parquet, and reads them; it opens no other files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from hopline.models.times import STORED

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

    from hopline.models.audit import AuditEvent
    from hopline.models.history import HistoryRow

_USAGE = "STRUCT(model_calls BIGINT, prompt_tokens BIGINT, completion_tokens BIGINT, cost DOUBLE)"
COLUMNS = {
    "id": "VARCHAR",
    "epoch": "BIGINT",
    "kind": "VARCHAR",
    "collection": "VARCHAR",
    "collections": "VARCHAR[]",
    "caller": "VARCHAR",
    "state": "VARCHAR",
    "priority": "VARCHAR",
    "created": "DOUBLE",
    "ended": "DOUBLE",
    "seconds": "DOUBLE",
    "calls": "BIGINT",
    "prompt_tokens": "BIGINT",
    "completion_tokens": "BIGINT",
    "cost": "DOUBLE",
    "models": f"MAP(VARCHAR, {_USAGE})",
    "steps": "MAP(VARCHAR, BIGINT)",
    "timings": "MAP(VARCHAR, DOUBLE)",
    "dead": "BIGINT",
    "errors": "STRUCT(step VARCHAR, error VARCHAR)[]",
    "reason": "VARCHAR",
    "params": "JSON",
    "outcome": "JSON",
    "parent": "VARCHAR",
    "request_id": "VARCHAR",
    "tags": "MAP(VARCHAR, VARCHAR)",
}
_ROWS = "rows.ndjson"
_MEMORY, _THREADS = "512MB", 2


@contextmanager
def open_table(folder: Path, more: Sequence[str] = ()) -> Iterator[DuckDBPyConnection]:
    """Yield a connection that reads and writes files of these folders, and no others.

    Args:
        folder: for its own files.
        more: others that it may read.
    """
    import duckdb  # noqa: PLC0415 - 0.1 s and 25 MB, only for history

    config: dict[str, str | int | float | list[str]] = {
        "memory_limit": _MEMORY,
        "threads": _THREADS,
        "temp_directory": str(folder / "spill"),
        "autoload_known_extensions": False,
        "autoinstall_known_extensions": False,
    }
    with duckdb.connect(config=config) as connection:
        connection.execute("SET allowed_directories = $folders", {"folders": [str(folder), *more]})
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
        yield connection


def relation_of(
    connection: DuckDBPyConnection,
    rows: Iterable[HistoryRow] | Iterable[AuditEvent],
    folder: Path,
    columns: Mapping[str, str] = COLUMNS,
) -> DuckDBPyRelation:
    """Return rows as a relation, read from a file that is written into the folder."""
    place = folder / _ROWS
    with place.open("w", encoding="utf-8") as file:
        for row in rows:
            file.write(row.model_dump_json(context=STORED) + "\n")
    return connection.read_json(str(place), format="newline_delimited", columns=dict(columns))


def relation_of_files(
    connection: DuckDBPyConnection, files: Sequence[Path], columns: Mapping[str, str] = COLUMNS
) -> DuckDBPyRelation:
    """Return the rows of Parquet files; a column that a file, or all of them, lacks is empty there."""
    names = [str(file) for file in files]
    rows = connection.read_parquet(names, union_by_name=True, hive_partitioning=False)
    lacking = [f"NULL::{kind} AS {name}" for name, kind in columns.items() if name not in rows.columns]
    return rows.project(", ".join(["*", *lacking])) if lacking else rows


def write_parquet(relation: DuckDBPyRelation, place: Path, order: str) -> None:
    """Write rows in an order; the same rows are the same bytes."""
    relation.order(order).write_parquet(str(place), compression="zstd", overwrite=True)
