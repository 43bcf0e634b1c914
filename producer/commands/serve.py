"""hopline serve."""

from __future__ import annotations

from typing import Annotated

import typer


def serve(
    host: Annotated[
        str | None, typer.Option(help="Address to listen on. (default: HOPLINE_API_HOST)")
    ] = None,
    port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="Port to listen on. (default: HOPLINE_API_PORT)")
    ] = None,
) -> None:
    """Serve the HTTP API and the page: questions, documents, jobs, live progress.

    Without an API key there is no access control, and the server listens on this machine only:
    `hopline keys create` makes the first key. The local stack (`hopline up`) already includes this server.

    [bold]Examples[/bold]

      hopline keys create reports --scope submit --yes

      hopline serve --host 0.0.0.0
    """
    from producer.api.server import run_server
    from workers.settings import load_settings

    settings = load_settings()
    run_server(settings, host or settings.api_host, port or settings.api_port)
