"""Finds the elements that a web page's embedded style sheets hide, following the cascade.

Only rules with simple selectors count: names, classes and ids, nested up to three deep. Rules for certain
media or widths, for states such as `:hover`, and external sheets do not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_COMPOUND = r"(?:[a-zA-Z][\w-]{0,60}|\*)?(?:[.#]-?[_a-zA-Z][\w-]{0,100}){0,5}"
_PLAIN = re.compile(rf"{_COMPOUND}(?: ?[ >] ?{_COMPOUND}){{0,2}}", re.ASCII)
_DECLARED = re.compile(
    r"(?:^|;)\s{0,99}(display|visibility)\s{0,9}:\s{0,9}([\w-]{1,30})(?:\s{0,9}(!)\s{0,9}important)?(?=\s{0,99}(?:;|$))",
    re.ASCII | re.IGNORECASE,
)
_HIDING = {"display": ("none",), "visibility": ("hidden", "collapse")}
_OF_SCREENS = re.compile(r"(?:screen|all)?", re.IGNORECASE)
_WHOLE = frozenset(("html", "head", "body", "main"))  # pages hide these until their scripts have run
_LONGEST = 500_000  # characters of a page's sheets
_LONGEST_SELECTOR = 1_000  # characters
_MOST_WORK = 20_000_000  # elements times selectors: a second
_MOST_RULES = 2_000


class _Rule(NamedTuple):
    selector: str
    kind: str  # "display" or "visibility"
    hides: bool
    weight: tuple[bool, int, int, int]  # important; ids, classes, names


def hidden_elements(tree: LexborHTMLParser, nodes: int) -> frozenset[int]:
    """Return the `mem_id` of each element that the page's own style sheets hide.

    Args:
        tree: the page.
        nodes: number of its elements and texts, which bounds the number of selectors.
    """
    rules = list(_rules(tree))
    kinds = {rule.kind for rule in rules if rule.hides}
    rules = [rule for rule in rules if rule.kind in kinds][: _MOST_WORK // max(1, nodes)]
    decided: dict[tuple[int, str], _Rule] = {}
    for rule in rules:  # of the same weight the last one decides
        for node in tree.css(rule.selector):
            if node.tag in _WHOLE or _says_itself(node, rule):
                continue
            before = decided.get((node.mem_id, rule.kind))
            if before is None or before.weight <= rule.weight:
                decided[node.mem_id, rule.kind] = rule
    return frozenset(element for (element, _kind), rule in decided.items() if rule.hides)


def _rules(tree: LexborHTMLParser) -> Iterator[_Rule]:
    """Yield the sheets' rules about visibility, in order."""
    left, count = _LONGEST, 0
    for sheet in tree.css("style"):
        media = (sheet.attributes.get("media") or "").strip()
        if not _OF_SCREENS.fullmatch(media) or _is_in_noscript(sheet):
            continue
        text = sheet.text()[:left]
        left -= len(text)
        for selectors, block in _blocks(_COMMENT.sub(" ", text)):
            said = _DECLARED.findall(block)
            for part in selectors.split(",") if said else ():
                selector = " ".join(part.split()) if len(part) <= _LONGEST_SELECTOR else ""
                if selector and _PLAIN.fullmatch(selector):
                    for kind, value, important in said:
                        count += 1
                        yield _rule(selector, kind.lower(), value.lower(), is_important=bool(important))
            if count > _MOST_RULES:
                return


def _blocks(sheet: str) -> Iterator[tuple[str, str]]:
    """Yield the selectors and declarations of each top-level rule."""
    start = depth = opened = 0
    selectors = ""
    for match in re.finditer(r"[{};]", sheet):
        at = match.start()
        if match[0] == "{":
            depth += 1
            if depth == 1:
                selectors, opened = sheet[start:at].strip(), at + 1
        elif match[0] == "}":
            depth = max(0, depth - 1)
            if depth == 0:
                if not selectors.startswith("@"):
                    yield selectors, sheet[opened:at]
                start = at + 1
        elif depth == 0:
            start = at + 1  # behind @import, @charset


def _rule(selector: str, kind: str, value: str, *, is_important: bool) -> _Rule:
    ids, classes = selector.count("#"), selector.count(".")
    names = sum(part[0].isalpha() for part in re.split(r"[\s>]+", selector) if part)
    return _Rule(selector, kind, value in _HIDING[kind], (is_important, ids, classes, names))


def _says_itself(node: LexborNode, rule: _Rule) -> bool:
    """Return whether an element's own style overrides a rule."""
    style = node.attributes.get("style") or ""
    return not rule.weight[0] and any(kind.lower() == rule.kind for kind, *_ in _DECLARED.findall(style))


def _is_in_noscript(sheet: LexborNode) -> bool:
    return sheet.parent is not None and sheet.parent.tag == "noscript"
