"""Prints a replay beside the job that it replays."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rich.text import Text

from hopline.commands.console import harmless, print_indented
from hopline.views.tables import Listing
from hopline.words import counted

if TYPE_CHECKING:
    from rich.console import Console

    from hopline.models.answers import Answer
    from hopline.models.replays import Replay

_NAMES = ("before", "after")


def print_replay(console: Console, replay: Replay) -> None:
    """Print what changed, both jobs in figures, then both answers."""
    console.print(Text(harmless(replay.question), "bold"))
    print_differences(console, replay.changed)
    console.print()
    table = Listing("", *_NAMES, right=_NAMES)
    for name, *figures in _figures(replay):
        table.add(name, *figures)
    table.print(console)
    for names, title in ((replay.lost, "no longer cited"), (replay.won, "now cited")):
        if names:
            console.print(Text(harmless(f"{title}: {', '.join(names)}")))
    for title, answer in zip(_NAMES, (replay.before, replay.after), strict=True):
        console.print(Text(f"\n{title}", "bold cyan"))
        print_indented(console, Text(harmless(answer.text or answer.reason or "no answer")), 2)


def print_differences(console: Console, differences: Mapping[str, tuple[Any, Any]]) -> None:
    """Print the parameters that are other."""
    if not differences:
        console.print(Text("no parameter is changed", "dim"))
    for name, (before, after) in differences.items():
        console.print(Text(harmless(f"{name}: {_shown(before)} → {_shown(after)}")))


def _figures(replay: Replay) -> list[tuple[str, str, str]]:
    """Return a row of figures for each measure."""
    answers = replay.before, replay.after
    seconds = ("so far" if taken is None else f"{taken:.1f} s" for taken in replay.seconds)
    rows = {
        "job": [answer.job_id for answer in answers],
        "state": [answer.status.value for answer in answers],
        "citations": [str(len(answer.citations)) for answer in answers],
        "model": [counted(answer.usage.model_calls, "call") for answer in answers],
        "tokens": [str(_tokens(answer)) for answer in answers],
        "cost": ["" if answer.usage.cost is None else f"{answer.usage.cost:.4f}" for answer in answers],
        "took": list(seconds),
    }
    return [(name, before, after) for name, (before, after) in rows.items() if before or after]


def _tokens(answer: Answer) -> int:
    return answer.usage.prompt_tokens + answer.usage.completion_tokens


def _shown(value: Any) -> str:
    return "not set" if value is None else json.dumps(value, ensure_ascii=False)
