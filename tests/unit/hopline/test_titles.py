"""Documents of one title are told apart by their folders."""

from typing import NamedTuple

import pytest

from hopline.titles import ShownTitles


class Named(NamedTuple):
    """A document."""

    title: str
    uri: str


@pytest.mark.parametrize(("uris", "parts"), [
    (["/a/2023/report.md"], [""]),
    (["/a/2023/report.md", "/a/2023/report.md"], ["", ""]),
    (["/a/2023/report.md", "/a/2024/report.md"], ["2023", "2024"]),
    (["/a/2023/q1/report.md", "/a/2024/q1/report.md"], ["2023", "2024"]),
    (["/a/x/report.md", "/b/x/report.md", "/b/y/report.md"], ["a/x", "b/x", "y"]),
    (["/a/report.md", "/a/report.pdf"], ["report.md", "report.pdf"]),
    (["report.md", "old/report.md"], ["report.md", "old/report.md"]),
    (["lines.jsonl#1", "lines.jsonl#2"], ["lines.jsonl#1", "lines.jsonl#2"]),
])  # fmt: skip
def test_two_documents_of_one_title_are_told_apart_by_the_least_of_their_addresses(uris, parts):
    documents = [Named("Report", uri) for uri in uris]
    titles = ShownTitles([*documents, Named("Letter", "/a/2023/letter.md")])
    assert [titles.of(each) for each in documents] == [
        f"Report ({part})" if part else "Report" for part in parts
    ]
    assert titles.of(Named("Letter", "/a/2023/letter.md")) == "Letter"


def test_a_document_without_a_title_is_called_by_its_address() -> None:
    untitled = [Named("", "/a/notes.txt"), Named("", "/b/notes.txt")]
    assert list(map(ShownTitles(untitled).of, untitled)) == ["/a/notes.txt", "/b/notes.txt"]
