"""Resolves ids and names from a unique prefix, as people type them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hopline.models.documents import Document
    from hopline.models.merges import Merge
    from producer.client.hopline import Hopline

_JOBS = 2000  # the newest, among which a beginning is looked for
_SHOWN = 5
_PAGE = _SHOWN + 1
_WHOLE = 25  # characters of an id


def whole_job_id(client: Hopline, beginning: str) -> str:
    """Return the id of the job with this prefix; see `_whole`."""
    return _whole("job", beginning, lambda: [record.job.id for record in client.jobs(_JOBS)])


def whole_document_id(client: Hopline, beginning: str) -> str:
    """Return the id of the document with this prefix; see `_whole`."""
    documents = client.service.documents
    return _whole("document", beginning, lambda: _ids(documents.after(beginning, _PAGE)))


def whole_merge_id(client: Hopline, beginning: str) -> str:
    """Return the id of the merge with this prefix; see `_whole`."""
    graph = client.service.graph
    return _whole("merge", beginning, lambda: _ids(graph.merges_after(beginning, _PAGE)))


def whole_batch_name(client: Hopline, beginning: str) -> str:
    """Return the name of the batch with this prefix; see `_only`."""
    names = client.service.batches.names()
    return beginning if beginning in names else _only("batch", "name", beginning, names)


def _ids(page: Sequence[Document] | Sequence[Merge]) -> list[str]:
    return [each.id for each in page]


def _whole(field: str, beginning: str, ids: Callable[[], list[str]]) -> str:
    """Return the only id with this prefix, as `_only` does; a complete id is returned unchanged."""
    return beginning if len(beginning) >= _WHOLE else _only(field, "id", beginning, ids())


def _only(field: str, what: str, beginning: str, known: Sequence[str]) -> str:
    """Return the only candidate with this prefix; the prefix itself if there is none.

    Raises:
        InvalidInput: several do.
    """
    from hopline.errors import InvalidInput

    matches = [each for each in known if beginning and each.startswith(beginning)]
    if len(matches) > 1:
        shown = ", ".join(matches[:_SHOWN]) + (", …" if len(matches) > _SHOWN else "")
        message = f"{beginning!r} begins more than one {field}'s {what}: {shown}; give more of it"
        raise InvalidInput(field, beginning, f"the beginning of one {what} only", message=message)
    return matches[0] if matches else beginning
