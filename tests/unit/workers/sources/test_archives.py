import gzip
import io
import struct
import tarfile
import zipfile
from datetime import date
from email.message import EmailMessage
from pathlib import Path

import pytest
from doubles.blobs import MemoryBlobs

from hopline.errors import DocumentUnreadable, InvalidInput
from workers.core.ports import Limits
from workers.ingest.reading.read import read_text
from workers.ingest.reading.source import open_source
from workers.ingest.sync.scope import Doubtful, Scope, scope_of
from workers.sources.addresses import Uploaded
from workers.sources.archives import Archive, file_of
from workers.sources.documents import list_sources
from workers.sources.formats import Found, Refused
from workers.sources.places import check_confined

LIMIT = 20_000_000
CASES = Path(__file__).resolve().parents[3] / "data" / "reading"


def zipped(members, compression=zipfile.ZIP_DEFLATED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return file.getvalue()


def tarred(members, mode="w:gz"):
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode=mode) as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            if isinstance(data, tarfile.TarInfo):
                info = data
                archive.addfile(info)
                continue
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return file.getvalue()


def listed(path):
    named = list(list_sources([path]))
    found = {
        str(entry.document.uri).removeprefix(f"{path}"): entry.document
        for entry in named
        if isinstance(entry, Found)
    }
    refused = {
        entry.place.removeprefix(f"{path}"): entry.reason for entry in named if isinstance(entry, Refused)
    }
    return found, refused


def text_of(document):
    return open_source(document.source, MemoryBlobs(), LIMIT).read().decode()


MEMBERS = {
    "a.txt": b"text of a",
    "./deep/b.md": b"# text of b",
    "deep/.hidden.txt": b"-",
    "__MACOSX/._a.txt": b"-",
}


@pytest.mark.parametrize("name", ["docs.zip", "docs.ZIP", "docs.tar", "docs.tar.gz", "docs.tgz"])
def test_files_in_an_archive_are_documents(tmp_path, name):
    path = tmp_path / name
    pack = zipped if path.suffix.lower() == ".zip" else tarred
    path.write_bytes(pack(MEMBERS, *(["w"] if path.suffix == ".tar" else [])))
    found, refused = listed(path)
    texts = {place: text_of(document) for place, document in found.items()}
    assert texts == {"!/a.txt": "text of a", "!/deep/b.md": "# text of b"}
    assert not refused
    assert {document.format for document in found.values()} == {"txt", "md"}


def test_members_have_their_archives_metadata_and_who_may_see_it(tmp_path):
    path = tmp_path / "docs.zip"
    sidecar = b'{"year": 2024, "allow": ["group:all"]}'
    path.write_bytes(zipped({"a.txt": b"text", "a.txt.meta.json": sidecar, "b.txt": b"text"}))
    (tmp_path / "docs.zip.meta.json").write_text('{"year": 2020, "team": "law", "allow": ["group:law"]}')
    found, _refused = listed(path)
    assert {place: dict(document.metadata) for place, document in found.items()} == {
        "!/a.txt": {"year": 2024, "team": "law", "allow": ("group:law",)},
        "!/b.txt": {"year": 2020, "team": "law", "allow": ("group:law",)},
    }


def test_an_archive_in_an_archive_is_read_to_the_third(tmp_path):
    packed = b"text"
    for depth in range(4, 0, -1):
        packed = zipped(
            {f"{depth}.txt": f"at {depth}".encode(), f"{depth}.zip" if depth < 4 else "4.md": packed}
        )
    path = tmp_path / "docs.zip"
    path.write_bytes(packed)
    found, refused = listed(path)
    assert [text_of(document) for document in found.values()] == ["at 1", "at 2", "at 3"]
    assert refused == {"!/1.zip!/2.zip!/3.zip": "lies in 3 archives already: unpack the outermost"}
    assert {file_of(document.source) for document in found.values()} == {str(path)}


def test_what_leads_out_of_an_archive_is_refused_and_the_rest_is_read(tmp_path):
    link = tarfile.TarInfo("link.txt")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    names = ("../up.txt", "/whole.txt", "C:\\drive.txt", "a/../../up.txt", "new\nline.txt", "good.txt")
    for file, packed in (
        ("a.zip", zipped(dict.fromkeys(names, b"text"))),
        ("a.tar", tarred({**dict.fromkeys(names, b"text"), "link": link}, "w")),
    ):
        path = tmp_path / file
        path.write_bytes(packed)
        found, refused = listed(path)
        assert list(found) == ["!/good.txt"]
        assert set(refused) >= {"!/../up.txt", "!//whole.txt", "!/a/../../up.txt", "!/new\\nline.txt"}
    assert refused["!/link.txt"] == "a link, a device or a file with holes, none of which is read"


UNREAD = {
    "cut off": (lambda: b"PK\x03\x04 no more", "damaged"),
    "neither": (lambda: b"neither zip nor tar", "damaged"),
    "cut off zip": (lambda: zipped(MEMBERS)[:-10], "damaged"),
    "cut off gzip": (lambda: gzip.compress(tarred(MEMBERS, "w"))[:100], "damaged"),
    "empty": (lambda: zipped({}), "an archive without files"),
    "zip bomb": (lambda: zipped({"zeros.txt": bytes(200_000_000)}), "a zip bomb?"),
    "gzip bomb": (lambda: gzip.compress(bytes(200_000_000)), "a zip bomb?"),
    "many": (lambda: zipped({f"{number}.txt": b"" for number in range(20_001)}), "more than 20000 files"),
}


@pytest.mark.parametrize("case", UNREAD)
def test_an_archive_that_cannot_be_read_says_why_and_others_go_on(tmp_path, case):
    packed, reason = UNREAD[case][0](), UNREAD[case][1]
    path = tmp_path / "b.tgz" if packed[:2] == b"\x1f\x8b" else tmp_path / "b.zip"
    path.write_bytes(packed)
    (tmp_path / "a.txt").write_text("text")
    (tmp_path / "c.zip").write_bytes(zipped({"c.txt": b"text"}))
    named = list(list_sources([tmp_path]))
    assert [type(entry) for entry in named] == [Found, Refused, Found]
    assert reason in named[1].reason


def test_a_header_that_would_fill_the_memory_is_refused(tmp_path):
    header = tarfile.TarInfo("pax")
    header.type, header.size = tarfile.XHDTYPE, 500_000_000
    path = tmp_path / "a.tar"
    path.write_bytes(header.tobuf() + bytes(10_000))
    assert "one of its headers has 500000256 bytes" in listed(path)[1][""]


def test_a_directory_that_would_fill_the_memory_is_refused(tmp_path):
    packed = bytearray(zipped(MEMBERS))
    struct.pack_into("<I", packed, packed.rfind(b"PK\x05\x06") + 12, 1_000_000_000)
    path = tmp_path / "a.zip"
    path.write_bytes(packed)
    assert "its list of files has 1000000000 bytes" in listed(path)[1][""]


def test_an_encrypted_member_says_so(tmp_path):
    packed = bytearray(zipped({"a.txt": b"text"}))
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        packed[packed.find(mark) + at] |= 1
    path = tmp_path / "a.zip"
    path.write_bytes(packed)
    [document] = listed(path)[0].values()
    with pytest.raises(DocumentUnreadable, match="is encrypted: unpack it with its password"):
        text_of(document)


def test_a_member_of_an_archive_that_changed_is_not_read(tmp_path):
    for name, pack in (("a.zip", zipped), ("a.tar.gz", tarred)):
        path = tmp_path / name
        path.write_bytes(pack({"a.txt": b"text", "b.txt": b"text of b"}))
        documents = list(listed(path)[0].values())
        assert text_of(documents[0]) == "text"
        path.write_bytes(pack({"a.txt": b"another text", "b.txt": b"text of b"}))
        with pytest.raises(DocumentUnreadable, match="its archive has changed since it was listed"):
            text_of(documents[0])


def test_a_member_that_is_too_large_is_refused(tmp_path):
    path = tmp_path / "a.zip"
    path.write_bytes(zipped({"a.txt": b"text"}))
    [document] = listed(path)[0].values()
    with pytest.raises(DocumentUnreadable, match="too large: 4 bytes, at most 3 are read"):
        open_source(document.source, MemoryBlobs(), 3).read()


def test_an_archive_is_kept_whole_where_workers_do_not_see_it(tmp_path):
    path, blobs = tmp_path / "a.zip", MemoryBlobs()
    path.write_bytes(zipped({"a.txt": b"text", "in.zip": zipped({"b.txt": b"text of b"})}))
    named = list(list_sources([path], Uploaded(blobs, max_bytes=LIMIT)))
    path.unlink()
    assert [open_source(entry.document.source, blobs, LIMIT).read() for entry in named] == [
        b"text",
        b"text of b",
    ]
    assert len(blobs.stored) == 1


def test_lists_in_an_archive_are_refused(tmp_path):
    path = tmp_path / "a.zip"
    path.write_bytes(zipped({"a.jsonl": b'{"text": "x"}', "b.uris": b"/etc/passwd"}))
    found, refused = listed(path)
    assert not found
    assert set(refused.values()) == {"a list in an archive, which is not read: unpack the archive"}


def test_names_of_zips_that_do_not_say_that_they_are_utf_8(tmp_path):
    packed = bytearray(zipped({"größe.txt": b"text"}))
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        start = packed.find(mark) + at
        struct.pack_into("<H", packed, start, struct.unpack_from("<H", packed, start)[0] & ~0x800)
    path = tmp_path / "a.zip"
    path.write_bytes(packed)
    assert list(listed(path)[0]) == ["!/größe.txt"]


def test_members_come_and_go_with_their_archive(tmp_path):
    path = tmp_path / "a.zip"
    path.write_bytes(zipped({"a.txt": b"text"}))
    alone, folder = scope_of(str(path)), scope_of(str(tmp_path))
    pattern = Scope(kind="pattern", root=f"{tmp_path}/*.zip")
    assert [scope.holds(f"{path}!/a.txt") for scope in (alone, folder, pattern)] == [True, True, True]
    assert not alone.holds(f"{path}.txt")
    assert Doubtful([str(path)]).holds(f"{path}!/deep/a.txt")
    assert Doubtful([f"{path}!/in.zip"]).holds(f"{path}!/in.zip!/a.txt")
    assert not Doubtful([f"{tmp_path}/b.zip"]).holds(f"{path}!/a.txt")


def test_a_member_lies_where_its_archive_lies(tmp_path):
    path = tmp_path / "a.zip"
    path.write_bytes(zipped({"a.txt": b"text"}))
    [document] = listed(path)[0].values()
    check_confined(document.source, f"file://{tmp_path}")
    with pytest.raises(InvalidInput):
        check_confined(document.source, "file:///elsewhere")


def test_an_archive_of_many_files_is_opened_once(tmp_path, monkeypatch):
    path = tmp_path / "a.tar.gz"
    path.write_bytes(tarred({f"{number}.txt": f"text {number}".encode() for number in range(50)}))
    documents = list(listed(path)[0].values())
    opened, real = [], Archive.__init__
    monkeypatch.setattr(Archive, "__init__", lambda self, *given: opened.append(given) or real(self, *given))
    assert [text_of(document) for document in documents] == [
        f"text {number}" for number in sorted(range(50), key=lambda number: f"{number}.txt")
    ]
    assert len(opened) == 1


def mail(*attachments, subject="Rent", html="", message_id=""):
    message = EmailMessage()
    message["Subject"], message["From"], message["To"] = (
        subject,
        "Ann <ann@example.invalid>",
        "bo@example.invalid",
    )
    message["Date"] = "Tue, 01 Oct 2024 12:34:56 +0200"
    if message_id:
        message["Message-ID"] = f"<{message_id}>"
    message.set_content(f"About {subject}.")
    if html:
        message.add_alternative(html, subtype="html")
    for attached in attachments:
        if isinstance(attached, EmailMessage):
            message.add_attachment(attached)
        else:
            name, data = attached
            message.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
    return message


def test_what_is_attached_to_a_mail_is_a_document_of_its_own(tmp_path):
    path = tmp_path / "a.eml"
    inner = mail(("deep.txt", b"deep"), subject="An older / mail")
    path.write_bytes(
        mail(("b.txt", b"text of b"), ("b.txt", b"the second"), ("../up.txt", b"up"), inner).as_bytes()
    )
    (tmp_path / "a.eml.meta.json").write_text('{"allow": ["group:law"]}')
    found, refused = listed(path)
    assert list(found) == [
        "",
        "!/An older _ mail.eml",
        "!/An older _ mail.eml!/deep.txt",
        "!/_up.txt",
        "!/b (2).txt",
        "!/b.txt",
    ]
    assert text_of(found["!/b (2).txt"]) == "the second"
    assert text_of(found["!/An older _ mail.eml!/deep.txt"]) == "deep"
    assert {document.metadata["allow"] for document in found.values()} == {("group:law",)}
    assert not refused


def test_a_mail_without_attachments_is_one_document(tmp_path):
    path = tmp_path / "a.eml"
    path.write_bytes(mail().as_bytes())
    assert [list(entries) for entries in listed(path)] == [[""], []]


def test_each_mail_of_a_mailbox_is_a_document(tmp_path):
    mails = [
        mail(message_id="1/a@x"),
        mail(("b.txt", b"text of b"), message_id="1/a@x"),
        mail(subject="From here"),
    ]
    path = tmp_path / "all.mbox"
    path.write_bytes(
        b"".join(b"From ann Tue Oct  1 12:34:56 2024\n" + each.as_bytes() + b"\n" for each in mails)
    )
    found, refused = listed(path)
    assert list(found) == ["!/000002.eml", "!/000002.eml!/b.txt", "!/000003.eml", "!/1_a@x.eml"]
    assert "Subject: From here" in text_of(found["!/000003.eml"])
    assert text_of(found["!/000002.eml!/b.txt"]) == "text of b"
    assert not refused


def test_a_mail_in_a_mail_in_a_mail_ends(tmp_path):
    message = mail(("deepest.txt", b"text"))
    for depth in range(5):
        message = mail(message, subject=f"at {depth}")
    path = tmp_path / "a.eml"
    path.write_bytes(message.as_bytes())
    found, refused = listed(path)
    assert list(found) == ["", "!/at 3.eml", "!/at 3.eml!/at 2.eml", "!/at 3.eml!/at 2.eml!/at 1.eml"]
    assert list(refused.values()) == ["lies in 3 archives already: unpack the outermost"]


def test_parts_that_are_nested_without_end_are_refused(tmp_path):
    path = tmp_path / "a.eml"
    parts = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(3000))
    path.write_bytes(b"Subject: x\n" + parts)
    [document], [reason] = (entries.values() for entries in listed(path))
    assert document.format == "eml"
    assert "parts" in reason


@pytest.mark.parametrize(
    ("head", "wanted"),
    [
        (
            b"Content-Disposition: attachment; filename*\nContent-Type: text/plain; name=a.txt",
            {"": 1, "!/a.txt": 1},
        ),
        (b"Content-Type: attachment; filename*", {"": 1}),
    ],
)
def test_heads_of_a_mail_that_pythons_parser_fails_on_end_no_listing(tmp_path, head, wanted):
    parts = (
        b"Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nText.\n--b\n"
        + head
        + b"\n\nfile\n--b--\n"
    )
    (tmp_path / "a.eml").write_bytes(parts)
    (tmp_path / "b.txt").write_text("text")
    found, _refused = listed(tmp_path)
    assert "/b.txt" in found
    assert {place.removeprefix("/a.eml"): 1 for place in found if "a.eml" in place} == wanted


@pytest.mark.parametrize(
    ("names", "encoding"),
    [
        (["报告/租金.txt", "合同.md"], "gbk"),
        (["見積書/水車の家賃.txt", "レポート.txt"], "cp932"),
        (["보고서.txt"], "cp949"),
        (["Größe.txt", "Über uns.md", "plain.txt"], "cp437"),
        (["Größe.txt", "租金.txt"], "utf-8"),
    ],
)
def test_names_in_a_zip_are_read_in_the_encoding_of_the_program_that_wrote_them(tmp_path, names, encoding):
    packed = zipped({f"{n}" * len(name.encode(encoding)): b"text" for n, name in enumerate(names)})
    for n, name in enumerate(names):
        packed = packed.replace(f"{n}".encode() * len(name.encode(encoding)), name.encode(encoding))
    path = tmp_path / "docs.zip"
    path.write_bytes(packed)
    found, refused = listed(path)
    assert set(found) == {f"!/{name}" for name in names}
    assert not refused


@pytest.mark.parametrize("name", ["jsonl-boolean-metadata.jsonl", "jsonl-datetime-metadata.jsonl"])
def test_a_line_of_a_list_may_have_metadata_as_programs_write_it(name):
    [found] = list_sources([CASES / name])
    assert isinstance(found, Found)
    assert dict(found.document.metadata) in ({"draft": "true"}, {"date": date(2024, 5, 1)})


def test_lines_without_a_title_are_called_by_their_first_words():
    documents = [one.document for one in list_sources([CASES / "jsonl-same-titles.jsonl"])]
    read = [read_text(open_source(one.source, MemoryBlobs(), LIMIT), one, Limits()) for one in documents]
    assert [one.title for one in read] == [
        "The North Gate was built in 1771.",
        "The South Gate was built in 1802.",
    ]
