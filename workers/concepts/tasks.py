"""Registers this stage's Celery tasks; each runs one item."""

from __future__ import annotations

from workers.process import hop_task

validate_concept = hop_task("concepts.validate_concept")
read_map = hop_task("concepts.read_map")
check_relation = hop_task("concepts.check_relation")
expand = hop_task("concepts.expand")
validate_relation = hop_task("concepts.validate_relation")
save_map = hop_task("concepts.save_map")
