"""Folds the events of a sync into its progress."""

from __future__ import annotations

from dataclasses import dataclass

from hopline.events.catalogue import read_event
from hopline.events.documents import SourcesCompared, SourcesListed
from hopline.events.jobs import ItemBegun, ItemDone
from hopline.models.events import Told
from hopline.progress.steps import activity_of
from hopline.words import counted


@dataclass
class SyncProgress:
    """Documents listed, then documents written, then documents removed."""

    begun: bool = False
    activity: str = "waiting for a worker"
    listed: int = 0
    changes: int = 0  # to be written
    written: int = 0
    removed: int = 0

    def add(self, event: Told) -> str | None:
        """Fold in one event; return a line for views that cannot redraw, if it is worth one."""
        match read_event(event):
            case ItemBegun(step=step):
                self.begun = True
                self.activity = activity_of(step) or "writing"
            case SourcesListed(documents=documents):
                self.listed = documents
                return f"{counted(documents, 'document')} listed"
            case SourcesCompared() as compared:
                self.changes = compared.new + compared.changed + compared.moved
                return ", ".join(f"{kind}: {count}" for kind, count in event.data.items())
            case ItemDone(step="ingest.document", item=item):
                self.written += 1
                return f"[{self.written}/{self.changes}] {item.partition(':')[2]}"
            case ItemDone(step="ingest.remove"):
                self.removed += 1
        return None

    @property
    def line(self) -> str:
        """All of it in one line."""
        counts = {"listed": self.listed, "to write": self.changes, "written": self.written}
        counts["removed"] = self.removed
        return " · ".join([self.activity, *(f"{name} {count}" for name, count in counts.items() if count)])
