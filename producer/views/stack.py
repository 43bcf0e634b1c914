"""Prints the status of servers and workers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from hopline.commands.console import harmless, print_folded, print_indented
from hopline.secrets import scrubbed
from hopline.views.tables import Listing

if TYPE_CHECKING:
    from rich.console import Console

    from infra.local.doctor import Examination
    from infra.local.model_check import Check
    from infra.local.probes import PartStatus

_STYLES = {"up": "green", "down": "red"}
_MARKS = {"ok": ("✓", "green"), "warning": ("!", "yellow"), "error": ("✗", "red"), "skipped": ("–", "dim")}


def print_status(console: Console, parts: Sequence[PartStatus]) -> None:
    """Print each part of the stack with its state, address and version."""
    table = Listing("part", "state", "address", "version", "says", wide="says", spare=("version",))
    for part in parts:
        state = Text(str(part.state), _STYLES.get(str(part.state), "yellow"))
        cells = [scrubbed(text) for text in (part.address, part.version, part.detail)]
        table.add(part.name, state, *cells)
    table.print(console)
    if any(part.state != "up" for part in parts):
        console.print(Text("`hopline doctor` says what to do.", "dim"))


def print_check(console: Console, check: Check) -> None:
    """Print what the model's endpoint answered to one kind of request."""
    mark, style = ("ok", "green") if check.ok else ("wrong", "red")
    line = Text.assemble((f"{mark} ", style), f"{check.name}: {harmless(scrubbed(check.says))}")
    print_indented(console, line, 0)
    for learned in check.learned:
        print_indented(console, Text(f"learned: {harmless(learned)}", "dim"), 4)


def print_examination(console: Console, examination: Examination) -> None:
    """Print what was checked, what is wrong, and what to do."""
    console.print(Text("Looked at:", "dim"))
    for look in examination.looked:
        mark, style = _MARKS[look.verdict]
        line = Text.assemble((f"{mark} ", style), (harmless(scrubbed(look.what)), "dim"))
        print_indented(console, line, 2)
    if not examination.findings:
        console.print(Text("Nothing of that is wrong.", "green"))
    for finding in examination.findings:
        style = "red" if finding.level == "error" else "yellow"
        problem = Text.assemble((f"{finding.level}: ", style), harmless(scrubbed(finding.problem)))
        print_folded(console, problem)
        print_indented(console, Text(harmless(scrubbed(finding.advice))), 4)
