"""`python -m infra.local up [--servers] | down | status | jars`: the local stack by hand; `make` calls it."""

from __future__ import annotations

import argparse

from pydantic import ValidationError
from rich.console import Console

from hopline.errors import HoplineError
from infra.local.settings import load_local_settings
from infra.local.stack import down, fetch_jars, up
from infra.local.status import status
from workers.logs import send_logs

_COMMANDS = ("up", "down", "status", "jars")


def main() -> int:
    """Do what the command line says; errors are told in words."""
    parser = argparse.ArgumentParser(prog="python -m infra.local", description=__doc__)
    parser.add_argument("command", choices=_COMMANDS)
    parser.add_argument(
        "--servers",
        action="store_true",
        help="with up: no workers, API or Flower, as `hopline restore` needs it",
    )
    arguments = parser.parse_args()
    command = arguments.command
    if arguments.servers and command != "up":
        parser.error("--servers goes with up")
    console = Console(highlight=False)
    send_logs("ERROR", as_json=False)  # the lines below say what is up
    try:
        if command == "status":
            return _show_status(console)
        if command == "jars":
            fetch_jars(console, load_local_settings())
        elif command == "up":
            up(console, servers_only=arguments.servers)
        else:
            down(console)
    except HoplineError as error:
        return _tell(console, str(error))
    except ValidationError as error:
        wrong = error.errors(include_url=False, include_input=False)[0]  # its input may be a secret
        return _tell(console, f"HOPLINE_{str(wrong['loc'][0]).upper()}: {wrong['msg']}")
    return 0


def _tell(console: Console, error: str) -> int:
    console.print(f"error: {error}", style="red", markup=False)
    return 1


def _show_status(console: Console) -> int:
    parts = status()
    for part in parts:
        line = f"{part.state:<5} {part.name:<12} {part.address:<32} {part.version:<12} {part.detail}"
        console.print(line, markup=False, soft_wrap=True)
    return 0 if all(part.state == "up" for part in parts) else 1


if __name__ == "__main__":
    raise SystemExit(main())
