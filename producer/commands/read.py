"""hopline read."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from hopline.commands.console import error_line, harmless, notice, print_json, working
from hopline.commands.intake import Code, Encoding
from hopline.commands.options import AsJson
from hopline.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from workers.core.jobs.params import DocumentParams
    from workers.core.ports import Limits
    from workers.ingest.reading.document_file import DocumentFile
    from workers.ingest.reading.read import ReadText
    from workers.ingest.reading.scans.recognised import Recognised, RecognisedPage

_QUALITY = {
    "recognised_pages": ("page", " recognised"),
    "pages_without_text": ("page", " without text"),
    "signs_without_meaning": ("character", " that the file does not identify"),
    "doubtful_tables": ("doubtful table", ", read as lines"),
    "replaced_bytes": ("stray byte", ", replaced by \ufffd"),
    "misnamed": ("file", " of another format than its name says"),
}
_BY_PAGE = {"doubtful_lines": "recognised with doubt", "unread_lines": "in a script that is not recognised"}


def read(
    file: Annotated[Path, typer.Argument(help="File of the document.", exists=True, dir_okay=False)],
    code: Code = False,
    places: Annotated[
        bool, typer.Option("--places", help="Print each line with its place in the file.")
    ] = False,
    encoding: Encoding = None,
    asks: Annotated[
        bool,
        typer.Option(
            "--password",
            help="Prompt for the password of an encrypted PDF, or read it from standard input; it is never "
            "stored.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Print the text that ingestion would store for a document; needs no server and calls no model.

    Scanned pages are recognised on this machine, which takes a few seconds per page. Standard output has
    exactly that text, for a list (.jsonl) one document after another; standard error has the title, what
    was left out, and how well it was read. Exit codes: 0 read, 1 unreadable, 2 usage.

    [bold]Examples[/bold]

      hopline read contract.pdf | less

      hopline read old.txt --encoding gbk

      hopline read scan.pdf --places

      hopline read locked.pdf --password

      hopline read report.docx --places

      hopline read report.pdf --json | jq .left_out
    """
    from hopline.models.formats import LINES
    from workers.ingest.reading.document_file import DocumentFile
    from workers.ingest.reading.read import read_text
    from workers.ingest.reading.scans.extra import can_recognise
    from workers.settings import load_settings

    if file.suffix.lower() in LINES:
        _read_list(file, places=places, as_json=as_json)
        return
    params, limits = _params(file, encoding or "", code=code), load_settings().limits
    password = _password() if asks else ""
    with DocumentFile(file.open("rb")) as opened:
        found = read_text(opened, params, limits, password)
        if found.pictured and can_recognise():
            recognised = _recognised(opened.file, found, limits, password)
            found = read_text(opened, params, limits, password, recognised)
    _print(found, params, places=places, as_json=as_json)


def _print(found: ReadText, params: DocumentParams, *, places: bool, as_json: bool) -> None:
    if as_json:
        about = {"uri": params.uri, "format": found.format, "title": found.title, "encoding": found.encoding}
        counts = {"left_out": dict(found.left_out), "quality": dict(found.quality)}
        lines = [{"start": start, "end": end, "place": place} for start, end, place in _lines(found, params)]
        print_json(json.dumps({**about, "text": found.text, **counts, "lines": lines}, ensure_ascii=False))
        return
    if places:
        for start, end, place in _lines(found, params):
            line = found.text[start:end].rstrip("\r")
            typer.echo(harmless(f"{place['words'] if place else ''}\t{line}"))
    elif sys.stdout.isatty():
        typer.echo(harmless(found.text))
    else:
        sys.stdout.buffer.write(found.text.encode("utf-8", "replace"))
    _tell(found)


def _read_list(file: Path, *, places: bool, as_json: bool) -> None:
    """Print the documents of a list, separated by empty lines.

    Raises:
        DocumentUnreadable: a line has no readable document; the others were printed.
    """
    from hopline.errors import DocumentUnreadable
    from workers.ingest.reading.read import read_text
    from workers.settings import load_settings
    from workers.sources.addresses import InPlace
    from workers.sources.formats import Refused
    from workers.sources.lines import documents_of_lines

    limits, refused, printed = load_settings().limits, 0, 0
    with file.open("rb") as listed, file.open("rb") as lines:
        for named in documents_of_lines(listed, str(file.absolute()), InPlace()):
            if isinstance(named, Refused):
                refused += 1
                error_line(f"{Path(named.place).name}: {named.reason}")
                continue
            try:
                found = read_text(_line_of(lines, named.document.source), named.document, limits)
            except DocumentUnreadable as error:
                refused += 1
                error_line(f"{Path(named.place).name}: {error}")
                continue
            if printed and not as_json:
                typer.echo("\n")
            printed += 1
            _print(found, named.document, places=places, as_json=as_json)
    if refused:
        raise DocumentUnreadable(f"{counted(refused, 'line')} of {file.name} cannot be read")


def _line_of(file: BinaryIO, source: str) -> DocumentFile:
    """Return the text of a line as a file, addressed by its line number."""
    from workers.ingest.reading.document_file import DocumentFile
    from workers.sources.line_address import line_address
    from workers.sources.lines import text_of_line

    line = line_address(source)
    assert line is not None  # noqa: S101 - as the document was listed
    file.seek(line.start)
    return DocumentFile.of(text_of_line(file.read(line.length)).encode())


def _recognised(file: BinaryIO, read_so_far: ReadText, limits: Limits, password: str) -> Recognised:
    """Recognise scanned pages, and show the progress."""
    from workers.ingest.reading.scans.recognition import Unrecognised, recognised_pages

    pages = read_so_far.pictured
    found: dict[int, RecognisedPage] = {}
    with working(f"Recognising {counted(len(pages), 'page')}", quiet=False) as tell:
        read = recognised_pages(file, read_so_far.format, pages, limits, lambda _picture: None, password)
        for nth, (number, page, _is_known) in enumerate(read, 1):
            if isinstance(page, Unrecognised):
                notice(f"Page {number} was not recognised: {page.reason}")
            else:
                found[number] = page
            tell(f"Recognised {nth:,} of {counted(len(pages), 'page')}")
    return found


def _password() -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    return str(typer.prompt("Password", hide_input=True, default="", show_default=False, err=True))


def _params(file: Path, encoding: str, *, code: bool) -> DocumentParams:
    """Return the parameters with which ingestion reads a file.

    Raises:
        InvalidInput: the file's format is not supported, or there is no such encoding.
    """
    from hopline.errors import InvalidInput
    from hopline.models.formats import is_archive, unknown_suffix
    from workers.core.jobs.params import DocumentParams, parse_params
    from workers.sources.formats import FORMATS, format_of_file

    with file.open("rb") as opened:
        form = "" if is_archive(file.name) else format_of_file(file.name, opened, code=code)
    if not form:
        why = "an archive; unpack it and name one of its files" if is_archive(file.name) else ""
        message = f"cannot read {file.name}: {why or unknown_suffix(file.suffix.lower(), FORMATS)}"
        raise InvalidInput("file", str(file), ", ".join(FORMATS), message=message)
    place = str(file.absolute())
    fields = {"uri": place, "source": place, "format": form, "encoding": encoding}
    return parse_params(DocumentParams, fields)


def _lines(found: ReadText, params: DocumentParams) -> Iterator[tuple[int, int, Mapping[str, Any] | None]]:
    """Yield start, end and place of each line of a text that is not blank."""
    from workers.core.places import place_of
    from workers.ingest.chunking.split import place_map

    known, start = place_map(found.text, found.places, found.format, params.uri), 0
    for line in found.text.split("\n"):
        end = start + len(line)
        if line.strip():
            place = place_of(known.cut(start, end), 0, end - start)
            yield start, end, place.model_dump(mode="json") if place else None
        start = end + 1


def _tell(found: ReadText) -> None:
    from workers.ingest.reading.scans.extra import can_recognise, with_remedy

    notice(f"Title: {found.title}")
    if found.encoding not in ("", "utf-8"):
        notice(f"Encoding: {found.encoding}")
    if found.left_out:
        notice("Left out: " + ", ".join(f"{count} × {what}" for what, count in found.left_out.items()))
    wrong = [
        counted(found.quality[name], noun) + behind
        for name, (noun, behind) in _QUALITY.items()
        if found.quality.get(name)
    ]
    for name, told in _BY_PAGE.items():
        wrong += [
            counted(count, "line") + f" of page {page} {told}"
            for page, count in found.quality.get(name, {}).items()
        ]
    if wrong:
        notice("Quality: " + ", ".join(wrong))
    if found.pictured and not can_recognise():
        notice(with_remedy(len(found.pictured)))
