"""The content of webhook calls."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from hopline.allowed_values import InWords
from hopline.models.base import Frozen
from hopline.models.times import Timestamp

WebhookUrl = Annotated[
    str,
    StringConstraints(max_length=2000, pattern=r"^https?://[!-~]+$"),
    InWords("an address that begins with https://, of at most 2000 characters, without blanks"),
    Field(description="An https address to call when the job ends.", examples=["https://example.org/hook"]),
]


class JobEndedWebhook(Frozen):
    """A job has ended; its result is fetched by its id."""

    type: str = "job.ended"
    job_id: str
    kind: str = Field(description="Kind of the job: query, document, batch …")
    collection: str
    state: str = Field(description="Final state of the job: done, partial, abstained, failed, cancelled …")
    epoch: int = Field(description="Increases with every retry, since a retried job ends again.")
    ended: Timestamp
    request_id: str = Field(default="", description="Id of the request that submitted the job.")
