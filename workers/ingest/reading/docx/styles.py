"""Styles of paragraphs and runs, with inherited properties."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from workers.ingest.reading.docx.names import Element, below, is_on, name, number, value

_HEADING = re.compile("heading ([1-9])")


@dataclass(frozen=True, slots=True)
class Style:
    """The properties of a style that the reader needs."""

    name: str = ""  # in small letters; Word keeps the English names of its own styles in every language
    outline: int | None = None  # 0 for the level of a first heading; 9 for a text's
    list_id: str = ""  # of the numbering that the style brings along
    list_level: int | None = None
    list_style: str = ""  # id of the style that named the numbering
    raised: str = ""  # "superscript" or "subscript"
    is_hidden: bool = False
    size: int = 20  # of its letters, in half points


class Styles:
    """The styles of a document by their ids."""

    def __init__(self, root: Element | None) -> None:
        self._elements: dict[str, Element] = {}
        self._default = ""
        for element in root.iterchildren(name("w:style")) if root is not None else ():
            identity = element.get(name("w:styleId"), "")
            self._elements.setdefault(identity, element)
            if element.get(name("w:type")) == "paragraph" and element.get(name("w:default")) in {"1", "true"}:
                self._default = identity
        usual = below(root, "w:docDefaults", "w:rPrDefault", "w:rPr", "w:sz")
        self._usual = Style(size=number(value(usual), Style().size))
        self._known: dict[str, Style] = {}

    def of_paragraph(self, properties: Element | None) -> Style:
        """Return the style named by a paragraph's properties, else the document's default."""
        named = value(below(properties, "w:pStyle"))
        return self._style(named if named in self._elements else self._default)

    def of_run(self, properties: Element) -> Style:
        """Return the style named by a run's properties."""
        return self._style(value(below(properties, "w:rStyle")))

    def _style(self, identity: str) -> Style:
        chain: dict[str, Element] = {}  # up to a style that is known, or to one that ends it; a circle does
        base = identity
        while base in self._elements and base not in self._known and base not in chain:
            chain[base] = self._elements[base]
            base = value(below(chain[base], "w:basedOn"))
        style = self._known.get(base, self._usual)
        for base, element in reversed(chain.items()):
            style = self._known[base] = _with(style, base, element)
        return style


def _with(base: Style, identity: str, element: Element) -> Style:
    """Return a base style with an element's additions."""
    called = value(below(element, "w:name")).lower()
    heading = _HEADING.fullmatch(called)
    style = replace(base, name=called, outline=int(heading[1]) - 1 if heading else base.outline)
    properties = below(element, "w:pPr")
    if properties is not None:
        if (outline := below(properties, "w:outlineLvl")) is not None:
            style = replace(style, outline=number(value(outline)))
        if (numbered := below(properties, "w:numPr")) is not None:
            level = below(numbered, "w:ilvl")
            style = replace(
                style,
                list_id=value(below(numbered, "w:numId")) or style.list_id,
                list_level=None if level is None else number(value(level)),
                list_style=identity,
            )
    run = below(element, "w:rPr")
    if run is not None:
        if (raised := below(run, "w:vertAlign")) is not None:
            style = replace(style, raised=value(raised))
        if (size := below(run, "w:sz")) is not None:
            style = replace(style, size=number(value(size), style.size))
        if (hidden := below(run, "w:vanish")) is not None:
            style = replace(style, is_hidden=is_on(hidden))
    return style
