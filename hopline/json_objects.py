"""JSON in which no object has a field twice; parsers would silently keep the last of them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NoReturn

from hopline.errors import InvalidInput


def read_json(text: str) -> Any:
    """Return the value of a JSON text.

    Raises:
        ValueError: it is no JSON.
        RecursionError: it is nested too deep.
        InvalidInput: an object in it has a field twice.
    """
    return json.loads(text, object_pairs_hook=unrepeated, parse_constant=_refuse_constant)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def unrepeated(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Return fields by name.

    Raises:
        InvalidInput: one is there twice.
    """
    fields: dict[str, Any] = {}
    for name, value in pairs:
        if name in fields:
            raise InvalidInput(name, value, "given once: the field appears twice")
        fields[name] = value
    return fields
