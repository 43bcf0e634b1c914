"""Registers this stage's Celery tasks; each runs one item."""

from __future__ import annotations

from workers.process import hop_task

plan = hop_task("traverse.plan")
seed = hop_task("traverse.seed")
visit = hop_task("traverse.visit")
rational_plan = hop_task("traverse.rational_plan")
choose_starts = hop_task("traverse.choose_starts")
check_facts = hop_task("traverse.check_facts")
read_chunk = hop_task("traverse.read_chunk")
select_neighbour = hop_task("traverse.select_neighbour")
normalise = hop_task("traverse.normalise")
choose_tools = hop_task("traverse.choose_tools")
run_tool = hop_task("traverse.run_tool")
choose_strategy = hop_task("traverse.choose_strategy")
advance = hop_task("flow.advance")
