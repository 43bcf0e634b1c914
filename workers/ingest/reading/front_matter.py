"""Reads front matter: the `key: value` lines that may begin a Markdown file."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any, NamedTuple

import yaml

from hopline.errors import InvalidInput
from hopline.models.formats import MARKDOWN
from hopline.models.metadata import Value, checked_name, fitting, value_of_text
from hopline.principals import ALLOW
from workers.ingest.reading.unread_allow import refuse_misplaced, refuse_unparsed

_CLOSED_BY = {"---": ("---", "..."), "+++": ("+++",)}  # YAML's and TOML's fences
_MOST_LINES = 500
_KEY = r"[^\W\d][\w-]*(?: [\w-]+){0,2}"
_FIELD = re.compile(rf"(?P<key>{_KEY}|\"[^\"]+\")[ \t]*(?::(?=\s|$)|=)[ \t]*(?P<value>.*)")
_DAY = re.compile(r"\d+")  # a timestamp's first three numbers
_LONGEST = 20_000  # characters that are read for fields
_GOES_ON = re.compile(r"[ \t]|- |-$|#|\[[^\]]+\]{1,2}$|[\]}]|$")  # of a value, a list, a table, a comment
# What the parsers raise; of too many digits, or a letter that there is not, it is no error of their own.
_UNPARSED = (yaml.YAMLError, ValueError, OverflowError, RecursionError)


class FrontMatter(NamedTuple):
    """The length of the front matter, and the title that it gives the document."""

    end: int = 0
    title: str = ""


def front_matter(text: str, kind: str) -> FrontMatter:
    """Return a text's front matter; its length is 0 if there is none."""
    if kind not in MARKDOWN or text[:3] not in _CLOSED_BY:
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
    """Return a value without its quotes; "" if it continues on the next lines."""
    bare = value.strip()
    if bare[:1] in ('"', "'") and bare[-1:] == bare[:1] and len(bare) > 1:
        return bare[1:-1].replace("''", "'") if bare[0] == "'" else bare[1:-1].replace('\\"', '"')
    return "" if bare[:1] in (">", "|") else bare


def front_matter_metadata(front: str) -> dict[str, Value]:
    """Return the fields of front matter that are valid metadata.

    Front matter is written for other programs, so values that are not metadata (nested, too long, of another
    type) or cannot be parsed are left out. From YAML only the tree is built, without objects, and aliases are
    not followed.

    Args:
        front: front matter with its fences; "" if there is none.

    Raises:
        InvalidInput: it seems to contain `allow` in a form or place that cannot be understood.
    """
    if not front:
        return {}
    _fence, _, rest = front.partition("\n")
    body = rest.rstrip().rpartition("\n")[0]
    try:
        if len(front) > _LONGEST:
            raise ValueError(f"more than {_LONGEST} characters")
        tree = tomllib.loads(body) if front.startswith("+++") else yaml.compose(body, Loader=yaml.SafeLoader)
        fields = list(tree.items() if isinstance(tree, dict) else _yaml_fields(tree))
    except _UNPARSED as error:
        refuse_unparsed(body, error)
        return {}
    metadata = fitting((name, value) for name, value in fields if str(name).lower() != "title")
    if ALLOW not in metadata:
        refuse_misplaced(body, tree)
    return metadata


def _yaml_fields(tree: yaml.Node | None) -> Iterator[tuple[Any, Any]]:
    for key, node in tree.value if isinstance(tree, yaml.MappingNode) else ():
        if not isinstance(key, yaml.ScalarNode):
            continue  # as a text it would be all that its aliases stand for
        if isinstance(node, yaml.ScalarNode):
            yield key.value, _scalar(key.value, node)
        elif isinstance(node, yaml.SequenceNode):
            yield key.value, [_text(part) for part in node.value]
        elif key.value.strip().lower() == ALLOW:
            yield key.value, None  # for nobody knows whom it means


def _scalar(name: Any, node: yaml.ScalarNode) -> Any:
    """Return a value; only one without quotes may be a number."""
    text = node.value
    if node.tag.endswith(":null"):
        return None
    if node.tag.endswith(":timestamp"):
        year, month, day = _DAY.findall(text)[:3]
        text = f"{year}-{month:0>2}-{day:0>2}"
    if node.style:
        return text
    try:
        return value_of_text(checked_name(name), text)
    except InvalidInput:
        return text


def _text(node: yaml.Node) -> Any:
    return node.value if isinstance(node, yaml.ScalarNode) else None
