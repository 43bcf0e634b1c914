"""Status of servers and workers."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from hopline.models.base import Frozen

State = Literal["up", "down"]


class Part(Frozen):
    """The status of one server, the workers of one queue, or the beat process."""

    name: str
    state: State
    ms: float  # milliseconds that the answer took
    detail: str = ""  # a version, a number of workers, or the kind of failure; no address


class Readiness(Frozen):
    """The status of all parts."""

    ready: bool
    parts: tuple[Part, ...]

    @property
    def down(self) -> list[str]:
        """The names of the parts that do not answer."""
        return [part.name for part in self.parts if part.state == "down"]


class Setting(Frozen):
    """A setting of the server."""

    name: str = Field(examples=["HOPLINE_MODEL"])
    value: str | None = Field(
        description="The value as written in the environment; null for a key or password, or if nothing "
        "is set."
    )
    secret: bool = Field(description="Whether the value is a key or a password, which is never shown.")
    source: str = Field(
        description="Source of the value: the environment, a file, the program, or the default."
    )
    differs: tuple[str, ...] = Field(default=(), description="Workers that run with a different value.")


class SettingList(Frozen):
    """The settings of the answering process, and how those of workers differ."""

    settings: tuple[Setting, ...]


class AboutCaller(BaseModel):
    """The caller and its rights."""

    name: str
    scopes: list[str]
    collections: list[str] | None
    principals: list[str] | None = Field(
        default=None, description="Principals whose documents the caller may see; null means all documents."
    )
    reads_paths: bool = Field(
        default=False,
        description="Whether requests may name any path and address that the server can read: only those of "
        "the user who runs it, on the same machine.",
    )


class About(BaseModel):
    """The server."""

    version: str
    access: Literal["local", "keys"]
    caller: AboutCaller
    flower_url: str
    model: str = Field(description="The model that writes answers; `offline` is the built-in stand-in.")
    model_trouble: str = Field(description="Why the model did not answer the latest call; empty if it did.")
    tools_trouble: str = Field(
        default="",
        description="Why the workers' tools query a different graph from this server's; empty if they do "
        "not.",
    )
    tools_graph: bool = Field(
        description="Whether tools query a database of their own that the caller may view."
    )
    strategies: list[str]
    formats: list[str]
    limits: dict[str, float]
    parameters: dict[str, Any]


class Alive(BaseModel):
    """The process answers."""

    status: Literal["ok"] = "ok"


class Health(BaseModel):
    """A summary of the status: whether all parts are up, and which are not."""

    status: Literal["ok", "degraded"]
    down: list[str] = []
