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
        """Return version, access, limits, and what a question's parameters may be."""
        raise NotImplementedError

    @operation("GET", "/v1/settings", right="admin")
    def settings(self) -> SettingList:
        """List the server's settings: what each is, where it comes from, and which workers differ.

        Keys and passwords are shown to nobody.
        """
        raise NotImplementedError

    @operation("GET", "/health/live", right="none")
    def live(self) -> Alive:
        """Return that the process is alive, without further checks."""
        raise NotImplementedError

    @operation("GET", "/health/ready", right="none", also=(503,))
    def ready(self) -> Readiness:
        """Return the state of each part that work needs, with its response time in milliseconds."""
        raise NotImplementedError

    @operation("GET", "/health", right="none", also=(503,))
    def health(self) -> Health:
        """Return whether Redis, Neo4j, vectors, the model endpoint and the workers answer."""
        raise NotImplementedError
