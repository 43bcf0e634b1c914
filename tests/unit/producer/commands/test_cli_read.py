"""hopline read: what would be stored of a document."""

import json
from pathlib import Path

import pytest
from doubles.command_line import run_hopline
from doubles.files import locked_pdf, pdf_page
from doubles.scans import scan_of

CASES = Path(__file__).parents[3] / "data" / "reading"


def test_standard_output_is_the_stored_text_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_bytes("# Zürich\r\n\r\nno line end".encode())
    shown = run_hopline("read", str(file))
    assert (shown.exit_code, shown.stdout_bytes) == (0, file.read_bytes())
    assert "Title: Zürich" in shown.stderr
    placed = run_hopline("read", str(file), "--places").stdout.splitlines()
    assert placed == ["line 1\t# Zürich", "line 3\tno line end"]


def test_what_is_left_out_and_how_well_it_was_read_goes_to_standard_error() -> None:
    shown = run_hopline("read", str(CASES / "html-hidden-text.html"))
    assert shown.stdout == "The rent is 900 euros."
    assert "3 × hidden part" in shown.stderr
    assert "1 stray byte, replaced" in run_hopline("read", str(CASES / "txt-one-bad-byte.txt")).stderr
    assert "gb18030" in run_hopline("read", str(CASES / "txt-gbk.txt")).stderr


def test_places_and_json_tell_where_each_line_stands() -> None:
    file = str(CASES / "html-rowspan.html")
    assert (
        "table 1, row North\t| North | Hub | 7 |" in run_hopline("read", file, "--places").stdout.splitlines()
    )
    told = json.loads(run_hopline("read", file, "--json").stdout)
    last = told["lines"][-1]
    assert told["text"][last["start"] : last["end"]] == "| North | Hub | 7 |"
    assert (last["place"]["table"], last["place"]["row"]) == (1, "North")
    assert (told["title"], told["format"]) == ("Mill page", "html")


def test_the_documents_of_a_list_are_read_line_by_line(tmp_path: Path) -> None:
    file = tmp_path / "gates.jsonl"
    file.write_text('{"text": "One gate."}\n\n{"text": "Two gates.", "title": "Pair"}\n', encoding="utf-8")
    shown = run_hopline("read", str(file))
    assert (shown.exit_code, shown.stdout.split("\n")) == (0, ["One gate.", "", "Two gates."])
    assert [line for line in shown.stderr.splitlines() if line.startswith("Title")] == [
        "Title: One gate.",
        "Title: Pair",
    ]
    told = [json.loads(line) for line in run_hopline("read", str(file), "--json").stdout.splitlines()]
    assert [(each["title"], each["uri"].rpartition("#")[2]) for each in told] == [
        ("One gate.", "1"),
        ("Pair", "3"),
    ]
    file.write_text('{"text": "One gate."}\n{"name": "x"}\n', encoding="utf-8")
    shown = run_hopline("read", str(file))
    assert (shown.exit_code, shown.stdout) == (1, "One gate.")
    assert "gates.jsonl line 2: " in shown.stderr
    assert "1 line of gates.jsonl cannot be read" in shown.stderr


def test_a_scan_is_recognised_here_with_boxes_for_its_lines(tmp_path: Path) -> None:
    file = tmp_path / "scan.pdf"
    card = pdf_page("BT /F1 14 Tf 20 60 Td (Ada kept the light.) Tj ET", page="/MediaBox [0 0 200 100]")
    file.write_bytes(scan_of([(card, 1)]))
    told = json.loads(run_hopline("read", str(file), "--json").stdout)
    assert told["text"] == "Ada kept the light."
    [box] = told["lines"][0]["place"]["boxes"]
    assert 15 <= box["left"] < box["right"] <= 180
    assert told["quality"]["recognised_pages"] == 1
    shown = run_hopline("read", str(file), "--places")
    assert shown.stdout == "page 1\tAda kept the light.\n"
    assert "Quality: 1 page recognised" in shown.stderr


def test_a_password_is_typed_and_never_a_word_of_the_command(tmp_path: Path) -> None:
    file = tmp_path / "locked.pdf"
    file.write_bytes(locked_pdf())
    assert "remove the password and try again" in run_hopline("read", str(file)).stderr
    typed = run_hopline("read", str(file), "--password", typed="swordfish\n")
    assert "this is not its password" in typed.stderr
    assert "swordfish" not in typed.output
    assert run_hopline("read", str(file), "--password", "swordfish").exit_code == 2


def test_an_encoding_is_given(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes("Łódź".encode("iso8859-2"))
    assert run_hopline("read", str(file)).exit_code == 1
    assert run_hopline("read", str(file), "--encoding", "iso-8859-2").stdout == "Łódź"


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["a.doc"], "cannot read a.doc: unknown suffix '.doc': Word and LibreOffice save it as .docx"),
        (["a.txt", "--encoding", "base64"], "--encoding"),
        (["no.txt"], "not exist"),
    ],
)
def test_what_cannot_be_read_is_said(tmp_path: Path, words: list[str], reason: str) -> None:
    (tmp_path / "a.doc").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
    (tmp_path / "a.txt").write_text("x")
    shown = run_hopline("read", str(tmp_path / words[0]), *words[1:])
    assert shown.exit_code == 2
    assert reason in " ".join(shown.stderr.replace("│", " ").split())
