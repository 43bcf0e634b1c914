"""Reads files as ingestion would: those of a folder, or mixed ones that are made for it.

Each file is read in a limited child of its own, so a time holds the start of Python and of the reader.

    python bench/reading.py FILES TEXTS [--only pdf,docx]
    python bench/reading.py --made 1000 [--seed 1] [--json FILE]

With a folder, TEXTS gets a NAME.txt for each file that could be read. Standard output has a line per file:
seconds, characters, title, or why it was refused; then how many files were read and the mean time.

With --made, as many files are written as are asked for: as many PDFs of four pages as Word, HTML, Markdown
and text files. What is told per kind: documents a second, the same with the bare library beside it
(pypdfium2, lxml, decoding) in this process, one file after another, and the ratio of the two; the largest
child; bytes of the map of places as the chunks keep it, of a page of PDF. Then the folder is synced twice:
what the second sync, of an unchanged folder, found, read and called.
"""

from __future__ import annotations

import argparse
import io
import json
import random
import resource
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import lxml.etree
import lxml.html
import pypdfium2
from made_pdfs import THINGS, html, paragraph, sentence
from report import keep, machine, options
from world import started_world

from hopline import Hopline
from hopline.errors import DocumentUnreadable
from hopline.models.formats import DOCUMENT_FORMATS
from hopline.models.jobs import Json
from hopline.models.syncs import SyncReport
from workers.core.jobs.params import DocumentParams
from workers.core.ports import Limits
from workers.ingest.chunking.split import place_map, split_text
from workers.ingest.reading.document_file import DocumentFile
from workers.ingest.reading.read import read_text

FORMATS = {suffix: form.name for form in DOCUMENT_FORMATS.values() for suffix in form.suffixes}
KINDS = ("pdf", "docx", "html", "md", "txt")
_PAGES, _LINES, _ROWS = 4, 36, 8  # of a PDF
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"


def main() -> None:
    """Read the files of a folder and write their texts, or measure with files that are made."""
    parser = options(__doc__)
    parser.add_argument("files", type=Path, nargs="?")
    parser.add_argument("texts", type=Path, nargs="?")
    parser.add_argument("--only", default="", help="formats, with commas: pdf,docx")
    parser.add_argument("--made", type=int, help="how many files are made and read")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    if arguments.made:
        measure(arguments.made, arguments.seed, arguments.json)
    elif arguments.files and arguments.texts:
        read_folder(arguments)
    else:
        parser.error("name FILES and TEXTS, or --made")


def read_folder(arguments: argparse.Namespace) -> None:
    """Read the files of a folder and write their texts."""
    kinds = set(filter(None, arguments.only.split(",")))
    arguments.texts.mkdir(parents=True, exist_ok=True)
    seconds: list[float] = []
    refused = 0
    for path in sorted(arguments.files.iterdir()):
        kind = FORMATS.get(path.suffix.lower())
        if kind is None or (kinds and kind not in kinds):
            continue
        params = DocumentParams(uri=path.name, source=str(path), format=kind)
        began = time.perf_counter()
        try:
            read = read_text(DocumentFile.of(path.read_bytes()), params, Limits())
        except DocumentUnreadable as error:
            refused += 1
            print(f"{path.name:60} refused: {error}")
            continue
        seconds.append(time.perf_counter() - began)
        (arguments.texts / f"{path.name}.txt").write_text(read.text, encoding="utf-8", newline="")
        print(f"{path.name:60} {seconds[-1]:6.2f} s {len(read.text):9,} characters  {read.title}")
    mean = sum(seconds) / max(1, len(seconds))
    print(f"{len(seconds)} files read, {refused} refused, {mean:.2f} s each on average")


def measure(documents: int, seed: int, file: Path | None) -> None:
    """Make files, read them, sync their folder twice, and print what it took."""
    with tempfile.TemporaryDirectory() as folder:
        paths = write_mixed(Path(folder), documents, random.Random(seed))
        kinds = {kind: of_kind(kind, paths[kind]) for kind in KINDS}
        child = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        report: Json = {
            "benchmark": "reading",
            "machine": machine(),
            "documents": documents,
            "kinds": kinds,
            "documents_a_second": round(documents / sum(each["seconds"] for each in kinds.values()), 1),
            "largest_child_mb": round(child),
            "place_map_bytes_a_page": places_a_page(paths["pdf"]),
            "unchanged_folder": synced_again(Path(folder)),
        }
    print(json.dumps(report, indent=2))
    keep(report, file)


def write_mixed(folder: Path, documents: int, dice: random.Random) -> dict[str, list[Path]]:
    """Write documents of each kind in turn; return their paths by kind."""
    paths: dict[str, list[Path]] = {kind: [] for kind in KINDS}
    for nth in range(documents):
        kind = KINDS[nth % len(KINDS)]
        path = folder / f"part{nth % 20}" / f"doc{nth}.{kind}"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(MADE[kind](dice))
        paths[kind].append(path)
    return paths


def of_kind(kind: str, paths: list[Path]) -> Json:
    """Return what reading some files took, and what the bare library took."""
    began = time.perf_counter()
    for path in paths:
        read_text(DocumentFile.of(path.read_bytes()), params_of(path), Limits())
    seconds = time.perf_counter() - began
    began = time.perf_counter()
    for path in paths:
        BARE[kind](path.read_bytes())
    bare = time.perf_counter() - began
    return {
        "documents": len(paths),
        "seconds": round(seconds, 2),
        "documents_a_second": round(len(paths) / seconds, 1),
        "bare_documents_a_second": round(len(paths) / bare, 1),
        "times_the_bare_library": round(seconds / bare, 1),
    }


def params_of(path: Path) -> DocumentParams:
    """Return a file as ingestion takes it."""
    return DocumentParams(uri=path.name, source=str(path), format=FORMATS[path.suffix])


def places_a_page(paths: list[Path]) -> int:
    """Return how many bytes the chunks of PDFs keep of their places, for each page."""
    total = 0
    for path in paths:
        read, limits = read_text(DocumentFile.of(path.read_bytes()), params_of(path), Limits()), Limits()
        chunks = split_text(path.name, read.text, limits.chunk_tokens, limits.chunk_overlap)
        cut = place_map(read.text, read.places, "pdf").cut
        total += sum(len(cut(chunk.start, chunk.end).encode()) for chunk in chunks)
    return round(total / (_PAGES * len(paths)))


def synced_again(folder: Path) -> Json:
    """Sync a folder twice; return what the second time found, brought in and called."""
    with started_world(lasting=True) as world:
        world.work("bulk")
        with Hopline.local(world.settings) as client:
            for _time in range(2):
                began = time.perf_counter()
                job = client.jobs.wait(client.syncs.submit((str(folder),), "made").id)
                seconds = time.perf_counter() - began
    synced = SyncReport.of(job)
    return {
        "seconds": round(seconds, 1),
        "found": synced.counts,
        "documents_read": sum(synced.documents.values()),
        "model_calls": job.usage.model_calls,
    }


def made_pdf(dice: random.Random) -> bytes:
    """Return a PDF of some pages in Helvetica: a running head, lines of prose, a table of aligned columns."""
    contents = [page_content(dice, number) for number in range(1, _PAGES + 1)]
    kids = " ".join(f"{number} 0 R" for number in range(4, 4 + 2 * _PAGES, 2))
    page = "/Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >>"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {_PAGES} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for content in contents:
        objects += [
            f"<< /Type /Page {page} /Contents {len(objects) + 2} 0 R >>",
            f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
        ]
    out, places = "%PDF-1.4\n", list[int]()
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n"
    rows = "".join(f"{place:010d} 00000 n \n" for place in places)
    table = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{rows}"
    trailer = f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(out)}\n%%EOF"
    return (out + table + trailer).encode("latin-1")


def page_content(dice: random.Random, number: int) -> str:
    """Return what draws a page."""
    drawn = [(72, 770, 9, f"Survey of works, page {number}")]
    words, y, line = paragraph(dice, 30).split(), 730, ""
    for word in words:
        if len(line) + len(word) > 84:
            drawn.append((72, y, 11, line))
            y, line = y - 14, ""
        line = f"{line} {word}".strip()
        if len(drawn) > _LINES:
            break
    for row in [("Work", "Cost", "Rooms"), *(work_row(dice) for _ in range(_ROWS))]:
        y -= 14
        drawn += [(x, y - 10, 11, said) for x, said in zip((72, 260, 400), row, strict=True)]
    return "\n".join(f"BT /F1 {size} Tf {x} {at} Td ({said}) Tj ET" for x, at, size, said in drawn)


def work_row(dice: random.Random) -> tuple[str, str, str]:
    """Return a row of a table: a name and two figures."""
    return dice.choice(THINGS), f"{dice.randint(1, 90)},{dice.randint(100, 999)}", str(dice.randint(2, 9))


def made_docx(dice: random.Random) -> bytes:
    """Return a Word file of paragraphs and a table."""
    paragraphs = "".join(f"<w:p><w:r><w:t>{paragraph(dice, 6)}</w:t></w:r></w:p>" for _ in range(20))
    rows = "".join(
        "<w:tr>"
        + "".join(f"<w:tc><w:p><w:r><w:t>{said}</w:t></w:r></w:p></w:tc>" for said in row)
        + "</w:tr>"
        for row in (work_row(dice) for _ in range(_ROWS))
    )
    document = (
        f'<w:document xmlns:w="{_WORD}"><w:body>{paragraphs}<w:tbl>{rows}</w:tbl></w:body></w:document>'
    )
    main_type = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"><Override '
        'PartName="/word/document.xml" '
        f'ContentType="{main_type}"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r1" '
        f'Type="{_OFFICE}" Target="word/document.xml"/></Relationships>',
        "word/document.xml": document,
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in parts.items():
            packed.writestr(name, content)
    return buffer.getvalue()


def made_html(dice: random.Random) -> bytes:
    """Return a page of HTML: a heading, paragraphs, a table."""
    rows = "".join(f"<tr>{''.join(f'<td>{said}</td>' for said in work_row(dice))}</tr>" for _ in range(_ROWS))
    prose = "".join(f"<p>{paragraph(dice, 6)}</p>" for _ in range(20))
    return html(f"<h1>{sentence(dice)[:-1]}</h1>{prose}<table>{rows}</table>").encode()


def made_text(dice: random.Random) -> bytes:
    """Return Markdown, which is a text, too."""
    return "\n\n".join((f"# {sentence(dice)[:-1]}", *(paragraph(dice, 6) for _ in range(20)))).encode()


def bare_pdf(data: bytes) -> str:
    """Return the text of a PDF as pypdfium2 has it."""
    document = pypdfium2.PdfDocument(data)
    try:
        return "\n".join(page.get_textpage().get_text_bounded() for page in document)
    finally:
        document.close()


def bare_docx(data: bytes) -> str:
    """Return all text of a Word file's main part."""
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        return "".join(map(str, lxml.etree.fromstring(packed.read("word/document.xml")).itertext()))


MADE: dict[str, Callable[[random.Random], bytes]] = {
    "pdf": made_pdf, "docx": made_docx, "html": made_html, "md": made_text, "txt": made_text,
}  # fmt: skip
BARE: dict[str, Callable[[bytes], str]] = {
    "pdf": bare_pdf,
    "docx": bare_docx,
    "html": lambda data: "".join(map(str, lxml.html.fromstring(data).itertext())),
    "md": bytes.decode,
    "txt": bytes.decode,
}


if __name__ == "__main__":
    main()
