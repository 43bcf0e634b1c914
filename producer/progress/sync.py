"""Folds the events of a sync into its progress."""

from __future__ import annotations

from dataclasses import dataclass

from producer.progress.steps import activity_of
from producer.reports.words import counted
from workers.core.jobs.work import Event


@dataclass
class SyncProgress:
    """Documents listed, then documents written, then documents removed."""

    begun: bool = False
    activity: str = "waiting for a worker"
    listed: int = 0
    changes: int = 0  # to be written
    written: int = 0
    removed: int = 0

    def add(self, event: Event) -> str | None:
        """Fold in one event; return a line for views that cannot redraw, if it is worth one."""
        data = event.data
        match event.name:
            case "item.begun":
                self.begun = True
                self.activity = activity_of(str(data.get("step"))) or "writing"
            case "sources.listed":
                self.listed = int(data.get("documents", 0))
                return f"{counted(self.listed, 'document')} listed"
            case "sources.compared":
                self.changes = sum(int(data.get(kind, 0)) for kind in ("new", "changed", "moved"))
                return ", ".join(f"{kind}: {count}" for kind, count in data.items())
            case "item.done" if data.get("step") == "ingest.document":
                self.written += 1
                return f"[{self.written}/{self.changes}] {str(data.get('item', '')).partition(':')[2]}"
            case "item.done" if data.get("step") == "ingest.remove":
                self.removed += 1
        return None

    @property
    def line(self) -> str:
        """All of it in one line."""
        counts = {"listed": self.listed, "to write": self.changes, "written": self.written}
        counts["removed"] = self.removed
        return " · ".join([self.activity, *(f"{name} {count}" for name, count in counts.items() if count)])
