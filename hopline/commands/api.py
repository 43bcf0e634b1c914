"""hopline api: any request to the API."""

from __future__ import annotations

import sys
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import parse_qsl

import typer

from hopline.commands.client import connected
from hopline.commands.console import error_line, harmless, print_json
from hopline.commands.exits import Exit
from hopline.operation import Method

if TYPE_CHECKING:
    from collections.abc import Iterable

    import httpx2

_IN_QUERY = ("GET", "HEAD", "DELETE")
_STDIN = "-"


def api(
    method: Annotated[Method, typer.Argument(case_sensitive=False, help="The HTTP method.")],
    path: Annotated[str, typer.Argument(help="Path under the API's address, such as /v1/jobs?limit=3.")],
    fields: Annotated[
        list[str] | None,
        typer.Option(
            "--field",
            "-f",
            metavar="NAME=VALUE",
            help="A field of the JSON body; a value that is not JSON is sent as text. With GET, HEAD, "
            "DELETE or --input: a query parameter. May be repeated.",
            show_default=False,
        ),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option("--input", metavar="FILE", help="File with the JSON body; - reads it from stdin."),
    ] = None,
) -> None:
    """Send a request to the API, and print its reply; docs/http.md lists the requests.

    Exit codes: 0 done, 1 the API refused the request (its details are printed), 3 nothing found, 2 usage.

    [bold]Examples[/bold]

      hopline api GET /v1/jobs -f kind=query -f limit=3

      hopline api POST /v1/queries -f question=Who? -f collection=reports

      hopline api PUT /v1/collections/contracts/schema --input schema.json
    """
    place, _, query = path.partition("?")
    pairs = [_pair(field) for field in fields or ()]
    body: Any = None
    parameters = parse_qsl(query, keep_blank_values=True)
    if source is not None:
        body = _read(source)
    if source is not None or method in _IN_QUERY:
        parameters += pairs
    elif pairs:
        body = _body(pairs)
    with connected() as client:
        reply = client.request(method, place, query=_grouped(parameters), body=body)
    _print(reply)
    if not reply.is_success:
        error_line(f"the API answers {reply.status_code} {_phrase(reply.status_code)}".rstrip())
        missing = reply.status_code == HTTPStatus.NOT_FOUND
        raise typer.Exit(Exit.NOTHING_FOUND if missing else Exit.FAILED)


def _pair(field: str) -> tuple[str, str]:
    from hopline.errors import InvalidInput

    name, sign, value = field.partition("=")
    if not (name and sign):
        raise InvalidInput("--field", field, "NAME=VALUE, such as limit=3")
    return name, value


def _grouped(parameters: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    grouped: dict[str, list[str]] = {}
    for name, value in parameters:
        grouped.setdefault(name, []).append(value)
    return grouped


def _body(pairs: Iterable[tuple[str, str]]) -> dict[str, Any]:
    from hopline.json_objects import unrepeated

    return unrepeated((name, _value(text)) for name, text in pairs)


def _value(text: str) -> Any:
    from hopline.json_objects import read_json

    try:
        return read_json(text)
    except (ValueError, RecursionError):
        return text


def _read(source: str) -> Any:
    """Return the JSON in a file or on stdin."""
    from hopline.errors import InvalidInput
    from hopline.json_objects import read_json

    try:
        text = sys.stdin.read() if source == _STDIN else Path(source).read_text(encoding="utf-8-sig")
        return read_json(text)
    except InvalidInput:
        raise
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidInput("--input", source, f"a file of JSON ({error})") from error


def _print(reply: httpx2.Response) -> None:
    if not reply.content:
        return
    if "json" in reply.headers.get("content-type", ""):
        print_json(reply.text)
    else:
        typer.echo(harmless(reply.text.rstrip("\n")))


def _phrase(status: int) -> str:
    return HTTPStatus(status).phrase if status in set(HTTPStatus) else ""
