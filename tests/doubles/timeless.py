"""What was read, without when documents came and changed: stores that did the same differ in that alone."""

from typing import Any

from pydantic import BaseModel

from hopline.models.documents import Document


def timeless(read: Any) -> Any:
    """Return what was read with no time in its documents, at any depth."""
    if isinstance(read, Document):
        return read.model_copy(update={"created": None, "updated": None})
    if isinstance(read, BaseModel):
        fields = type(read).model_fields
        return read.model_copy(update={name: timeless(getattr(read, name)) for name in fields})
    if isinstance(read, dict):
        return {name: timeless(value) for name, value in read.items()}
    if isinstance(read, tuple) and hasattr(read, "_fields"):
        return type(read)(*map(timeless, read))
    if isinstance(read, list | tuple | set | frozenset):
        return type(read)(map(timeless, read))
    return read
