"""A real bulk worker whose blob store is another one takes no work until its mount is there."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fleet.crew import Crew, make_crew, private_crew, wait_until

from workers.app import application_for
from workers.core.redis_keys import BLOB_STORE
from workers.telemetry.presence import blind_by_queue


@pytest.fixture
def crews(stack_env: dict[str, str], tmp_path: Path) -> Iterator[tuple[Crew, Crew]]:
    """Workers of one Redis and two blob stores."""
    blobs = {name: {"HOPLINE_BLOB_URL": str(tmp_path / name / "blobs")} for name in ("good", "blind")}
    with private_crew(stack_env, tmp_path / "good", **blobs["good"]) as good:
        redis_url = good.environment["HOPLINE_REDIS_URL"]
        blind = make_crew(stack_env, redis_url, tmp_path / "blind", **blobs["blind"])
        yield good, blind
        blind.stop()


def test_a_bulk_worker_without_its_mount_takes_nothing_until_it_is_there(crews, collection, tmp_path):
    good, blind = crews
    good.start("good", "bulk")
    wait_until(lambda: good.redis.hget(BLOB_STORE, "seen"), "a worker has told that it sees the store")
    blind.start("blind", "bulk")
    inspect = application_for(good.settings).control.inspect(timeout=20, limit=2)

    def queues() -> dict[str, list[str]]:
        replies = inspect.active_queues() or {}
        return {name.partition("@")[0]: [queue["name"] for queue in taken] for name, taken in replies.items()}

    wait_until(lambda: blind_by_queue(good.redis)["bulk"] == 1, "it says that it does not see the store")
    wait_until(lambda: queues() == {"good": ["bulk"], "blind": []}, "it takes from no queue")
    texts = tmp_path / "texts"
    texts.mkdir()
    for nth in range(6):
        (texts / f"{nth}.txt").write_text(f"Anna Keller built bridge {nth} in 1843.", encoding="utf-8")
    good.ingest(texts, collection)
    assert not list((tmp_path / "blind" / "blobs").glob("??/??/*"))
    (tmp_path / "blind" / "blobs").symlink_to(tmp_path / "good" / "blobs")
    wait_until(lambda: blind_by_queue(good.redis)["bulk"] == 0, "it sees the store again")
    wait_until(lambda: queues() == {"good": ["bulk"], "blind": ["bulk"]}, "it takes from its queue again")
