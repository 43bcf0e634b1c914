"""Removes navigation from web pages: menus, breadcrumbs, headers and footers."""

from __future__ import annotations

import re
from io import BytesIO
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bs4 import Tag

_ALWAYS = frozenset(("nav", "button", "select", "template"))
_ROLES = frozenset(("navigation", "search", "menu", "menubar", "toolbar", "tablist", "doc-toc"))
_MAIN = ["article", "main", "section"]  # a head or foot in one of these is its own
_CONTENT = ["html", "body", "main", "article", "h1"]  # no list of links is or holds one of these
_HEADINGS = ["h1", "h2", "h3"]
_NAMED = re.compile(
    r"nav(?!y)|menu|crumb|pagination|pager|side-?bar|top-?bar|\btoc\b|foot(?!note)|related", re.IGNORECASE
)
_SKIPS = re.compile(r"skip", re.IGNORECASE)
_ANCHORS = frozenset("¶#§🔗")  # what a heading's link to itself shows
_SHARE = 0.6  # of a text's letters; where links have more, it is a list of links


def without_navigation(page: BytesIO) -> BytesIO:
    """Return a page in UTF-8 without its navigation; unchanged if it has none, or nothing else."""
    from bs4 import BeautifulSoup  # noqa: PLC0415 - only pages need it

    soup = BeautifulSoup(page, "html.parser", from_encoding="utf-8")
    page.seek(0)
    body = soup.body or soup
    tags = [tag for tag in body.find_all(True) if _is_navigation(tag)]
    for tag in tags:
        tag.extract()
    return BytesIO(soup.encode("utf-8")) if tags and body.get_text(strip=True) else page


def _is_navigation(tag: Tag) -> bool:
    role = str(tag.get("role") or "").lower()
    if tag.name in _ALWAYS or role in _ROLES:
        return True
    if tag.name == "a":
        return tag.get_text(strip=True) in _ANCHORS or bool(_SKIPS.search(_names(tag)))
    if tag.name == "footer" or role == "contentinfo":
        return tag.find_parent(_MAIN) is None
    if tag.name == "header" or role == "banner":
        return tag.find_parent(_MAIN) is None and not any(map(_is_title, tag.find_all(_HEADINGS)))
    if tag.name not in ("aside", "menu") and not _NAMED.search(_names(tag)):
        return False
    # Names such as has-sidebar stand on what holds the text, too.
    return tag.name not in _CONTENT and tag.find(_CONTENT) is None and _is_link_list(tag)


def _names(tag: Tag) -> str:
    classes: Any = tag.get("class") or []
    return " ".join((*([classes] if isinstance(classes, str) else classes), str(tag.get("id") or "")))


def _is_title(heading: Tag) -> bool:
    """Return whether a heading is more than the site's name with a link home."""
    return bool(heading.get_text(strip=True)) and not _is_link_list(heading)


def _is_link_list(tag: Tag) -> bool:
    linked = sum(len(link.get_text(strip=True)) for link in tag.find_all("a"))
    return linked > 0 and linked >= _SHARE * len(tag.get_text(strip=True))
