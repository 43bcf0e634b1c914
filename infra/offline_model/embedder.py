"""Static word vectors from the wordllama wheel: the mean of a text's token vectors, normalised."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from infra.offline_model.matrices import Matrix, unit

_LONGEST = 8192  # characters of a text that are read


class Embed(Protocol):
    """Texts to vectors."""

    name: str
    dimension: int

    def __call__(self, texts: Sequence[str]) -> Matrix:
        """Return one row per text, of length 1; an empty text gives zeros."""


class WordLlama:
    """Reads the package's two files; importing it would set up the root logger and look for a download."""

    name = "wordllama-256"
    dimension = 256

    def __init__(self) -> None:
        spec = find_spec("wordllama")
        if spec is None or not spec.submodule_search_locations:
            raise SystemExit("the package wordllama is not installed: pip install 'hopline[local]'")
        folder = Path(spec.submodule_search_locations[0])
        self._table = _table(folder / "weights" / "l2_supercat_256.safetensors")
        tokenizer = Tokenizer.from_file(str(folder / "tokenizers" / "l2_supercat_tokenizer_config.json"))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        self._tokenizer = tokenizer

    def __call__(self, texts: Sequence[str]) -> Matrix:
        """Return one row per text, of length 1; an empty text gives zeros."""
        cut = [text[:_LONGEST] for text in texts]
        rows = [row.ids for row in self._tokenizer.encode_batch_fast(cut, add_special_tokens=False)]
        sums = np.zeros((len(rows), self.dimension), dtype=np.float32)
        filled = [place for place, row in enumerate(rows) if row]
        if filled:
            tokens = np.fromiter((token for place in filled for token in rows[place]), dtype=np.int64)
            starts = np.cumsum([0, *(len(rows[place]) for place in filled[:-1])])
            sums[filled] = np.add.reduceat(
                self._table[np.minimum(tokens, len(self._table) - 1)], starts, axis=0
            )
        return unit(sums)


def _table(path: Path) -> Matrix:
    (table,) = load_file(path).values()
    return np.ascontiguousarray(table, dtype=np.float32)


def load_embedder(name: str) -> Embed:
    """Return the embedder: wordllama, or minilm where its packages are installed."""
    if name == "minilm":
        from infra.offline_model.minilm import MiniLM  # noqa: PLC0415 - an optional extra

        return MiniLM()
    return WordLlama()
