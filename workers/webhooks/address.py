"""Validates the form of a webhook's address; where it leads is checked when it is called."""

from __future__ import annotations

from hopline.errors import InvalidInput
from workers.core.addresses import Target, is_local_name, is_public, parse_target
from workers.settings import Settings


def check_webhook(url: str, settings: Settings) -> Target:
    """Return a webhook's address in pieces.

    Names are not looked up: what one stands for today says nothing of tomorrow, so that is checked with
    every delivery.

    Raises:
        InvalidInput: it is malformed, not https, or names a private address; its field is "webhook".
    """
    try:
        target = parse_target(url)
    except ValueError as error:
        raise InvalidInput("webhook", url, str(error)) from None
    if not target.secure and not settings.webhook_http:
        raise InvalidInput("webhook", url, "a URL that begins with https:// (see the setting webhook_http)")
    if not settings.webhook_private and _is_private(target):
        raise InvalidInput(
            "webhook", url, "an address on the public internet (see the setting webhook_private)"
        )
    return target


def _is_private(target: Target) -> bool:
    literal = target.literal
    return is_local_name(target.host) if literal is None else not is_public(literal)
