"""Recognises parts of a web page that are not its text: hidden ones, menus, headers and footers."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import islice

from selectolax.lexbor import LexborHTMLParser, LexborNode

from workers.ingest.reading.html.bounds import MOST_NODES, Places, check_nodes
from workers.ingest.reading.html.style_sheets import hidden_elements

# Elements that are never text → name under which they are counted; "" for those that nobody misses.
UNREAD = {
    **dict.fromkeys(
        (
            "script",
            "style",
            "template",
            "head",
            "noscript",
            "datalist",
            "param",
            "source",
            "progress",
            "meter",
        ),
        "",
    ),
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
WITHIN = frozenset(("article", "main", "section", "blockquote", "figure"))  # whose heads and feet are text
_CONTENT = frozenset(("html", "body", "main", "article", "h1"))  # no list of links is or holds one of these
_HEADINGS = frozenset(("h1", "h2", "h3"))
_NAMED = re.compile(
    r"nav(?!y)|menu|crumb|pagination|pager|side-?bar|top-?bar|\btoc\b|foot(?!note)|related|edit-?section",
    re.IGNORECASE,
)
# To pages before and after, or from a note back to its mark, also where other words stand beside the links.
_LEADS = re.compile(r"\bnav-?(?:header|footer|bar)|\bnavigation\b|back-?link", re.IGNORECASE)
_LEADS_AT_MOST = 300  # letters; what has such a name and is longer holds a text, too
_LABELS_AT_MOST = 30  # letters that stand beside the links: "Previous: , Next: "
_ELSEWHERE = re.compile(
    r"(?:^|\s)(?:prev(?:ious)?|next|up|top|toc|contents|home)(?:[_-]?(?:page|link))?(?:\s|$)", re.IGNORECASE
)
_SKIPS = re.compile(r"skip|jump-?(?:to|link)", re.IGNORECASE)
# Characters shown by a heading's link to itself and a note's link back to its mark.
_ANCHORS = frozenset("¶#§🔗^↑↩↵⏎") | {"↩︎"}
_TOP = re.compile(r"(?:back to )?(?:the )?top", re.IGNORECASE)
_UNSEEN = "\u200b\ufeff"
_FILE = re.compile(r"\S{1,300}\.(?:jpe?g|png|gif|svg|webp|bmp|tiff?|ico)|https?:\S*+", re.IGNORECASE)
_SIGN = re.compile(r"\[[^\[\]]{0,40}\]")  # of a note or warning, which names itself beside it
_SHARE = 0.6  # of a text's letters; where links have more, it is a list of links


@dataclass(slots=True)
class _Measure:
    """Measurements of an element's contents."""

    letters: int = 0
    linked: int = 0  # of the letters
    has_content: bool = False
    has_title: bool = False  # a heading that is more than the site's name with a link home
    cells: int = 0
    has_table: bool = False  # of more than one cell
    leading: int = 0  # links to the next page, and others that the page belongs with
    has_names: bool = False  # a cell that names a row or column

    @property
    def is_link_list(self) -> bool:
        return self.linked > 0 and self.linked >= _SHARE * self.letters


class Page:
    """A page's elements, measured once, because repeated measuring would take quadratic time."""

    def __init__(self, tree: LexborHTMLParser, root: LexborNode) -> None:
        self.places = Places()
        self._measures: dict[int, _Measure] = {}
        nodes = list(islice(root.traverse(include_text=True), MOST_NODES + 1))
        check_nodes(len(nodes))
        self._hidden = hidden_elements(tree, len(nodes))
        for node in reversed(nodes):
            parent = node.parent
            if parent is not None and parent.tag not in _UNMEASURED:
                self._add(node, self._measures.setdefault(parent.mem_id, _Measure()))

    def _add(self, node: LexborNode, parent: _Measure) -> None:
        if node.tag == "-text":
            parent.letters += len((node.text_content or "").strip())
            return
        inner = self.measure(node)
        if node.tag == "img":
            inner = _Measure(letters=len(described(node.attributes) or ""))
        elif node.tag in ("input", "select"):
            inner = _Measure(letters=1)
        if node.tag == "a":
            inner = replace(inner, linked=inner.letters, leading=int(_leads_on(node.attributes)))
        parent.letters += inner.letters
        parent.linked += inner.linked
        parent.leading += inner.leading
        is_title = node.tag in _HEADINGS and inner.letters > 0 and not inner.is_link_list
        parent.has_title |= inner.has_title or is_title
        parent.has_content |= inner.has_content or node.tag in _CONTENT
        parent.cells += inner.cells + (node.tag in ("td", "th"))
        parent.has_table |= inner.has_table or (node.tag == "table" and inner.cells > 1)
        parent.has_names |= inner.has_names or node.tag == "th"

    def hides(self, node: LexborNode, attributes: dict[str, str | None]) -> bool:
        """Return whether an element is hidden by itself or by the page's style sheets."""
        return node.mem_id in self._hidden or _is_hidden(node.tag or "", attributes)

    def measure(self, node: LexborNode) -> _Measure:
        """Return the measurements of an element."""
        return self._measures.get(node.mem_id) or _Measure()

    def is_navigation(
        self, node: LexborNode, attributes: dict[str, str | None], *, within_main: bool
    ) -> bool:
        """Return whether an element is navigation instead of text.

        Args:
            node: the element.
            attributes: its attributes.
            within_main: whether it is inside the main text, where headers and footers belong to the text.
        """
        role = (attributes.get("role") or "").lower()
        names = f"{attributes.get('class') or ''} {attributes.get('id') or ''}"
        if role in _ROLES:
            return True
        if node.tag == "a":
            return _is_link_away(node, attributes, names)
        if node.tag == "footer" or role == "contentinfo":
            return not within_main
        measure = self.measure(node)
        if node.tag == "header" or role == "banner":
            return not within_main and not measure.has_title
        # Names such as has-sidebar stand on what holds the text, too.
        is_content = node.tag in _CONTENT or measure.has_content
        return not is_content and _leads_elsewhere(
            node, f"{names} {attributes.get('summary') or ''}", measure
        )


def _leads_elsewhere(node: LexborNode, names: str, measure: _Measure) -> bool:
    """Return whether an element's names and contents make it a list of links or navigation."""
    if measure.letters <= _LEADS_AT_MOST and not measure.has_title and measure.linked:
        if measure.leading and (measure.is_link_list or measure.letters - measure.linked <= _LABELS_AT_MOST):
            return True
        if _LEADS.search(names):
            return True
    is_named = node.tag in ("aside", "menu") or _NAMED.search(names) is not None
    return is_named and measure.is_link_list and not (node.tag == "table" and measure.has_names)


def _leads_on(attributes: dict[str, str | None]) -> bool:
    """Return whether a link leads to the next page, or to another one in the same series."""
    return "href" in attributes and bool(
        _ELSEWHERE.search(f"{attributes.get('class') or ''} {attributes.get('rel') or ''}")
    )


def _is_link_away(link: LexborNode, attributes: dict[str, str | None], names: str) -> bool:
    """Return whether a link is not text: to the next page, the top, past the menu, or itself."""
    text = link.text(strip=True).strip(_UNSEEN)
    picture = next((child for child in link.iter() if child.tag == "img"), None) if not text else None
    said = text or ((picture.attributes.get("alt") or "") if picture is not None else "")
    is_top = (attributes.get("href") or "").startswith("#") and _TOP.fullmatch(said.strip()) is not None
    return is_top or text in _ANCHORS or _SKIPS.search(names) is not None or _leads_on(attributes)


def described(attributes: dict[str, str | None]) -> str | None:
    """Return a picture's description; "" for a mere icon, None if there is none or only its address."""
    said = (attributes.get("alt") or "").strip()
    if attributes.get("alt") is None or _FILE.fullmatch(said):
        return None
    return "" if _SIGN.fullmatch(said) else said


def _is_hidden(tag: str, attributes: dict[str, str | None]) -> bool:
    if "hidden" in attributes and (attributes["hidden"] or "").lower() != "until-found":
        return True
    if attributes.get("aria-hidden") == "true" or (tag == "dialog" and "open" not in attributes):
        return True
    return bool(_HIDDEN.search(attributes.get("style") or ""))
