"""What requests name that ingest from places: addresses, and a profile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workers.sources.places import allowed_place

if TYPE_CHECKING:
    from collections.abc import Iterable

    from producer.api.context import Api
    from workers.ingest.profile.profile import Profile


def allowed_places(api: Api, sources: Iterable[str]) -> tuple[str, ...]:
    """Return the addresses of sources.

    Raises:
        InvalidInput: one lies in no place that requests may read.
    """
    return tuple(allowed_place(source, api.settings.api_sources) for source in sources)


def read_profile(text: str | None) -> Profile | None:
    """Return the profile, if one is given.

    Raises:
        InvalidInput: it is neither a bundled one's name nor valid TOML.
    """
    from workers.ingest.profile.profile import named_profile  # noqa: PLC0415 - as where documents come in

    return named_profile(text) if text else None
