"""Resolves ids and names from a unique prefix, as people type them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hopline.commands.ids import SHOWN, only_one, whole_id

if TYPE_CHECKING:
    from hopline.models.documents import Document
    from producer.client.hopline import Hopline

_JOBS = 2000  # the newest, among which a beginning is looked for
_PAGE = SHOWN + 1


def whole_job_id(client: Hopline, beginning: str) -> str:
    """Return the id of the job with this prefix; see `whole_id`."""
    return whole_id("job", beginning, lambda: [record.job.id for record in client.jobs(_JOBS)])


def whole_document_id(client: Hopline, beginning: str) -> str:
    """Return the id of the document with this prefix; see `whole_id`."""
    documents = client.service.documents
    return whole_id("document", beginning, lambda: _ids(documents.after(beginning, _PAGE)))


def whole_batch_name(client: Hopline, beginning: str) -> str:
    """Return the name of the batch with this prefix; see `only_one`."""
    names = client.service.batches.names()
    return beginning if beginning in names else only_one("batch", "name", beginning, names)


def _ids(page: Sequence[Document]) -> list[str]:
    return [each.id for each in page]
