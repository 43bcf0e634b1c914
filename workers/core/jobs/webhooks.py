"""The payload of a webhook, and the port that delivers it."""

from __future__ import annotations

from typing import Protocol

from pydantic import Field

from hopline.errors import Permanent
from hopline.models.base import Frozen
from hopline.models.jobs import JobState
from hopline.models.webhooks import JobEndedWebhook


class WebhookParams(Frozen):
    """The end of a job, and the address to notify."""

    url: str = Field(min_length=1, max_length=2000)
    job_id: str
    kind: str
    collection: str
    state: JobState
    epoch: int  # rises with every retry, which ends again
    ended: float  # seconds since the epoch
    request_id: str = ""

    def body(self) -> str:
        """Return the webhook's body; it has no result, which the receiver fetches by the job's id."""
        return JobEndedWebhook(**self.model_dump(exclude={"url"})).model_dump_json()


class WebhookSender(Protocol):
    """Port for calling addresses from untrusted input."""

    def send(self, url: str, message_id: str, body: str, caller: str) -> int:
        """POST a signed JSON text once; return the receiver's status if it is a success.

        Args:
            url: address to call.
            message_id: the same for every attempt, so that the receiver recognises repeats.
            body: JSON text.
            caller: API key whose secret signs the message; "" for no signature.

        Raises:
            Transient: the receiver cannot be reached or did not accept the message.
            Permanent: the receiver wants no more messages, or its address may not be called.
        """


class NoWebhooks:
    """Stands in for a sender of webhooks."""

    def send(self, *_told: str, **_named: str) -> int:
        """Raise Permanent."""
        raise Permanent("webhooks are not called here")
