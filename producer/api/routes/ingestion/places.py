"""Fields of requests that ingest from places: paths or addresses, and a profile."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from hopline.trees import place_of
from workers.sources.places import allowed_place
from workers.sources.uploads import is_upload

if TYPE_CHECKING:
    from collections.abc import Iterable

    from producer.api.access import Caller
    from producer.api.context import Api
    from workers.ingest.profile.profile import Profile


class ReadPlaces(TypedDict):
    """The places that a request may read, and whether links and lists must stay within them."""

    sources: tuple[str, ...]
    confined: bool


def allowed_places(api: Api, caller: Caller, sources: Iterable[str], *, uploads: bool = False) -> ReadPlaces:
    """Return the sources of a request that may be read; the user who runs the server may name any.

    Args:
        api: the API's state.
        caller: the caller.
        sources: the named sources.
        uploads: whether uploads may be among them.

    Raises:
        InvalidInput: a source is not in a place that requests may read.
    """
    if caller.reads_paths:
        return {"sources": tuple(map(place_of, sources)), "confined": False}
    allowed = tuple(
        source if uploads and is_upload(source) else allowed_place(source, api.settings.api_sources)
        for source in sources
    )
    return {"sources": allowed, "confined": True}


def read_profile(text: str | None) -> Profile | None:
    """Return the profile, if one is given.

    Raises:
        InvalidInput: it is neither the name of a bundled profile nor valid TOML.
    """
    from workers.ingest.profile.profile import named_profile  # noqa: PLC0415 - as where documents come in

    return named_profile(text) if text else None
