"""Reads front matter: the `key: value` lines that may begin a Markdown file."""

from __future__ import annotations

import re
from typing import NamedTuple

_CLOSED_BY = {"---": ("---", "..."), "+++": ("+++",)}  # YAML's and TOML's fences
_MOST_LINES = 500
_KEY = r"[^\W\d][\w-]*(?: [\w-]+){0,2}"
_FIELD = re.compile(rf"(?P<key>{_KEY}|\"[^\"]+\")[ \t]*(?::(?=\s|$)|=)[ \t]*(?P<value>.*)")
_GOES_ON = re.compile(r"[ \t]|- |-$|#|\[[^\]]+\]{1,2}$|[\]}]|$")  # of a value, a list, a table, a comment


class FrontMatter(NamedTuple):
    """Where the text behind the front matter begins, and what the front matter calls the document."""

    end: int = 0
    title: str = ""


def front_matter(text: str, kind: str) -> FrontMatter:
    """Return a text's front matter; its length is 0 if there is none."""
    if kind != "md" or text[:3] not in _CLOSED_BY:
        return FrontMatter()
    opened, *lines = text.split("\n", _MOST_LINES)[:_MOST_LINES]
    fence, title, fields = opened.rstrip(), "", 0
    place = len(opened) + 1
    for line in lines:
        place += len(line) + 1
        bare = line.rstrip()
        if bare in _CLOSED_BY.get(fence, ()):
            return FrontMatter(min(place, len(text)), title) if fields else FrontMatter()
        field = _FIELD.match(bare)
        if field is None and not _GOES_ON.match(bare):
            break
        if field:
            fields += 1
            title = title or (_plain(field["value"]) if field["key"].strip('"').lower() == "title" else "")
    return FrontMatter()


def _plain(value: str) -> str:
    """Return a value without its quotes; "" for one that continues on the next lines."""
    bare = value.strip()
    if bare[:1] in ('"', "'") and bare[-1:] == bare[:1] and len(bare) > 1:
        return bare[1:-1].replace("''", "'") if bare[0] == "'" else bare[1:-1].replace('\\"', '"')
    return "" if bare[:1] in (">", "|") else bare
