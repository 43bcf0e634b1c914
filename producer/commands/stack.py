"""hopline status, top, doctor, migrate, version."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hopline.commands.console import answers, notice, print_json
from hopline.commands.exits import Exit
from hopline.commands.options import AsJson
from producer.commands.servers import open_service

if TYPE_CHECKING:
    from producer.reports.activity import Activity
    from producer.service.service import Service

_RUNNING = 8  # jobs that are listed


def status(as_json: AsJson = False) -> None:
    """Show each server and worker with its state, address and version."""
    from infra.local.status import status as look
    from workers.logs import quiet_logs
    from workers.settings import load_settings

    quiet_logs(load_settings())
    parts = look()
    if as_json:
        print_json(json.dumps({"parts": [part.model_dump(mode="json") for part in parts]}))
    else:
        from producer.views.stack import print_status

        print_status(answers(), parts)
    raise typer.Exit(Exit.DONE if all(part.state == "up" for part in parts) else Exit.FAILED)


def top(
    interval: Annotated[
        float, typer.Option("--interval", "-n", min=0.2, max=60, help="Seconds between updates.")
    ] = 2.0,
    as_json: AsJson = False,
) -> None:
    """Watch current activity: queues, rates of items and model calls, running jobs. Ctrl-C ends it.

    With --json, or if stdout is not a terminal, it takes two readings, prints once and exits.
    """
    console = answers()
    with open_service() as service:
        looks = _looks(service, interval)
        if as_json or not console.is_terminal:
            activity = next(look for look in looks if look is not None)
            if as_json:
                print_json(json.dumps(activity.as_json()))
            else:
                from producer.views.stack import activity_view

                console.print(activity_view(activity, service.jobs.running(_RUNNING)))
            return
        _watch(service, looks)


def _watch(service: Service, looks: Iterator[Activity | None]) -> None:
    from rich.live import Live

    from producer.views.stack import activity_view

    with Live(console=answers(), screen=True, auto_refresh=False) as live:
        try:
            for activity in looks:
                live.update(activity_view(activity, service.jobs.running(_RUNNING)), refresh=True)
        except KeyboardInterrupt:
            return


def _looks(service: Service, interval: float) -> Iterator[Activity | None]:
    """Yield the current activity repeatedly; None until there are two readings."""
    from producer.reports.activity import Activity, Reading

    before = Reading.of(service.metrics(()).decode())
    yield None
    while True:
        time.sleep(interval)
        now = Reading.of(service.metrics(()).decode())
        yield Activity(before, now)
        before = now


def doctor(
    model: Annotated[
        bool,
        typer.Option(
            "--model", help="Only test the model: make a small call of each kind and show the replies."
        ),
    ] = False,
    long_prompt: Annotated[
        int,
        typer.Option(
            "--long-prompt", min=0, max=200_000, help="With --model: also test a prompt of this many tokens."
        ),
    ] = 0,
    write: Annotated[
        bool,
        typer.Option("--write", help="With --model: update the affected settings in .env, and show them."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check machine, settings, servers and workers; report problems and how to fix them.

    With --json, the output includes versions and settings for a bug report, without keys and passwords.

    Exit codes: 0 no problem, or only warnings; 1 a problem; 2 usage.
    """
    if (write or long_prompt) and not model:
        raise typer.BadParameter("--write and --long-prompt need --model: add it.")
    if model:
        _try_model(long_prompt, write=write, as_json=as_json)
        return
    from hopline.secrets import scrubbed
    from infra.local.doctor import doctor as examine
    from producer.views.stack import print_examination
    from workers.logs import quiet_logs
    from workers.settings import load_settings

    quiet_logs(load_settings())
    examination = examine()
    if as_json:
        from producer.reports.machine import about_machine

        report = {"about": about_machine(load_settings()), **examination.model_dump(mode="json")}
        print_json(scrubbed(json.dumps(report, ensure_ascii=False)))
    else:
        print_examination(answers(), examination)
    raise typer.Exit(
        Exit.FAILED if any(finding.level == "error" for finding in examination.findings) else Exit.DONE
    )


def _try_model(long_prompt: int, *, write: bool, as_json: bool) -> None:
    """Print the model endpoint's reply to each kind of request as it arrives."""
    from hopline.secrets import scrubbed
    from infra.local.env_file import write_settings
    from infra.local.model_check import check_model, endpoints_in_words
    from producer.views.stack import print_check
    from workers.logs import quiet_logs
    from workers.settings import load_settings

    settings = load_settings()
    quiet_logs(settings)
    if as_json:
        report = check_model(settings, long_prompt=long_prompt)
        print_json(scrubbed(report.model_dump_json()))
    else:
        answers().print(endpoints_in_words(settings), markup=False, soft_wrap=True)
        report = check_model(settings, lambda check: print_check(answers(), check), long_prompt=long_prompt)
        if report.tokens_per_second is not None:
            answers().print(f"The model writes {report.tokens_per_second} tokens a second.")
        for name, value in report.settings.items():
            notice(f"Set {name}={scrubbed(value)}" + ("" if write else " (--write puts it into .env)"))
    if write:
        for line in write_settings(Path(".env"), report.settings):
            notice(line)
        load_settings.cache_clear()
        if report.settings and load_settings() == settings:
            notice("The environment overrides .env with another value: change it there.")
    raise typer.Exit(Exit.DONE if report.ok else Exit.FAILED)


def migrate() -> None:
    """Migrate the graph's constraints and indexes to the version that this version of hopline needs."""
    with open_service(ledger=False) as service:
        version = service.graph.migrate()
    notice(f"The graph is at version {version}.")
