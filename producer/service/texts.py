"""Stores submitted texts as documents, without a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pydantic import Field

from hopline.errors import InvalidInput
from hopline.models.base import Frozen
from hopline.models.metadata import Metadata
from workers.core.jobs.params import TextFormat, parse_params

if TYPE_CHECKING:
    from hopline.models.jobs import Json


class TextDocument(Frozen):
    """A document's text; the same name again replaces it."""

    name: str = Field(min_length=1, max_length=500)  # names the document within its collection
    text: str = Field(min_length=1, max_length=5_000_000)
    title: str = Field(default="", max_length=500)  # taken from the text unless given
    format: TextFormat = "txt"
    metadata: Metadata = {}


def checked_texts(texts: Sequence[TextDocument | Json]) -> list[TextDocument]:
    """Normalise texts, given as strings or as {name, text, title?, format?, metadata?}.

    Raises:
        InvalidInput: there are none, or one is not valid; names the field, its value and what is allowed.
    """
    if not texts:
        raise InvalidInput("texts", [], "one text at least")
    return [text if isinstance(text, TextDocument) else parse_params(TextDocument, text) for text in texts]
