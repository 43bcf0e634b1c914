"""Describes an installation for a bug report: versions and settings, without secrets."""

from __future__ import annotations

import json
import platform
import re
from importlib.metadata import PackageNotFoundError, requires, version
from typing import TYPE_CHECKING, Any

from hopline.models.about import Setting
from hopline.secrets import scrubbed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from workers.settings import Settings

_NAME = re.compile(r"[A-Za-z0-9._-]+")


def about_machine(settings: Settings) -> dict[str, Any]:
    """Return versions of hopline, its packages, Python and the system, and all settings that were set."""
    chosen = [setting for setting in listed_settings(settings) if setting.source != "default"]
    return {
        "hopline": version("hopline"),
        "python": platform.python_version(),
        "system": platform.platform(),
        "packages": dict(_packages()),
        "settings": [setting.model_dump(mode="json", exclude={"differs"}) for setting in chosen],
    }


def _packages() -> Iterator[tuple[str, str]]:
    """Yield name and version of each package that the server asks for, if it is installed."""
    names = {match[0] for need in requires("hopline-server") or () if (match := _NAME.match(need))}
    for name in sorted(names, key=str.casefold):
        try:
            yield name, version(name)
        except PackageNotFoundError:
            continue  # of an extra


def listed_settings(
    settings: Settings, of_workers: Mapping[str, Mapping[str, str]] | None = None
) -> tuple[Setting, ...]:
    """Return all settings; no secret is shown.

    Args:
        settings: settings of this process.
        of_workers: worker -> setting -> digest, to name those that run with another value.
    """
    digests = settings.digests()
    return tuple(
        Setting(
            name=f"HOPLINE_{name.upper()}",
            value=None if settings.is_secret(name) else _shown(value),
            secret=settings.is_secret(name),
            source=settings.source_of(name),
            differs=tuple(
                worker
                for worker, theirs in sorted((of_workers or {}).items())
                if name in digests and theirs.get(name, digests[name]) != digests[name]
            ),
        )
        for name, value in settings.model_dump(mode="json").items()
    )


def _shown(value: Any) -> str | None:
    """Return a setting's value as in the environment, without secrets in addresses."""
    if value is None or value == "":
        return None
    return scrubbed(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
