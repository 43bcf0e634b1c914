"""Errors of the API (RFC 9457)."""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import BaseModel, Field

from hopline.errors import refusal


class FieldError(BaseModel):
    """A value that is not allowed."""

    field: str
    value: Annotated[Any, Field(description="The value as given; a long one is shortened to a text.")] = None
    allowed: str

    @property
    def sentence(self) -> str:
        """The error as a sentence."""
        shown = None if self.value is None else json.dumps(self.value, ensure_ascii=False)
        return refusal(self.field, shown, self.allowed)


class ProblemDetails(BaseModel):
    """An error (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    instance: str
    request_id: str
    errors: list[FieldError] = []

    model_config = {
        "json_schema_extra": {
            "examples": [
                {
                    "type": "urn:hopline:problem:invalid-input",
                    "title": "A value is not allowed",
                    "status": 422,
                    "detail": "parameters.max_depth is 99, but must be less than or equal to 10",
                    "instance": "/v1/queries",
                    "request_id": "4f0c9a5e2b7d4c1a",
                    "errors": [
                        {
                            "field": "parameters.max_depth",
                            "value": "99",
                            "allowed": "less than or equal to 10",
                        }
                    ],
                }
            ]
        }
    }
