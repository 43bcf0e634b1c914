"""hopline --help-all."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from doubles.command_line import run_hopline

from hopline.cli import TEACHING_ORDER, command, command_names
from hopline.commands.help import EXAMPLE, USUAL


def listed(shown: str, panel: str) -> list[str]:
    """The commands that a help lists in a panel."""
    lines = shown.partition(f"╭─ {panel} ")[2].partition("╰─")[0].splitlines()[1:]
    return [line.split()[1] for line in lines if line.startswith("│ ") and line[2] != " "]


def test_the_help_of_all_holds_each_commands_own_in_the_order_of_the_help() -> None:
    shown = run_hopline("--help-all")
    assert (shown.exit_code, shown.stderr) == (0, "")
    usages = re.findall(r"Usage: hopline ([a-z -]*[a-z])?", shown.stdout)
    helped = run_hopline("--help").stdout
    names = [name for panel in TEACHING_ORDER for name in listed(helped, panel)]
    assert {"ask", "keys", "import"} <= set(names)
    assert [usage for usage in usages if " " not in usage] == ["", *names]
    at = usages.index("keys")
    assert usages[at + 1 : at + 3] == ["keys list", "keys show"], "a group's own follow it"
    for words in ([], ["merges", "create"], ["keys"]):
        assert run_hopline(*words, "--help").stdout in shown.stdout
    for words in (["ask"], ["jobs", "list"]):
        assert run_hopline(*words, "--help-all").stdout in shown.stdout


def every_command() -> Iterator[tuple[list[str], Any]]:
    """Yield the words that name each command, and the command."""
    for name in command_names():
        found = command(name)
        yield [name], found
        yield from (([name, each], below) for each, below in getattr(found, "commands", {}).items())


@pytest.mark.parametrize(("words", "found"), list(every_command()))
def test_a_help_has_five_options_and_fits_eighty_columns(words: list[str], found: Any) -> None:
    usual = run_hopline(*words, "--help", width=80).stdout
    whole = run_hopline(*words, "--help-all", width=80).stdout
    lines = [line.rstrip() for line in (usual + whole).splitlines()]
    assert max(map(len, lines)) <= 80
    for example in re.findall(rf"^\[{EXAMPLE}\](.*)\[/\]$", found.help, re.MULTILINE):
        assert lines.count(f" {example}") >= 2, f"{example} is broken"
    options = [param for param in found.params if param.param_type_name == "option" and not param.hidden]
    shown = [option for option in options if f"│ {max(option.opts, key=len)} " in usual]
    assert len(shown) == min(len(options), USUAL)
    assert all(f"│ {max(option.opts, key=len)} " in whole for option in options)
    assert (f"Show all {len(options)} options." in usual) is (len(options) > USUAL)
