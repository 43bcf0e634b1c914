"""Stores submitted texts as documents, without a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hopline.errors import InvalidInput
from hopline.models.documents import TextDocument
from workers.core.jobs.params import parse_params

if TYPE_CHECKING:
    from hopline.models.jobs import Json


def checked_texts(texts: Sequence[TextDocument | Json]) -> list[TextDocument]:
    """Normalise texts, given as strings or as {name, text, title?, format?, metadata?}.

    Raises:
        InvalidInput: there are none, or one is not valid; names the field, its value and what is allowed.
    """
    if not texts:
        raise InvalidInput("texts", [], "one text at least")
    return [text if isinstance(text, TextDocument) else parse_params(TextDocument, text) for text in texts]
