"""`hopline sync --every`: it may name folders of this machine, so it works on the servers themselves."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hopline.commands.console import notice, print_json
from hopline.commands.schedules import UNWATCHED

if TYPE_CHECKING:
    from producer.client.hopline import Hopline


def add_schedule(
    client: Hopline, sources: list[str], collection: str, when: dict[str, Any], *, as_json: bool
) -> None:
    """Save a schedule of syncs, and print when it is due."""
    from hopline.views.schedules import due_in_words, flat
    from producer.service.schedules import schedule_of

    schedule = schedule_of(sources, collection, **when)
    kept = client.service.schedules
    added = kept.add(schedule)
    if as_json:
        print_json(json.dumps(flat(added)))
        return
    notice(
        f"Schedule {schedule.name}: due next at {due_in_words(added)}. `hopline schedules list` shows all."
    )
    if not kept.watched():
        notice(UNWATCHED)
