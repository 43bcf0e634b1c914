"""MCP over stdin and stdout, for an assistant that starts this process itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio
from mcp.server.stdio import stdio_server

from producer.mcp.server import Toolset, make_server
from workers.core.audit import acting, local_actor

if TYPE_CHECKING:
    from producer.client.hopline import Hopline


def serve_stdio(client: Hopline) -> None:
    """Serve until stdin ends.

    Args:
        client: does what is asked; it may do all that its settings or its API key allow.
    """
    with acting(local_actor("mcp")):
        anyio.run(_serve, client)


async def _serve(client: Hopline) -> None:
    server = make_server(Toolset(lambda _context: client, files=True))
    async with stdio_server() as (received, sent):
        await server.run(received, sent, server.create_initialization_options())
