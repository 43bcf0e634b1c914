"""Large files are listed, hashed, unpacked, read and kept in memory that does not grow with them."""

from pathlib import Path

import pytest
from doubles.files import pdf_page
from doubles.memory import run_measured, write_mailbox, write_zip

from hopline.errors import DocumentUnreadable
from workers.core.jobs.params import DocumentParams
from workers.core.ports import Limits
from workers.ingest.reading.document_file import DocumentFile
from workers.ingest.reading.read import read_text

MB = 1_000_000
WORKER = """
import sys
from hashlib import sha256
from doubles.files import pdf_page
from doubles.memory import peak, reset_peak
from types import SimpleNamespace
from workers.adapters.blobs import BlobStore
from workers.adapters.named_files import NamedFiles
from workers.core.ports import Limits
from workers.ingest.reading.read import read_text
from workers.ingest.reading.source import document_digest, open_document
from workers.sources.documents import list_sources
from workers.sources.addresses import InPlace, Uploaded

path, folder, kept = sys.argv[1:]
blobs = BlobStore(folder)
ports = SimpleNamespace(blobs=blobs, limits=Limits(), places="")
before = reset_peak()
keeping = Uploaded(blobs, max_bytes=Limits().max_document_bytes) if kept == "kept" else InPlace()
documents = [found.document for found in list_sources([path], keeping)]
digests = {document_digest(document, ports) for document in documents}
documents.sort(key=lambda one: one.uri.endswith("/large.pdf"))
for document in documents[:: max(1, len(documents) - 1)]:
    with open_document(document, ports) as file:
        NamedFiles(folder).put_file(f"originals/{file.sha256}", file.file)
        if not document.uri.endswith("large.pdf"):
            print("text=" + read_text(file, document, Limits()).text.replace("\\n", " "))
print(f"documents={len(documents)}")
print(f"digests={len(digests)}")
print(f"grown={peak() - before}")
"""


@pytest.mark.long
@pytest.mark.parametrize("kept", ["in place", "kept"])
def test_a_mailbox_of_300_mb_is_read_mail_by_mail(tmp_path: Path, kept: str) -> None:
    path = write_mailbox(tmp_path / "a.mbox", 2_000, 150_000)
    assert path.stat().st_size > 290 * MB
    told = run_measured(WORKER, path, tmp_path / "blobs", kept)
    assert (told["documents"], told["digests"]) == ("2000", "2000")
    assert "430 euros" in told["text"]
    assert int(told["grown"]) < 100


@pytest.mark.long
@pytest.mark.parametrize("kept", ["in place", "kept"])
def test_a_zip_of_200_mb_is_read_member_by_member(tmp_path: Path, kept: str) -> None:
    path = write_zip(tmp_path / "a.zip", 200 * MB)
    told = run_measured(WORKER, path, tmp_path / "blobs", kept)
    assert (told["documents"], told["text"]) == ("2", "The rent of the wind mill is 430 euros.")
    assert sum(file.stat().st_size > 190 * MB for file in (tmp_path / "blobs" / "originals").iterdir()) == 1
    assert int(told["grown"]) < 100


def test_a_pdf_that_is_larger_than_the_memory_of_its_reader_is_read(tmp_path: Path) -> None:
    path, size = tmp_path / "a.pdf", 400 * MB
    picture = f"<< /Length {size} >>\nstream\nPICTURE\nendstream"
    made = pdf_page("BT /F1 12 Tf 72 600 Td (The rent is 430 euros.) Tj ET", more=(picture,))
    head, _, tail = made.partition(b"PICTURE")
    xref = int(tail.split(b"startxref\n")[1].split()[0])
    with path.open("wb") as file:
        file.write(head)
        file.seek(size, 1)
        file.write(tail.replace(b"%d" % xref, b"%d" % (xref + size - len(b"PICTURE"))))
    params = DocumentParams(uri="a.pdf", source=str(path), format="pdf")
    with DocumentFile(path.open("rb")) as opened:
        assert read_text(opened, params, Limits(parse_memory_mb=300)).text == "The rent is 430 euros."


def test_a_text_that_is_larger_than_any_that_is_stored_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"The rent.")
    with path.open("ab") as file:
        file.truncate(400 * MB)
    params = DocumentParams(uri="a.txt", source=str(path), format="txt")
    with (
        DocumentFile(path.open("rb")) as opened,
        pytest.raises(DocumentUnreadable, match="a text of 400000000 bytes, at most 20000000 are read"),
    ):
        read_text(opened, params, Limits())
