"""The payload of a webhook, and the port that delivers it."""

from __future__ import annotations

from typing import Protocol

from pydantic import Field

from hopline.errors import Permanent
from hopline.models.base import Frozen
from hopline.models.jobs import JobState
from hopline.models.webhooks import JobEndedWebhook


class WebhookParams(Frozen):
    """One end of a job, and the address that is told of it."""

    url: str = Field(min_length=1, max_length=2000)
    job_id: str
    kind: str
    collection: str
    state: JobState
    epoch: int  # rises with every retry, which ends again
    ended: float  # seconds since the epoch
    request_id: str = ""

    def body(self) -> str:
        """Return what is sent: no result, which is fetched by the job's id."""
        return JobEndedWebhook(**self.model_dump(exclude={"url"})).model_dump_json()


class WebhookSender(Protocol):
    """Port for calling addresses from untrusted input."""

    def send(self, url: str, message_id: str, body: str, caller: str) -> int:
        """POST a JSON text once, signed with the caller's secret; return the receiver's status, a success.

        Args:
            url: whom to call.
            message_id: the same for every attempt, so that the receiver knows a repeated one.
            body: JSON.
            caller: the API key whose secret signs; empty for none.

        Raises:
            Transient: the receiver cannot be reached or did not take it.
            Permanent: it wants no more, or its address is one that is not called.
        """


class NoWebhooks:
    """A port that makes no calls."""

    def send(self, *_told: str, **_named: str) -> int:
        """Refuse."""
        raise Permanent("webhooks are not called here")
