"""Generates the English texts of steps from the flows: `python -m infra.step_texts` writes them.

The page's English catalogue holds, in the order of the flows, what each step is called and does. The command
line reads them there too, so that it need not load the flows.
"""

from __future__ import annotations

import json
import re
from graphlib import TopologicalSorter
from itertools import pairwise
from pathlib import Path
from typing import Any

from workers.core.jobs.flow import Step
from workers.flows.auto import AUTO
from workers.flows.registry import FLOWS, STRATEGIES

CATALOGUE = Path(__file__).resolve().parents[1] / "producer" / "web" / "texts" / "en.json"


def ordered_steps() -> dict[str, Step[Any]]:
    """Return all steps, each after those that come before it in a flow."""
    order = TopologicalSorter[str]()
    for flow in (*FLOWS.values(), *STRATEGIES.values()):
        order.add(next(iter(flow.steps)))
        for earlier, later in pairwise(flow.steps) if flow is not AUTO else ():
            order.add(later, earlier)
    chosen_by = next(iter(AUTO.steps))
    for flow in STRATEGIES.values():
        if flow is not AUTO:
            order.add(next(iter(flow.steps)), chosen_by)
    steps = {
        name: step for flow in (*FLOWS.values(), *STRATEGIES.values()) for name, step in flow.steps.items()
    }
    return {name: steps[name] for name in order.static_order()}


def with_steps(catalogue: str) -> str:
    """Return the catalogue with the texts of steps written anew."""
    steps = ordered_steps()
    names = {name: name.rpartition(".")[2].replace("_", " ") for name in steps}
    activities = {name: step.activity[:1].upper() + step.activity[1:] for name, step in steps.items()}
    for family, texts in (("step", names), ("activity", activities)):
        lines = "".join(
            f"  {json.dumps(f'{family}.{name}')}: {json.dumps(text)},\n"
            for name, text in texts.items()
            if text
        )
        catalogue = re.sub(rf'(?:  "{family}\.[\w.]+": ".*",\n)+', lines, catalogue, count=1)
    return catalogue


if __name__ == "__main__":
    CATALOGUE.write_text(with_steps(CATALOGUE.read_text(encoding="utf-8")), encoding="utf-8")
