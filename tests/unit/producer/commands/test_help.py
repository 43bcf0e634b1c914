"""hopline --help-all."""

import re

from doubles.command_line import run_hopline

from hopline.cli import TEACHING_ORDER


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
    for words in ([], ["ask"], ["merges", "create"], ["keys"]):
        assert run_hopline(*words, "--help").stdout in shown.stdout
