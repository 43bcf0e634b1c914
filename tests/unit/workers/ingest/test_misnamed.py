"""Files whose names say another format than their content, or none."""

import io
import json
import struct
import zipfile
from email.message import EmailMessage
from pathlib import Path

import pytest
from doubles.command_line import run_hopline
from doubles.files import archive, docx, pdf, sheet_rows, workbook

from hopline.contents import MOST_LISTED, format_of_content, listed_bytes
from hopline.errors import DocumentUnreadable
from producer.api.uploads import packed_fault
from workers.core.jobs.params import DocumentParams
from workers.core.ports import Limits
from workers.ingest.reading.document_file import DocumentFile
from workers.ingest.reading.file_checks import CHECKS
from workers.ingest.reading.read import read_text
from workers.sources.documents import list_sources
from workers.sources.formats import Found

CASES = Path(__file__).resolve().parents[3] / "data" / "reading"
TEXT = "The mill was built in 1771."
HTML = f"<!DOCTYPE html><html><body><p>{TEXT}</p></body></html>".encode()
RTF = rb"{\rtf1 " + TEXT.encode() + rb"\par}"
ODT = "application/vnd.oasis.opendocument.text"


def mail():
    message = EmailMessage()
    message["From"], message["Subject"], message["Message-ID"] = "a@x.invalid", "Mill", "<a@x.invalid>"
    message.set_content(TEXT)
    return message.as_bytes()


CONTENTS = {
    "pdf": pdf(TEXT),
    "docx": docx(TEXT),
    "xlsx": workbook({"A": sheet_rows((TEXT,))}),
    "html": HTML,
    "rtf": RTF,
    "eml": mail(),
    "msg": (CASES / "made" / "plain.msg").read_bytes(),
    "xls": (CASES / "sheets-rents.xls").read_bytes(),
    "ods": (CASES / "sheets-rents.ods").read_bytes(),
    "mhtml": (CASES / "html-mhtml-saved-as-html.html").read_bytes(),
    "odt": archive({"mimetype": ODT, "content.xml": "<a/>"}),
    "epub": archive({"mimetype": "application/epub+zip", "META-INF/container.xml": "<a/>"}),
    "pptx": archive({"[Content_Types].xml": "<a/>", "ppt/presentation.xml": "<a/>"}),
    "txt": TEXT.encode(),
    "": b"\x00\x01\x02binary",
}


@pytest.mark.parametrize("form", CONTENTS)
def test_a_file_shows_its_format_by_its_content(form):
    assert format_of_content(io.BytesIO(CONTENTS[form])) == form


@pytest.mark.parametrize(
    "data",
    [
        b"", b" \n", b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"\xff\xfe\x00", b"Gr\xf6\xdfe",
        archive({"a.txt": "x"}), b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "WordDocument".encode("utf-16-le"),
    ],
)  # fmt: skip
def test_what_shows_no_format_has_none(data):
    assert format_of_content(io.BytesIO(data)) == ""


def read(data, form):
    return read_text(
        DocumentFile.of(data), DocumentParams(uri=f"/a.{form}", source=f"/a.{form}", format=form), Limits()
    )


@pytest.mark.parametrize(
    ("named", "data", "form"),
    [
        ("txt", pdf(TEXT), "pdf"), ("pdf", docx(TEXT), "docx"), ("md", HTML, "html"), ("docx", RTF, "rtf"),
        ("docx", pdf(TEXT), "pdf"), ("xls", HTML, "html"), ("pdf", TEXT.encode(), "txt"),
        ("txt", mail(), "eml"),
        ("csv", workbook({"A": sheet_rows((TEXT,))}), "xlsx"), ("html", CONTENTS["mhtml"], "mhtml"),
    ],
)  # fmt: skip
def test_a_file_with_a_wrong_suffix_is_read_by_its_content_and_says_so(named, data, form):
    said = read(data, named)
    assert "The mill was built in 1771." in said.text
    assert (said.format, said.quality["misnamed"]) == (form, 1)


def test_a_table_of_text_that_is_named_as_a_workbook_is_one():
    said = read(b"Mill\tRent\nWind\t430\nRiver\t910\n", "xls")
    assert "| Wind | 430 |" in said.text
    assert said.format == "csv"


@pytest.mark.parametrize(
    ("named", "data"),
    [
        ("md", b"<p align=center>The mill</p>\n\n# Mill\n"), ("txt", TEXT.encode()),
        ("html", b"<p>The mill</p>"),
        ("xls", CONTENTS["xls"]), ("xlsx", CONTENTS["xls"]), ("json", b'{"a": 1}'),
        ("txt", b"From: a\nTo: b\n\nx"),
        ("tex", b"\\section{The mill}"), ("eml", b"Subject: x\n\nThe mill"),
    ],
)  # fmt: skip
def test_a_file_whose_content_fits_its_name_is_not_doubted(named, data):
    form = "txt" if named == "json" else named
    said = read(data, form)
    assert (said.format, "misnamed" in said.quality) == (form, False)


def test_files_of_unknown_or_no_suffix_are_listed_by_their_content(tmp_path):
    contents = {
        "README": TEXT.encode(),
        "a.xyz": pdf(TEXT),
        "b.doc": RTF,
        "c.bin": b"\x00\x01",
        "d.py": b"x = 1\n",
    }
    ole = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)
    contents |= {"e.doc": ole, "f.pages": archive({"Index/Document.iwa": "x"})}
    for name, data in contents.items():
        (tmp_path / name).write_bytes(data)
    with zipfile.ZipFile(tmp_path / "g.zip", "w") as packed:
        packed.writestr("LICENSE", TEXT)

    def listed(**options):
        named = list(list_sources([tmp_path], **options))
        found = {one.place: one.document.format for one in named if isinstance(one, Found)}
        reasons = {one.place: one.reason for one in named if not isinstance(one, Found)}
        return ({place.rpartition("/")[2]: said for place, said in each.items()} for each in (found, reasons))

    found, refused = listed()
    assert found == {"README": "txt", "a.xyz": "pdf", "b.doc": "rtf", "LICENSE": "txt"}
    assert set(refused) == {"c.bin", "d.py", "e.doc", "f.pages"}
    assert "`--code`" in refused["d.py"]
    assert "Word and LibreOffice save it as .docx" in refused["e.doc"]
    assert "Pages exports it as Word" in refused["f.pages"]
    assert next(listed(code=True)) == found | {"d.py": "code"}


def test_the_command_says_that_a_name_is_wrong_and_reads_code_where_asked(tmp_path):
    (tmp_path / "a.txt").write_bytes(pdf(TEXT))
    shown = run_hopline("read", str(tmp_path / "a.txt"))
    assert TEXT in shown.stdout
    assert "of another format than its name says" in shown.stderr
    code = tmp_path / "b.py"
    code.write_text("def pay():\n    return 430\n")
    assert "`--code`" in run_hopline("read", str(code)).stderr
    told = json.loads(run_hopline("read", str(code), "--code", "--json").stdout)
    assert told["format"] == "code"
    words = {
        told["text"][line["start"] : line["end"]].strip(): (line["place"] or {}).get("words")
        for line in told["lines"]
    }
    assert words["return 430"] == "function pay, line 2"


def test_a_binary_file_that_is_named_as_a_text_is_still_refused():
    with pytest.raises(DocumentUnreadable, match="not text"):
        read(b"\x00\x01\x02" * 100, "txt")


def test_a_zip_whose_list_of_files_is_huge_is_not_listed() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr("META-INF/container.xml", "")
    assert format_of_content(packed) == "epub"
    data = packed.getvalue()
    at = data.rfind(b"PK\x05\x06") + 12
    assert listed_bytes(io.BytesIO(data)) == int.from_bytes(data[at : at + 4], "little") > 0
    huge = data[:at] + (MOST_LISTED + 1).to_bytes(4, "little") + data[at + 4 :]
    assert format_of_content(io.BytesIO(huge)) == ""
    assert "its list of files has 4000001 bytes" in packed_fault(io.BytesIO(huge))
    with pytest.raises(DocumentUnreadable, match="its list of files has 4000001 bytes"):
        CHECKS["epub"](io.BytesIO(huge))
    assert "cut off" in packed_fault(io.BytesIO(b"PK" + b"PK\x05\x06"))


LOCATOR = "<4sLQL"  # of a zip64 record: mark, disk, address, disks


def zip_of(*, comment=b""):
    """Return a zip, where its list of files begins, and where its end record stands."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name in ("a", "b", "c"):
            archive.writestr(name, TEXT)
        archive.infolist()[-1].comment = comment
    data = packed.getvalue()
    return data, zipfile.ZipFile(packed).start_dir, len(data) - 22


def with_mark_in_disk_numbers():
    data, start, end = zip_of()
    forged = data[: end + 4] + b"PK\x05\x06" + data[end + 8 : end + 16] + bytes(4) + data[end + 20 :]
    return forged, end - start


def with_locator_in_comment():
    locator = struct.pack(LOCATOR, b"PK\x06\x07", 0, 0, 1)
    data, start, end = zip_of(comment=locator + bytes(60))
    return data, end - start


def with_zip64_record(*, address, stated=0):
    """Return a zip64 whose locator leads to `address`; it begins with a record of `stated` bytes or zeros."""
    data, start, end = zip_of()
    front = zip64_record(stated, start) if stated else bytes(56)
    own = zip64_record(end - start, start)
    locator = struct.pack(LOCATOR, b"PK\x06\x07", 0, address, 1)
    forged = front + data[:end] + own + locator + data[end : end + 12] + bytes(4) + data[end + 16 :]
    return forged, end - start


def zip64_record(size, start):
    """Return a zip64 record of three files, whose list has `size` bytes and begins at `start`."""
    return struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, 3, 3, size, start)


@pytest.mark.parametrize(
    ("data", "listed"),
    [
        with_mark_in_disk_numbers(),
        with_locator_in_comment(),
        with_zip64_record(address=0),
        with_zip64_record(address=56 + zip_of()[2]),
    ],
    ids=["mark in disk numbers", "locator in a comment", "address of zeros", "address of the record"],
)
def test_a_list_of_files_has_as_many_bytes_as_zipfile_reads_of_it(data, listed):
    assert zipfile.ZipFile(io.BytesIO(data)).namelist() == ["a", "b", "c"]
    assert listed_bytes(io.BytesIO(data)) == listed > 0


def test_of_two_zip64_records_the_larger_counts():
    data, _ = with_zip64_record(address=0, stated=MOST_LISTED + 1)
    assert listed_bytes(io.BytesIO(data)) == MOST_LISTED + 1
    assert "its list of files has 4000001 bytes" in packed_fault(io.BytesIO(data))


def test_a_zip64_locator_that_leads_out_of_the_file_is_cut_off():
    data, _ = with_zip64_record(address=2**63)
    with pytest.raises(zipfile.BadZipFile, match="cut off"):
        listed_bytes(io.BytesIO(data))
