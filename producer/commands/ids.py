"""Ids as people type them: the beginning is enough where only one id begins so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from producer.client import Hopline
    from workers.core.merging import Merge
    from workers.core.model import Document

_JOBS = 2000  # the newest, among which a beginning is looked for
_SHOWN = 5
_PAGE = _SHOWN + 1
_WHOLE = 25  # characters of an id


def whole_job_id(client: Hopline, beginning: str) -> str:
    """Return the id of the job that begins so; see `_whole`."""
    return _whole("job", beginning, lambda: [record.job.id for record in client.jobs(_JOBS)])


def whole_document_id(client: Hopline, beginning: str) -> str:
    """Return the id of the document that begins so; see `_whole`."""
    graph = client.services.graph
    return _whole("document", beginning, lambda: _ids(graph.documents(None, after=beginning, limit=_PAGE)))


def whole_merge_id(client: Hopline, beginning: str) -> str:
    """Return the id of the merge that begins so; see `_whole`."""
    graph = client.services.graph
    return _whole("merge", beginning, lambda: _ids(graph.merges(None, after=beginning, limit=_PAGE)))


def _ids(page: Sequence[Document] | Sequence[Merge]) -> list[str]:
    return [each.id for each in page]


def _whole(field: str, beginning: str, ids: Callable[[], list[str]]) -> str:
    """Return the one id that begins so; what was given where none does, or where it is whole.

    Raises:
        InvalidInput: several do.
    """
    if len(beginning) >= _WHOLE:
        return beginning
    from workers.core.errors import InvalidInput

    found = [each for each in ids() if beginning and each.startswith(beginning)]
    if len(found) > 1:
        shown = ", ".join(found[:_SHOWN]) + (", …" if len(found) > _SHOWN else "")
        message = f"several {field}s have an id that begins with {beginning!r}: {shown}; give more of it"
        raise InvalidInput(field, beginning, "the beginning of one id only", message=message)
    return found[0] if found else beginning
