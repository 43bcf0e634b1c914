"""Registers this stage's Celery tasks; each runs one item."""

from __future__ import annotations

from workers.process import hop_task

score_fact = hop_task("critic.score_fact")
synthesize = hop_task("critic.synthesize")
reason = hop_task("critic.reason")
answer_from_tools = hop_task("critic.answer_from_tools")
check_answer = hop_task("critic.check_answer")
