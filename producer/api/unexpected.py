"""Turns unexpected exceptions into problems, too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog
from starlette.requests import Request

from producer.api.problems import LOGGED, problem

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

log = structlog.get_logger()


class UnexpectedErrors:
    """Answers what no handler takes as a problem, too, inside of what counts and names requests.

    Args:
        app: what may raise it.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; an error after the response's beginning breaks the connection off."""
        begun = False

        async def tell(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, receive, tell)
        except Exception as error:
            if begun or scope["type"] != "http":
                raise
            log.exception("request.crashed", path=scope["path"], error=type(error).__name__)
            told = problem(Request(scope), 500, LOGGED)
            await told(scope, receive, send)
