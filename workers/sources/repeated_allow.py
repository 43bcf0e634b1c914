"""Finds an `allow` that stands twice in one JSON object, of which a parser keeps the last."""

from __future__ import annotations

import json
from typing import Any

from workers.core.errors import InvalidInput
from workers.core.metadata.fields import is_allow


def refuse_repeated_allow(data: bytes) -> None:
    """Refuse JSON, known to be valid, in which an object has `allow` twice.

    Raises:
        InvalidInput: one has.
    """
    if data.count(b'"allow"') <= 1:
        return
    try:
        json.loads(data, object_pairs_hook=_once)
    except RecursionError as error:
        raise InvalidInput("allow", "nested too deep", "objects that are less deep") from error


def _once(pairs: list[tuple[str, Any]]) -> None:
    values = [value for name, value in pairs if is_allow(name)]
    if len(values) > 1:
        raise InvalidInput("allow", values[-1], "given once: it is there twice")
