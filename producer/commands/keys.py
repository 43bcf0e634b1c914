"""Commands of `hopline keys` that use the servers directly and that no API offers: open, webhook-secret."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from hopline.commands.console import answers
from hopline.commands.ids import only

if TYPE_CHECKING:
    from producer.service.service import Service


def drop_need() -> None:
    """Stop requiring keys on this machine, after the last one was revoked.

    From then on, a server that listens only on its own machine lets everyone there do everything. A server
    that others can reach requires keys until it is restarted; then it listens only on its own machine.
    """
    _service().keys.drop_need()
    answers().print(
        "No key is needed any more: everyone on the machine of a server may do everything there. "
        "A server that other machines reach asks for a key until it is started again."
    )


def webhook_secret(
    key_id: Annotated[
        str | None,
        typer.Argument(
            metavar="[ID]",
            help="Id of the key as shown by `hopline keys`, or a prefix of it. (default: jobs without a key)",
        ),
    ] = None,
) -> None:
    """Show the secret that signs the webhooks of a key's jobs; receivers need it."""
    service = _service()
    if key_id is not None:
        key_id = only("key", "id", key_id, [key.id for key in service.keys.all()])
        service.keys.get(key_id)
    answers().print(service.show_webhook_secret(key_id or ""), soft_wrap=True)


def _service() -> Service:
    from producer.service.service import Service

    return Service()
