"""Reads JSON and refuses objects with duplicate fields; parsers would silently keep the last one."""

from __future__ import annotations

import json
from typing import Any

import orjson

from hopline.errors import InvalidInput
from hopline.json_objects import unrepeated


def parse_json(data: bytes | str) -> Any:
    """Return the value of a JSON text.

    Raises:
        orjson.JSONDecodeError: the text is not valid JSON.
        InvalidInput: an object in it has duplicate fields.
    """
    read = orjson.loads(data)
    refuse_repeated(data)
    return read


def refuse_repeated(data: bytes | str) -> None:
    """Check that no object has duplicate fields in data that is known to be valid JSON.

    Raises:
        InvalidInput: an object has duplicate fields, or the nesting is too deep.
    """
    try:
        json.loads(data, object_pairs_hook=unrepeated)
    except RecursionError as error:
        raise InvalidInput("JSON", "nested too deep", "objects with fewer levels") from error
