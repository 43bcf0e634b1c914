"""Scans, made of the pages of PDFs: pictures without text, as a scanner or a phone gives them."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pypdfium2
from PIL import Image

Page = tuple[Path | bytes, int]  # a PDF and the number of its page, 1 for the first


def picture_of(
    page: Page, dpi: int = 150, *, skew: float = 0.0, turns: int = 0, noise: float = 0.0
) -> Image.Image:
    """Return a page as a scanner shows it.

    Args:
        page: which.
        dpi: of the picture.
        skew: degrees clockwise by which it lay askew.
        turns: quarter turns clockwise by which it was put in.
        noise: standard deviation of its grey, of 255.
    """
    file, number = page
    with pypdfium2.PdfDocument(file) as pdf:
        picture = pdf[number - 1].render(scale=dpi / 72).to_pil().convert("L")
    picture = picture.rotate(-skew, resample=Image.Resampling.BICUBIC, fillcolor=255, expand=bool(skew))
    picture = picture.rotate(-90 * turns, expand=True)
    if noise:
        grain = np.random.default_rng(0).normal(0, noise, (picture.height, picture.width))
        picture = Image.fromarray(np.clip(np.asarray(picture) + grain, 0, 255).astype(np.uint8))
    return picture


def scan_of(pages: Sequence[Page], dpi: int = 150) -> bytes:
    """Return a PDF of pictures of pages."""
    first, *others = (picture_of(page, dpi) for page in pages)
    data = io.BytesIO()
    first.save(data, "PDF", resolution=dpi, save_all=True, append_images=others)
    return data.getvalue()
