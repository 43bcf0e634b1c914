"""Registers this stage's Celery tasks; each runs one item."""

from __future__ import annotations

from workers.process import hop_task

deliver = hop_task("webhook.deliver")
