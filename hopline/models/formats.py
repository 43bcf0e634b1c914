"""Formats of documents, each described once; `workers/ingest/reading/file_checks.py` has their checks."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class DocumentFormat:
    """How documents of a format are recognised and read."""

    name: str
    suffixes: tuple[str, ...]  # of files, in small letters
    media_type: str
    is_text: bool = False  # characters in some encoding; such a document may also be given as a text
    has_headings: bool = False  # of Markdown, in the text that is read
    reader: str = ""  # module of `read(data, options)`; "": the text is kept as it is
    version: int = 1  # of the reader: raised where it makes another text or other places of a file


DOCUMENT_FORMATS = {
    form.name: form
    for form in (
        DocumentFormat("txt", (".txt", ".text", ".log", ".json"), "text/plain", is_text=True),
        DocumentFormat("md", (".md", ".markdown"), "text/markdown", is_text=True, has_headings=True),
        DocumentFormat(
            "html",
            (".html", ".htm", ".xhtml"),
            "text/html",
            is_text=True,
            has_headings=True,
            reader="workers.ingest.reading.html.reader",
        ),
        DocumentFormat(
            "pdf",
            (".pdf",),
            "application/pdf",
            has_headings=True,
            reader="workers.ingest.reading.pdf.reader",
        ),
        DocumentFormat(
            "docx",
            (".docx",),
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            has_headings=True,
            reader="workers.ingest.reading.docx.document",
        ),
    )
}
LINES = (".jsonl", ".ndjson")  # suffixes of lists with one document a line
ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz")  # ends of names of files that hold documents


def is_archive(name: str) -> bool:
    """Return whether a file's name is that of an archive of documents."""
    return name.lower().endswith(ARCHIVES)


def reader_of(form: str) -> str:
    """Return what reads a format, with its version: "pdf 1"."""
    return f"{form} {DOCUMENT_FORMATS[form].version}"


def format_names() -> tuple[str, ...]:
    """Return the names of all formats."""
    return tuple(DOCUMENT_FORMATS)


def text_format_names() -> tuple[str, ...]:
    """Return the names of those in which a document may be given as a text."""
    return tuple(form.name for form in DOCUMENT_FORMATS.values() if form.is_text)
