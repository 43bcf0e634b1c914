"""Files of exported collections: what is whole is read back, and anything else is refused."""

import gzip
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from doubles.command_line import run_hopline

from hopline.errors import InvalidInput
from hopline.models.collections import CollectionTitle
from hopline.models.documents import Document
from producer.backup.collection_file import (
    CollectionWriter,
    Counts,
    ExportedDocument,
    Header,
    check_file,
    is_collection_file,
    line_of,
    read_records,
)
from workers.core.ids import document_id

COUNTS = Counts(documents=2, chunks=3)
RECORDS = [("document", {"id": "d1"}), ("merge", {"id": "m1"})]


def header(**changes: object) -> Header:
    told = {"hopline": "1.2.3", "taken": datetime(2026, 12, 1, tzinfo=UTC), "collection": "notes"}
    return Header(**told | {"title": CollectionTitle(title="Notes")} | changes)


def write(path: Path, first: Header) -> Path:
    with path.open("wb") as file:
        writer = CollectionWriter(file, first)
        for kind, body in RECORDS:
            writer.write(line_of(kind, body))
        writer.finish(COUNTS)
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write(tmp_path / "notes.hopline", header())


def test_what_was_written_is_read_back(file: Path) -> None:
    checked = check_file(file)
    assert (checked.header, checked.counts) == (header(), COUNTS)
    assert list(read_records(file)) == RECORDS
    assert is_collection_file(file)


def rewritten(change: Callable[[list[bytes]], list[bytes]]) -> Callable[[bytes], bytes]:
    """Change the lines of a file."""
    return lambda data: gzip.compress(b"".join(change(gzip.decompress(data).splitlines(keepends=True))))


DAMAGES: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "cut": (lambda data: data[: len(data) // 2], "damaged or incomplete"),
    "a bit": (lambda data: data[:40] + bytes([data[40] ^ 1]) + data[41:], "damaged or incomplete"),
    "no end": (rewritten(lambda lines: lines[:-1]), "its end is missing"),
    "a line less": (rewritten(lambda lines: [lines[0], *lines[2:]]), "its checksum does not match"),
    "a line more": (rewritten(lambda lines: [*lines, lines[1]]), "data follows its end"),
    "no JSON": (rewritten(lambda lines: [lines[0], b"{\n", *lines[1:]]), "a line cannot be read"),
    "empty": (lambda _data: gzip.compress(b""), "its end is missing"),
    "another file": (lambda _data: gzip.compress(b'["kind", 1]\n'), "is not an exported collection"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_refused_in_a_sentence(file: Path, damage: str) -> None:
    change, said = DAMAGES[damage]
    file.write_bytes(change(file.read_bytes()))
    with pytest.raises(InvalidInput, match=f"{said}.*nothing was imported"):
        check_file(file)


def test_a_file_of_a_newer_hopline_is_refused_with_its_version(tmp_path: Path) -> None:
    newer = write(tmp_path / "newer.hopline", header(form=2, hopline="9.0"))
    with pytest.raises(InvalidInput, match=r"form 2, written by hopline 9\.0; .* reads form 1: update"):
        check_file(newer)


@pytest.mark.parametrize("name", ["plan.txt", "row-7"])
def test_a_document_tells_whether_its_address_names_it(name: str) -> None:
    own = document_id("notes", name)
    document = Document(
        id=own, collection="notes", uri="plan.txt", title="Plan", content_hash="1", status="loaded", error="x"
    )
    exported = ExportedDocument.of(document)
    assert exported.is_named_by_uri is (name == "plan.txt")
    assert (exported.status, exported.error) == ("indexed", None), "a version that is not live is not told"


@pytest.mark.parametrize("option", ["--into", "--user", "--password-env"])
def test_an_option_of_scripts_is_refused_for_a_collection(file: Path, option: str) -> None:
    ended = run_hopline("import", str(file), option, "x")
    assert ended.exit_code == 2
    assert f"{option} is for a script only" in ended.stderr


def test_a_name_is_refused_for_a_script(tmp_path: Path) -> None:
    script = tmp_path / "movies.cypher"
    script.write_text("CREATE (:Movie);", encoding="utf-8")
    ended = run_hopline("import", str(script), "--as", "notes")
    assert ended.exit_code == 2
    assert "--as is for a file that `hopline export` wrote" in ended.stderr
