"""Many jobs through many kills: each is in history once, and is one trace with one root and no orphan.

HOPLINE_TEST_JOBS_KILLED=2000 and HOPLINE_TEST_KILLS=30 make a night of it: some minutes.
"""

import itertools
import json
import os
import secrets
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from fleet.checks import assert_nothing_left
from fleet.collector import Arrived, OtlpCollector, otlp_collector
from fleet.crew import Crew, private_crew, wait_until

from hopline.models.history import HistoryRow
from hopline.models.jobs import JobState
from hopline.traces import TraceContext, in_trace
from workers.adapters.named_files import NamedFiles
from workers.core.redis_keys import HISTORY, HISTORY_SEALED
from workers.history.parts import holding, stored_parts

JOBS = int(os.environ.get("HOPLINE_TEST_JOBS_KILLED", "80"))
KILLS = int(os.environ.get("HOPLINE_TEST_KILLS", "4"))
SECONDS = 300.0 + JOBS  # of a machine that does much else
TEXT = "Warden Number{n} kept the lock of Karsund, and opened it for {m} barges in spring."


@pytest.fixture
def collector() -> Iterator[OtlpCollector]:
    with otlp_collector() as collector:
        yield collector


@pytest.fixture
def fleet(tmp_path: Path, stack_env: dict[str, str], collector: OtlpCollector) -> Iterator[Crew]:
    """Three workers on a Redis of their own, where no other test's take an item."""
    own = {"HOPLINE_BULK_THREADS": "8", "HOPLINE_BLOB_URL": str(tmp_path / "blobs")}
    with private_crew(stack_env, tmp_path, **own) as fleet:
        fleet.environment |= collector.environment
        fleet.model.set(chat={"latency": 0.6})
        fleet.start_all(a="bulk", b="bulk", quarantine="quarantine")
        yield fleet


@pytest.mark.timeout(4 * SECONDS)
def test_every_job_is_in_history_once_and_one_trace_through_kills(fleet, collector, collection, tmp_path):
    by = TraceContext(trace_id=secrets.token_hex(16), parent=secrets.token_hex(8))
    batch = submitted(fleet, collection, tmp_path, by)
    lost = killed_on_the_way(fleet, batch)
    report = fleet.client.jobs.wait(batch, timeout=SECONDS)
    assert report.state is JobState.DONE, report
    wait_until(lambda: len(found(fleet, collection)) >= JOBS, "the last rows are there", SECONDS)
    rows = found(fleet, collection)
    kinds = Counter(row.kind for row in rows)
    assert (kinds["document"], kinds["batch"], len({row.id for row in rows})) == (JOBS - 1, 1, JOBS)
    assert {row.state for row in rows} == {JobState.DONE}
    fleet.redis.set("hop:history:last", 0)  # as if the last time was long ago
    wait_until(lambda: not fleet.redis.exists(HISTORY, HISTORY_SEALED), "all are written", SECONDS)
    assert Counter(stored(fleet)) == dict.fromkeys(((row.id, row.epoch) for row in rows), 1)
    documents = assert_one_trace_each(collector, {row.id for row in rows if row.kind == "document"})
    assert_batch_trace(collector, by, documents)
    assert_nothing_left(fleet)
    print(f"{JOBS} jobs, {KILLS} kills, {lost} leases lost, {len(collector.spans)} spans")  # noqa: T201 - the figures of a long run


def submitted(fleet: Crew, collection: str, folder: Path, by: TraceContext) -> str:
    """Submit a batch that with its documents is so many jobs, all of them sampled as their caller is."""
    lines = (
        json.dumps({"id": f"w{n}", "title": f"w{n}", "text": TEXT.format(n=n, m=n + 2)})
        for n in range(JOBS - 1)
    )
    file = folder / "wardens.jsonl"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with in_trace(str(by)):
        return fleet.client.batches.submit(f"kills-{secrets.token_hex(3)}", [str(file)], collection).job_id


def killed_on_the_way(fleet: Crew, batch: str) -> int:
    """Kill workers at even shares of the first half, and start them again; return how many leases it cost."""
    for kill, name in zip(range(KILLS), itertools.cycle("ab"), strict=False):
        due = JOBS * (kill + 0.5) / (2 * KILLS)
        wait_until(lambda due=due: done(fleet, batch) >= due, f"{due:g} documents are done", SECONDS)
        fleet.model.change(chat={"hold": True})
        wait_until(lambda: fleet.model.shown()["now"], "workers wait for the model")
        fleet.restart(name, wait=False)
        fleet.model.change(chat={"hold": False})
    return fleet.client.jobs.get(batch).leases_lost


def done(fleet: Crew, batch: str) -> int:
    record = fleet.ledger.job(batch, outcome=False)
    assert record.ended is None, "it was too quick to be killed as often"
    return record.done.get("ingest.document", 0)


def found(fleet: Crew, collection: str) -> list[HistoryRow]:
    """Return all rows that a search finds, page after page."""
    return list(fleet.client.history.iterate(collection=collection))


def stored(fleet: Crew) -> list[tuple[str, int]]:
    """Return id and epoch of each row in the files that hold."""
    import duckdb  # noqa: PLC0415 - as where it is used

    files = NamedFiles(fleet.settings.blob_url)
    places = [str(files.local(part.name, Path())) for part in holding(stored_parts(files, "history/jobs/"))]
    return duckdb.connect().read_parquet(places).project("id, epoch").fetchall()


def assert_one_trace_each(collector: OtlpCollector, documents: set[str]) -> dict[tuple[str, str], Arrived]:
    """Check that each document is a trace with one root, and that every span has its parent.

    Returns:
        the root of each, by its ids of trace and span.
    """

    def arrived() -> dict[tuple[str, str], Arrived]:
        spans = [span for span in list(collector.spans) if span.name == "job document"]
        return {(span.trace_id, span.span_id): span for span in spans}

    def jobs() -> Counter[str]:
        return Counter(span.attributes["hopline.job.id"] for span in arrived().values())

    wait_until(lambda: jobs().keys() >= documents, "each document's trace")
    assert jobs() == dict.fromkeys(documents, 1)
    roots = arrived()
    assert len({trace_id for trace_id, _ in roots}) == len(documents)
    for trace_id, _ in roots:
        assert [span.name for span in collector.roots(trace_id)] == ["job document"]
        assert collector.orphans(trace_id) == []
    return roots


def assert_batch_trace(collector, by, documents):
    """Check that the batch is one trace below its caller, without orphans, linked with each document."""
    wait_until(lambda: collector.is_whole(by.trace_id, by.parent), "the batch's whole trace")
    assert [span.name for span in collector.roots(by.trace_id, by.parent)] == ["job batch"]
    items = [span for span in collector.of(by.trace_id) if span.name == "ingest.document"]
    assert Counter(place for item in items for place in item.links) == dict.fromkeys(documents, 1)
    places = {((by.trace_id, item.span_id),) for item in items}
    assert {span.links for span in documents.values()} == places
