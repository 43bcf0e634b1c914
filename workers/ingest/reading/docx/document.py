"""Reads Word documents: the main part and the parts it refers to (ECMA-376, part 1, 17)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workers.ingest.reading.blocks import Block, FileBytes, Quality, Reading
from workers.ingest.reading.docx.names import Element, below, is_on, name, value
from workers.ingest.reading.docx.numbering import Numbering
from workers.ingest.reading.docx.package import Package
from workers.ingest.reading.docx.story import PAGE_NUMBER, Shared, Story, flat
from workers.ingest.reading.docx.styles import Styles
from workers.ingest.reading.raised import written

# "Page 3 of 10", "Seite 3", "第 3 页 共 10 页", where a sign stands for each number.
_PAGE = r"page|p\.|seite|página|pág\.|pagina|страница|стр\.|strana|strona|sida|side|oldal|trang|第|共"
_OF = r"of|von|de|sur|di|van|из|z|av|af|của|[/／,，–-]"
_PAGE_OF_PAGES = re.compile(
    rf"(?:\b(?:{_PAGE})[\s:]*)?{PAGE_NUMBER}(?:\s*[页頁쪽])?(?:\s*(?:{_OF})\s*(?={PAGE_NUMBER}))?",
    re.IGNORECASE,
)
_PRIVATE_USE = re.compile("[\ue000-\uf8ff]")
_NOTE_PARTS = ("footnotes", "endnotes", "comments")
_NOTE_FORMS = {"footnotes": ("w:footnotePr", "decimal"), "endnotes": ("w:endnotePr", "lowerRoman")}
_REPEATED = {name("w:headerReference"): "Page header:", name("w:footerReference"): "Page footer:"}


MAPS_FILE = True


def read(data: FileBytes, options: dict[str, str]) -> Reading:  # noqa: ARG001 - all readers take options
    """Return the contents of a Word document, with tracked changes accepted.

    Notes and comments follow the paragraph that refers to them; text boxes and charts follow the one that
    holds their anchor; headers and footers follow the whole text, each once.

    Raises:
        UnreadableError: it has no main part, or one that is broken or too large.
    """
    package = Package(data)
    settings = package.related(package.main, "settings")
    shared = Shared(
        package,
        Styles(package.related(package.main, "styles")),
        Numbering(package.related(package.main, "numbering")),
        {kind: _note_form(settings, *form) for kind, form in _NOTE_FORMS.items()},
    )
    root = package.main_root()
    story = Story(shared, package.main)
    blocks = [block for body in root.iterchildren(name("w:body")) for block in story.blocks(body)]
    blocks += _headers(shared, root, settings)
    _fill_notes(shared)
    text = "".join(block.text or "".join(cell.text for cell in block.cells) for block in blocks)
    return Reading(
        blocks,
        title=written(story.title) or package.title(),
        left_out=+(shared.left_out + package.broken),
        quality=Quality(
            signs=len("".join(text.split())),
            signs_without_meaning=len(_PRIVATE_USE.findall(text)),
        ),
    )


def _note_form(settings: Element | None, properties: str, usual: str) -> str:
    return value(below(settings, properties, "w:numFmt")) or usual


def _headers(shared: Shared, root: Element, settings: Element | None) -> Iterator[Block]:
    """Yield the lines of headers and footers that some page shows, each text once."""
    relations = shared.package.relations(shared.package.main)
    even_differ = is_on(below(settings, "w:evenAndOddHeaders"))
    seen: set[str] = set()
    for section in root.iter(name("w:sectPr")):
        if any(
            True for _ in section.iterancestors(name("w:sectPrChange"))
        ):  # as it was before a tracked change
            continue
        first_differs = is_on(below(section, "w:titlePg"))
        for reference in section.iterchildren(*_REPEATED):
            shown = {"first": first_differs, "even": even_differ}.get(reference.get(name("w:type"), ""), True)
            relation = relations.get(reference.get(name("r:id"), ""))
            if not shown or relation is None or relation.target in seen:
                continue
            seen.add(relation.target)
            header = shared.package.part(relation.target)
            if header is None:
                continue
            for block in Story(shared, relation.target, repeats=True).blocks(header):
                text = _PAGE_OF_PAGES.sub(" ", flat([block])).strip()
                if any(map(str.isalnum, text)) and text not in seen:
                    seen.add(text)
                    yield Block("note", text, label=_REPEATED[reference.tag])


def _fill_notes(shared: Shared) -> None:
    """Fill in the text of each referenced note; notes may refer to further ones."""
    parts = {
        relation.kind: relation.target
        for relation in shared.package.relations(shared.package.main).values()
        if relation.kind in _NOTE_PARTS
    }
    stories = {kind: Story(shared, part) for kind, part in parts.items()}
    notes = {
        (kind, note.get(name("w:id"), "")): note
        for kind, part in parts.items()
        if (root := shared.package.part(part)) is not None
        for note in root
    }
    for reference in shared.references:  # grows while it is read
        note = notes.get((reference.kind, reference.identity))
        if note is None:
            continue
        reference.block.text = flat(stories[reference.kind].blocks(note))
        if reference.kind == "comments":
            author = " ".join(note.get(name("w:author"), "").split())
            reference.block.label = f"Comment by {author}:" if author else "Comment:"
