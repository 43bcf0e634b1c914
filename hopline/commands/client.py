"""The client that commands use, chosen before the first request: nothing is done again another way."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from hopline import Hopline

LOCAL = "local"  # in the root command's parameters: the servers themselves are asked for


@contextmanager
def connected() -> Iterator[Hopline]:
    """Yield the client of the command; close it at the end.

    It talks to the API at HOPLINE_API_URL. With `--local`, or where no API is named, it works on the servers
    themselves, if the server's distribution is installed here.

    Raises:
        InvalidInput: there is neither.
    """
    from hopline import Hopline

    with Hopline.local(via="cli") if is_local() else Hopline() as client:
        yield client


def is_local() -> bool:
    """Return whether the command works on the servers themselves."""
    context = click.get_current_context(silent=True)
    root = context.find_root() if context else None
    return bool(root and root.params.get(LOCAL)) or not os.environ.get("HOPLINE_API_URL")


def require_collection(client: Hopline, collection: str | None) -> None:
    """Check that a collection is there, where one is named; one without a live document is not.

    Raises:
        NoDocuments: it is not; the error names the one that may be meant.
    """
    from hopline.errors import NoDocuments

    if collection is None:
        return
    known = [each.name for each in client.collections.list().collections]
    if collection not in known:
        raise NoDocuments(collection, known)


@contextmanager
def naming_collection(client: Hopline, collection: str) -> Iterator[None]:
    """Speak of a collection as the command line does, where a request in the block calls it by its `name`.

    Raises:
        InvalidInput: it cannot be the name of one.
        NoDocuments: it is not there; the error names the one that may be meant.
    """
    from hopline.errors import InvalidInput, NotFound

    try:
        yield
    except NotFound:
        require_collection(client, collection)
        raise
    except InvalidInput as error:
        if error.field != "name":
            raise
        raise InvalidInput("collection", error.value, error.allowed) from error
