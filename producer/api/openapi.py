"""Completes the OpenAPI document with what FastAPI cannot infer."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from fastapi import FastAPI
from pydantic import BaseModel
from starlette.routing import compile_path

from hopline.events.catalogue import CATALOGUE
from hopline.models.events import EventData
from hopline.models.problems import ProblemDetails
from producer.api.schemas import DOCUMENTS_REQUEST

_METHODS = frozenset({"get", "post", "put", "patch", "delete"})
_REFERENCE = "#/components/schemas/{model}"
# Named by hand in routes.
_OWN: tuple[type[BaseModel], ...] = (ProblemDetails, DOCUMENTS_REQUEST, *CATALOGUE.values())
_NOT_OURS = ("HTTPValidationError", "ValidationError")  # every error is a problem


def complete_openapi(app: FastAPI, prefix: str) -> None:
    """Make the app serve the completed document, with `prefix` as the path of its server."""
    made = app.openapi

    @cache
    def openapi() -> dict[str, Any]:
        document = made()
        if prefix:
            document["servers"] = [{"url": prefix}]
        schemas = document.setdefault("components", {}).setdefault("schemas", {})
        for model in _OWN:
            schema = model.model_json_schema(ref_template=_REFERENCE)
            schemas.update(schema.pop("$defs", {}))
            if issubclass(model, EventData):  # a later version may say more
                schema |= {"title": model.event, "additionalProperties": True}
            schemas[model.__name__] = schema
        for name in _NOT_OURS:
            schemas.pop(name, None)
        for operations in document["paths"].values():
            for operation in operations.values():
                for parameter in operation.get("parameters", ()):
                    parameter["schema"] = not_null(parameter["schema"])
        return document

    app.openapi = openapi  # type: ignore[method-assign]  # FastAPI's documented way to extend it


def reference_to(model: type[BaseModel]) -> dict[str, str]:
    """Return the reference to a model's schema in the document."""
    return {"$ref": _REFERENCE.format(model=model.__name__)}


def not_null(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a parameter without null: a query string or form cannot hold one."""
    some = [alternative for alternative in schema.get("anyOf", ()) if alternative.get("type") != "null"]
    if not some:
        return schema
    rest = {name: value for name, value in schema.items() if name not in ("anyOf", "default")}
    return {**(some[0] if len(some) == 1 else {"anyOf": some}), **rest}


def allowed_methods(app: FastAPI, path: str) -> list[str]:
    """Return all methods of a path; frameworks report those of its first route only."""
    for template, methods in _methods(app):
        if template.match(path):
            return methods
    return []


@cache
def _methods(app: FastAPI) -> list[tuple[re.Pattern[str], list[str]]]:
    return [
        (compile_path(path)[0], sorted(name.upper() for name in operations if name in _METHODS))
        for path, operations in app.openapi()["paths"].items()
    ]
