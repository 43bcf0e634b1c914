"""The key of the servers that these tests start: of the vectors endpoint, and of the model's switches."""

from __future__ import annotations

import secrets

KEY = secrets.token_urlsafe(18)
SHOWN = {"api-key": KEY}
