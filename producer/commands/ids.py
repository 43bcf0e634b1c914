"""Resolves ids and names from a unique prefix, as people type them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hopline.commands.ids import only, whole
from hopline.commands.job_filters import MOST_JOBS

if TYPE_CHECKING:
    from hopline.models.documents import Document
    from hopline.models.merges import Merge
    from producer.client.hopline import Hopline

_PAGE = 6  # those that are shown, and one more


def whole_job_id(client: Hopline, beginning: str) -> str:
    """Return the id of the job with this prefix; see `whole`."""
    return whole("job", beginning, lambda: [record.job.id for record in client.jobs(MOST_JOBS)])


def whole_document_id(client: Hopline, beginning: str) -> str:
    """Return the id of the document with this prefix; see `whole`."""
    documents = client.service.documents
    return whole("document", beginning, lambda: _ids(documents.after(beginning, _PAGE)))


def whole_merge_id(client: Hopline, beginning: str) -> str:
    """Return the id of the merge with this prefix; see `whole`."""
    graph = client.service.graph
    return whole("merge", beginning, lambda: _ids(graph.merges_after(beginning, _PAGE)))


def whole_batch_name(client: Hopline, beginning: str) -> str:
    """Return the name of the batch with this prefix; see `only`."""
    names = client.service.batches.names()
    return beginning if beginning in names else only("batch", "name", beginning, names)


def _ids(page: Sequence[Document] | Sequence[Merge]) -> list[str]:
    return [each.id for each in page]
