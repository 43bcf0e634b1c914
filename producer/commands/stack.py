"""hopline status, doctor, migrate, version."""

from __future__ import annotations

import json

import typer

from producer.commands.client import AsJson, open_client
from producer.console import answers, notice, print_json
from producer.exits import Exit


def status(as_json: AsJson = False) -> None:
    """Show each server and worker with its state, address and version."""
    from infra.local.status import status as look

    found = look()
    if as_json:
        print_json(json.dumps({"parts": [one.model_dump(mode="json") for one in found]}))
    else:
        from producer.views.stack import print_status

        print_status(answers(), found)
    raise typer.Exit(Exit.DONE if all(one.state == "up" for one in found) else Exit.FAILED)


def doctor() -> None:
    """Check machine, settings, servers and workers; say what is wrong and what to do."""
    from infra.local.doctor import doctor as examine
    from producer.views.stack import print_examination

    found = examine()
    print_examination(answers(), found)
    raise typer.Exit(Exit.FAILED if any(one.level == "error" for one in found.findings) else Exit.DONE)


def migrate() -> None:
    """Migrate the graph's constraints and indexes to the version that this hopline needs."""
    with open_client(ledger=False) as client:
        version = client.service.graph.migrate()
    notice(f"The graph is at version {version}.")


def version() -> None:
    """Print hopline's version."""
    from importlib.metadata import version as installed

    print_json(installed("hopline"))
