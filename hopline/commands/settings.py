"""hopline settings: those of the server."""

from __future__ import annotations

from typing import Annotated

import typer

from hopline.commands.client import connected
from hopline.commands.console import answers, print_json
from hopline.commands.options import AsJson


def settings(
    every: Annotated[
        bool, typer.Option("--all", "-a", help="Also list settings with default values.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List the server's settings with their values and sources, and workers whose values differ.

    Keys and passwords are never shown. docs/settings.md describes each setting.
    """
    with connected() as client:
        listed = client.server.settings()
    if as_json:
        print_json(listed.model_dump_json())
        return
    from hopline.views.tables import Listing

    table = Listing("setting", "value", "from", "other workers", wide="value", spare=("other workers",))
    for each in listed.settings:
        if every or each.source != "default" or each.differs:
            value = "(hidden)" if each.secret else each.value or ""
            table.add(each.name, value, each.source, ", ".join(each.differs))
    table.print(answers())
