"""Reads docker-compose.yml into what is run of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from graphlib import TopologicalSorter
from string import Template
from typing import Any

import yaml

from hopline.errors import InvalidInput
from hopline.models.base import Frozen

# Keys of a service that are run, and those that only an engine can show.
RUN = frozenset({
    "build", "cap_drop", "command", "depends_on", "entrypoint", "env_file", "environment", "extra_hosts",
    "healthcheck", "image", "profiles", "read_only", "security_opt", "stop_grace_period", "tmpfs", "user",
    "volumes",
})  # fmt: skip
NOT_SHOWN = frozenset({"deploy", "init", "logging", "ports", "restart"})
_DURATION = re.compile(r"(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+)ms)?")
_SECONDS = (3600, 60, 1, 0.001)


class HealthCheck(Frozen):
    """How a container is asked whether it is well; times are seconds."""

    command: tuple[str, ...]
    interval: float = 30
    timeout: float = 30
    retries: int = 3
    start_period: float = 0  # failures within it do not count
    start_interval: float = 5  # between tries within it

    def with_patience(self, factor: float) -> HealthCheck:
        """Return one that lets a busy machine have more time: to answer, and until failures count."""
        return self.model_copy(
            update={"timeout": self.timeout * factor, "start_period": self.start_period * factor}
        )


class Service(Frozen):
    """A service as the file has it, its variables filled in."""

    name: str
    is_built: bool  # from our Dockerfile, not an image of others
    image: str
    entrypoint: tuple[str, ...] = ()  # empty: the image's
    command: tuple[str, ...] = ()  # empty: the image's
    environment: dict[str, str] = {}
    user: str = ""  # empty: the image's
    volumes: dict[str, str] = {}  # path in the container -> name
    tmpfs: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()  # further names of the machine
    read_only: bool = False
    drops_rights: bool = False  # all capabilities, and none can be had again
    health: HealthCheck
    depends_on: tuple[str, ...] = ()
    grace: float = 10  # seconds from SIGTERM to SIGKILL


class _Variables(Template):
    """`$NAME`, `${NAME}`, `${NAME:?text}` and `$$`, as Compose reads them."""

    braceidpattern = r"[A-Za-z_]\w*(?::\?[^}]*)?"


class _Required(dict[str, str]):
    """Finds a variable by what stands between its braces; an empty one is as good as none."""

    def __getitem__(self, key: str) -> str:
        name, asks, text = key.partition(":?")
        value = self.get(name, "")
        if asks and not value:
            raise InvalidInput(name, "", text)
        return value


def read_services(text: str, variables: Mapping[str, str]) -> dict[str, Service]:
    """Return the services of every profile by name, each after those that it depends on.

    Args:
        text: of docker-compose.yml.
        variables: of the file that `--env-file` and the services' `env_file` name.

    Raises:
        InvalidInput: a variable is missing, or a service has a key of which nobody has decided how to run it.
    """
    known = _Required(variables)
    declared = _filled(yaml.safe_load(text)["services"], known)
    services = {name: _service(name, fields, variables) for name, fields in declared.items()}
    order = TopologicalSorter({name: service.depends_on for name, service in services.items()})
    return {name: services[name] for name in order.static_order()}


def seconds(duration: str) -> float:
    """Return how long `1m30s` is.

    Raises:
        InvalidInput: it is no duration.
    """
    parts = _DURATION.fullmatch(duration)
    if not duration or parts is None:
        raise InvalidInput("duration", duration, "hours, minutes, seconds such as 1m30s")
    return sum(float(part or 0) * unit for part, unit in zip(parts.groups(), _SECONDS, strict=True))


def _filled(value: Any, variables: _Required) -> Any:
    if isinstance(value, str):
        return _Variables(value).substitute(variables)
    if isinstance(value, dict):
        return {name: _filled(field, variables) for name, field in value.items()}
    return [_filled(field, variables) for field in value] if isinstance(value, list) else value


def _service(name: str, fields: Mapping[str, Any], variables: Mapping[str, str]) -> Service:
    unknown = fields.keys() - RUN - NOT_SHOWN
    if unknown:
        raise InvalidInput(f"services.{name}", ", ".join(sorted(unknown)), ", ".join(sorted(RUN)))
    defaults = dict(variables) if fields.get("env_file") else {}
    options = fields.get("security_opt", ())
    return Service(
        name=name,
        is_built="build" in fields,
        image=fields["image"],
        entrypoint=tuple(fields.get("entrypoint", ())),
        command=tuple(fields.get("command", ())),
        environment=defaults | {key: str(value) for key, value in fields.get("environment", {}).items()},
        user=fields.get("user", ""),
        volumes=dict(_volume(name, volume) for volume in fields.get("volumes", ())),
        tmpfs=tuple(fields.get("tmpfs", ())),
        hosts=tuple(host.partition(":")[0] for host in fields.get("extra_hosts", ())),
        read_only=fields.get("read_only", False),
        drops_rights=fields.get("cap_drop") == ["ALL"] and "no-new-privileges:true" in options,
        health=_health(fields["healthcheck"]),
        depends_on=tuple(fields.get("depends_on", ())),
        grace=seconds(fields.get("stop_grace_period", "10s")),
    )


def _volume(service: str, volume: str) -> tuple[str, str]:
    """Return path and name of a named volume."""
    name, _, path = volume.partition(":")
    if not re.fullmatch(r"[A-Za-z0-9][\w.-]*", name) or not path.startswith("/") or ":" in path:
        raise InvalidInput(f"services.{service}.volumes", volume, "NAME:/PATH")
    return path, name


def _health(fields: Mapping[str, Any]) -> HealthCheck:
    kind, *words = fields["test"]
    times = {name: seconds(value) for name, value in fields.items() if name not in {"test", "retries"}}
    command = ("/bin/sh", "-c", *words) if kind == "CMD-SHELL" else tuple(words)
    return HealthCheck(command=command, retries=fields.get("retries", 3), **times)
