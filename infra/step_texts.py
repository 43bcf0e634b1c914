"""Generates the English texts of steps and strategies: `python -m infra.step_texts` writes them.

The page's English catalogue holds, in the order of the flows, what each step is called and does; a file of
the package hopline holds what steps do, for the command line. What the page offers of strategies stands in
their descriptions. A new step or strategy is translated in the catalogues of the other languages by hand;
their order follows.
"""

from __future__ import annotations

import json
import re
from graphlib import TopologicalSorter
from itertools import pairwise
from pathlib import Path
from typing import Any

from hopline.models.strategies import STRATEGIES as DESCRIPTIONS
from workers.core.jobs.flow import Step
from workers.flows.registry import FLOWS, STRATEGIES
from workers.traverse.auto.flow import AUTO

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "producer" / "web" / "texts"
STEPS = ROOT / "hopline" / "progress" / "steps.json"
# Steps whose own name is not a word that users know.
PLAIN = {
    "ingest.hand_over": "submit",
    "traverse.seed": "choose start nodes",
    "traverse.visit": "read node",
}


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


def english(steps: dict[str, Step[Any]]) -> dict[str, str]:
    """Return the English texts by key."""
    names = {f"step.{name}": PLAIN.get(name, name.rpartition(".")[2].replace("_", " ")) for name in steps}
    activities = {f"activity.{name}": step.activity for name, step in steps.items() if step.activity}
    strategies = {f"strategy.{strategy.name}": strategy.name for strategy in DESCRIPTIONS}
    choices = {f"strategy-choice.{strategy.name}": strategy.choice for strategy in DESCRIPTIONS}
    return (
        names | {key: text[:1].upper() + text[1:] for key, text in activities.items()} | strategies | choices
    )


def with_texts(catalogue: str, texts: dict[str, str]) -> str:
    """Return a catalogue with the texts of steps and strategies rewritten.

    Args:
        catalogue: a JSON object, a text a line.
        texts: by key, in their order.
    """
    for family in ("step.", "activity.", "strategy.", "strategy-choice."):
        lines = "".join(
            f'  "{key}": {json.dumps(text, ensure_ascii=False)},\n'
            for key, text in texts.items()
            if key.startswith(family)
        )
        catalogue = re.sub(
            rf'(?:  "{re.escape(family)}[\w.]+": ".*",\n)+', lines.replace("\\", r"\\"), catalogue, count=1
        )
    return catalogue


def catalogues() -> dict[Path, str]:
    """Return what each file should hold: the catalogues' translations in the English order, and the steps.

    Raises:
        KeyError: a text is not translated.
    """
    texts = english(ordered_steps())
    made = {}
    for path in FOLDER.glob("*.json"):
        catalogue = path.read_text(encoding="utf-8")
        known = texts if path.stem == "en" else json.loads(catalogue)
        made[path] = with_texts(catalogue, {key: known[key] for key in texts})
    of_steps = {name: texts.get(f"activity.{name}", "") for name in ordered_steps()}
    made[STEPS] = json.dumps(of_steps, ensure_ascii=False, indent=1) + "\n"
    return made


if __name__ == "__main__":
    for path, catalogue in catalogues().items():
        path.write_text(catalogue, encoding="utf-8")
