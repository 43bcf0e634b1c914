"""Task names of this stage; each task does one item."""

from __future__ import annotations

from workers.process import hop_task

deliver = hop_task("webhook.deliver")
