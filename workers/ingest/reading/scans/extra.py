"""Whether the extra `ocr` is installed, without which pages that are pictures are not read."""

from __future__ import annotations

from importlib.util import find_spec

from hopline.words import counted

_PACKAGES = ("rapidocr", "onnxruntime", "cv2", "PIL")


def can_recognise() -> bool:
    """Return whether this process can have pages recognised."""
    return all(find_spec(name) is not None for name in _PACKAGES)


def told_pictures(pages: int) -> str:
    """Return in words that pages are pictures."""
    return f"{counted(pages, 'page')} {'is a picture' if pages == 1 else 'are pictures'}"


def with_remedy(pages: int) -> str:
    """Return in words that pages were not read, and what to do."""
    return f"{told_pictures(pages)}; install hopline-server[ocr] to read {'it' if pages == 1 else 'them'}"
