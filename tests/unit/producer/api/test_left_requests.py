"""What a request reads for an answer stops with its caller, and nothing is submitted."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from doubles.desk import Desk, SentMessages, texts
from doubles.desk_streams import ServiceInMemory

from hopline import AsyncHopline
from hopline.local import URL
from producer.local_application import LocalApplication
from producer.service.sources import Listing
from workers.ledger.batches import Batches
from workers.sources.documents import list_places, list_sources

SECONDS = 20.0
Call = Callable[[AsyncHopline, list[str]], Awaitable[Any]]


class Listed:
    """Lists sources until its caller is there to leave: after so many documents."""

    def __init__(self, before_it_leaves: int, really: Callable[..., Iterator[Any]]) -> None:
        self.documents = 0
        self.reached, self.left, self.ended = threading.Event(), threading.Event(), threading.Event()
        self._last, self._really = before_it_leaves, really

    def list(self, *sources: Any, **given: Any) -> Iterator[Any]:
        try:
            for entry in self._really(*sources, **given):
                yield entry
                self.documents += 1
                if self.documents == self._last:
                    self.reached.set()
                    self.left.wait(SECONDS)
        finally:
            self.ended.set()


@pytest.mark.parametrize("documents", [1, 3], ids=["amid the listing", "after its last document"])
@pytest.mark.parametrize(("module", "call"), [
    ("sources.list_sources", lambda client, paths: client.hand_over(paths)),
    ("batches.submission.list_places", lambda client, paths: client.batches.submit("night", paths)),
    ("batches.estimates.list_places", lambda client, paths: client.estimates.make(paths)),
], ids=["documents", "batch", "estimate"])  # fmt: skip
def test_it_stops_when_its_caller_leaves(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, call: Call, documents: int
) -> None:
    really = list_places if module.endswith("list_places") else list_sources
    listed, leave = Listed(documents, really), Listing.leave

    def note_leave(listing: Listing) -> None:
        leave(listing)
        listed.left.set()

    read: list[object] = []
    monkeypatch.setattr(Listing, "leave", note_leave)
    monkeypatch.setattr(f"producer.service.{module}", listed.list)
    monkeypatch.setattr("producer.estimate.sample.count_document", lambda *given: read.append(given))
    monkeypatch.setattr(desk, "batches", Batches(desk.redis), raising=False)
    monkeypatch.setattr(desk.graph, "growth", lambda _collection: None, raising=False)
    paths = [str(path) for path in texts(tmp_path, "a.txt", "b.txt", "c.txt")]
    application = LocalApplication(service=ServiceInMemory(desk, SentMessages()))

    async def ask_and_leave() -> None:
        async with AsyncHopline(URL, api_key="", transport=application.async_transport()) as client:
            asked = asyncio.ensure_future(call(client, paths))
            assert await asyncio.to_thread(listed.reached.wait, SECONDS)
            asked.cancel()
            await asyncio.wait([asked])
            assert await asyncio.to_thread(listed.ended.wait, SECONDS)

    asyncio.run(ask_and_leave())
    for thread in threading.enumerate():
        if thread.name.startswith("AnyIO worker"):
            thread.join(SECONDS)
    assert listed.documents == documents
    assert (desk.ledger.records, desk.batches.all(), read) == ({}, [], [])
