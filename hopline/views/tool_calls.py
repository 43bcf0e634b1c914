"""Prints tool calls: live as a tree, afterwards with the Cypher that ran."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text
from rich.tree import Tree

from hopline.commands.console import harmless, print_indented
from hopline.progress.tools import AskingProgress, read_tool_calls

if TYPE_CHECKING:
    from rich.console import Console

    from hopline.models.jobs import Json


def asking_tree(asking: AskingProgress) -> Tree:
    """Return the questions' parts, and the calls that have ended."""
    tree = Tree("", hide_root=True)
    parts = tree.add(Text("to find out", "bold"))
    for part in asking.parts:
        parts.add(Text(harmless(part)))
    if asking.asked:
        calls = tree.add(Text("tools", "bold"))
        for call in asking.asked:
            calls.add(Text(harmless(call.line), "dim"))
    return tree


def print_asking(console: Console, details: Json) -> None:
    """Print the chosen strategy with its reason, and the tool calls, if there were any."""
    chosen = details.get("chosen")
    if isinstance(chosen, dict):
        why = f"{chosen.get('strategy', '?')}: {chosen.get('why', '')}"
        if "fell_back_to" in chosen:
            why = f"{why.rstrip('.')}; then {chosen['fell_back_to']}. Tools: {chosen['because']}"
        console.print(Text("\nHow it chose", "bold cyan"))
        print_indented(console, Text(harmless(why)), 2)
    calls = read_tool_calls(details)
    if not calls:
        return
    console.print(Text("\nWhat was asked", "bold cyan"))
    if details.get("sub_questions") not in (None, [details.get("question")]):
        for part in details["sub_questions"]:
            print_indented(console, Text(harmless(f"- {part}")), 2)
    for call, tool in zip(calls, details["tools"], strict=True):
        print_indented(console, Text(harmless(call.line), "dim"), 2)
        if tool.get("cypher") and tool.get("tool") == "text2cypher":
            for line in str(tool["cypher"]).splitlines():
                print_indented(console, Text(harmless(line), "cyan"), 6)
