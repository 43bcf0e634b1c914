"""Runs Flower so that without its password nothing of it is shown, and no other page can frame it."""

from __future__ import annotations

import os
from pathlib import Path

from flower import urls
from flower.views import monitor
from tornado.httputil import HTTPHeaders
from tornado.web import OutputTransform, authenticated

from workers.app import app


class Metrics(monitor.Metrics):  # type: ignore[misc]
    """Flower's own, which asks for no login."""

    get = authenticated(monitor.Metrics.get)


class Healthcheck(monitor.Healthcheck):  # type: ignore[misc]
    """Flower's own, which asks for no login."""

    get = authenticated(monitor.Healthcheck.get)


class NoFrames(OutputTransform):
    """Forbids other pages to embed these, which would allow clickjacking."""

    def transform_first_chunk(
        self,
        status_code: int,
        headers: HTTPHeaders,
        chunk: bytes,
        finishing: bool,  # noqa: FBT001 - tornado's signature
    ) -> tuple[int, HTTPHeaders, bytes]:
        """Add the headers to a reply."""
        headers["X-Frame-Options"] = "DENY"
        headers["Content-Security-Policy"] = "frame-ancestors 'none'"
        return super().transform_first_chunk(status_code, headers, chunk, finishing)


def run_flower(
    address: str, port: int, user: str, password: str, config: Path | None = None, prefix: str = ""
) -> None:
    """Run Flower until it is stopped; its password is passed by the environment, which ps does not show.

    Args:
        address: address to listen on.
        port: where.
        user: that it asks for.
        password: that it asks for.
        config: a file of further options of Flower's.
        prefix: path below which Flower is served.
    """
    os.environ["FLOWER_BASIC_AUTH"] = f"{user}:{password}"
    own = {"/metrics": Metrics, "/healthcheck": Healthcheck}
    urls.handlers[:0] = own.items()  # the first that fits a path serves it
    urls.settings["transforms"] = [NoFrames]
    more = [f"--conf={config}"] if config else []
    if prefix:
        more.append(f"--url_prefix={prefix.strip('/')}")
    app.start(["flower", f"--address={address}", f"--port={port}", *more])
