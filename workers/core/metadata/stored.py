"""Reads metadata that was stored: what was taken once stays readable, whatever the bounds are now."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any

from pydantic import BeforeValidator

from workers.core.metadata.fields import Value, date_of


def stored_metadata(raw: Mapping[str, Any]) -> dict[str, Value]:
    """Return stored fields with the types that their shapes have; what is no value of a field is left out."""
    return {name: value for name, held in sorted(raw.items()) if (value := _value(held)) is not None}


def _of_record(raw: Any) -> Any:
    return stored_metadata(raw) if isinstance(raw, Mapping) else raw


def _value(held: Any) -> Value | None:
    if isinstance(held, list | tuple):
        return tuple(text for text in held if isinstance(text, str))
    if isinstance(held, str):
        return date_of(held) or held
    return held if isinstance(held, int | float | date) and not isinstance(held, bool) else None


StoredMetadata = Annotated[dict[str, Value], BeforeValidator(_of_record)]
