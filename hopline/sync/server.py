# Written from hopline/aio by `python -m infra.client_code`: edit it there.
"""The server: its version, the caller's rights and limits, and its health."""

from __future__ import annotations

from hopline.models.about import About, Alive, Health, Readiness, SettingList
from hopline.operation import operation
from hopline.sync.noun import Noun


class Server(Noun):
    """The server itself."""

    @operation("GET", "/v1/about", right="read")
    def about(self) -> About:
        """Return the version, the caller's access, the limits, and the allowed parameters of a question."""
        raise NotImplementedError

    @operation("GET", "/v1/settings", right="admin")
    def settings(self) -> SettingList:
        """List the server's settings with value and source, and the workers whose values differ.

        Keys and passwords are never shown.
        """
        raise NotImplementedError

    @operation("GET", "/health/live", right="none")
    def live(self) -> Alive:
        """Return successfully while the process runs, without further checks."""
        raise NotImplementedError

    @operation("GET", "/health/ready", right="none", also=(503,))
    def ready(self) -> Readiness:
        """Return the state of each part that work needs, with its response time in milliseconds."""
        raise NotImplementedError

    @operation("GET", "/health", right="none", also=(503,))
    def health(self) -> Health:
        """Return whether Redis, Neo4j, vectors, the model endpoint and the workers answer."""
        raise NotImplementedError
