"""Step ingest.remove: deletes documents that their source no longer holds."""

from __future__ import annotations

from workers.core.jobs.work import ChildJob, Json, Outcome
from workers.core.ports import Ports
from workers.ingest.load import INDEXED


def remove_document(given: Json, ports: Ports) -> Outcome:
    """Delegate the deletion to a job of its own; a moved document waits for its new version.

    Input: {document_id, uri, became: the id of the document that it is now, or ""}. Result, where it stays:
    {uri, kept: why}.
    """
    if given["became"]:
        now = ports.graph.document(given["became"])
        if now is None or now.status != INDEXED:
            return Outcome(result={"uri": given["uri"], "kept": "at its new place it is not in yet"})
    return Outcome(delegate=ChildJob(kind="delete", params={"document_id": given["document_id"]}))
