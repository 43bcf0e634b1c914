"""Types of arguments that several tools take."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field, StringConstraints

Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=400)]
Limit = Annotated[int, Field(ge=1, le=100)]


def _listed(given: Any) -> Any:
    """Take a list as people type it: words between commas."""
    return [part.strip() for part in given.split(",") if part.strip()] if isinstance(given, str) else given


Names = Annotated[tuple[Name, ...], BeforeValidator(_listed), Field(max_length=20)]
