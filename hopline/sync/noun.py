# Written from hopline/aio by `python -m infra.client_code`: edit it there.
"""Base of the nouns of a client."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hopline.operation import Operation
from hopline.sync.events import follow
from hopline.sync.session import Session


class Noun:
    """The operations on one noun.

    Args:
        session: sends the requests.
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    def _send(self, operation: Operation, given: Mapping[str, Any]) -> Any:
        return self._session.send(operation, given)

    def _follow(self, operation: Operation, given: Mapping[str, Any]) -> Iterator[Any]:
        return follow(self._session, operation, given)
