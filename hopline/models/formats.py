"""Formats of documents; `workers/ingest/reading/file_checks.py` checks them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class DocumentFormat:
    """How documents of one format are recognised and read."""

    name: str
    suffixes: tuple[str, ...]  # of files, in small letters
    media_type: str
    is_text: bool = False  # characters in some encoding; such a document may also be given as a text
    has_headings: bool = False  # of Markdown, in the text that is read
    reader: str = ""  # module of `read(data, options)`; "": the text is kept unchanged
    page: str = "page"  # what a page is called
    is_asked: bool = False  # read only where that is asked for
    version: int = 1  # of the reader: raised where it makes another text or other places of a file


_OF_PICTURES = "workers.ingest.reading.scans.picture_reader"
_CODE = (  # suffixes of source code and of configuration
    "py pyi js mjs cjs jsx ts tsx java kt kts scala groovy go rs c h cc cpp cxx hpp hh cs vb fs swift "
    "m mm php rb pl pm lua r jl dart ex exs erl hs ml clj lisp el sh bash zsh fish ps1 bat cmd sql "
    "proto thrift graphql tf hcl gradle cmake mk yaml yml toml ini cfg conf properties env xml xsd "
    "wsdl css scss less vue svelte"
)
DOCUMENT_FORMATS = {
    form.name: form
    for form in (
        DocumentFormat("txt", (".txt", ".text", ".log", ".json"), "text/plain", is_text=True),
        DocumentFormat("md", (".md", ".markdown"), "text/markdown", is_text=True, has_headings=True),
        DocumentFormat("mdx", (".mdx",), "text/mdx", is_text=True, has_headings=True),
        DocumentFormat(
            "rst",
            (".rst", ".rest"),
            "text/x-rst",
            is_text=True,
            has_headings=True,
            reader="workers.ingest.reading.markup.rst",
            version=2,
        ),
        DocumentFormat(
            "adoc",
            (".adoc", ".asciidoc"),
            "text/asciidoc",
            is_text=True,
            has_headings=True,
            reader="workers.ingest.reading.markup.asciidoc",
            version=2,
        ),
        DocumentFormat(
            "org",
            (".org",),
            "text/org",
            is_text=True,
            has_headings=True,
            reader="workers.ingest.reading.markup.org",
            version=2,
        ),
        DocumentFormat(
            "tex",
            (".tex", ".latex"),
            "text/x-tex",
            is_text=True,
            has_headings=True,
            reader="workers.ingest.reading.markup.latex",
            version=2,
        ),
        DocumentFormat(
            "code",
            tuple(f".{suffix}" for suffix in _CODE.split()),
            "text/x-source",
            is_text=True,
            is_asked=True,
            reader="workers.ingest.reading.source_code",
        ),
        DocumentFormat(
            "html",
            (".html", ".htm", ".xhtml"),
            "text/html",
            is_text=True,
            has_headings=True,
            reader="workers.ingest.reading.html.reader",
            version=3,
        ),
        DocumentFormat(
            "pdf",
            (".pdf",),
            "application/pdf",
            has_headings=True,
            reader="workers.ingest.reading.pdf.reader",
            version=5,
        ),
        DocumentFormat(
            "docx",
            (".docx",),
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            has_headings=True,
            reader="workers.ingest.reading.docx.document",
            version=2,
        ),
        DocumentFormat(
            "xlsx",
            (".xlsx", ".xlsm"),
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            reader="workers.ingest.reading.sheets.workbook",
        ),
        DocumentFormat(
            "xls",
            (".xls",),
            "application/vnd.ms-excel",
            reader="workers.ingest.reading.sheets.workbook",
            version=2,
        ),
        DocumentFormat(
            "ods",
            (".ods",),
            "application/vnd.oasis.opendocument.spreadsheet",
            reader="workers.ingest.reading.sheets.workbook",
            version=2,
        ),
        DocumentFormat(
            "csv",
            (".csv",),
            "text/csv",
            is_text=True,
            reader="workers.ingest.reading.sheets.delimited",
            version=2,
        ),
        DocumentFormat(
            "tsv",
            (".tsv", ".tab"),
            "text/tab-separated-values",
            is_text=True,
            reader="workers.ingest.reading.sheets.delimited",
            version=2,
        ),
        DocumentFormat(
            "pptx",
            (".pptx", ".pptm", ".ppsx"),
            "application/vnd.openxmlformats-officedocument.presentationml.presentation",
            has_headings=True,
            reader="workers.ingest.reading.slides",
            page="slide",
        ),
        DocumentFormat(
            "odt",
            (".odt",),
            "application/vnd.oasis.opendocument.text",
            has_headings=True,
            reader="workers.ingest.reading.open_document",
            version=3,
        ),
        DocumentFormat(
            "epub",
            (".epub",),
            "application/epub+zip",
            has_headings=True,
            reader="workers.ingest.reading.book",
            version=3,
        ),
        DocumentFormat(
            "ipynb",
            (".ipynb",),
            "application/x-ipynb+json",
            has_headings=True,
            reader="workers.ingest.reading.notebook",
            version=2,
        ),
        DocumentFormat(
            "mhtml",
            (".mhtml", ".mht"),
            "multipart/related",
            has_headings=True,
            reader="workers.ingest.reading.web_archive",
            version=5,
        ),
        *(
            DocumentFormat(name, suffixes, f"image/{name}", reader=_OF_PICTURES)
            for name, suffixes in {
                "png": (".png",),
                "jpeg": (".jpg", ".jpeg"),
                "tiff": (".tif", ".tiff"),
                "webp": (".webp",),
            }.items()
        ),
        DocumentFormat("eml", (".eml",), "message/rfc822", reader="workers.ingest.reading.mail", version=3),
        DocumentFormat(
            "msg", (".msg",), "application/vnd.ms-outlook", reader="workers.ingest.reading.mail", version=2
        ),
        DocumentFormat(
            "rtf",
            (".rtf",),
            "application/rtf",
            has_headings=True,
            reader="workers.ingest.reading.rich_text",
            version=2,
        ),
    )
}
MARKDOWN = ("md", "mdx")
SUFFIXES = tuple(
    suffix for form in DOCUMENT_FORMATS.values() for suffix in form.suffixes if not form.is_asked
)
CODE = DOCUMENT_FORMATS["code"].suffixes
LINES = (".jsonl", ".ndjson")  # suffixes of lists with one document a line
ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".mbox")  # ends of names of files that hold documents
_SAVED_AS = {  # what is not read, and the program that saves it as something that is
    ".numbers": "Numbers exports it as Excel (.xlsx)",
    ".xlsb": "Excel saves it as .xlsx",
    ".wk1": "LibreOffice saves it as .xlsx",
    ".dbf": "LibreOffice saves it as .csv",
    ".doc": "Word and LibreOffice save it as .docx",
    ".pages": "Pages exports it as Word (.docx) or PDF",
    ".ppt": "PowerPoint and LibreOffice save it as .pptx",
    ".key": "Keynote exports it as PDF",
}


# Copies that programs and people leave: whether such a one may be read, nobody has said.
_COPIES = frozenset((".bak", ".orig", ".old", ".tmp", ".temp", ".swp", ".part", ".crdownload", ".download"))
_MEDIA = (  # suffixes of what holds no document that is read
    "gif bmp ico svg heic psd mp3 mp4 m4a m4v wav flac ogg avi mov mkv webm exe dll so dylib o a class"
    " jar pyc woff woff2 ttf otf eot 7z rar gz bz2 xz zst iso dmg sqlite db parquet npy npz pkl pt onnx"
)
_UNJUDGED = frozenset((*_COPIES, *CODE, *(f".{suffix}" for suffix in _MEDIA.split())))


def is_judged(suffix: str) -> bool:
    """Return whether a file with a suffix that names no format is read by its content."""
    return suffix not in _UNJUDGED and not suffix.endswith("~")


def is_archive(name: str) -> bool:
    """Return whether a file's name is that of an archive of documents."""
    return name.lower().endswith(ARCHIVES)


def reader_of(form: str) -> str:
    """Return the reader of a format with its version: "pdf 1"."""
    return f"{form} {DOCUMENT_FORMATS[form].version}"


def format_of(reader: str) -> str:
    """Return the format that a reader of a version reads."""
    return reader.rpartition(" ")[0]


def unknown_suffix(suffix: str, known: Iterable[str]) -> str:
    """Return why files with a suffix are refused, and how they can be read or converted."""
    saved = (
        "source code, which is read where `--code` asks for it" if suffix in CODE else _SAVED_AS.get(suffix)
    )
    return f"unknown suffix {suffix!r}" + (
        f": {saved}" if saved else f", known are {', '.join(sorted(known))}"
    )


def format_names() -> tuple[str, ...]:
    """Return the names of all formats."""
    return tuple(DOCUMENT_FORMATS)


def text_format_names() -> tuple[str, ...]:
    """Return the names of the formats in which a document may be given as text."""
    return tuple(form.name for form in DOCUMENT_FORMATS.values() if form.is_text)
