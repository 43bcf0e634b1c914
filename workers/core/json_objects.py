"""Reads JSON in which no object has a field twice; parsers would silently keep the last of them."""

from __future__ import annotations

import json
from typing import Any

import orjson

from hopline.errors import InvalidInput
from hopline.json_objects import unrepeated


def parse_json(data: bytes | str) -> Any:
    """Return what a JSON text stands for.

    Raises:
        orjson.JSONDecodeError: it is no JSON.
        InvalidInput: an object in it has a field twice.
    """
    read = orjson.loads(data)
    refuse_repeated(data)
    return read


def refuse_repeated(data: bytes | str) -> None:
    """Refuse JSON, known to be valid, in which an object has a field twice.

    Raises:
        InvalidInput: one has.
    """
    try:
        json.loads(data, object_pairs_hook=unrepeated)
    except RecursionError as error:
        raise InvalidInput("JSON", "nested too deep", "objects that are less deep") from error
