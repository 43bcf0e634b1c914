"""Prints tools and their results."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich.markdown import Markdown
from rich.text import Text

from hopline.commands.console import harmless, print_indented

if TYPE_CHECKING:
    from rich.console import Console

    from hopline.models.jobs import Json
    from hopline.models.tools import PackState, ToolResult


def print_tools(console: Console, described: Iterable[Json]) -> None:
    """Print each tool's name, arguments and purpose."""
    for tool in described:
        required = tool["parameters"]["required"]
        arguments = [
            name if name in required else f"[{name}]"
            for name in sorted(tool["parameters"]["properties"], key=lambda name: name not in required)
        ]
        print_indented(console, Text.assemble((harmless(tool["name"]), "bold"), f" {' '.join(arguments)}"), 0)
        print_indented(console, Text(harmless(tool["description"])), 3)


def print_packs(console: Console, packs: Iterable[PackState], collection: str | None) -> None:
    """Print which packs of tools are active for a collection's graph, and why, or what the graph lacks."""
    packs = list(packs)
    if packs:
        over = f" over {harmless(collection)}" if collection else ""
        console.print(Text(f"\nPacks{over}", "bold cyan"))
    for pack in packs:
        line = Text.assemble((harmless(pack.name), "bold"), f" {'on' if pack.on else 'off'} · ")
        print_indented(console, line + Text(harmless(pack.why)), 2)


def print_result(console: Console, result: ToolResult) -> None:
    """Print a tool's result, as rendered Markdown in a terminal, else as text."""
    text = harmless(result.markdown)
    if console.is_terminal:
        console.print(Markdown(text, hyperlinks=False))
    else:
        console.print(Text(text), soft_wrap=True)
