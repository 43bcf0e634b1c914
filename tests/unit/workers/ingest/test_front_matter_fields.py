"""Metadata in the front matter of Markdown."""

from datetime import date

import pytest

from hopline.errors import DocumentUnreadable, InvalidInput
from workers.core.jobs.params import DocumentParams
from workers.core.ports import Limits
from workers.ingest.reading.document_file import DocumentFile
from workers.ingest.reading.front_matter import front_matter, front_matter_metadata
from workers.ingest.reading.read import ReadText, read_text

FIELDS = {"author": "Ann", "date": date(2024, 5, 1), "priority": 2, "tags": ("a", "2024")}


def test_fields_of_yaml_and_toml():
    for front in [
        "---\ntitle: T\nauthor: Ann\ndate: 2024-05-01\npriority: 2\ntags: [a, 2024]\n---\n",
        "---\nAuthor: 'Ann'\ndate: 2024-5-1 10:00:00\npriority: 2\ntags:\n- a\n- 2024\n...\n",
        '+++\nauthor = "Ann"\ndate = 2024-05-01\npriority = 2\ntags = ["a", "2024"]\n+++\n',
    ]:
        assert front_matter_metadata(front) == FIELDS, front


def test_what_is_no_metadata_is_left_out():
    front = (
        "---\nauthor: Ann\nnested:\n  a: 1\nlong: " + "x" * 600 + "\ndate: May\n'two words': x\nempty:\n---\n"
    )
    assert front_matter_metadata(front) == {"author": "Ann"}
    assert front_matter_metadata("") == {}
    assert front_matter_metadata("---\na: [\n---\n") == {}
    assert front_matter_metadata('---\nnumber: "5"\n---\n') == {"number": "5"}


@pytest.mark.timeout(300)  # it took for ever
def test_a_hostile_front_matter_makes_no_object_and_ends():
    bomb = "".join(f"a{nth}: &a{nth} [*a{nth - 1}, *a{nth - 1}]\n" for nth in range(1, 60))
    assert front_matter_metadata(f"---\na0: &a0 [x]\n{bomb}---\n") == {"a0": ("x",)}
    keys = ",\n".join(f"k{nth}: &k{nth} [" + ",".join([f"*k{nth - 1}"] * 3) + "]" for nth in range(1, 16))
    assert front_matter_metadata(f"---\n{{k0: &k0 [x],\n{keys},\n? [*k15] : 1}}\n---\n") == {"k0": ("x",)}
    assert front_matter_metadata("---\n? [a]\n: 1\n? {a: b}\n: 1\nauthor: Ann\n---\n") == {"author": "Ann"}
    object_made = front_matter_metadata("---\nx: !!python/object/apply:os.system ['true']\n---\n")
    assert object_made in ({}, {"x": ("true",)})
    assert front_matter_metadata("---\nx: " + "[" * 5000 + "\n---\n") == {}
    assert front_matter_metadata("---\nx: " + "a" * 30_000 + "\n---\n") == {}


def test_numbers_and_letters_beyond_all_bounds_are_left_out():
    for front in [
        "+++\nnumber = " + "1" * 5000 + "\n+++\n",
        "+++\nnumber = " + "1" * 400 + "\n+++\n",
        "+++\nnumber = 0x" + "f" * 4000 + "\n+++\n",
        "---\nnumber: " + "1" * 5000 + "\n---\n",
        '---\nnumber: "\\UFFFFFFFF"\n---\n',
    ]:
        number = {"number": front.partition(" ")[2].partition("\n")[0]}
        assert front_matter_metadata(front) in ({}, number), front


def test_only_what_stands_before_the_text_counts():
    text = "---\nauthor: Ann\n---\nA text.\n"
    assert front_matter_metadata(text[: front_matter(text, "md").end]) == {"author": "Ann"}
    assert front_matter_metadata(text[: front_matter(text, "txt").end]) == {}


def test_a_front_matter_says_who_may_see_the_document() -> None:
    for front in [
        "---\nallow: user:ann, group:legal\n---\n",
        "---\nallow: [user:ann, group:legal]\n---\n",
        '+++\nallow = ["user:ann", "group:legal"]\n+++\n',
    ]:
        assert front_matter_metadata(front) == {"allow": ("user:ann", "group:legal")}, front


def test_a_front_matter_that_hides_who_may_see_the_document_is_refused() -> None:
    for front in [
        "---\nallow: *\n---\n",  # an alias of YAML
        "---\nallow: ann\n---\n",
        "---\nAllow: user:ann\na: [\n---\n",
        "---\nallow: user:ann\nx: " + "a" * 30_000 + "\n---\n",
        '+++\nallow = "user:ann"\nb = \n+++\n',
        "---\nallow: [user:ann]\nallow: '*'\n---\n",
        "---\nallow: [user:ann]\nAllow: '*'\n---\n",
        '+++\nallow = "user:ann"\nAllow = "*"\n+++\n',
        "---\nmetadata:\n  allow: [user:ann]\n---\n",
        "---\na: {b: [{'Allow': [user:ann]}]}\n---\n",
        "+++\n[access]\nallow = ['user:ann']\n+++\n",
        '---\ntitle: "a: [\ntags: [x], allow: [user:ann]\n---\n',
        '---\ntitle: "a\nallow: [user:ann]\nauthor: "\n---\n',
        '---\n"al\u200blow": [user:ann]\n---\n',
        '---\n"\uff41llow": [user:ann]\n---\n',
        '---\ntitle: "open\n"\\u0061llow": [user:ann]\n---\n',
    ]:
        with pytest.raises(InvalidInput, match=r"al(\\u200b)?low|[aａ]llow"):
            front_matter_metadata(front)


def _read(text: str) -> ReadText:
    params = DocumentParams(uri="/docs/a.md", source="x", format="md")
    return read_text(DocumentFile.of(text.encode()), params, Limits())


def test_what_only_resembles_a_front_matter_with_allow_is_refused() -> None:
    for text in [
        "---\nallow: [user:ann,\ngroup:legal]\n---\nText.",
        "+++\n'allow' = ['user:ann']\n+++\nText.",
        "+++\nallow.users = ['user:ann']\n+++\nText.",
        *(f"---\nallow: [user:ann]\n{line}\n---\nText." for line in ("a.b: 1", "og/x: 1", "<<: *b", "? x")),
        "---\nallow:[user:ann]\n---\nText.",
        "---\n{allow: [user:ann]}\n---\nText.",
        "--- # who\nallow: [user:ann]\n---\nText.",
        "---\n---\nallow: [user:ann]\n---\nText.",
        "\n \n---\nallow: [user:ann]\n---\nText.",
        "---\nallow: [user:ann]\n\nText.",
        "---\nallow: [user:ann]\n" + "a: 1\n" * 499 + "---\nText.",
        "---\n" + "a: 1\n" * 600 + "allow: [user:ann]\n---\nText.",
        "+++\na.b = 1\n[allow]\nusers = ['user:ann']\n+++\nText.",
        '---\na.b: 1\n"\\u0061llow": [user:ann]\n---\nText.',
        "---\nallow\uff1a [user:ann]\n---\nText.",
        "---\ntitle: T\n---\n---\nallow: [user:ann]\n---\nText.",
    ]:
        with pytest.raises(DocumentUnreadable, match=r"metadata\.allow.*a front matter between `---` lines"):
            _read(text)


def test_text_that_tells_of_allow_is_read() -> None:
    for text in [
        "---\n\nA rule first.\n" + "A line.\n" * 500 + "We allow: apples.\n",
        "---\n\nA rule first.\n" + "A long line. " * 2000 + "\nWe allow: apples.\n",
        "---\nSome words.\n---\nWe allow: apples.\n",
        "---\nallow-list: x\n---\nWe allow: apples.\n",
        "---\ndescription: 'what we allow: apples'\n# allow: [user:ann]\n---\nallow: apples\n",
        "---\n\nWe allow apples.\n",
        "---\n\nA rule first, and then\nallow: a word with a colon.\n",
        "---\n# [allow]\nallow-list: x\n---\nText.\n",
        "---\na.b: We allow: apples\n---\nText.\n",
        "---\ntitle: T\n---\n\n---\n\nA rule.\n\nallow: apples\n",
        "We write:\n\n---\nallow: [user:ann]\n---\n",
    ]:
        assert "allow" not in _read(text).metadata, text


def test_a_front_matter_with_allow_where_none_is_read_refuses_the_document() -> None:
    for kind in ("txt", "html"):
        params = DocumentParams(uri=f"/docs/a.{kind}", source="x", format=kind)
        with pytest.raises(DocumentUnreadable, match=r"metadata\.allow"):
            read_text(DocumentFile.of(b"---\nallow: [user:ann]\n---\n<p>Text.</p>"), params, Limits())


@pytest.mark.timeout(300)  # it would take for ever
def test_what_resembles_a_front_matter_is_read_in_linear_time() -> None:
    for part in ("allow ", "allow.", "---\n", "\ufeff\n", "allow" + " " * 1000, "- \n", "&", "[allow"):
        _read("---\n" + part * (500_000 // len(part)) + "x")
    bomb = "".join(f"a{nth}: &a{nth} [*a{nth - 1}, *a{nth - 1}]\n" for nth in range(1, 60))
    with pytest.raises(InvalidInput, match=r"al(\\u200b)?low|[aａ]llow"):
        front_matter_metadata(f"---\na0: &a0 [x]\n{bomb}b: {{allow: *a59}}\n---\n")
