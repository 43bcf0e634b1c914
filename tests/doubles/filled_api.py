"""An API in which there is some of everything: its replies are made from the types that operations return."""

from __future__ import annotations

import inspect
import json
import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import httpx2
from pydantic import TypeAdapter

import hopline.aio
from hopline.operation import Operation, operation_of

# Texts that people read to know what something is or what to do; every one is another.
TOLD = ("title", "label", "error", "reason", "why", "description", "evidence", "question", "called")
_WORDS = "of the harbour authority of Karsund: start it, then run this command once more"
_AT = "2026-11-29T08:30:00Z"


class FilledApi:
    """The application as the client finds it in this process.

    Attributes:
        texts: that it has told, of the fields in TOLD.
    """

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._operations = list(_operations())

    def transport(self) -> httpx2.BaseTransport:
        return httpx2.MockTransport(self._answer)

    def _answer(self, request: httpx2.Request) -> httpx2.Response:
        for operation in self._operations:
            pattern = re.sub(r"\{\w+\}", "[^/]+", operation.path)
            if operation.method == request.method and re.fullmatch(pattern, request.url.path):
                return httpx2.Response(200, text=json.dumps(self.filled(operation.returned)))
        raise AssertionError(f"no operation is {request.method} {request.url.path}")

    def filled(self, kind: Any) -> Any:
        """Return a JSON value of this type, with all of its fields."""
        schema = TypeAdapter(kind).json_schema(mode="serialization")
        return self._value(schema, schema.get("$defs", {}), "")

    def _value(self, schema: dict[str, Any], models: dict[str, Any], name: str) -> Any:  # noqa: C901, PLR0911 - a table of kinds
        if "$ref" in schema:
            return self._value(models[schema["$ref"].rpartition("/")[2]], models, name)
        for alternatives in ("anyOf", "oneOf", "allOf"):
            if kinds := schema.get(alternatives):
                some = [kind for kind in kinds if kind.get("type") != "null"]
                return self._value(some[0], models, name)
        if "const" in schema or "enum" in schema:
            return schema.get("const", schema.get("enum", [None])[0])
        match schema.get("type"):
            case "object" if name == "tools":
                told = {"name": name, "description": self._text("description")}
                return {"function": {**told, "parameters": {"required": [], "properties": {}}}}
            case "object":
                fields = schema.get("properties", {})
                return {field: self._value(one, models, field) for field, one in fields.items()}
            case "array":
                items = schema.get("prefixItems") or [schema.get("items", {"type": "string"})] * 3
                return [self._value(item, models, name) for item in items]
            case "integer":
                return (
                    min(1_234_567, schema.get("maximum", 1_234_567))
                    if name not in ("level", "chunk_overlap")
                    else 0
                )
            case "number":
                return min(1234.5, schema.get("maximum", 1234.5))
            case "boolean":
                return False
            case "string":
                return _AT if schema.get("format") == "date-time" else self._text(name)
        return None

    def _text(self, name: str) -> str:
        if name in ("next", "profile", "encoding", "hours"):
            return ""
        if name == "zone":
            return "Europe/Berlin"
        if name not in TOLD:
            return f"{name}-0a1b2c3d4e5f6071"
        self.texts.append(f"{name.capitalize()} {len(self.texts)} {_WORDS}")
        return self.texts[-1]


def _operations() -> Iterator[Operation]:
    for module in pkgutil.iter_modules(hopline.aio.__path__):
        for _, kind in inspect.getmembers(import_module(f"hopline.aio.{module.name}"), inspect.isclass):
            for _, method in inspect.getmembers(kind, inspect.isfunction):
                try:
                    yield operation_of(method)
                except (AttributeError, KeyError, TypeError):
                    continue
