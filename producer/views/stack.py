"""The servers and workers for a reader."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from producer.console import harmless
from producer.mistakes import hide_secrets
from producer.views.listing import Listing

if TYPE_CHECKING:
    from rich.console import Console

    from infra.local.status import Finding, PartStatus

_STYLES = {"up": "green", "down": "red"}


def print_status(console: Console, parts: Sequence[PartStatus]) -> None:
    """Print each part of the stack with its state, address and version."""
    table = Listing("part", "state", "address", "version", "says", wide="says", spare=("version",))
    for part in parts:
        state = Text(str(part.state), _STYLES.get(str(part.state), "yellow"))
        told = [hide_secrets(text) for text in (part.address, part.version, part.detail)]
        table.add(part.name, state, *told)
    table.print(console)
    if any(part.state != "up" for part in parts):
        console.print(Text("`hopline doctor` says what to do.", "dim"))


def print_findings(console: Console, findings: Sequence[Finding]) -> None:
    """Print what is wrong, and what to do."""
    if not findings:
        console.print(Text("Everything answers.", "green"))
    for finding in findings:
        style = "red" if finding.level == "error" else "yellow"
        problem = Text.assemble((f"{finding.level}: ", style), harmless(hide_secrets(finding.problem)))
        console.print(problem)
        console.print(Text(f"    {harmless(hide_secrets(finding.advice))}"))
