"""Originals: kept while a version needs them, bounded, and left over by nobody, wherever a worker is lost."""

from collections.abc import Collection
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any, BinaryIO

import pytest
from doubles.memory_redis import memory_server
from doubles.model import BERN, Ingestion
from fakeredis import FakeRedis

from hopline.models.documents import OriginalState
from workers.adapters.blobs import BlobStore
from workers.adapters.named_files import NamedFiles
from workers.adapters.originals import OriginalStore
from workers.core import ids
from workers.core.originals import digest_of, original_name
from workers.core.redis_keys import ORIGINAL_BYTES
from workers.ingest.originals import sweep_originals

ID = ids.document_id("default", "bern.txt")
OTHER = "Bern lies on the Aare."


class Killed(BaseException):
    """The worker is lost here."""


class Store(OriginalStore):
    """A store whose worker may be lost before it writes or removes a file."""

    dies = ""

    def put(self, name: str, file: BinaryIO, size: int) -> OriginalState:
        if self.dies == "put":
            raise Killed
        return super().put(name, file, size)

    def delete(self, names: Collection[str]) -> None:
        if self.dies == "delete":
            raise Killed
        super().delete(names)


def store(folder: Path, client: Any, *, one: int = 10_000, every: int = 100_000) -> Store:
    files = NamedFiles(str(folder / "blobs"))
    blobs = BlobStore(str(folder / "blobs"))
    return Store(files, client, most_bytes=one, all_bytes=every, blobs=blobs)


@pytest.fixture
def client() -> Any:
    return FakeRedis(server=memory_server(), decode_responses=True)


@pytest.fixture
def ingestion(tmp_path: Path, client: Any) -> Ingestion:
    made = Ingestion(tmp_path)
    made.originals = store(tmp_path, client)
    return made


def kept(ingestion: Ingestion, name: str = "bern.txt") -> bytes | None:
    document = ingestion.document(name)
    assert document is not None
    file = ingestion.originals.open(document.original_file) if document.original_file else None
    if file is None:
        return None
    with file:
        return file.read()


def swept(ingestion: Ingestion) -> int:
    return sweep_originals(SimpleNamespace(graph=ingestion.graph, originals=ingestion.originals))


def test_a_file_is_kept_until_a_later_version_or_a_deletion(ingestion: Ingestion) -> None:
    ingestion.ingest(twice=True)
    [first] = ingestion.originals.of(ID)
    assert kept(ingestion) == BERN.encode()
    ingestion.ingest(OTHER)
    [second] = ingestion.originals.of(ID)
    assert (digest_of(first) != digest_of(second), kept(ingestion)) == (True, OTHER.encode())
    ingestion.delete()
    assert ingestion.originals.of(ID) == []


def test_documents_of_the_same_bytes_lose_their_own_file_alone(ingestion: Ingestion) -> None:
    ingestion.ingest()
    ingestion.ingest(name="copy.txt")
    ingestion.delete()
    assert kept(ingestion, "copy.txt") == BERN.encode()


def test_other_bytes_of_the_same_text_take_the_place_of_the_file(ingestion: Ingestion) -> None:
    ingestion.ingest()
    ingestion.ingest(b"\xef\xbb\xbf" + BERN.encode())
    assert kept(ingestion) == b"\xef\xbb\xbf" + BERN.encode()
    assert len(ingestion.originals.of(ID)) == 1


def test_who_is_lost_before_the_file_is_written_leaves_nothing(ingestion: Ingestion) -> None:
    ingestion.originals.dies = "put"  # type: ignore[attr-defined]
    with pytest.raises(Killed):
        ingestion.ingest()
    assert ingestion.originals.of(ID) == []
    ingestion.originals.dies = ""  # type: ignore[attr-defined]
    ingestion.ingest()
    assert kept(ingestion) == BERN.encode()
    assert len(ingestion.originals.of(ID)) == 1


def test_a_file_of_a_version_that_never_becomes_live_goes_with_the_next(ingestion: Ingestion) -> None:
    ingestion.ingest()
    document = ingestion.document()
    assert document is not None
    opened = ingestion.graph.store.open_version(document.model_copy(update={"content_hash": "other"}))
    fresh = original_name(ID, sha256(OTHER.encode()).hexdigest())
    ingestion.graph.store.name_original(opened, fresh[:-8], fresh)
    ingestion.originals.put(fresh, BytesIO(OTHER.encode()), len(OTHER))
    assert swept(ingestion) == 0  # it is being made
    assert len(ingestion.originals.of(ID)) == 2
    ingestion.ingest("Bern is old.")
    assert len(ingestion.originals.of(ID)) == 1
    assert kept(ingestion) == b"Bern is old."


def test_who_is_lost_before_the_file_is_removed_leaves_it_to_the_sweep(ingestion: Ingestion) -> None:
    ingestion.ingest()
    ingestion.originals.dies = "delete"  # type: ignore[attr-defined]
    with pytest.raises(Killed):
        ingestion.delete()
    assert len(ingestion.originals.of(ID)) == 1
    ingestion.originals.dies = ""  # type: ignore[attr-defined]
    assert (swept(ingestion), ingestion.originals.of(ID)) == (1, [])


def test_beyond_a_limit_a_document_is_ingested_and_says_why_its_file_is_not_kept(
    tmp_path: Path, client: Any
) -> None:
    ingestion, bytes_ = Ingestion(tmp_path), len(BERN.encode())
    ingestion.originals = store(tmp_path, client, one=bytes_ - 1)
    end = ingestion.ingest()
    assert (end.outcome["status"], end.outcome["original"]) == ("done", "too large")
    ingestion.originals = store(tmp_path, client, every=bytes_ + 5)
    ingestion.ingest()  # the same text: nothing is read or asked again
    assert kept(ingestion) == BERN.encode()
    end = ingestion.ingest(OTHER, "other.txt")
    assert (end.outcome["status"], end.outcome["original"]) == ("done", "no room")
    ingestion.delete()
    assert "original" not in ingestion.ingest(OTHER, "other.txt").outcome
    assert kept(ingestion, "other.txt") == OTHER.encode()


def test_what_is_counted_wrong_is_counted_anew(ingestion: Ingestion, client: Any) -> None:
    ingestion.ingest()
    for wrong in (-7, 10**9):
        client.set(ORIGINAL_BYTES, wrong)
        swept(ingestion)
        assert int(client.get(ORIGINAL_BYTES)) == len(BERN.encode())
    client.delete(ORIGINAL_BYTES)
    assert ingestion.originals.refusal(0) is None
    assert int(client.get(ORIGINAL_BYTES)) == len(BERN.encode())


def test_turned_off_none_is_kept_and_those_that_are_there_go(
    ingestion: Ingestion, tmp_path: Path, client: Any
) -> None:
    ingestion.ingest()
    ingestion.originals = store(tmp_path, client, every=0)
    assert "original" not in ingestion.ingest(OTHER, "other.txt").outcome
    document = ingestion.document("other.txt")
    assert document is not None
    assert document.original == "turned off"
    assert swept(ingestion) == 1
    ingestion.originals = store(tmp_path, client)
    assert kept(ingestion) is None
    ingestion.ingest()  # the same file again brings it back
    assert kept(ingestion) == BERN.encode()
