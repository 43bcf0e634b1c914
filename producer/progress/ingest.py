"""Folds the events of an ingestion into its progress."""

from __future__ import annotations

from dataclasses import dataclass

from producer.progress.counts import count_of, facts_of
from workers.core.jobs.work import Event, Json


@dataclass
class IngestProgress:
    """The progress of a batch of documents."""

    documents: int  # how many there are
    ended: int = 0
    unchanged: int = 0
    failed: int = 0
    chunks: int = 0
    facts: int = 0
    begun: bool = False
    detailed: bool = False  # the stream tells of documents, not only of items
    state: str | None = None

    def add(self, event: Event) -> str | None:
        """Fold in one event; return a line for views that cannot redraw, if it is worth one."""
        match event.name:
            case "item.begun":
                self.begun = True
            case "job.ended":
                self.state = str(event.data.get("state", "done"))
            case "document.ended":
                self.detailed = True
                return self._document(event.data)
            case "item.done" if not self.detailed and event.data.get("step") == "ingest.document":
                self.ended += 1
                name = str(event.data.get("item", "")).partition(":")[2]
                return f"[{self.ended}/{self.documents}] {name}"
        return None

    def _document(self, data: Json) -> str:
        self.begun = True
        self.ended += 1
        self.chunks += count_of(data.get("chunks"))
        self.facts += count_of(data.get("facts"))
        uri, status = data.get("uri", "?"), str(data.get("status", "indexed"))
        counted = f"[{self.ended}/{self.documents}]"
        if data.get("error") or status == "failed":
            self.failed += 1
            return f"{counted} {uri}: failed: {data.get('error', 'no reason recorded')}"
        if status == "unchanged":
            self.unchanged += 1
            return f"{counted} {uri}: unchanged"
        return (
            f"{counted} {uri}: {status}, {count_of(data.get('chunks'))} chunks, {facts_of(data.get('facts'))}"
        )
