"""Recognises the words on a picture of a page with RapidOCR and its models, which lie in its wheel.

Nothing is downloaded: each model is named by its file. The colours of a picture are blue, green, red.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import fmean, median
from typing import Any, NamedTuple

import cv2
import numpy as np
import rapidocr
from numpy.typing import NDArray
from rapidocr import RapidOCR

from workers.ingest.reading.scans.recognised import TALL, RecognisedLine, RecognisedPage

Picture = NDArray[np.uint8]  # rows, columns, blue-green-red
_Corners = NDArray[
    np.float32
]  # of a line: upper left, upper right, lower right, lower left; x and y in pixels

_DETECTION = "PP-OCRv6_det_small.onnx"
_RECOGNITION = "PP-OCRv6_rec_small.onnx"
_DIRECTION = "ch_ppocr_mobile_v2.0_cls_mobile.onnx"
_LONGEST_SIDE = 4_000  # pixels; larger pictures are made smaller
_BLANK = 4.0  # standard deviation of the grey of a page without any print
_TRIED = 5  # lines that decide the way up
_SURE, _READ = 0.93, 0.8  # confidence of lines that stand the right way up; of what may be such lines
_BETTER = 0.1  # of confidence, by which another way up is
_TURNED_BOTTOM_UP = 2  # quarter turns
_MOST_SKEW = 15.0  # degrees; a line that runs down more steeply was not set on the page's lines
_LEAST_SKEW = 0.15
_LONG = 5.0  # times its height: a line by which skew is measured
_MOST_CELLS = 8  # signs that tell vertical text from a turned page
_CELL = 0.62  # of a column's width, on both sides of a sign's middle
_EAST_ASIAN = re.compile("[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]")
_MOSTLY = 0.5
# From sign to sign in heights of a line, measured: within a word .33 (1% more than .67), over a blank .67 (1%
# less than .5); between a letter and a figure of a word .33.
_WIDEST_STEP, _STEP_TO_FIGURE, _STEP_FROM_CAPITAL = 0.9, 0.49, 0.7

# Lines in a script that the models do not have come out with little confidence, or with most of their signs
# lost: a line of print has two signs for each of its heights, of East Asia one (measured: 1.9 to 2.3, 0.98 to
# 1.2; of Korean, Cyrillic, Arabic, Hebrew, Thai, Devanagari and Tamil 0 to 0.3, of Greek 0.6 to 1.4).
_UNREAD = 0.75  # confidence; of lines below it, a third of the signs are wrong (see `recognised.DOUBTFUL`)
_SPARSE = 0.45  # signs for each of a line's heights
_LOOSE, _LOOSE_CONFIDENCE = 1.3, 0.93  # likewise, of a line that is not of East Asia, and not sure
_DENSITY_FROM = 3.0  # heights that a line is long, for its density to tell something


class _Spelled(NamedTuple):
    """The words recognised on a line."""

    text: str
    confidence: float
    middles: list[float]  # of each sign that is not a blank, as a share of the line's length
    turn: int = 0  # quarter turns clockwise of a tall line on the page


class Recogniser:
    """The models, loaded once."""

    def __init__(self) -> None:
        cv2.setNumThreads(1)
        models = Path(rapidocr.__file__).parent / "models"
        self._models: Any = RapidOCR(
            params={
                "Global.log_level": "critical",
                "Global.max_side_len": _LONGEST_SIDE,
                "Global.return_word_box": True,
                "Det.model_path": str(models / _DETECTION),
                "Rec.model_path": str(models / _RECOGNITION),
                "Cls.model_path": str(models / _DIRECTION),
                "EngineConfig.onnxruntime.intra_op_num_threads": 1,
                "EngineConfig.onnxruntime.inter_op_num_threads": 1,
            }
        )

    def read(self, picture: Picture, width: float, height: float) -> RecognisedPage:
        """Recognise the text of a page.

        Args:
            picture: picture of the page as shown.
            width: width of the page in points.
            height: height of the page in points.
        """
        page = RecognisedPage(width, height)
        if picture.std() < _BLANK:
            return page
        page.is_blank = False
        corners = self._detect(picture)
        page.turns = self._way_up(picture, corners)
        if page.turns:
            picture = np.ascontiguousarray(np.rot90(picture, -page.turns))
            corners = self._detect(picture)
        page.skew = _skew(corners)
        across = height if page.turns % 2 else width
        straight = _straightened(corners, page.skew, picture.shape, across / picture.shape[1])
        for corner, box, line in zip(corners, straight, self._lines(picture, corners), strict=True):
            if not line.text.strip() or _is_unread(line, corner):
                if line.text.strip() or _has_length(corner):
                    page.unread += 1
                    page.unread_boxes.append(box)
                continue
            page.lines.append(_placed(line, box, is_vertical=_is_tall(corner) and not line.turn))
        return page

    def _detect(self, picture: Picture) -> list[_Corners]:
        """Return the corners of each line."""
        found = self._models(picture, use_det=True, use_cls=False, use_rec=False)
        return [] if found.boxes is None else [np.asarray(box, np.float32) for box in found.boxes]

    def _recognise(self, crops: Sequence[Picture]) -> list[_Spelled]:
        if not crops:
            return []
        found = self._models.recognize_txt(list(crops))
        return [
            _with_blanks(_Spelled(text, float(score), _middles(info)), crop.shape[1] / crop.shape[0])
            for text, score, info, crop in zip(
                found.txts, found.scores, found.word_results, crops, strict=True
            )
        ]

    def _lines(self, picture: Picture, corners: Sequence[_Corners]) -> list[_Spelled]:
        """Return what each line says; one that is turned is tried from both sides."""
        crops = [_cropped(picture, each) for each in corners]
        lines = self._recognise(crops)
        tall = [nth for nth, _line in enumerate(lines) if _is_tall(corners[nth])]
        turned = self._recognise([np.rot90(crops[nth], 2) for nth in tall])
        for nth, other in zip(tall, turned, strict=True):
            if other.confidence > lines[nth].confidence + _BETTER:
                lines[nth] = other._replace(turn=3)
            elif not _is_east_asian(lines[nth].text):
                lines[nth] = lines[nth]._replace(turn=1)
        return lines

    def _way_up(self, picture: Picture, corners: Sequence[_Corners]) -> int:
        """Return the quarter turns clockwise that set a page upright."""
        longest = sorted(corners, key=lambda each: -max(_sides(each)))[:_TRIED]
        if not longest:
            return 0
        lengths = [max(_sides(each)) for each in corners]
        tall = sum(length for each, length in zip(corners, lengths, strict=True) if _is_tall(each))
        is_tall = tall > _MOSTLY * sum(lengths)
        longest = [each for each in longest if _is_tall(each) == is_tall] or longest
        crops = [_cropped(picture, each) for each in longest]
        upright = self._recognise(crops)
        confidence = fmean(line.confidence for line in upright)
        if confidence < _SURE:
            other = self._recognise([np.rot90(crop, 2) for crop in crops])
            if fmean(line.confidence for line in other) > max(_READ, confidence + _BETTER):
                return 1 if is_tall else _TURNED_BOTTOM_UP
        if not is_tall or confidence < _READ:
            return 0
        is_east_asian = _is_east_asian("".join(line.text for line in upright))
        return 0 if is_east_asian and self._is_vertical(picture, longest, upright) else 3

    def _is_vertical(self, picture: Picture, columns: Sequence[_Corners], lines: Sequence[_Spelled]) -> bool:
        """Return whether the signs of columns are upright in them, rather than turned with the whole page."""
        signs, cells = list[str](), list[Picture]()
        for column, line in zip(columns, lines, strict=True):
            crop = _cropped(picture, column, keeps_tall=True)
            reach = max(4, round(_CELL * crop.shape[1]))
            for sign, middle in zip(line.text.replace(" ", ""), line.middles, strict=False):
                if len(signs) < _MOST_CELLS and sign > "\u3040":
                    at = round(middle * crop.shape[0])
                    signs.append(sign)
                    cells.append(crop[max(0, at - reach) : at + reach])
        # The models know signs that are turned against the clock, too, but none that are turned with it.
        read = self._recognise(cells)
        return 2 * sum(sign in cell.text for sign, cell in zip(signs, read, strict=True)) > len(signs)


def _with_blanks(line: _Spelled, length: float) -> _Spelled:
    """Return a line with the blanks that the models miss, beside figures above all: "in1840".

    Args:
        line: as it was recognised.
        length: length of the line, in its heights.
    """
    if len(line.middles) != len(line.text.replace(" ", "")):
        return line
    steps = iter([0.0, *(after - before for before, after in pairwise(line.middles))])
    text = before = ""
    for sign in line.text:
        if sign != " ":
            step = next(steps) * length
            is_beside_figure = before.isdigit() != sign.isdigit() and (before + sign).isalnum()
            least = _STEP_FROM_CAPITAL if before.isupper() or sign.isupper() else _STEP_TO_FIGURE
            is_wide = step > _WIDEST_STEP or (is_beside_figure and step > least)
            if is_wide and before.strip() and not _EAST_ASIAN.search(before + sign):
                text += " "
        text += sign
        before = sign
    return line._replace(text=text)


def _middles(info: Any) -> list[float]:
    columns = [column for word in info.word_cols for column in word]
    return [min(1.0, (column + 0.5) / info.line_txt_len) for column in columns]


def _sides(corners: _Corners) -> tuple[float, float]:
    """Return (width, height) of a line in pixels."""
    upper_left, upper_right, lower_right, lower_left = corners
    width = max(np.linalg.norm(upper_left - upper_right), np.linalg.norm(lower_left - lower_right))
    height = max(np.linalg.norm(upper_left - lower_left), np.linalg.norm(upper_right - lower_right))
    return max(1.0, float(width)), max(1.0, float(height))


def _is_tall(corners: _Corners) -> bool:
    width, height = _sides(corners)
    return height >= TALL * width


def _cropped(picture: Picture, corners: _Corners, *, keeps_tall: bool = False) -> Picture:
    """Return a line cut out of a picture; a tall one is turned by a quarter against the clock."""
    width, height = (max(1, int(side)) for side in _sides(corners))
    edges = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    cut = cv2.warpPerspective(
        picture,
        cv2.getPerspectiveTransform(corners, edges),
        (width, height),
        borderMode=cv2.BORDER_REPLICATE,
        flags=cv2.INTER_CUBIC,
    )
    return np.rot90(cut) if _is_tall(corners) and not keeps_tall else cut  # type: ignore[return-value]


def _skew(corners: Sequence[_Corners]) -> float:
    """Return by how many degrees long lines run down to the right; 0 where hardly any do."""
    angles: list[float] = []
    for each in corners:
        width, height = _sides(each)
        if width < _LONG * height:
            continue
        run = (each[1] + each[2] - each[0] - each[3]) / 2
        angles.append(math.degrees(math.atan2(run[1], run[0])))
    skew = median(angles) if angles else 0.0
    return round(skew, 2) if _LEAST_SKEW < abs(skew) < _MOST_SKEW else 0.0


_Box = tuple[float, float, float, float]  # left, top, right, bottom in points


def _straightened(
    corners: Sequence[_Corners], skew: float, shape: tuple[int, ...], points: float
) -> Iterator[_Box]:
    """Yield the boxes of lines on a page without its skew, turned about its middle; a pixel has `points`."""
    middle = np.array([shape[1] / 2, shape[0] / 2])
    cosine, sine = math.cos(math.radians(-skew)), math.sin(math.radians(-skew))
    turn = np.array([[cosine, -sine], [sine, cosine]])
    for each in corners:
        straight = (turn @ (each - middle).T).T + middle
        # Means of the edges: with extremes, a remaining slant would make the box higher.
        left, right = straight[[0, 3], 0].mean(), straight[[1, 2], 0].mean()
        top, bottom = straight[[0, 1], 1].mean(), straight[[2, 3], 1].mean()
        yield tuple(float(edge) * points for edge in (left, top, right, bottom))  # type: ignore[misc]


def _placed(line: _Spelled, box: _Box, *, is_vertical: bool) -> RecognisedLine:
    left, top, right, bottom = box
    placed = RecognisedLine(
        " ".join(line.text.split()), line.confidence, left, top, right, bottom, line.turn, is_vertical
    )
    if bottom - top < TALL * (right - left):
        placed.words = list(_words(line, left, right))
        # The models find lines with white around them, in which another one may begin.
        placed.left, placed.right = placed.words[0][1], placed.words[-1][2]
    return placed


def _words(line: _Spelled, left: float, right: float) -> Iterator[tuple[str, float, float]]:
    """Yield each word with its left and right edge, half a character from its outer characters' middles."""
    length, signs = right - left, line.text.replace(" ", "")
    if len(line.middles) != len(signs) or not signs:
        yield line.text, left, right
        return
    steps = [after - before for before, after in pairwise(line.middles)]
    half = length * (median(steps) if steps else 1.0) / 2
    at = 0
    for word in line.text.split():
        first, last = line.middles[at], line.middles[at + len(word) - 1]
        at += len(word)
        yield word, max(left, left + first * length - half), min(right, left + last * length + half)


def _is_unread(line: _Spelled, corners: _Corners) -> bool:
    """Return whether the recognised text of a line is too doubtful to use."""
    density = _density(line, corners)
    if line.confidence < _UNREAD or density < _SPARSE:
        return True
    return density < _LOOSE and line.confidence < _LOOSE_CONFIDENCE and not _is_east_asian(line.text)


def _density(line: _Spelled, corners: _Corners) -> float:
    """Return how many signs a line has for each of its heights; of a short one many."""
    width, height = sorted(_sides(corners), reverse=True)
    signs = sum(not sign.isspace() for sign in line.text)
    return signs * height / width if width > _DENSITY_FROM * height else math.inf


def _has_length(corners: _Corners) -> bool:
    width, height = sorted(_sides(corners), reverse=True)
    return width > _DENSITY_FROM * height


def _is_east_asian(text: str) -> bool:
    return 2 * len(_EAST_ASIAN.findall(text)) > len(text.replace(" ", ""))
