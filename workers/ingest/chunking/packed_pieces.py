"""Packs a changed stretch of text into as few chunks as possible."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from workers.core.language.text import sentences
from workers.core.models.tokens import count_tokens
from workers.ingest.chunking.boundaries import fresh_pieces

Range = tuple[int, int]  # half-open, of a text's characters


def pack(text: str, within: Range, limit: int, size: int, whole_from: int | None = None) -> list[Range]:
    """Return the fewest pieces of at most so many tokens that cover a range, as even as they can be.

    Args:
        text: the text.
        within: the range; no white space at its ends.
        limit: tokens of a piece.
        size: tokens of what a sentence that is longer is cut into.
        whole_from: what stands from here on is not cut, where it fits a piece.
    """
    atoms = _glued(text, list(_atoms(text, within, size)), whole_from, limit)
    few = _few(text, atoms, limit)
    even = _even(text, atoms, len(few)) if len(few) > 1 else few
    return even if all(count_tokens(text[start:end]) <= limit for start, end in even) else few


def _atoms(text: str, within: Range, size: int) -> Iterator[Range]:
    start, end = within
    for first, last in sentences(text[start:end]):
        sentence = text[start + first : start + last]
        if count_tokens(sentence) <= size:
            yield start + first, start + last
        else:
            for begin, stop in fresh_pieces(sentence, size):
                yield start + first + begin, start + first + stop


def _glued(text: str, atoms: list[Range], whole_from: int | None, limit: int) -> list[Range]:
    if whole_from is None:
        return atoms
    tail = [atom for atom in atoms if atom[1] > whole_from]
    if len(tail) < 2 or count_tokens(text[tail[0][0] : tail[-1][1]]) > limit:  # noqa: PLR2004 - nothing to glue
        return atoms
    return [*atoms[: len(atoms) - len(tail)], (tail[0][0], tail[-1][1])]


def _few(text: str, atoms: Sequence[Range], limit: int) -> list[Range]:
    """Return pieces, each filled as far as it goes: there are no fewer."""
    pieces: list[Range] = []
    for start, end in atoms:
        if pieces and count_tokens(text[pieces[-1][0] : end]) <= limit:
            pieces[-1] = pieces[-1][0], end
        else:
            pieces.append((start, end))
    return pieces


def _even(text: str, atoms: Sequence[Range], count: int) -> list[Range]:
    """Cut into so many even pieces, at paragraphs rather than between sentences."""
    sizes = [count_tokens(text[start:end]) for start, end in atoms]
    sums = [0]
    for size in sizes:
        sums.append(sums[-1] + size)
    between = (sums[-1] / count / 4) ** 2  # what a cut inside a paragraph costs
    best: list[list[tuple[float, int]]] = [[(0.0, 0)] + [(float("inf"), 0)] * len(atoms)]
    for _ in range(count):
        row = [(float("inf"), 0)]
        for end in range(1, len(atoms) + 1):
            inside = end < len(atoms) and "\n" not in text[atoms[end - 1][1] : atoms[end][0]]
            cost, cut = min((best[-1][cut][0] + (sums[end] - sums[cut]) ** 2, cut) for cut in range(end))
            row.append((cost + between * inside, cut))
        best.append(row)
    return _cut(atoms, best)


def _cut(atoms: Sequence[Range], best: Sequence[Sequence[tuple[float, int]]]) -> list[Range]:
    pieces = []
    end = len(atoms)
    for row in reversed(best[1:]):
        cut = row[end][1]
        pieces.append((atoms[cut][0], atoms[end - 1][1]))
        end = cut
    return pieces[::-1]
