"""Derives one webhook signing secret per API key, so that none has to be stored."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from typing import cast

import redis

from workers.settings import Settings

_KEPT = "hop:webhook-secret"
_PREFIX = "whsec_"  # of the Standard Webhooks scheme: base64 follows


def webhook_secret(client: redis.Redis, settings: Settings, caller: str) -> str:
    """Return the webhook signing secret of an API key, in the form given to receivers.

    Args:
        client: a Redis client with `decode_responses`.
        settings: hold the master secret, unless one is made and kept in Redis.
        caller: the key's id; empty for jobs that came without a key.
    """
    secret = settings.webhook_secret
    master = secret.get_secret_value() if secret else _kept(client)
    derived = hmac.new(master.encode(), f"hopline webhook {caller}".encode(), hashlib.sha256).digest()
    return _PREFIX + base64.b64encode(derived).decode()


def _kept(client: redis.Redis) -> str:
    """Return the master secret in Redis; the first call creates it."""
    client.set(_KEPT, secrets.token_hex(32), nx=True)
    return cast("str", client.get(_KEPT))
