"""Tells which elements of a web page are no text of it: hidden ones, menus, breadcrumbs, heads and feet."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from selectolax.lexbor import LexborNode

from workers.ingest.reading.html.bounds import MOST_NODES, Places, check_nodes

# What is never text, and under which name it is counted; "" for what no reader of the page misses.
UNREAD = {
    **dict.fromkeys(("script", "style", "template", "head", "noscript", "datalist", "param", "source"), ""),
    "rp": "",
    **dict.fromkeys(("nav", "button"), "navigation"),
    **dict.fromkeys(("iframe", "object", "embed", "frame"), "embedded page"),
    **dict.fromkeys(("svg", "canvas"), "picture"),
    "video": "video",
    "audio": "audio",
    "rt": "reading beside a word",
}
_UNMEASURED = frozenset((*UNREAD, "select"))  # of a list of choices, what is chosen alone is text
_HIDDEN = re.compile(
    r"(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|mso-hide\s*:\s*all"
    r"|(?:font-size|opacity)\s*:\s*(?:0++(?:\.0*+)?|\.0++)(?:px|pt|r?em|%)?\s*(?:;|!|$))",
    re.IGNORECASE,
)
_ROLES = frozenset(("navigation", "search", "menu", "menubar", "toolbar", "tablist", "doc-toc"))
MAIN = frozenset(("article", "main", "section"))
_CONTENT = frozenset(("html", "body", "main", "article", "h1"))  # no list of links is or holds one of these
_HEADINGS = frozenset(("h1", "h2", "h3"))
_NAMED = re.compile(
    r"nav(?!y)|menu|crumb|pagination|pager|side-?bar|top-?bar|\btoc\b|foot(?!note)|related|edit-?section",
    re.IGNORECASE,
)
_SKIPS = re.compile(r"skip|jump-?(?:to|link)", re.IGNORECASE)
# What a heading's link to itself shows, and a note's link back to its mark.
_ANCHORS = frozenset("¶#§🔗^↑↩↵⏎") | {"↩︎"}
_SHARE = 0.6  # of a text's letters; where links have more, it is a list of links


@dataclass(slots=True)
class _Measure:
    """What an element holds."""

    letters: int = 0
    linked: int = 0  # of the letters
    has_content: bool = False
    has_title: bool = False  # a heading that is more than the site's name with a link home
    cells: int = 0
    has_table: bool = False  # of more than one cell

    @property
    def is_link_list(self) -> bool:
        return self.linked > 0 and self.linked >= _SHARE * self.letters


class Page:
    """A page's elements, measured once: to look again into each would take time with the square of depth."""

    def __init__(self, root: LexborNode) -> None:
        self.places = Places()
        self._measures: dict[int, _Measure] = {}
        nodes = list(islice(root.traverse(include_text=True), MOST_NODES + 1))
        check_nodes(len(nodes))
        for node in reversed(nodes):
            parent = node.parent
            if parent is not None and parent.tag not in _UNMEASURED:
                self._add(node, self._measures.setdefault(parent.mem_id, _Measure()))

    def _add(self, node: LexborNode, parent: _Measure) -> None:
        if node.tag == "-text":
            parent.letters += len((node.text_content or "").strip())
            return
        inner = self.measure(node)
        if node.tag == "a":
            inner.linked = inner.letters
        parent.letters += inner.letters
        parent.linked += inner.linked
        is_title = node.tag in _HEADINGS and inner.letters > 0 and not inner.is_link_list
        parent.has_title |= inner.has_title or is_title
        parent.has_content |= inner.has_content or node.tag in _CONTENT
        parent.cells += inner.cells + (node.tag in ("td", "th"))
        parent.has_table |= inner.has_table or (node.tag == "table" and inner.cells > 1)

    def measure(self, node: LexborNode) -> _Measure:
        """Return what an element holds."""
        return self._measures.get(node.mem_id) or _Measure()

    def is_navigation(
        self, node: LexborNode, attributes: dict[str, str | None], *, within_main: bool
    ) -> bool:
        """Return whether an element leads elsewhere instead of saying something.

        Args:
            node: the element.
            attributes: of it.
            within_main: an element of the page's own text holds it; a head or foot there is part of it.
        """
        role = (attributes.get("role") or "").lower()
        names = f"{attributes.get('class') or ''} {attributes.get('id') or ''}"
        if role in _ROLES:
            return True
        if node.tag == "a":
            return node.text(strip=True) in _ANCHORS or bool(_SKIPS.search(names))
        if node.tag == "footer" or role == "contentinfo":
            return not within_main
        measure = self.measure(node)
        if node.tag == "header" or role == "banner":
            return not within_main and not measure.has_title
        if node.tag not in ("aside", "menu") and not _NAMED.search(names):
            return False
        # Names such as has-sidebar stand on what holds the text, too.
        return node.tag not in _CONTENT and not measure.has_content and measure.is_link_list


def is_hidden(tag: str, attributes: dict[str, str | None]) -> bool:
    """Return whether an element says itself that it is not shown."""
    if "hidden" in attributes and (attributes["hidden"] or "").lower() != "until-found":
        return True
    if attributes.get("aria-hidden") == "true" or (tag == "dialog" and "open" not in attributes):
        return True
    return bool(_HIDDEN.search(attributes.get("style") or ""))
