"""Token counts, offline: the vocabulary comes with the package."""

from __future__ import annotations

from functools import cache

import bpe_openai  # type: ignore[import-untyped]  # ships no types


def count_tokens(text: str) -> int:
    """Return how many tokens a text takes in the o200k vocabulary; other models differ by some percent."""
    return len(_encoding().encode_ordinary(text))


@cache
def _encoding() -> bpe_openai.Encoding:
    return bpe_openai.get_encoding("o200k_base")
