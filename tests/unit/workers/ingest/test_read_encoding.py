import tracemalloc
from contextlib import suppress
from encodings import aliases
from pathlib import Path

import pytest
from pydantic import ValidationError

from hopline.errors import DocumentUnreadable
from hopline.models.params import ReadingOptions
from workers.core.jobs.params import DocumentParams
from workers.core.ports import Limits
from workers.ingest.reading.document_file import DocumentFile
from workers.ingest.reading.encoding import decode_text, known_encoding
from workers.ingest.reading.read import read_text
from workers.ingest.sync.fingerprint import source_hash

CASES = Path(__file__).parents[3] / "data" / "reading"
PROSE = "Der Vertrag läuft am 3. Mai 2019 aus. Die Miete stieg um fünf Prozent, und niemand warnte Frau Weiß."
POLISH = "Umowa wygasa w środę. Łódź leży w środkowej Polsce, a czynsz wzrósł o pięć procent."


@pytest.mark.parametrize(
    ("name", "encoding", "first"),
    [
        ("gbk", "gb18030", "中文技术文档第一章。红星大桥于1998年竣工"),
        ("shift-jis", "cp932", "第一章　概要。みどり橋は1998年に完成し"),
        ("cp1251", "cp1251", "Глава первая. Зелёный мост был построен"),
        ("utf16le-no-bom", "utf-16-le", "中文技术文档第一章。红星大桥于1998年竣工"),
        ("iso2022jp-garbled", "iso2022_jp_2", "第一章　概要。みどり橋は1998年に完成し"),
    ],
)
def test_a_text_without_a_mark_is_read_by_its_look(name, encoding, first):
    decoded = decode_text((CASES / f"txt-{name}.txt").read_bytes())
    assert (decoded.encoding, decoded.replaced, decoded.text[: len(first)]) == (encoding, 0, first)


@pytest.mark.parametrize("encoding", ["cp1252", "mac-roman"])
def test_a_text_of_some_length_is_read_in_encodings_of_europe(encoding):
    assert decode_text(PROSE.encode(encoding)).text == PROSE
    assert decode_text(POLISH.encode("iso8859-2")).text == POLISH


@pytest.mark.parametrize("encoding", ["gb18030", "cp1251", "iso2022_jp_2"])
def test_a_text_is_read_by_its_look_that_begins_with_much_ascii(encoding: str) -> None:
    name = {"gb18030": "gbk", "cp1251": "cp1251", "iso2022_jp_2": "iso2022jp-garbled"}[encoding]
    data = b"plain line\n" * 25_000 + (CASES / f"txt-{name}.txt").read_bytes()
    assert decode_text(data) == (data.decode(encoding), encoding, 0)


def test_a_large_text_takes_little_more_than_its_size() -> None:
    data = "红星大桥于1998年竣工，全长三千二百米。\n".encode("gbk") * 50_000
    tracemalloc.start()
    decode_text(data)
    _now, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 12 * len(data)


def test_a_stray_byte_in_utf_8_is_replaced_and_counted():
    params = DocumentParams(uri="a.txt", source="x", format="txt")
    read = read_text(DocumentFile.of((CASES / "txt-one-bad-byte.txt").read_bytes()), params, Limits())
    assert read.text.count("\ufffd") == 1
    assert (read.encoding, dict(read.quality)) == ("utf-8", {"replaced_bytes": 1})


def test_a_sign_of_replacement_that_the_text_has_itself_is_not_counted():
    assert decode_text("a \ufffd sign".encode()).replaced == 0
    assert decode_text("Zürich, Genève und Bern: ä, ö, ü, é, \ufffd".encode() + b"\xff").replaced == 1


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ("Łódź".encode("iso8859-2"), "its encoding cannot be detected"),
        (
            "Zürich und Genève".encode()[:9] + b"\xff" + "Zürich und Genève".encode()[9:],
            "broken UTF-8 at byte 9",
        ),
        (b"\x01\x02\x03 hello \x04\x05", "control characters"),
        (b"PK\x03\x04\0\0\0\0" * 40, "zero bytes"),
    ],
)
def test_what_cannot_be_told_is_refused(data, reason):
    with pytest.raises(DocumentUnreadable, match=reason):
        decode_text(data)


def test_a_mark_before_a_text_in_another_encoding_does_not_count() -> None:
    mark, text = "\ufeff".encode(), PROSE + " Größe für Öl, Übermaß, ÄÖÜ"
    assert decode_text(mark + text.encode("cp1252")) == (text, "cp1252", 0)
    assert decode_text(mark + POLISH.encode("iso8859-2"), given="iso-8859-2").text == POLISH
    assert decode_text(mark + f"{PROSE} ".encode() + b"\xff").replaced == 1


def test_a_wide_text_that_is_cut_within_a_sign_is_read() -> None:
    assert decode_text("The lease ends in May.".encode("utf-16") + b"a").replaced == 1


def test_an_encoding_that_is_given_reads_what_is_not_utf_8_nor_marked():
    short = "Łódź"
    assert decode_text(short.encode("iso8859-2"), given="iso-8859-2").text == short
    assert decode_text(short.encode("utf-16-le"), given="utf-16-le").text == short
    assert decode_text(b"~{VPND~}", given="hz").text == "中文"
    for data in (short.encode(), short.encode("utf-8-sig"), short.encode("utf-16")):
        assert decode_text(data, given="gbk").text == short
    assert decode_text(b"plain", given="utf-16").text == "plain"
    with pytest.raises(DocumentUnreadable, match="neither big5hkscs"):
        decode_text("東京は日本の首都です。".encode("shift_jis"), given="big5")


def test_names_of_encodings_are_understood_as_browsers_do():
    names = {"gb2312": "gb18030", "Shift_JIS": "cp932", "latin1": "cp1252", "ks_c_5601-1987": "cp949"}
    assert {name: known_encoding(name) for name in names} == names
    assert [known_encoding(name) for name in ("base64", "utf-7", "undefined", "unicode-escape", "")] == [
        None
    ] * 5


@pytest.mark.parametrize("name", ["punycode", "unicode_escape", "raw_unicode_escape", "utf7", "idna", "hex"])
def test_an_encoding_of_no_text_is_refused_at_both_ends(name: str) -> None:
    with pytest.raises(ValidationError):
        ReadingOptions(encoding=name)
    with pytest.raises(DocumentUnreadable, match="there is no text encoding called"):
        decode_text(b"\xe4-" + b"zz9" * 10, given=name)


def test_an_encoding_that_may_be_given_is_known_where_a_text_is_read() -> None:
    accepted = []
    for name in {*aliases.aliases, *aliases.aliases.values()}:
        with suppress(ValidationError):
            accepted.append(ReadingOptions(encoding=name).encoding)
    assert len(accepted) > 200
    assert [name for name in accepted if not known_encoding(name)] == []


def test_a_page_that_declares_what_it_is_not_is_read_all_the_same():
    page = f"<meta charset=shift_jis><p>{PROSE * 3}"
    params = DocumentParams(uri="a.html", source="x", format="html")
    assert read_text(DocumentFile.of(page.encode()), params, Limits()).text == PROSE * 3


def test_another_encoding_makes_another_source_of_a_text():
    def hash_of(kind, encoding=""):
        params = DocumentParams(uri="a", source="x", format=kind, encoding=encoding)
        return source_hash("x", params, Limits())

    assert len({hash_of("txt"), hash_of("txt", "gbk"), hash_of("txt", "big5")}) == 3
    assert hash_of("pdf") == hash_of("pdf", "gbk")


def test_a_page_that_declares_nothing_is_western_where_it_looks_so_however_short() -> None:
    page = "<p>Die schöne Frau sagte: köstlich. L'été était chaud. El niño comió. Kvinnan åt.</p>"
    assert decode_text(page.encode("cp1252"), is_page=True).text == page


@pytest.mark.parametrize(
    "text",
    [
        "Schlüssel;3;12,50\n",
        "Nr;Artikel;Menge;Preis\n1;Schlüssel;3;12,50\n2;Türschloss;1;45,00\n",
        "Die Lieferung fällt aus; bitte prüfen.\n" * 20_000,
    ],
)
def test_a_short_or_dull_text_is_western_where_it_looks_so(text: str) -> None:
    assert decode_text(text.encode("cp1252")).text == text


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Husleien økte med fem prosent.", "mac_roman"),
        ("Ingen hade varnat borgmästaren.", "cp850"),
    ],
)
def test_a_text_that_has_western_signs_in_odd_places_is_refused(text: str, encoding: str) -> None:
    with pytest.raises(DocumentUnreadable, match="cannot be detected"):
        decode_text(text.encode(encoding))


@pytest.mark.parametrize("language", ["cs", "sk", "hu", "ro", "pl"])
def test_no_text_of_central_europe_is_read_as_western(language: str) -> None:
    lines = (CASES.parent / "short_sentences.tsv").read_text("utf-8").splitlines()
    words = [line.split("\t")[1].split() for line in lines if line.startswith(f"{language}\t")]
    pieces = {" ".join(w[at : at + size]) for w in words for size in (1, 3, 5) for at in range(len(w))}
    for piece in sorted(pieces):
        data = piece.encode("cp1250", "ignore")
        try:
            decoded = decode_text(data)
        except DocumentUnreadable:
            continue
        if decoded.encoding in ("cp1252", "iso8859-15"):
            assert decoded.text == data.decode("cp1250")
