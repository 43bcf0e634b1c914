"""MCP over stdin and stdout, for an assistant that starts this process itself."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import anyio
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, ErrorData, JSONRPCError

from hopline.errors import InvalidInput
from producer.mcp.server import Toolset, make_server
from workers.core.json_objects import refuse_repeated

if TYPE_CHECKING:
    from mcp.server import Server

    from hopline.aio.client import AsyncHopline


def serve_stdio(client: AsyncHopline) -> None:
    """Serve until stdin ends.

    Args:
        client: makes the requests, with the rights of its settings or its API key.
    """
    anyio.run(_serve, client)


async def _serve(client: AsyncHopline) -> None:
    async with client:
        await _answer(make_server(Toolset(lambda _context: client, files=True)))


async def _answer(server: Server[Any]) -> None:
    lines = _Lines()
    async with stdio_server(stdin=cast("anyio.AsyncFile[str]", lines)) as (received, lines.answers):
        await server.run(received, lines.answers, server.create_initialization_options())


class _Lines:
    """The lines of stdin, except those with an object that repeats a field: they are refused at once.

    Other code in this process reads an empty stdin, as when the SDK opens stdin.
    """

    def __init__(self) -> None:
        with Path(os.devnull).open("rb") as nothing:
            own = os.dup(0)
            os.dup2(nothing.fileno(), 0)
        self._file = anyio.wrap_file(os.fdopen(own, encoding="utf-8", errors="replace", closefd=False))
        self.answers: Any = None  # where answers go, once the SDK has opened it

    async def __aiter__(self) -> AsyncIterator[str]:
        async for line in self._file:
            try:
                refuse_repeated(line)
            except InvalidInput as error:
                await self.answers.send(SessionMessage(_refusal(line, error)))
                continue
            except ValueError:  # not JSON: its reader refuses it
                pass
            yield line


def _refusal(line: str, error: InvalidInput) -> JSONRPCError:
    try:
        message: Any = json.loads(line)
    except (ValueError, RecursionError):  # nested too deep to look for an id
        message = None
    call = message.get("id") if isinstance(message, dict) else None
    known = call if isinstance(call, str) or type(call) is int else None
    return JSONRPCError(jsonrpc="2.0", id=known, error=ErrorData(code=INVALID_REQUEST, message=str(error)))
