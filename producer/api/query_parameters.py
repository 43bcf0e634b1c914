"""Refuses query parameters that a request does not have: a misspelt one would be left out in silence."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from producer.api.request_metrics import route_of
from workers.core.errors import InvalidInput

if TYPE_CHECKING:
    from fastapi import FastAPI, Request


def check_query_parameters(request: Request) -> None:
    """Check that all query parameters of a request are in the OpenAPI document.

    Raises:
        InvalidInput: names one that is not, and those that are.
    """
    known = _known(request.app, request.method.lower()).get(route_of(request.scope))
    for name, value in request.query_params.items():
        if known is not None and name not in known:
            allowed = f"one of the parameters {', '.join(sorted(known))}" if known else "left out"
            raise InvalidInput(name, value, f"{allowed}: there is no parameter of this name")


@cache
def _known(app: FastAPI, method: str) -> dict[str, frozenset[str]]:
    """Return the names of the query parameters of all paths with a method."""
    return {
        path: frozenset(
            one["name"] for one in operations[method].get("parameters", ()) if one["in"] == "query"
        )
        for path, operations in app.openapi()["paths"].items()
        if method in operations
    }
