"""Generates docs/asyncapi.json from the models: `python -m producer.messages.asyncapi` writes it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from producer.messages.models import (
    JobMessage,
    KeyHeaders,
    Reply,
    ResultMessage,
    SignedMessage,
    Submission,
    SubmitMessage,
)

PAGE = Path(__file__).resolve().parents[2] / "docs" / "asyncapi.json"
_SCHEMAS = "#/components/schemas/"
# Whose result it is stands in its address: the task's id.
_RESULTS = "celery-task-meta-{task_id}"


def asyncapi() -> dict[str, Any]:
    """Return the AsyncAPI 3 document that describes hopline."""
    models = (SubmitMessage, ResultMessage, SignedMessage, Submission, JobMessage, Reply, KeyHeaders)
    _, schemas = models_json_schema(
        [(model, "validation") for model in models], ref_template=_SCHEMAS + "{model}"
    )
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "hopline over Celery",
            "version": "1",  # of the messages, not of the program
            "description": "Submit jobs as Celery tasks. A payload here is a task's keyword arguments, or "
            "its result; Celery wraps it in an envelope of task protocol 2.",
        },
        "defaultContentType": "application/json",
        "channels": _channels(),
        "operations": _operations(),
        "components": {
            "messages": {
                "submit": _message("hopline.submit", SubmitMessage, SignedMessage, headers=KeyHeaders),
                "result": _message("hopline.result", ResultMessage, SignedMessage, headers=KeyHeaders),
                "submission": _message("the result of hopline.submit", Submission),
                "job": _message("the result of hopline.result", JobMessage),
                "reply": _message("the task that reply_to names", Reply),
            },
            "schemas": schemas["$defs"],
        },
    }


def _message(name: str, *payloads: type[BaseModel], headers: type[BaseModel] | None = None) -> dict[str, Any]:
    shown = {"headers": _schema(headers)} if headers else {}
    schemas = [_schema(payload) for payload in payloads]
    return {"name": name, **shown, "payload": schemas[0] if len(schemas) == 1 else {"oneOf": schemas}}


def _schema(model: type[BaseModel]) -> dict[str, str]:
    return {"$ref": _SCHEMAS + model.__name__}


def _channels() -> dict[str, Any]:
    return {
        "submissions": {
            "address": "submissions",
            "description": "The queue that tasks are sent to.",
            "messages": _messages("submit", "result"),
        },
        "results": {
            "address": _RESULTS,
            "description": "Where Celery's Redis backend keeps a task's result.",
            "parameters": {"task_id": {"description": "The id of the task."}},
            "messages": _messages("submission", "job"),
        },
        "replies": {
            "address": "{queue}",
            "description": "The queue that reply_to names.",
            "parameters": {"queue": {"description": "reply_to.queue of the submission."}},
            "messages": _messages("reply"),
        },
    }


def _messages(*names: str) -> dict[str, Any]:
    return {name: {"$ref": f"#/components/messages/{name}"} for name in names}


def _operations() -> dict[str, Any]:
    return {
        "submit": _answered("submit", "submission", "Submits a job."),
        "result": _answered("result", "job", "Shows a job, with its outcome once it has ended."),
        "reply": {
            "action": "send",
            "summary": "Tells of a job's end, at least once, with the same task id.",
            "channel": {"$ref": "#/channels/replies"},
            "messages": [{"$ref": "#/channels/replies/messages/reply"}],
        },
    }


def _answered(message: str, answer: str, summary: str) -> dict[str, Any]:
    return {
        "action": "receive",
        "summary": summary,
        "channel": {"$ref": "#/channels/submissions"},
        "messages": [{"$ref": f"#/channels/submissions/messages/{message}"}],
        "reply": {
            "channel": {"$ref": "#/channels/results"},
            "messages": [{"$ref": f"#/channels/results/messages/{answer}"}],
        },
    }


def asyncapi_text() -> str:
    """Return the document as written."""
    return json.dumps(asyncapi(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    PAGE.write_text(asyncapi_text(), encoding="utf-8")
