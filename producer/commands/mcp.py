"""hopline mcp."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from hopline.commands.scope import As

_ENVIRONMENT = "--api-key-from-env"


def mcp(
    url: Annotated[
        str | None,
        typer.Option(help="Use the HTTP API at this address.", show_default=False),
    ] = None,
    api_key_from_env: Annotated[
        str | None,
        typer.Option(
            _ENVIRONMENT, help="Environment variable that contains the API key.", show_default=False
        ),
    ] = None,
    act_as: As = None,
) -> None:
    """Serve assistants over stdin and stdout (MCP): ask, search, ingest, jobs, and the graph's tools.

    An assistant starts this command itself; docs/mcp.md shows how to configure it. The HTTP API serves the
    same tools at /mcp. Without --url it uses the API at HOPLINE_API_URL, or one that is running on this
    machine, or else the servers directly.

    [bold]Examples[/bold]

      hopline mcp

      hopline mcp --url https://hopline.example --api-key-from-env HOP_KEY

      hopline mcp --url https://hopline.example --as user:ann
    """
    from hopline.aio.client import AsyncHopline
    from hopline.commands.client import is_local
    from producer.mcp.stdio import serve_stdio
    from workers.logs import quiet_logs
    from workers.settings import load_settings

    settings = load_settings()
    quiet_logs(settings)
    if url is None and is_local():
        if api_key_from_env is not None:
            raise typer.BadParameter(
                "an API key needs an API: give its address with --url", param_hint=_ENVIRONMENT
            )
        if act_as is not None:
            raise typer.BadParameter(
                "acting for others needs an API: give its address with --url", param_hint="--as"
            )
        client = AsyncHopline.local(settings, via="mcp")
    else:
        client = AsyncHopline(url, api_key=_key_in(api_key_from_env), act_as=act_as)
    serve_stdio(client)


def _key_in(variable: str | None) -> str | None:
    """Return the API key in an environment variable; arguments would be visible to all users of a machine."""
    if variable is None:
        return None
    if not os.environ.get(variable):
        raise typer.BadParameter(f"the environment has no {variable}", param_hint=_ENVIRONMENT)
    return os.environ[variable]
