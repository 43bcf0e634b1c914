"""Messages of Outlook as mails, and as folders of what is attached to them."""

from contextlib import suppress
from pathlib import Path

import pytest
from doubles.blobs import MemoryBlobs

from workers.core.jobs.params import DocumentParams
from workers.core.ports import Limits
from workers.ingest.reading.document_file import DocumentFile
from workers.ingest.reading.read import read_text
from workers.ingest.reading.source import open_source
from workers.sources.documents import list_sources
from workers.sources.formats import Found
from workers.sources.mail import MailError, attachments_of, parse_mail

MADE = Path(__file__).resolve().parents[3] / "data" / "reading" / "made"


def made(name):
    return (MADE / name).read_bytes()


def read(data):
    return read_text(
        DocumentFile.of(data), DocumentParams(uri="/a.msg", source="/a.msg", format="msg"), Limits()
    )


def test_a_message_has_the_fields_of_a_mail():
    said = read(made("plain.msg"))
    assert said.title == "Miete der Mühle"
    assert {name: str(value) for name, value in said.metadata.items()} == {
        "from": "Ann Holm <ann@mill.example>",
        "to": "('Bo Núñez <bo@mill.example>', 'Cy Berg <cy@mill.example>')",
        "cc": "('Dag Moen <dag@mill.example>',)",
        "date": "2024-05-03",
    }


def test_what_is_attached_to_a_message_is_a_document_of_its_own(tmp_path):
    path = tmp_path / "a.msg"
    path.write_bytes(made("attachments.msg"))
    found = [entry.document for entry in list_sources([path]) if isinstance(entry, Found)]
    assert [(document.uri.removeprefix(str(path)), document.format) for document in found] == [
        ("", "msg"),
        ("!/offer.csv", "csv"),
    ]
    assert b"Oak;2,900" in open_source(found[1].source, MemoryBlobs(), 1_000_000).read()
    assert read(made("attachments.msg")).left_out == {"attachment": 2}


def test_a_message_in_a_message_is_a_mail_of_its_own(tmp_path):
    path = tmp_path / "a.msg"
    path.write_bytes(made("inner.msg"))
    _outer, inner = (entry.document for entry in list_sources([path]) if isinstance(entry, Found))
    assert (inner.uri.removeprefix(str(path)), inner.format) == ("!/Lease of the tide mill.eml", "eml")
    said = open_source(inner.source, MemoryBlobs(), 1_000_000).read()
    assert "The tide mill is let until 2031." in read(said).text


def test_a_message_that_is_named_eml_is_read_as_what_it_is():
    [attached] = attachments_of(parse_mail(made("inner.msg")))
    assert attached.name == "Lease of the tide mill.eml"


@pytest.mark.parametrize("name", ["plain.msg", "attachments.msg", "inner.msg", "rich.msg"])
def test_a_damaged_message_is_read_or_refused(name):
    data = made(name)
    for at in range(0, len(data), 97):
        broken = data[:at] + b"\xff\x00\xfe" + data[at + 3 :]
        for damaged in (broken, data[: max(at, 8)]):
            with suppress(MailError):
                assert parse_mail(damaged).get_content_maintype() in ("text", "multipart")


def test_a_compound_file_of_another_kind_is_refused():
    rents = (MADE.parent / "sheets-rents.xls").read_bytes()
    with pytest.raises(MailError, match="not an Outlook message: it has no properties"):
        parse_mail(rents)
