"""Generates docs/settings.md and docs/retries.md from declarations: `python -m infra.settings_page`."""

from __future__ import annotations

import ast
import inspect
import re
import types
from collections.abc import Collection, Iterable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin

from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo

from hopline import transport
from infra.local.settings import LocalSettings
from workers.core.ports import Limits
from workers.core.retries import Retries
from workers.settings import Settings

_DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE, RETRIES_PAGE = _DOCS / "settings.md", _DOCS / "retries.md"
_HEAD = """\
# Settings

`python -m infra.settings_page` generates this page from the declarations in `workers/settings.py` and \
`infra/local/settings.py`; change it there.

Set them in the environment or in `.env`, which come before `var/stack.env`, the local stack's own file. \
`hopline up` restarts the parts of the local stack whose settings have changed; restart other workers \
yourself. `hopline doctor` names variables that nothing reads.
"""
_STACK = """\
## The local stack

If the address of a server is set above, the stack uses that server and starts none of its own.
"""
_LIMITS = """\
## Limits of documents

Members of `HOPLINE_LIMITS`, such as `{"chunk_tokens": 400}`.
"""
_RETRIES_HEAD = """\
# Retries

`python -m infra.settings_page` generates this page from `workers/core/retries.py`, `workers/settings.py` \
and `hopline/transport.py`; change the numbers there.

hopline retries at three levels. A **call** is repeated where it is made, for a few seconds at most. If it \
still fails, the **attempt** at its item of work has failed: the ledger makes the item due again, after a \
wait that doubles, until it has failed `HOPLINE_MAX_ATTEMPTS` times and becomes a dead letter. What cannot \
succeed (a refused key, an unreadable file) is not repeated, and waiting for a server that is away, for a \
rate limit or for a pause does not count as an attempt. Invalid JSON from a model is sent back to it once \
per attempt, with the errors. A **job** is retried on request: `hopline jobs retry`.
"""
_ATTEMPTS = """\
## Attempts of items

Settings, in the environment or in `.env`.
"""
_ATTEMPT_SETTINGS = (
    "max_attempts",
    "backoff_seconds",
    "lease_seconds",
    "resend_seconds",
    "resend_cap_seconds",
    "webhook_attempts",
    "webhook_backoff_seconds",
)
_CLIENT = f"""\
## The Python client and the command line

Arguments of `Hopline(…)`, `AsyncHopline(…)` and `with_options(…)`. Only what is safe to repeat is \
repeated: requests that were not sent, that read, or that bring an idempotency key.

| argument | default | what it does |
|---|---|---|
| `timeout` | {transport.TIMEOUT:g} | Seconds without a byte of the reply; None waits for as long as it \
takes. |
| `retries` | {transport.RETRIES} | Further attempts of one request while the API is away, busy or has no \
room, for {transport.PATIENCE:g} seconds at most, with waits of {transport.FIRST_PAUSE:g} to \
{transport.LONGEST_PAUSE:g} seconds. An address that has never answered gets {transport.FIRST_ATTEMPTS} \
attempts. |
"""
_RETRIES_COLUMNS = "| number | value | what it does |\n|---|---|---|"
_COLUMNS = "| setting | default | allowed | what it does |\n|---|---|---|---|"
_HEADING = re.compile(r"^    # ([A-Z].*)\n    (\w+):", re.MULTILINE)
_TYPES = {
    str: "text",
    SecretStr: "text",
    Path: "path",
    bool: "`true`, `false`",
    int: "whole number",
    float: "number",
    dict: "JSON object",
}


class Row(NamedTuple):
    """One setting: its name, and the cells that follow it."""

    name: str
    default: str
    allowed: str
    description: str

    def __str__(self) -> str:
        return f"| `{self.name}` | {self.default} | {self.allowed} | {self.description} |"


def settings_page() -> str:
    """Return the whole page."""
    stack = rows(LocalSettings, besides=Settings.model_fields).values()
    # Members of a JSON object, not variables.
    limits = [row._replace(name=name) for name, row in rows(Limits).items()]
    parts = [_HEAD]
    parts += [
        f"## {title}\n\n{_table(section)}" for title, section in _sections(Settings, rows(Settings)).items()
    ]
    parts += [f"{_STACK}\n{_table(stack)}", f"{_LIMITS}\n{_table(limits)}"]
    return "\n".join(parts)


def retries_page() -> str:
    """Return the page of retries."""
    settings = rows(Settings)
    parts = [_RETRIES_HEAD, f"{_ATTEMPTS}\n{_table(settings[name] for name in _ATTEMPT_SETTINGS)}"]
    named = {name: row._replace(name=name) for name, row in rows(Retries).items()}
    for title, section in _sections(Retries, named).items():
        lines = (f"| `{row.name}` | {row.default} | {row.description} |" for row in section)
        parts.append("\n".join([f"## {title}\n", _RETRIES_COLUMNS, *lines, ""]))
    return "\n".join([*parts, _CLIENT])


def rows(model: type[BaseModel], besides: Collection[str] = ()) -> dict[str, Row]:
    """Return each field's row, except for the fields named `besides`.

    Raises:
        KeyError: a field has no docstring.
    """
    described = _descriptions(model)
    return {
        name: Row(f"HOPLINE_{name.upper()}", _default(field), _allowed(field), described[name])
        for name, field in model.model_fields.items()
        if name not in besides
    }


def _sections(model: type[BaseModel], described: Mapping[str, Row]) -> dict[str, list[Row]]:
    """Return the rows of a model's fields under their headings in the source."""
    first = {name: title for title, name in _HEADING.findall(inspect.getsource(model))}
    sections: dict[str, list[Row]] = {}
    for name, row in described.items():
        if name in first:
            sections[first[name]] = []
        list(sections.values())[-1].append(row)
    return sections


def _table(section: Iterable[Row]) -> str:
    return "\n".join([_COLUMNS, *map(str, section), ""])


def _descriptions(model: type[BaseModel]) -> dict[str, str]:
    """Return the docstring under each field."""
    body = next(
        node.body for node in ast.parse(inspect.getsource(model)).body if isinstance(node, ast.ClassDef)
    )
    return {
        field.target.id: " ".join(text.value.value.split())
        for field, text in pairwise(body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
        and isinstance(text.value.value, str)
    }


def _default(field: FieldInfo) -> str:
    value = field.default
    if isinstance(value, SecretStr):
        value = value.get_secret_value()
    if isinstance(value, BaseModel):
        return "as below"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, str) and "," in value:
        return f"{value.count(',') + 1} of them"
    return f"`{value}`" if value or value == 0 else ""


def _allowed(field: FieldInfo) -> str:
    bounds = {
        name: getattr(item, name)
        for item in field.metadata
        for name in ("ge", "gt", "le", "lt", "min_length")
        if hasattr(item, name)
    }
    number = _bounds(bounds)
    kind = _kind(field.annotation)
    if "min_length" in bounds:
        return f"{kind} of at least {bounds['min_length']} characters"
    return f"{kind} {number}" if number else kind


def _bounds(bounds: dict[str, Any]) -> str:
    words = [
        f"{word} {bounds[name]:,}"
        for name, word in (("ge", "from"), ("gt", "above"), ("le", "to"), ("lt", "below"))
        if name in bounds
    ]
    return " ".join(words)


def _kind(annotation: Any) -> str:
    if get_origin(annotation) in {Union, types.UnionType}:
        (annotation,) = (member for member in get_args(annotation) if member is not type(None))
    if get_origin(annotation) is Literal:
        return ", ".join(f"`{value}`" for value in get_args(annotation))
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return "JSON object"
    return _TYPES[get_origin(annotation) or annotation]


if __name__ == "__main__":
    PAGE.write_text(settings_page(), encoding="utf-8")
    RETRIES_PAGE.write_text(retries_page(), encoding="utf-8")
