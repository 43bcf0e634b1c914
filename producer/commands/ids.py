"""Resolves names from a unique prefix, as people type them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hopline.commands.ids import only

if TYPE_CHECKING:
    from producer.client.hopline import Hopline


def whole_batch_name(client: Hopline, beginning: str) -> str:
    """Return the name of the batch with this prefix; see `only`."""
    names = client.service.batches.names()
    return beginning if beginning in names else only("batch", "name", beginning, names)
