"""Step ingest.remove: deletes documents that their source no longer holds."""

from __future__ import annotations

from hopline.models.base import Frozen
from workers.core.jobs.params import DeleteParams
from workers.core.jobs.work import ChildJob, ChildResult, Outcome
from workers.core.ports import Ports
from workers.ingest.load import INDEXED


class RemoveInput(Frozen):
    """A document that its source no longer holds."""

    document_id: str
    uri: str
    became: str  # the id of the document that it is now; "" where it is gone


class RemoveResult(ChildResult):
    """How its deletion ended; or, without one, why the document stays."""

    uri: str = ""  # of a document that stays
    kept: str = ""  # why it stays


def remove_document(gone: RemoveInput, ports: Ports) -> Outcome:
    """Delegate the deletion to a separate job; a moved document waits for its new version."""
    if gone.became:
        now = ports.graph.store.document(gone.became)
        if now is None or now.status != INDEXED:
            return Outcome(result=RemoveResult(uri=gone.uri, kept="at its new place it is not in yet"))
    params = DeleteParams(document_id=gone.document_id)
    return Outcome(delegate=ChildJob(kind="delete", params=params.model_dump(mode="json")))
