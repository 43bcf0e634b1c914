"""Chunk sizes of one ingestion: part of what a document is known by, on every way in."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from doubles.blobs import MemoryBlobs
from doubles.desk import Desk, texts
from doubles.graph import MemoryGraph
from doubles.manifests import pages_of
from doubles.model import ExtractingModel, FlowRunner, ingest_ports
from doubles.provider import MemoryProvider
from doubles.replies import MemoryReplies
from doubles.vectors import MemoryVectors
from typer.testing import Result

from hopline import Hopline
from hopline.errors import InvalidInput
from hopline.models.documents import Chunk
from hopline.models.params import ChunkSizes, SyncParams
from producer.estimate.sample import count_document
from producer.service.batches.submission import BatchOrder
from workers.core import ids
from workers.core.graph.stored_document import standing_chunks
from workers.core.jobs.params import DocumentParams, parse_params
from workers.core.jobs.work import NoInput
from workers.core.ports import Limits
from workers.ingest.chunking.sizes import own_sizes, sized
from workers.ingest.flow import DOCUMENT
from workers.ingest.profile.profile import load_profile, put_profile
from workers.ingest.provider.prepare import prepare_document
from workers.ingest.requests import plain_request, reply_tokens
from workers.ingest.schema import ProfiledFacts
from workers.ingest.sync.fingerprint import source_hash, version_hash
from workers.ingest.sync.survey import list_documents, read_page

Run = Callable[..., Result]
TEXT = "\n\n".join(
    f"In the year {1800 + n} the keeper number {n} of the lighthouse wrote down what he saw from the tower."
    for n in range(40)
)
NARROW = {"chunk_tokens": 100, "chunk_overlap": 0}


class House:
    """Graph, vectors, blobs, a model, and the replies that are kept of it."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "tower.txt"
        self.graph, self.vectors, self.blobs = MemoryGraph(), MemoryVectors(), MemoryBlobs()
        self.model, self.replies = ExtractingModel(), MemoryReplies()

    def ports(self, **more: Any) -> Any:
        fields = {"replies": self.replies, **more}
        return ingest_ports(self.graph, self.vectors, self.model, self.blobs, **fields)

    def ingest(self, text: str = TEXT, limits: Limits | None = None, **params: Any) -> str:
        self.file.write_text(text, encoding="utf-8")
        fields = {"uri": "tower.txt", "source": str(self.file), "format": "txt", "title": "Tower", **params}
        runner = FlowRunner(DOCUMENT, self.ports(params=fields, limits=limits or Limits()))
        status: str = runner.run().outcome["status"]
        return status

    def chunks(self, name: str = "tower.txt") -> list[Chunk]:
        return list(standing_chunks(self.graph.store, ids.document_id("default", name)))

    def version(self) -> int:
        document = self.graph.store.document(ids.document_id("default", "tower.txt"))
        assert document is not None
        return document.version


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


WRONG = [
    ({"chunk_tokens": 49}, "chunk_tokens is 49, but must be a whole number of tokens from 50 to 4000"),
    ({"chunk_tokens": 4001}, "chunk_tokens is 4001, but must be a whole number of tokens from 50 to 4000"),
    ({"chunk_tokens": "many"}, "chunk_tokens is 'many'"),
    (
        {"chunk_tokens": 300, "chunk_overlap": -1},
        "chunk_overlap is -1, but must be a whole number of tokens",
    ),
    ({"chunk_tokens": 300, "chunk_overlap": 151}, "is 151, but must be 0 to 150, half of chunk_tokens 300"),
    ({"chunk_overlap": 30}, "chunk_overlap is 30, but must be left out without chunk_tokens"),
]


def test_a_wrong_size_is_named_with_its_value_and_what_is_allowed() -> None:
    for model, beside in [
        (DocumentParams, {"uri": "a", "source": "a", "format": "txt"}),
        (SyncParams, {"sources": ["a"]}),
        (BatchOrder, {"name": "a", "sources": ["a"], "collection": "a"}),
    ]:
        for sizes, message in WRONG:
            with pytest.raises(InvalidInput, match=message):
                parse_params(model, beside | sizes)


def test_what_is_not_given_is_the_settings_and_an_overlap_half_of_a_chunk_at_most() -> None:
    overlaps = [sized(Limits(), ChunkSizes(chunk_tokens=size)).chunk_overlap for size in (2000, 600, 100, 50)]
    assert overlaps == [60, 60, 50, 25]
    assert own_sizes(Limits(), ChunkSizes(chunk_tokens=600)) == ChunkSizes()
    assert own_sizes(Limits(chunk_tokens=300), ChunkSizes(chunk_tokens=600)).chunk_tokens == 600


def test_without_sizes_a_document_is_known_by_what_it_was_known_by_before() -> None:
    """These hashes lie in graphs that stand."""
    plain = DocumentParams(uri="a", source="a", format="txt")
    profiled = plain.model_copy(update={"profile": "p.json", "chapter": 2})
    assert version_hash("A text.", plain, Limits()) == ids.content_hash("A text.")
    identity = "\x1f".join((ids.content_hash("A text."), "p.json", "2", "None"))
    assert version_hash("A text.", profiled, Limits()) == ids.content_hash(identity)
    wide = profiled.model_copy(update={"chunk_tokens": 1200})
    known = {source_hash(ids.content_hash("A text."), params, Limits()) for params in (plain, profiled, wide)}
    assert len(known) == 3


def test_the_same_sizes_change_nothing_and_others_make_a_new_version(house: House) -> None:
    assert house.ingest() == "done"
    assert house.ingest(limits=Limits(chunk_tokens=200)) == "unchanged", "a setting alone takes nothing anew"
    wide = [chunk.text for chunk in house.chunks()]
    calls = len(house.model.asked)
    assert house.ingest(chunk_tokens=600) == house.ingest(chunk_tokens=600, chunk_overlap=60) == "unchanged"
    assert house.ingest(**NARROW) == "done"
    narrow = house.chunks()
    assert len(narrow) > 2 * len(wide)
    assert max(chunk.tokens for chunk in narrow) <= 100
    assert len(house.model.asked) == calls + len(narrow)
    assert house.ingest(**NARROW) == "unchanged"
    assert house.version() == 2
    calls = len(house.model.asked)
    assert house.ingest() == "done"
    assert [chunk.text for chunk in house.chunks()] == wide, "larger chunks than before keep no border"
    assert len(house.model.asked) == calls, "and no reply is asked for twice"


def test_a_profile_and_sizes_go_together(house: House) -> None:
    reference = put_profile(house.blobs, load_profile("narrative"))
    house.model.extract = lambda _material: ProfiledFacts(facts=[])
    assert house.ingest(profile=reference) == "done"
    assert house.ingest(profile=reference, **NARROW) == "done"
    assert house.ingest(profile=reference, **NARROW) == "unchanged"


def test_lines_for_a_provider_are_those_that_the_document_will_ask(house: House) -> None:
    house.file.write_text(TEXT, encoding="utf-8")
    document = DocumentParams(uri="tower.txt", source=str(house.file), format="txt", title="Tower", **NARROW)
    ports = replace(house.ports(kind="prefill"), provider=MemoryProvider())
    prepared = sum(part.lines for part in prepare_document(document, ports).result.parts)
    house.ingest(**NARROW)
    assert prepared == len(house.chunks())


def test_a_larger_chunk_gets_room_for_a_longer_reply_and_finds_one_that_was_kept_before(house: House) -> None:
    assert [reply_tokens(size) for size in (50, 600, 601, 1200, 4000)] == [4096, 4096, 8192, 8192, 16_384]
    ports = house.ports()
    chunk = Chunk(id="c", index=0, text=TEXT, start=0, end=len(TEXT), tokens=1200, content_hash="h")
    large, small = (plain_request(ports, "T", chunk.model_copy(update={"tokens": n})) for n in (1200, 600))
    # Each key twice: under this prompt, and under the one before it.
    assert (large.max_tokens, len(large.keys), len(small.keys)) == (8192, 4, 2)
    assert set(small.keys) < set(large.keys)


def test_a_sync_takes_its_documents_with_its_sizes_and_encoding(house: House, tmp_path: Path) -> None:
    house.file.write_text(TEXT, encoding="utf-8")
    ports = house.ports(kind="sync", params={"sources": [str(tmp_path)], "encoding": "gbk", **NARROW})
    listed = list_documents(NoInput(), ports).result
    [survey] = [item for page in pages_of(house.blobs, listed.surveys.reference) for item in page]
    [document] = read_page(house.blobs, survey.input["page"])
    assert (document.chunk_tokens, document.chunk_overlap, document.encoding) == (100, 0, "gbk")


def test_an_estimate_counts_chunks_of_the_sizes_asked_for(tmp_path: Path, run: Run) -> None:
    file = tmp_path / "tower.txt"
    file.write_text(TEXT, encoding="utf-8")
    params = DocumentParams(uri=str(file), source=str(file), format="txt")
    wanted = sized(Limits(), ChunkSizes.model_validate(NARROW))
    estimate = json.loads(run("estimate", file, "--chunk-tokens", 100, "--chunk-overlap", 0, "--json").stdout)
    assert estimate["total"]["chunks"] == count_document(params, wanted).chunks > 5
    assert json.loads(run("estimate", file, "--chunk-tokens", 2000, "--json").stdout)["reply_cap"] == 16_384


def _sizes_sent(desk: Desk) -> set[tuple[Any, Any]]:
    items = [item for phase in desk.ledger.phases.values() for item in phase.items]
    desk.ledger.phases.clear()
    return {(item.input["chunk_tokens"], item.input["chunk_overlap"]) for item in items}


def test_a_wrong_size_submits_nothing(desk: Desk, client: Hopline, tmp_path: Path, run: Run) -> None:
    with pytest.raises(InvalidInput, match="chunk_overlap is 60, but must be 0 to 50"):
        client.hand_over(texts(tmp_path, "a.txt"), chunk_tokens=100, chunk_overlap=60)
    result = run("ingest", tmp_path / "a.txt", "--chunk-overlap", 60)
    assert result.exit_code == 2
    assert "--chunk-overlap is 60, but must be left out without" in result.stderr
    assert not desk.ledger.records


def test_the_command_line_sends_an_encoding(desk: Desk, tmp_path: Path, run: Run) -> None:
    texts(tmp_path, "a.txt")
    assert run("ingest", tmp_path / "a.txt", "--encoding", "gbk", "--no-wait").exit_code == 0
    [item] = [item for phase in desk.ledger.phases.values() for item in phase.items]
    assert item.input["encoding"] == "gbk"
    assert run("sync", tmp_path, "--encoding", "big5", "--no-wait").exit_code == 0
    [sync] = [record.job.params for record in desk.ledger.records.values() if record.job.kind == "sync"]
    assert sync["encoding"] == "big5"
    refused = run("ingest", tmp_path / "a.txt", "--encoding", "base64")
    assert (refused.exit_code, "--encoding is 'base64'" in refused.stderr) == (2, True)


def test_the_command_line_sends_sizes(desk: Desk, tmp_path: Path, run: Run) -> None:
    texts(tmp_path, "a.txt")
    sizes = ("--chunk-tokens", 100, "--chunk-overlap", 0)
    assert run("ingest", tmp_path / "a.txt", *sizes, "--no-wait").exit_code == 0
    assert _sizes_sent(desk) == {(100, 0)}
    assert run("sync", tmp_path, *sizes, "--no-wait").exit_code == 0
    [sync] = [record.job.params for record in desk.ledger.records.values() if record.job.kind == "sync"]
    assert (sync["chunk_tokens"], sync["chunk_overlap"]) == (100, 0)
