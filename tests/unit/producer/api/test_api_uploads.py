"""What a request brings: documents, changes of metadata, and what is refused before it is stored."""

import asyncio
import io
import json
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx2
import pytest
from doubles.blobs import MemoryBlobs
from doubles.files import archive
from pydantic import ValidationError
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import Response

from hopline.aio.documents import AsyncDocuments
from hopline.errors import InvalidInput
from hopline.models.documents import TextDocument
from hopline.models.jobs import Usage
from hopline.operation import operation_of
from hopline.transport import TIMEOUT
from producer.api.access import Caller
from producer.api.routes.documents import change_metadata, read_documents, taken_documents
from producer.api.routes.ingestion import batches, schedules, syncs
from producer.api.routes.ingestion.batches import LISTING_SECONDS
from producer.api.server import run_server
from producer.api.submission import leaving
from producer.api.uploads import Incoming, _count_lines
from producer.service.batches.submission import ListingProgress
from producer.service.keys import LOCAL
from workers.core.metadata.filter import Either
from workers.ingest.reading.source import open_source
from workers.settings import Settings
from workers.sources.places import allowed_place, allowed_source, check_confined, check_sources


def lists(*entries: object) -> bytes:
    return b"\n".join(entry if isinstance(entry, bytes) else json.dumps(entry).encode() for entry in entries)


def upload(name: str, data: bytes) -> UploadFile:
    return UploadFile(io.BytesIO(data), size=len(data), filename=name)


def read(body: bytes, headers: list[tuple[bytes, bytes]]) -> tuple[Any, list[UploadFile]]:
    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": body, "more_body": False}

    request = Request({"type": "http", "method": "POST", "headers": headers}, receive)
    api: Any = SimpleNamespace(settings=Settings(_env_file=None))
    return asyncio.run(read_documents(api, request))


@pytest.fixture
def blobs() -> MemoryBlobs:
    return MemoryBlobs()


def incoming(blobs: MemoryBlobs, **fields: object) -> Incoming:
    return Incoming(blobs, Settings(_env_file=None, **fields))


def test_lines_are_counted_a_part_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("producer.api.uploads.LONGEST_LINE", 4)
    assert _count_lines(io.BytesIO(b"{12345}\n\n      \n       x\n  9")) == 3
    assert _count_lines(io.BytesIO(b"     ")) == 0


def test_lists_that_are_too_long_are_refused_before_anything_of_them_is_stored(blobs: MemoryBlobs) -> None:
    taken = incoming(blobs, api_lines=5)
    three = [{"text": f"Text {n}."} for n in range(3)]
    taken.add_file(upload("a.jsonl", lists(b"", *three, b"  ", b"")))
    taken.add_file(upload("b.jsonl", lists(*({"text": f"More {n}."} for n in range(3)))))
    taken.add_file(upload("c.jsonl", lists({"text": "One."}, {"text": "Two."})))
    uris = ["a.jsonl#2", "a.jsonl#3", "a.jsonl#4", "c.jsonl#1", "c.jsonl#2"]
    assert [document.uri for document in taken.documents] == uris
    [refused] = taken.refused
    assert refused.uri == "b.jsonl"
    assert refused.error == "too long: 3 lines; a request's .jsonl files may hold 5 lines (setting api_lines)"
    assert len(blobs.stored) == 2  # the lines of one list lie together


def test_of_many_refused_lines_twenty_are_told_and_the_others_counted(blobs: MemoryBlobs) -> None:
    taken = incoming(blobs)
    taken.add_file(upload("a.jsonl", b"1\n" * 500))
    taken.add_file(upload("b.jsonl", lists({"id": "x", "text": "Good."}, {"id": "x", "text": "Twice."})))
    taken.add_file(upload("picture.gif", b"\x89PNG"))
    assert [document.uri for document in taken.documents] == ["b.jsonl#x"]
    uris = [refusal.uri for refusal in taken.refused]
    assert uris == [*(f"a.jsonl line {n}" for n in range(1, 21)), "picture.gif", "further lines"]
    assert taken.refused[-1].error == "and 481 more lines"


def test_files_of_an_archive_are_taken_with_its_metadata(blobs: MemoryBlobs) -> None:
    taken = incoming(blobs)
    taken.add_file(upload("docs/a.zip.meta.json", b'{"year": 2024}'))
    taken.add_file(upload("docs/a.zip", archive({"deep/b.txt": "Text.", "c.xyz": "\0", "../d.txt": "Text."})))
    taken.add_file(upload("damaged.zip", b"PK"))
    taken.refuse_sidecars()
    [document] = taken.documents
    assert (document.uri, document.metadata) == ("docs/a.zip!/deep/b.txt", {"year": 2024})
    assert list(blobs.stored) == [document.source.rpartition("blob:")[2]]  # the archive, and it alone
    assert open_source(document.source, blobs, 100).read() == b"Text."
    assert [refusal.uri for refusal in taken.refused] == [
        "docs/a.zip!/c.xyz",
        "docs/a.zip!/../d.txt",
        "damaged.zip",
    ]


def test_an_archive_of_too_much_is_refused_before_anything_of_it_is_stored(blobs: MemoryBlobs) -> None:
    taken = incoming(blobs)
    taken.add_file(upload("a.zip", archive({"0.txt": "0" * 101_000_000})))
    [refusal] = taken.refused
    assert "would unpack to 101000000 or more (a zip bomb?)" in (refusal.error or "")
    assert not blobs.stored


def test_the_archives_of_a_request_may_hold_20_000_files_together(blobs: MemoryBlobs) -> None:
    taken = incoming(blobs, api_lines=3)
    taken.add_file(upload("a.zip", archive({f"{n}.txt": "Text." for n in range(4)})))
    blobs.stored.clear()
    taken.add_file(upload("b.zip", archive({f"{n}.txt": "" for n in range(19_997)})))
    [refusal] = taken.refused
    assert refusal.error == "holds 19997 files; a request's archives may hold 20000: send fewer at a time"
    assert not blobs.stored


@pytest.mark.parametrize("name", ["\u0000\u202e", "../../etc", "/etc/passwd", "a\\b", "x" * 501, "C:/b"])
def test_the_id_of_a_line_is_a_name_as_any_other(blobs: MemoryBlobs, name: str) -> None:
    taken = incoming(blobs)
    taken.add_file(upload("a.jsonl", lists({"id": name, "text": "Bad."}, {"id": 7, "text": "Good."})))
    assert [(document.uri, document.name) for document in taken.documents] == [("a.jsonl#7", "7")]
    [refused] = taken.refused
    assert refused.uri == "a.jsonl line 1"
    assert str(refused.error).startswith("id is ")
    assert len(blobs.stored) == 1


def read_form(**data: str) -> tuple[Any, list[UploadFile]]:
    sent = httpx2.Request("POST", "http://api", files={"files": ("a.txt", b"A.")}, data=data)
    return read(sent.read(), [(name.lower(), value) for name, value in sent.headers.raw])


@pytest.mark.parametrize("field", ["texts", "uris"])
def test_a_form_brings_files_and_what_it_cannot_bring_is_not_dropped_in_silence(field: str) -> None:
    body, [file] = read_form(collection="c")
    assert (body.collection, body.texts, body.uris, file.filename) == ("c", (), (), "a.txt")
    with pytest.raises(InvalidInput, match=f"{field} is 's3://b/a.txt', but must be sent as application"):
        read_form(**{field: "s3://b/a.txt"})


def test_a_link_that_leads_out_of_a_place_is_refused_and_one_that_stays_is_resolved(tmp_path: Path) -> None:
    for name in ("open/deep", "closed"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "a.txt").write_text("A.", encoding="utf-8")
    (tmp_path / "place").symlink_to(tmp_path / "open")
    (tmp_path / "open" / "stays.txt").symlink_to(tmp_path / "open" / "deep" / "a.txt")
    (tmp_path / "open" / "leaves.txt").symlink_to(tmp_path / "closed" / "a.txt")
    (tmp_path / "open" / "folder").symlink_to(tmp_path / "closed")
    place = f"file://{tmp_path}/place"
    for name in ("deep/a.txt", "stays.txt"):
        assert allowed_source(f"{place}/{name}", place) == str(tmp_path / "open" / "deep" / "a.txt")
    for name in ("leaves.txt", "folder/a.txt"):
        with pytest.raises(InvalidInput, match="uris is "):
            allowed_source(f"{place}/{name}", place)


def test_a_folder_is_named_within_a_place_or_as_the_place_itself(tmp_path: Path) -> None:
    (tmp_path / "open" / "deep").mkdir(parents=True)
    (tmp_path / "opened").mkdir()
    (tmp_path / "open" / "out").symlink_to(tmp_path / "opened")
    (tmp_path / "open" / "list.uris").write_text("/etc/hostname.txt", encoding="utf-8")
    (tmp_path / "open" / "x").symlink_to(tmp_path / "open" / "list.uris")
    (tmp_path / "open" / "years?").mkdir()
    (tmp_path / "open" / "years").symlink_to(tmp_path / "open" / "years?")
    place, stores = f"file://{tmp_path}/open", ("s3://archive/contracts", "https://files.example.org")
    allowed = ", ".join((place, *stores))
    assert allowed_place(place, allowed) == allowed_place(f"{place}/", allowed) == str(tmp_path / "open")
    assert allowed_place(f"{place}/deep", allowed) == str(tmp_path / "open" / "deep")
    assert allowed_place("s3://archive/contracts/2025", allowed) == "s3://archive/contracts/2025"
    outside = [f"{place}ed", f"{place}/out", f"{place}/../opened", str(tmp_path / "open"), "s3://archive"]
    outside += ["s3://archive/contracts-2", "s3://archive/contracts::file:///etc"]
    for source in outside:
        with pytest.raises(InvalidInput, match="sources is "):
            allowed_place(source, allowed)
    lists = [f"{place}/{name}" for name in ("*/a.txt", "[a]", "list.uris", "list.URIS//", "x", "x/", "years")]
    for source in [*lists, *(f"{store}/list.uris/" for store in stores)]:
        with pytest.raises(InvalidInput, match="without patterns and lists of addresses"):
            allowed_place(source, allowed)


def test_what_was_listed_is_checked_however_its_name_is_written(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open" / "out").symlink_to(tmp_path)
    places = f"file://{tmp_path}/open/, s3://archive/contracts, memory://shelf"
    line = "line:0+12+0123456789abcdef:"
    held = [f"{tmp_path}/open/50% #1?.txt", f"file://{tmp_path}/open/a.txt", "s3://archive/contracts/a@b.txt"]
    held += ["memory:///shelf/a.txt", "blob:abc", f"{line}blob:abc", f"{line}s3://archive/contracts/a.jsonl"]
    for source in held:
        check_confined(source, places)
    refused = [
        f"{tmp_path}/opened.txt", f"{tmp_path}/open/out/a.txt", f"{line}{tmp_path}/a.jsonl",
        "s3://archive/contracts/../a.txt", "s3://archive/contracts/%2e%2e/a.txt", "s3://archive/contracts-2/a",
        "s3://archive/contracts/::file:///etc/a.txt", "archive/contracts/a.txt",
    ]  # fmt: skip
    for source in refused:
        with pytest.raises(InvalidInput, match="HOPLINE_API_SOURCES"):
            check_confined(source, places)


@pytest.mark.parametrize("place", ["file://{}", "{}"])
def test_sources_of_a_request_are_confined_but_those_of_who_runs_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    for routes in (batches, syncs):
        monkeypatch.setattr(routes, "terms_of", lambda *_given, **_named: None)
    monkeypatch.setattr(syncs, "admitted", lambda *_given: nullcontext())
    monkeypatch.setattr(syncs, "respond_with_job", respond_with_params)
    added_schedules: list[Any] = []

    def added(schedule: Any, **_check: object) -> None:
        added_schedules.append(schedule.sync)

    service = SimpleNamespace(
        batches=SimpleNamespace(submit=lambda order, *_more: order),
        syncs=SimpleNamespace(submit=lambda params, *_more: params),
        schedules=SimpleNamespace(
            find=lambda _name: None, add=added, get=lambda _name: SimpleNamespace(schedule=Usage())
        ),
    )
    settings = Settings(_env_file=None, api_sources=f"file://{tmp_path}")
    bounds = {"queue_bound": SimpleNamespace(check=list), "most_listed": 10}
    api: Any = SimpleNamespace(service=service, settings=settings, **bounds)
    caller: Any = SimpleNamespace(collection=str, reads_paths="://" not in place)
    source = (place.format(tmp_path),)
    body = {"sources": source, "collection": "default", "profile": None, "tags": {}}
    request = SimpleNamespace(is_disconnected=stay)
    sent: dict[str, Any] = {"request": request, "priority": "normal", "webhook": None, **body, "bounds": {}}
    listed = {"upload": None, "follow_links": "://" not in place}
    timed = {"every": "0 2 * * *", "most_removed": 0.5, "if_match": None, "bounds": {}}
    once = {"response": None, "dry_run": False, "most_removed": 0.5, "key": None, "wait": 0.0}
    schedules.set_schedule(api, caller, Response(), "s", **body, **timed)
    made = (
        *added_schedules,
        asyncio.run(batches.submit_batch(api, caller, name="b", via="calls", metadata={}, **listed, **sent)),
        asyncio.run(syncs.submit_sync(api, caller, **sent, **once)),
    )
    assert [getattr(each, "confined", None) for each in made] == ["://" in place] * 3


async def stay() -> bool:
    return False


async def leave() -> bool:
    return True


@pytest.mark.parametrize("field", ["upload", "follow_links"])
def test_who_does_not_run_the_server_has_no_say_in_how_it_reads(field: str) -> None:
    listed: dict[str, Any] = {"upload": None, "follow_links": False, field: True}
    empty: dict[str, Any] = dict.fromkeys(("name", "sources", "collection", "profile", "via", "priority"))
    empty |= dict.fromkeys(("request", "webhook", "tags", "metadata", "bounds"))
    caller: Any = SimpleNamespace(reads_paths=False)
    with pytest.raises(InvalidInput, match=f"{field} is True"):
        asyncio.run(batches.submit_batch(None, caller, **empty, **listed))


def test_a_listing_stops_when_nobody_waits_for_it_any_more() -> None:
    async def left(*, cancelled: bool) -> ListingProgress:
        listing, request = ListingProgress(), SimpleNamespace(is_disconnected=stay if cancelled else leave)

        async def wait() -> None:
            async with leaving(request, listing.leave):
                await asyncio.sleep(30 if cancelled else 0.01)

        waiting = asyncio.create_task(wait())
        await asyncio.sleep(0)
        if cancelled:
            waiting.cancel()
        await asyncio.wait([waiting])
        return listing

    for cancelled in (False, True):
        listing = asyncio.run(left(cancelled=cancelled))
        with pytest.raises(InvalidInput, match="waits for"):
            listing.check("night")


async def respond_with_params(*given: Any) -> Any:
    return given[3]


def test_a_listing_ends_while_its_client_still_waits() -> None:
    assert TIMEOUT > LISTING_SECONDS


def test_a_place_that_cannot_be_read_is_told_at_the_start(tmp_path: Path) -> None:
    check_sources(f"file://{tmp_path}, memory://store/")
    with pytest.raises(InvalidInput, match="HOPLINE_API_SOURCES is 'nope://store/'"):
        run_server(Settings(_env_file=None, api_sources=f"file://{tmp_path}, nope://store/"), "127.0.0.1", 0)


@pytest.mark.parametrize("place", ["reports/open", "/archive", "s3://", "*", "s3://a?b", "ftp://eve:pw@h/a"])
def test_a_place_that_is_no_address_is_refused_with_the_settings(tmp_path: Path, place: str) -> None:
    with pytest.raises(ValidationError, match="number 2 of them is not an address") as caught:
        Settings(_env_file=None, api_sources=f"file://{tmp_path}, {place}")
    assert caught.value.errors()[0]["loc"] == ("api_sources",)
    assert Settings(_env_file=None, api_sources="").api_sources == ""


def test_a_document_with_too_much_metadata_is_refused_and_the_others_are_taken(blobs: MemoryBlobs) -> None:
    taken = Incoming(blobs, Settings(_env_file=None), {"author": "Ann"})
    own = {f"f{nth}": nth for nth in range(50)}
    taken.add_file(upload("a.txt.meta.json", json.dumps(own).encode()))
    taken.add_file(upload("a.txt", b"A text."))
    taken.add_file(upload("b.jsonl", lists({"text": "One.", "metadata": own}, {"text": "Two."})))
    assert [(document.uri, document.command_metadata) for document in taken.documents] == [
        ("b.jsonl#2", {"author": "Ann"})
    ]
    assert [refusal.uri for refusal in taken.refused] == ["a.txt", "b.jsonl line 1"]
    assert "51 fields" in str(taken.refused[0].error)


def test_of_several_texts_the_one_that_is_refused_is_named(blobs: MemoryBlobs) -> None:
    texts = [TextDocument(name=name, text="A lamp burns.") for name in ("a.txt", "../b.txt")]
    with pytest.raises(InvalidInput, match=r"texts\.1\.name"):
        taken_documents(texts, (), [], incoming(blobs))


@pytest.mark.parametrize("name", ["a.txt.META.json", "A.txt.meta.json"])
def test_a_file_is_not_taken_without_what_is_almost_its_sidecar(blobs: MemoryBlobs, name: str) -> None:
    sent = [upload(name, b'{"allow": ["user:ann"]}'), upload("a.txt", b"A."), upload("b.txt", b"B.")]
    taken = Incoming(blobs, Settings(_env_file=None))
    documents = taken_documents((), (), [sent[1], sent[0], sent[2]], taken)
    assert [document.uri for document in documents] == ["b.txt"]
    assert {refusal.uri for refusal in taken.refused} == {"a.txt", name}


def test_a_field_of_a_form_is_said_once() -> None:
    with pytest.raises(InvalidInput, match="given once"):
        read_form(metadata='{"allow": ["user:ann"], "allow": "*"}')


class Service:
    """Takes changes, and keeps their filters."""

    def __init__(self) -> None:
        self.filters: list[object] = []
        self.documents = self

    def change_metadata_of(self, _collection: str, where: object, _change: object) -> int:
        self.filters.append(where)
        return 1


def edit(service: Service, **fields: object) -> None:
    operation = operation_of(AsyncDocuments.change_metadata)
    body = operation.body.model_validate({"set": {"author": "Ann"}, **fields})
    api: Any = SimpleNamespace(service=service)
    change_metadata(api, Caller(LOCAL), **dict(body), if_match=None)


def test_a_filter_as_json_is_not_longer_for_its_letters() -> None:
    service = Service()
    values = ["ä" * 100 + str(nth) for nth in range(40)]
    parts = [{"field": "author", "op": "in", "value": values}, {"field": "draft", "op": "exists"}]
    edit(service, collection="c", where={"or": parts})
    [where] = service.filters
    assert isinstance(where, Either)


def test_ids_with_a_collection_and_a_field_without_a_value_are_refused() -> None:
    with pytest.raises(InvalidInput) as caught:
        edit(Service(), documents=["d0"], collection="c")
    assert (caught.value.field, caught.value.value) == ("collection", "c")
    with pytest.raises(InvalidInput, match=r"name it in `unset`") as caught:
        edit(Service(), documents=["d0"], set={"author": "Bo", "draft": None})
    assert (caught.value.field, caught.value.value) == ("set.draft", None)
