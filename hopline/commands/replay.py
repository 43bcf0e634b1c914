"""hopline jobs replay: of one job, with both answers side by side, or of many by filter."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from hopline.commands.ask import follow_question, report_submitted
from hopline.commands.client import connected
from hopline.commands.console import answers, harmless, notice, print_indented, print_json
from hopline.commands.exits import exit_of_state
from hopline.commands.filters import filtered, read_filter
from hopline.commands.ids import whole_job_id
from hopline.commands.jobs import OneJob, act_on_each, check_only_one
from hopline.commands.options import AsJson, DryRun
from hopline.errors import InvalidInput
from hopline.models.jobs import JobFilter
from hopline.views.tables import Listing
from hopline.words import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from hopline.models.answers import Answer
    from hopline.models.replays import Changed, Replay

Param = Annotated[
    list[str] | None,
    typer.Option(
        "--param",
        metavar="NAME=VALUE",
        help="Parameter of the question to change, such as max_depth=4 or strategy=reader; null means the "
        "default. May be repeated.",
        show_default=False,
    ),
]
ReplayKey = Annotated[
    str | None,
    typer.Option(
        "--key",
        help="A different key makes another replay with the same parameters, for example after changing the "
        "model.",
    ),
]
Wait = Annotated[
    bool | None,
    typer.Option(
        "--wait/--no-wait",
        help="Wait for the answer; --no-wait prints the new job's id and returns. Never waits for several "
        "replays. (default --wait)",
        show_default=False,
    ),
]


_NAMES = ("before", "after")


@filtered(JobFilter)
def replay(
    job_id: OneJob = None,
    param: Param = None,
    dry_run: DryRun = False,
    as_json: AsJson = False,
    key: ReplayKey = None,
    wait: Wait = None,
    **which: Any,
) -> None:
    """Ask a job's question again with other parameters, and show both answers side by side.

    The old job is kept. A replay uses the current documents, prompts and models; repeating the command
    shows the same replay. With options that select jobs, each of them is replayed and the new ids are
    printed. Exit codes when waiting: 0 answered, 3 no answer in the documents, 4 partial, 1 failed; 2
    usage.

    [bold]Examples[/bold]

      hopline jobs replay j0a1b2c3d4e5f60718293a4b --param max_depth=4 --dry-run

      hopline jobs replay --tag suite=nightly --since 7d --key new-model
    """
    from hopline.models.replays import Replay

    meant = read_filter(JobFilter, which)
    params = _params(param or ())
    if job_id is None:
        if wait:
            raise InvalidInput("wait", True, "left out without a job's id: only one job can be waited for")
        act_on_each(meant, "replay", dry_run=dry_run, params=params, key=key, as_json=as_json)
        return
    check_only_one(also=bool(meant))
    with connected() as client:
        job_id = whole_job_id(client, job_id)
        changed = client.jobs.check_replay(job_id, params=params).changed
        if dry_run:
            _show_change(job_id, changed, as_json=as_json)
            return
        replayed = client.jobs.replay(job_id, params=params, key=key or "").id
        if wait is False:
            report_submitted(replayed, as_json=as_json)
            return
        follow_question(client, replayed, None, quiet=as_json)
        both = Replay.of(client.jobs.get(job_id), client.jobs.get(replayed), changed)
    if as_json:
        print_json(both.model_dump_json())
    else:
        print_replay(answers(), both)
    raise typer.Exit(exit_of_state(both.after.status))


def _params(pairs: Sequence[str]) -> dict[str, object]:
    """Return the parameters that the options set; a value that is not JSON is text.

    Raises:
        InvalidInput: an option has no =.
    """
    from hopline.json_objects import read_json

    values = dict[str, object]()
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise InvalidInput("param", pair, "NAME=VALUE, such as max_depth=4")
        try:
            values[name.strip()] = read_json(value)
        except (ValueError, RecursionError):
            values[name.strip()] = value
    return values


def _show_change(job_id: str, changed: Changed, *, as_json: bool) -> None:
    if as_json:
        print_json(json.dumps({"job_id": job_id, "dry_run": True, "changed": changed}))
        return

    print_differences(answers(), changed)
    notice(f"Would replay job {job_id}; nothing was done.")


def print_replay(console: Console, replay: Replay) -> None:
    """Print the differences, both jobs in numbers, then both answers."""
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
    """Print the parameters that differ."""
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
