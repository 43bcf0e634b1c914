"""Rows of numbers, one for each text."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]


def unit(rows: Matrix) -> Matrix:
    """Return the rows with length 1; those of length 0 stay zeros instead of becoming NaN."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    result: Matrix = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return result
