"""History by the command line: workers write what has ended, and a search finds each job once."""

from __future__ import annotations

from pathlib import Path

from fleet.checks import one_object
from fleet.crew import Crew, wait_until

from workers.ledger.keys import HISTORY, HISTORY_SEALED

TEXT = "Warden Number{n} kept the lock of Karsund, and opened it for the barges in spring."


def test_workers_write_the_history_of_a_whole_batch(crew: Crew, collection: str, tmp_path: Path) -> None:
    for n in range(5):
        (tmp_path / f"w{n}.txt").write_text(TEXT.format(n=n), encoding="utf-8")
    report = crew.client.ingest([tmp_path], collection)
    assert len(report.documents) == 5

    def listed() -> list[dict]:
        return one_object(crew.run("history", "-c", collection, "--all", "--json").stdout)["jobs"]

    wait_until(lambda: len(listed()) >= 6, "the last is told of, which may be after the batch's end")
    rows = listed()
    kinds = [row["kind"] for row in rows]
    assert (kinds.count("document"), kinds.count("batch"), len(rows)) == (5, 1, 6)
    batch = next(row for row in rows if row["kind"] == "batch")
    assert {row["parent"] for row in rows} == {"", batch["id"]}
    crew.redis.set("hop:history:last", 0)  # as if the last time was long ago
    wait_until(lambda: not crew.redis.exists(HISTORY, HISTORY_SEALED), "a worker has written them")
    assert listed() == rows
