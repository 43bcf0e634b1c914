"""Base of the nouns of a client."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

from hopline.aio.events import follow
from hopline.aio.session import AsyncSession
from hopline.operation import Operation


class AsyncNoun:
    """The operations on one noun.

    Args:
        session: sends the requests.
    """

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def _send(self, operation: Operation, given: Mapping[str, Any]) -> Any:
        return await self._session.send(operation, given)

    def _follow(self, operation: Operation, given: Mapping[str, Any]) -> AsyncIterator[Any]:
        return follow(self._session, operation, given)
