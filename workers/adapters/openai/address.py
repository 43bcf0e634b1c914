"""Builds addresses and key headers for OpenAI-compatible APIs, including Azure OpenAI's own forms."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from hopline.models.base import Frozen
from hopline.secrets import guard, guard_address

EMBEDDINGS = "/embeddings"  # the path of an operation
_VERSION = "api-version"


class ModelEndpoint(Frozen):
    """Where an OpenAI-compatible API is: url ends before /chat/completions, usually in /v1.

    What follows a question mark goes with every request. A dated `api-version` there is Azure's: the key is
    shown as `api-key`, and a model's name is that of its deployment, which is a part of the path.
    """

    url: str
    key: str
    ca_file: Path | None = None  # authorities to trust in addition to the system's

    @cached_property
    def base(self) -> str:
        """The address without what follows a question mark."""
        return urlsplit(self.url)._replace(query="", fragment="").geturl().rstrip("/")

    @cached_property
    def query(self) -> dict[str, str]:
        """The query parameters of every request."""
        return dict(parse_qsl(urlsplit(self.url).query))

    @property
    def azure(self) -> bool:
        """Whether the endpoint uses Azure's own request form."""
        return _VERSION in self.query

    @property
    def headers(self) -> dict[str, str]:
        """The headers that carry the key."""
        return {"api-key": self.key} if self.azure else {"Authorization": f"Bearer {self.key}"}

    @cached_property
    def shown(self) -> str:
        """The address as errors and logs may show it."""
        return shown_address(self.url)

    def model_post_init(self, _context: object) -> None:
        """Hide the key and the values of the query wherever the endpoint repeats them."""
        guard(self.key)
        guard_address(self.url)

    def path(self, path: str, model: str) -> str:
        """Return the path of an operation for a model, below the base address."""
        placed = not self.azure or "/deployments/" in self.base or self.base.endswith("/v1")
        return path if placed else f"/deployments/{quote(model, safe='')}{path}"


def shown_address(url: str) -> str:
    """Return an address without its login and its query, except the version of the API."""
    parts = urlsplit(url)
    query = urlencode([pair for pair in parse_qsl(parts.query) if pair[0] == _VERSION])
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query=query, fragment="").geturl()
