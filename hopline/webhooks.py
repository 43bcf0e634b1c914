"""Checks and reads the webhooks that hopline sends (https://www.standardwebhooks.com)."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import ValidationError
from standardwebhooks import Webhook, WebhookVerificationError

from hopline.allowed_values import allowed_in_words
from hopline.errors import AccessDenied, InvalidInput
from hopline.models.webhooks import JobEndedWebhook
from hopline.secrets import guard


def unwrap(body: bytes | str, headers: Mapping[str, str], secret: str) -> JobEndedWebhook:
    """Return the event in a webhook whose signature is right and not older than five minutes.

    A receiver may get the same event more than once: `webhook-id` in its headers is the same then.

    Args:
        body: as it was received, not decoded and encoded again.
        headers: of the request.
        secret: of the API key that submitted the job, as whsec_….

    Raises:
        AccessDenied: the signature is missing, wrong or too old.
        InvalidInput: the body is no event.
    """
    guard(secret)
    try:
        Webhook(secret).verify(body, dict(headers), json_parse=False)
    except (WebhookVerificationError, ValueError) as error:
        raise AccessDenied(f"the webhook does not come from hopline: {error}") from error
    try:
        return JobEndedWebhook.read_stored(body)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"]) or "body"
        raise InvalidInput(field, first["input"], allowed_in_words(first)) from error
