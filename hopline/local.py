"""Finds the parts of the server's distribution for this process: the application, and more commands."""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, Protocol, cast

from hopline.errors import InvalidInput

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    import httpx2

URL = "http://localhost"
_GROUP = "hopline.application"
_COMMANDS = "hopline.commands"


class Application(Protocol):
    """The API in this process; it starts with the first request, and ends when its transport is closed."""

    def transport(self) -> httpx2.BaseTransport:
        """Return what carries requests to it."""

    def async_transport(self) -> httpx2.AsyncBaseTransport:
        """Return the same for asyncio."""


class ServerCommands(Protocol):
    """Commands that the server's distribution adds to the command line."""

    COMMANDS: dict[str, str]  # module and function by name, as `keys open`

    def session(self) -> AbstractContextManager[None]:
        """Return what one of these commands runs in."""

    def redis_address(self) -> str:
        """Return where Redis is, by the settings."""


@cache
def find_server_commands() -> ServerCommands | None:
    """Return the server distribution's commands; None if it is not installed."""
    offered = entry_points(group=_COMMANDS)
    return cast("ServerCommands", next(iter(offered)).load()) if offered else None


def find_application(settings: Any = None, via: str = "client") -> Application:
    """Return the application in this process, which works on the servers that its settings name.

    Args:
        settings: of the server's distribution; read from the environment unless given.
        via: how requests come, as the audit tells it: client, cli or mcp.

    Raises:
        InvalidInput: the server's distribution is not installed.
    """
    offered = entry_points(group=_GROUP)
    if not offered:
        message = (
            "the application is not installed here: install `hopline[server]`, or set HOPLINE_API_URL to the "
            "address of an API"
        )
        raise InvalidInput("local", True, "only with hopline[server]", message=message)
    return cast("Application", next(iter(offered)).load()(settings, via=via))
