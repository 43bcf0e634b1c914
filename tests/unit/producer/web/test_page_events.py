"""The page listens to events that jobs emit, by the names of the catalogue."""

from __future__ import annotations

import re
from pathlib import Path

from workers.core.events.catalogue import CATALOGUE

WEB = Path(__file__).resolve().parents[4] / "producer" / "web"
OF_THE_STREAM = {"snapshot"}  # what the stream itself says, no event of a job


def test_every_event_that_the_page_handles_is_in_the_catalogue() -> None:
    walk = (WEB / "ask" / "walk.js").read_text(encoding="utf-8")
    handlers = re.search(r"const HANDLERS = \{(.*?)\};", walk, re.DOTALL)
    assert handlers
    names = re.findall(r'^\s+"?([\w.]+)"?: "(\w+)"', handlers[1], re.MULTILINE)
    assert len(names) > 10
    assert {event for event, _method in names} - OF_THE_STREAM <= CATALOGUE.keys()
    assert [method for _event, method in names if not re.search(rf"^  {method}\(", walk, re.MULTILINE)] == []
