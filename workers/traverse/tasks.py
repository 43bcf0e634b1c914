"""Task names of this stage; each task does one item."""

from __future__ import annotations

from workers.process import hop_task

plan = hop_task("traverse.plan")
seed = hop_task("traverse.seed")
visit = hop_task("traverse.visit")
advance = hop_task("flow.advance")
