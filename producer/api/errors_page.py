"""Generates docs/errors.md from the classes of errors: `python -m producer.api.errors_page` writes it."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import httpx2

from hopline import errors
from hopline.commands.exits import Exit
from hopline.commands.mistakes import explain
from hopline.errors import HoplineError
from hopline.problems import error_of
from producer.api.problems import REMEDIES, TITLES

PAGE = Path(__file__).resolve().parents[2] / "docs" / "errors.md"
_HEAD = """\
# Errors

`python -m producer.api.errors_page` generates this page from `hopline/errors.py` and \
`producer/api/problems.py`; change it there.

Every error says in a sentence what is wrong and what to do. What people read while a model fails is in \
[failures.md](failures.md), and all exit codes are in the [guide](guide.md).
"""
_PROBLEMS = """\
## Over HTTP

An error is a problem (RFC 9457): `type` is `urn:hopline:problem:` and the code, `detail` the sentence, and \
`errors` lists each wrong `field` with its `value` and what is `allowed`. `request_id` is in the log.

| status | code | title | in Python | exit code | what to do |
|--:|---|---|---|--:|---|
"""
_CLASSES = """\
## In Python and on the command line

The classes are in `hopline.errors`; `hopline --json` prints their name as `type`.

| class | is a | status | exit code | cause | what to do |
|---|---|---|--:|---|---|
"""
_NO_FIELD = ""
# What a problem may name, by which the client tells classes of one status apart.
_FIELDS = {404: (_NO_FIELD, "collection"), 409: (_NO_FIELD, "job", "Idempotency-Key"), 422: ("question",)}
_REMEDY = re.compile(r"^Remedy:\n((?:    .+\n?)+)", re.MULTILINE)


class Described(NamedTuple):
    """Cause and remedy of a class, from its docstring."""

    cause: str
    remedy: str


def errors_page() -> str:
    """Return the whole page."""
    problems = [
        f"| {status} | `{code}` | {title} | {_listed(f'`{kind.__name__}`' for kind in raised(status))} "
        f"| {_listed(exit_code(kind) for kind in raised(status))} | {REMEDIES[status]} |"
        for status, (code, title) in TITLES.items()
    ]
    rows = [
        f"| `{kind.__name__}` | {_listed(f'`{base.__name__}`' for base in kind.__bases__)} "
        f"| {_listed(status for status in TITLES if kind in raised(status))} "
        f"| {exit_code(kind)} | {' | '.join(described(kind))} |"
        for kind in error_classes()
    ]
    return f"{_HEAD}\n{_PROBLEMS}{_lines(problems)}\n{_CLASSES}{_lines(rows)}"


def error_classes() -> Iterator[type[HoplineError]]:
    """Yield the public error classes, bases before their subclasses."""
    for _, kind in inspect.getmembers(errors, inspect.isclass):
        if kind is HoplineError:
            yield kind
            yield from _below(kind)


def raised(status: int) -> list[type[HoplineError]]:
    """Return the class that the Python client raises for a problem with this status."""
    kinds = [type(error_of(_response(status, field))) for field in _FIELDS.get(status, (_NO_FIELD,))]
    return list(dict.fromkeys(kinds))


def exit_code(kind: type[HoplineError]) -> Exit:
    """Return the exit code of a command that fails with an error of this class."""
    parameters = inspect.signature(kind).parameters.values()
    needed = sum(
        each.default is each.empty and each.kind is each.POSITIONAL_OR_KEYWORD for each in parameters
    )
    return explain(kind(*["x"] * needed))[1]


def described(kind: type[HoplineError]) -> Described:
    """Return cause and remedy of a class.

    Raises:
        ValueError: its docstring lacks one of them.
    """
    text = inspect.cleandoc(kind.__doc__ or "")
    found, cause = _REMEDY.search(text), text.partition("\n\n")[0]
    if not cause or found is None:
        raise ValueError(f"the docstring of {kind.__name__} needs a cause, and a section Remedy")
    return Described(" ".join(cause.split()), " ".join(found[1].split()))


def _below(kind: type[HoplineError]) -> Iterator[type[HoplineError]]:
    for each in kind.__subclasses__():
        if each.__module__ == errors.__name__ and each.__bases__[0] is kind:
            yield each
            yield from _below(each)


def _response(status: int, field: str) -> httpx2.Response:
    code, title = TITLES[status]
    named = [{"field": field, "value": "x", "allowed": "y"}] if field else []
    problem = {"type": code, "title": title, "detail": title, "status": status, "errors": named}
    request = httpx2.Request("GET", "http://hopline.example.invalid")
    return httpx2.Response(status, json=problem, request=request)


def _listed(values: Iterable[object]) -> str:
    return ", ".join(dict.fromkeys(map(str, values)))


def _lines(rows: list[str]) -> str:
    return "".join(f"{row}\n" for row in rows)


def main(arguments: list[str]) -> None:
    """Write the page; with --check, exit with 1 if it is out of date."""
    if "--check" not in arguments:
        PAGE.write_text(errors_page(), encoding="utf-8")
    elif PAGE.read_text(encoding="utf-8") != errors_page():
        sys.exit("docs/errors.md is not what the classes say: run `python -m producer.api.errors_page`")


if __name__ == "__main__":
    main(sys.argv[1:])
