"""hopline up, down, uninstall: the local stack."""

from __future__ import annotations

from typing import Annotated

import typer

from hopline.commands.console import agree, answers, notice


def up(
    servers: Annotated[
        bool,
        typer.Option(
            "--servers",
            help="Start only the servers, and stop workers, API and Flower, as `hopline restore` needs.",
        ),
    ] = False,
) -> None:
    """Start the local stack on this machine: Redis, Neo4j, vectors, offline model, workers, API, Flower.

    Running parts are left alone unless settings or code have changed since they started. The first start
    downloads Neo4j, 142 MB. A server that a setting names, such as HOPLINE_REDIS_URL, is used instead of
    starting one.

    Data, logs, ports and passwords are in the folder HOPLINE_VAR; by default that is var/ in a clone, or
    else ~/.local/share/hopline.
    """
    from infra.local.extra import require_local
    from infra.local.settings import load_local_settings
    from workers.logs import send_logs
    from workers.settings import load_settings

    local = load_local_settings()
    load_settings()  # a wrong one is named first
    send_logs("ERROR", as_json=False)  # the lines below say what is up
    require_local(local)
    from infra.local.stack import up as start

    start(answers(), servers_only=servers)


def down() -> None:
    """Stop the local stack; its data stays."""
    from infra.local.stack import down as end

    end(answers())


def uninstall(
    cache: Annotated[
        bool, typer.Option("--cache", help="Also remove the downloaded Neo4j, which all your stacks share.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")] = False,
) -> None:
    """Remove the local stack's data; the packages stay, and so does the downloaded Neo4j without --cache.

    It shows what will be removed, and asks for confirmation. Documents, answers, keys and history of this
    stack are then lost unless you run `hopline backup` first.
    """
    from hopline.machine import var_folder
    from infra.local.removal import find_fetched, find_remains, remove, size_in_words
    from infra.local.settings import cache_folder, load_local_settings
    from infra.local.stack import end_stack

    var, fetched_to = var_folder().resolve(), cache_folder(load_local_settings().cache)
    fetched = find_fetched(fetched_to)
    if not (remains := [*find_remains(var), *(fetched if cache else ())]):
        notice(f"Nothing to remove: {var} holds nothing of a local stack.")
        if fetched:
            notice(f"The fetched Neo4j in {fetched_to} stays; --cache removes it.")
        return
    for path in remains:
        notice(f"  {size_in_words(path):>10}  {path}")
    agree("End the local stack and remove all of this?", yes=yes)
    end_stack(var)
    remove([*find_remains(var), *(fetched if cache else ())], (var, fetched_to / "neo4j", fetched_to))
    if fetched and not cache:
        notice(f"The fetched Neo4j in {fetched_to} stays; `hopline uninstall --cache` removes it.")
    notice("Removed. To remove the packages, too: pip uninstall hopline hopline-server")
