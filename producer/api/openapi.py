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
from hopline.models.webhooks import JobEndedWebhook
from hopline.transport import VERSION_HEADER
from producer.api.schemas import DOCUMENTS_REQUEST

_METHODS = frozenset({"get", "post", "put", "patch", "delete"})
_REFERENCE = "#/components/schemas/{model}"
# Named by hand in routes.
_OWN: tuple[type[BaseModel], ...] = (ProblemDetails, DOCUMENTS_REQUEST, JobEndedWebhook, *CATALOGUE.values())
_NOT_OURS = ("HTTPValidationError", "ValidationError")  # every error is a problem
_SECONDS = {"type": "integer", "minimum": 0}
_TEXT = {"type": "string"}
# Header, its component, schema and description.
_HEADERS = (
    ("X-Request-ID", "RequestId", _TEXT, "The request's id, as logs, jobs and the audit have it."),
    (VERSION_HEADER, "ServerVersion", _TEXT, "The server's version."),
    ("Retry-After", "RetryAfter", _SECONDS, "Seconds to wait before the request is sent again."),
    ("Location", "JobLocation", _TEXT | {"format": "uri-reference"}, "The address of the job."),
)
_RESTRAINED = frozenset({"429", "503"})  # statuses with Retry-After
_JOBS = frozenset({"Job", "Taken"})  # what submissions answer with


_WEBHOOK = {
    "operationId": "job_ended",
    "summary": "A job has ended",
    "description": "Signed as https://www.standardwebhooks.com says. The same one may come twice.",
    "parameters": [
        {"name": f"webhook-{name}", "in": "header", "required": True, "schema": _TEXT, "description": text}
        for name, text in (
            ("id", "The same for every try."),
            ("timestamp", "When it was sent, in seconds since 1970."),
            ("signature", "Of id, timestamp and body, by the key's webhook secret."),
        )
    ],
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {"schema": {"$ref": _REFERENCE.format(model=JobEndedWebhook.__name__)}}
        },
    },
    "responses": {"2XX": {"description": "It was taken. After any other answer it is sent again."}},
}


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
        document["components"]["headers"] = {
            component: {"schema": schema, "description": text} for _, component, schema, text in _HEADERS
        }
        for operations in document["paths"].values():
            for operation in operations.values():
                for parameter in operation.get("parameters", ()):
                    parameter["schema"] = not_null(parameter["schema"])
                _declare_headers(operation["responses"])
                if _takes_webhook(operation, schemas):
                    # Written out: openapi-python-client refuses a reference here.
                    operation["callbacks"] = {"jobEnded": {"{$request.body#/webhook}": {"post": _WEBHOOK}}}
        return document

    app.openapi = openapi  # type: ignore[method-assign]  # FastAPI's documented way to extend it


def _declare_headers(responses: dict[str, Any]) -> None:
    """Declare the headers of responses; declarations of a route itself are kept."""
    submitted = responses.get("202", {}).get("content", {}).get("application/json", {}).get("schema", {})
    makes_job = submitted.get("$ref", "").rpartition("/")[2] in _JOBS
    for status, response in responses.items():
        left_out = {
            *(() if status in _RESTRAINED else ("Retry-After",)),
            *(() if makes_job and status.startswith("2") else ("Location",)),
        }
        declared = {
            header: {"$ref": f"#/components/headers/{component}"}
            for header, component, _, _ in _HEADERS
            if header not in left_out
        }
        response["headers"] = declared | response.get("headers", {})


def _takes_webhook(operation: dict[str, Any], schemas: dict[str, Any]) -> bool:
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    return "webhook" in schemas.get(body.get("$ref", "").rpartition("/")[2], {}).get("properties", {})


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
    """Return all methods of a path; frameworks report only those of its first route."""
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
