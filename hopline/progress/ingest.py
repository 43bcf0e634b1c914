"""Folds the events of an ingestion into its progress."""

from __future__ import annotations

from dataclasses import dataclass

from hopline.errors import plain_error
from hopline.events.catalogue import read_event
from hopline.events.documents import DocumentEnded
from hopline.events.jobs import ItemBegun, ItemDone, JobEnded
from hopline.models.events import Told
from hopline.words import counted


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

    def add(self, event: Told) -> str | None:
        """Fold in one event; return a line for views that cannot redraw, if it is worth one."""
        match read_event(event):
            case ItemBegun():
                self.begun = True
            case JobEnded(state=state):
                self.state = state.value
            case DocumentEnded() as document:
                self.detailed = True
                return self._document(document)
            case ItemDone(step="ingest.document", item=item) if not self.detailed:
                self.ended += 1
                return f"[{self.ended}/{self.documents}] {item.partition(':')[2]}"
        return None

    def _document(self, document: DocumentEnded) -> str:
        self.begun = True
        self.ended += 1
        chunks, facts = document.chunks or 0, document.facts or 0
        self.chunks += chunks
        self.facts += facts
        shown = f"[{self.ended}/{self.documents}] {document.uri or '?'}"
        if document.error or document.status in (None, "failed"):
            self.failed += 1
            return (
                f"{shown}: failed: {plain_error(document.error or document.reason or 'no reason recorded')}"
            )
        if document.status == "unchanged":
            self.unchanged += 1
            return f"{shown}: unchanged"
        return f"{shown}: {document.status}, {counted(chunks, 'chunk')}, {counted(facts, 'fact')}"
