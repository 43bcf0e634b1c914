"""Error responses in Qdrant's own form."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

Json = dict[str, Any]


class Refused(Exception):
    """A request that gets no result.

    Attributes:
        status: the HTTP status, 4xx or 5xx.
        text: description of the fault, for people.
    """

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status
        self.text = text


def bad_request(text: str) -> Refused:
    """Return the refusal of a request that cannot be served as written."""
    return Refused(400, f"Wrong input: {text}")


def no_collection(name: str) -> Refused:
    """Return the refusal of a request for a collection that is not there."""
    return Refused(404, f"Not found: Collection `{name}` doesn't exist!")


def collection_exists(name: str) -> Refused:
    """Return the refusal to create a collection twice."""
    return Refused(409, f"Wrong input: Collection `{name}` already exists!")


def require_object(value: object, where: str) -> Json:
    """Return the value if it is a JSON object; refuse it otherwise."""
    if not isinstance(value, dict):
        raise bad_request(f"{where} must be an object")
    return value


def require_list(value: object, where: str) -> list[Any]:
    """Return the value if it is a JSON list; refuse it otherwise."""
    if not isinstance(value, list):
        raise bad_request(f"{where} must be a list")
    return value


def refuse_unknown(fields: Json, known: Collection[str], where: str) -> None:
    """Refuse fields that this endpoint would otherwise have to ignore; null counts as absent."""
    unknown = sorted(key for key, value in fields.items() if key not in known and value is not None)
    if unknown:
        raise bad_request(
            f"{where}: {', '.join(unknown)} not supported by this local endpoint,"
            f" which takes {', '.join(sorted(known))}; use a Qdrant server for more"
        )
