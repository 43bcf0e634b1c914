"""Files with the metadata of the documents beside them."""

from datetime import date

import fsspec
import pytest

from workers.sources.documents import list_sources
from workers.sources.formats import Found, Refused


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "offer.pdf").write_text("x")
    (tmp_path / "offer.pdf.bak").write_text("x")
    (tmp_path / "offer.pdf.meta.json").write_text('{"author": "Ann", "date": "2024-05-01"}')
    (tmp_path / "plain.txt").write_text("x")
    return tmp_path


def _metadata(*sources):
    found = [entry.document for entry in list_sources(sources) if isinstance(entry, Found)]
    return {document.uri.rpartition("/")[2]: document.metadata for document in found}


def _refused(*sources):
    refused = [entry for entry in list_sources(sources) if isinstance(entry, Refused)]
    return {entry.place.rpartition("/")[2]: entry.reason for entry in refused}


FIELDS = {"author": "Ann", "date": date(2024, 5, 1)}


def test_a_sidecar_is_read_with_its_document_and_is_none_itself(folder):
    assert _metadata(folder) == {"offer.pdf": FIELDS, "plain.txt": {}}
    assert set(_refused(folder)) == {"offer.pdf.bak"}
    assert _metadata(folder / "offer.pdf") == {"offer.pdf": FIELDS}
    assert _metadata(f"{folder}/*.pdf") == {"offer.pdf": FIELDS}
    both = (folder / "offer.pdf", folder / "offer.pdf.meta.json")  # as a shell writes offer.*
    assert _metadata(*both) == {"offer.pdf": FIELDS}
    assert _refused(*both) == {}


def test_a_sidecar_in_a_store_is_read_and_no_document_taken_without_what_is_almost_its_own():
    system = fsspec.filesystem("memory")
    for name in ("a.md", "b.md"):
        system.pipe_file(f"/kept/{name}", b"text")
    system.pipe_file("/kept/a.md.meta.json", b'{"tags": "x, y"}')
    system.pipe_file("/kept/b.md.META.json", b'{"allow": ["user:ann"]}')
    try:
        assert _metadata("memory://kept") == {"a.md": {"tags": ("x", "y")}}
    finally:
        system.rm("/kept", recursive=True)


def test_a_wrong_sidecar_refuses_its_document_and_no_other(folder):
    (folder / "offer.pdf.meta.json").write_text('{"date": "May"}')
    (folder / "gone.md.meta.json").write_text("{}")
    assert _metadata(folder) == {"plain.txt": {}}
    refused = _refused(folder)
    assert "metadata.date is 'May'" in refused["offer.pdf"]
    assert refused["gone.md.meta.json"] == "the metadata of gone.md, which is not there"
    (folder / "offer.pdf.meta.json").write_text("author: Ann")
    assert "a JSON object of fields" in _refused(folder)["offer.pdf"]
    (folder / "offer.pdf.meta.json").write_text('{"allow": ["user:ann"], "allow": "*"}')
    assert "appears twice" in _refused(folder)["offer.pdf"]
    (folder / "data.jsonl").write_text('{"text": "x"}')
    (folder / "data.jsonl.meta.json").write_text('{"allow": ["user:ann"]}')
    assert "nor an `allow` in it" in _refused(folder)["data.jsonl.meta.json"], "a list has no sidecar"


def test_what_is_not_read_as_a_sidecar_is_refused_with_the_reason(folder, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "secret.json"
    elsewhere.write_text('{"author": "Eve"}')
    (folder / "plain.txt.meta.json").symlink_to(elsewhere)
    for source in (folder, folder / "plain.txt", f"{folder}/plain.*"):
        assert "plain.txt" not in _metadata(source)
        assert "not taken without 'plain.txt.meta.json'" in _refused(source)["plain.txt"]
        assert _refused(source)["plain.txt.meta.json"].startswith("a link, to ")
    (folder / "plain.txt.meta.json").unlink()
    (folder / "plain.txt.META.json").write_text('{"author": "Ann"}')
    (folder / "Offer.pdf.meta.json").write_text("{}")
    (folder / "offer.pdf.meta.json").unlink()
    (folder / "offer.pdf.meta.json").mkdir()
    (folder / "offer.pdf.meta.json" / "in.txt").write_text("x")
    assert _metadata(folder) == {"in.txt": {}}
    refused = _refused(folder)
    assert "not taken without 'plain.txt.META.json'" in refused["plain.txt"]
    assert "not taken without 'Offer.pdf.meta.json'" in refused["offer.pdf"]
    assert refused["plain.txt.META.json"].startswith(
        "'plain.txt.META.json' is not read as metadata, nor an `allow`"
    )
    assert refused["Offer.pdf.meta.json"] == "the metadata of Offer.pdf, which is not there"


@pytest.mark.parametrize("name", ["a.md.META.json", "A.md.meta.json", "\uff41.md.meta.json"])
def test_a_document_is_not_taken_without_what_is_almost_its_sidecar(tmp_path, name):
    (tmp_path / "a.md").write_text("A text.")
    (tmp_path / "b.md").write_text("A text.")
    (tmp_path / name).write_text('{"allow": ["user:ann"]}')
    for source in (tmp_path, f"{tmp_path}/*.md"):
        assert _metadata(source) == {"b.md": {}}
    assert _metadata(tmp_path / "a.md") == {}
    assert _metadata(tmp_path / "b.md") == {"b.md": {}}
    assert name in _refused(tmp_path / "a.md")["a.md"]
    (tmp_path / "a.md.meta.json").write_text("{}")
    assert _metadata(tmp_path) == {"a.md": {}, "b.md": {}}


def test_names_that_differ_by_their_letters_keep_their_own_sidecars(tmp_path):
    for name in ("a.md", "A.md"):
        (tmp_path / name).write_text("A text.")
    (tmp_path / "A.md.meta.json").write_text('{"allow": ["user:ann"]}')
    assert _metadata(tmp_path) == {"A.md": {"allow": ("user:ann",)}, "a.md": {}}


def test_the_metadata_of_a_line_is_taken_and_a_wrong_one_refused(tmp_path):
    lines = tmp_path / "docs.jsonl"
    lines.write_text(
        '{"id": "a", "text": "x", "metadata": {"author": "Ann", "date": "2024-05-01"}}\n'
        '{"id": "b", "text": "x", "metadata": null}\n'
        '{"id": "c", "text": "x", "metadata": {"priority": "high"}}\n'
    )
    assert _metadata(lines) == {"docs.jsonl#a": FIELDS, "docs.jsonl#b": {}}
    assert "metadata.priority is 'high', but must be a number" in _refused(lines)["docs.jsonl line 3"]


def test_a_line_says_in_any_letters_who_may_see_it(tmp_path):
    lines = tmp_path / "docs.jsonl"
    lines.write_text(
        '{"id": "a", "text": "x", " ALLOW ": ["user:ann"]}\n'
        '{"id": "b", "text": "x", "metadata": {"Allow": ["user:ann"]}}\n'
    )
    assert _metadata(lines) == {f"docs.jsonl#{key}": {"allow": ("user:ann",)} for key in "ab"}


@pytest.mark.parametrize("fields", [
    '"allow": ["user:ann"], "Allow": "*"',
    '"metadata": {"allow": ["user:ann"], "allow": "*"}',
    '"Allow": ["user:ann"], "metadata": {"allow": "*"}',
    '"metadata": {"allow": ["user:ann"]}, "metadata": {}',
    '"metadata": {"allow": ["user:ann"]}, "meta\\u0064ata": {"author": "Ann"}',
    '"metadata": {"all\\u006fw": ["user:ann"], "allow": "*"}',
])  # fmt: skip
def test_a_line_that_says_twice_who_may_see_it_is_refused(tmp_path, fields):
    lines = tmp_path / "docs.jsonl"
    lines.write_text(f'{{"text": "x", {fields}}}\n')
    assert _metadata(lines) == {}
    assert any(name in _refused(lines)["docs.jsonl line 1"] for name in ("allow", "metadata"))
