"""The messages that other services send and receive; docs/asyncapi.json is generated from these."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, Strict, StringConstraints

from hopline.allowed_values import InWords
from hopline.models.base import Frozen
from hopline.models.collections import CollectionName
from hopline.models.jobs import JobState, Priority
from hopline.models.problems import FieldError
from hopline.models.results import Job
from producer.api.schemas import Body
from workers.core.jobs.replies import Reply
from workers.core.jobs.work import ReplyTo

__all__ = [
    "JobMessage",
    "KeyHeaders",
    "Refusal",
    "Reply",
    "ResultMessage",
    "SignedMessage",
    "Submission",
    "SubmitMessage",
]

Kind = Literal["query", "documents", "concept", "delete", "merge", "topics", "reindex"]
MOST_WAIT = 5.0  # seconds: while a message waits, it takes the place of another


HeaderText = Annotated[str, StringConstraints(strict=True, min_length=1), InWords("a text that is not empty")]


class KeyHeaders(Frozen):
    """Headers of a message, besides Celery's own. If API keys exist, the first three are required."""

    hopline_key_id: HeaderText | None = Field(
        default=None, description="Id of an API key: the 12 hex digits after hop_.", examples=["0123456789ab"]
    )
    hopline_time: Annotated[int, Strict()] | None = Field(
        default=None, description="When the message was signed, in whole seconds since 1970."
    )
    hopline_signature: HeaderText | None = Field(
        default=None,
        description="HMAC-SHA256, in hex, of task, task id, hopline_time, hopline_act_as (empty if absent) "
        "and the text in `signed`, joined by line feeds. The HMAC key is the SHA-256, in hex, of the part of "
        "the API key after its id.",
    )
    hopline_key: None = Field(default=None, description="Refused: Redis would store the key.")
    hopline_act_as: HeaderText | None = Field(
        default=None,
        description="Principals that a key with the scope act-as acts for, separated by commas. Without it, "
        "or with null, the message has the rights of its key alone; any other value is refused.",
        examples=["user:ann,group:legal"],
    )


class SignedMessage(Body):
    """The keyword arguments of a signed message, for either task."""

    signed: str = Field(description="The JSON text of the fields that an unsigned message would have.")


class SubmitMessage(Body):
    """The keyword arguments of the task hopline.submit."""

    kind: Kind = Field(description="Kind of job to submit.")
    params: dict[str, Any] = Field(
        default={},
        description="The fields of the corresponding HTTP request; for delete, its document_id.",
        examples=[{"question": "Where was the builder of the Bell Rock Lighthouse born?"}],
    )
    collection: CollectionName = "default"
    key: (
        Annotated[
            Annotated[str, StringConstraints(pattern=r"^[\x21-\x7e]{1,200}$")],
            InWords("1 to 200 letters, digits and signs, without blanks"),
        ]
        | None
    ) = Field(
        default=None,
        description="Idempotency key: repeating a message with the same key returns the same job. By default "
        "it is the id of the Celery task.",
        examples=["request-17"],
    )
    priority: Priority = "normal"
    reply_to: ReplyTo | None = Field(default=None, description="Task to call when the job has ended.")


class ResultMessage(Body):
    """The keyword arguments of the task hopline.result."""

    job_id: Annotated[
        str,
        StringConstraints(pattern=r"^[A-Za-z0-9_.-]{1,200}$"),
        InWords("a job's id: 1 to 200 letters, digits, '-', '_' or '.'"),
    ]
    wait: float = Field(default=0.0, ge=0, le=MOST_WAIT, description="Seconds to wait for the job's end.")


class Refusal(Frozen):
    """The reason why a message was refused, like an HTTP problem."""

    status: int
    type: str = Field(examples=["urn:hopline:problem:invalid-input"])
    detail: str
    errors: tuple[FieldError, ...] = ()
    retry_after: int | None = Field(
        default=None, description="Seconds to wait before sending the message again."
    )


class Submission(Frozen):
    """The result of hopline.submit: a job, or the reason for having none."""

    job_id: str | None = None
    state: JobState | None = None
    refused: Refusal | None = None


class JobMessage(Frozen):
    """The result of hopline.result: a job, or the reason why it is not shown."""

    job: Job | None = None
    refused: Refusal | None = None
