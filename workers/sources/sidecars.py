"""Reads sidecars: files NAME.meta.json with the metadata of the document NAME beside them."""

from __future__ import annotations

from typing import Any

import orjson

from hopline.errors import InvalidInput
from hopline.models.metadata import Value, checked_metadata
from hopline.sidecars import LONGEST_SIDECAR, SIDECAR
from workers.core.json_objects import parse_json


def sidecar_of(system: Any, path: str) -> dict[str, Value]:
    """Read the sidecar of the document at a path of fsspec's file system.

    Raises:
        InvalidInput: names the field, its value and what is allowed.
        OSError: it cannot be read.
    """
    return parse_sidecar(system.cat_file(path + SIDECAR, start=0, end=LONGEST_SIDECAR + 1))


def parse_sidecar(data: bytes) -> dict[str, Value]:
    """Return the metadata in a sidecar's bytes.

    Raises:
        InvalidInput: names the field, its value and what is allowed.
    """
    if len(data) > LONGEST_SIDECAR:
        raise InvalidInput(SIDECAR, "a file that is too large", f"at most {LONGEST_SIDECAR} bytes")
    try:
        fields = parse_json(data.removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError as error:
        raise InvalidInput(
            SIDECAR, "a file that cannot be read", f"a JSON object of fields ({error})"
        ) from error
    return checked_metadata(fields)
