"""Where an OpenAI-compatible API is, and how a key is shown there; Azure OpenAI has ways of its own."""

from __future__ import annotations

from functools import cached_property
from urllib.parse import parse_qsl, quote, urlsplit

from workers.core.model import Frozen


class ModelEndpoint(Frozen):
    """Where an OpenAI-compatible API is: url ends before /chat/completions, usually in /v1.

    What follows a question mark goes with every request. A dated `api-version` there is Azure's: the key is
    shown as `api-key`, and a model's name is that of its deployment, which is a part of the path.
    """

    url: str
    key: str

    @cached_property
    def base(self) -> str:
        """The address without what follows a question mark."""
        return urlsplit(self.url)._replace(query="", fragment="").geturl().rstrip("/")

    @cached_property
    def query(self) -> dict[str, str]:
        """What goes with every request in its address."""
        return dict(parse_qsl(urlsplit(self.url).query))

    @property
    def azure(self) -> bool:
        """Whether it is asked in Azure's own way."""
        return "api-version" in self.query

    @property
    def headers(self) -> dict[str, str]:
        """What shows the key."""
        return {"api-key": self.key} if self.azure else {"Authorization": f"Bearer {self.key}"}

    def path(self, path: str, model: str) -> str:
        """Return where a model is asked for something, below the base."""
        placed = not self.azure or "/deployments/" in self.base or self.base.endswith("/v1")
        return path if placed else f"/deployments/{quote(model, safe='')}{path}"
