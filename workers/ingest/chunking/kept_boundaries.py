"""Keeps the chunk boundaries of the older version where the text is unchanged.

The text between kept pieces is divided again, so that as few chunks as possible change: each changed one
costs a model call. Adding, removing or changing one sentence affects at most three chunks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hopline.models.documents import Chunk
from workers.core.language.text import sentences
from workers.core.models.tokens import count_tokens
from workers.ingest.chunking.boundaries import Sizes, fresh_pieces, reach_back
from workers.ingest.chunking.unchanged_pieces import Placed, cores_of, place_cores

_LARGE = 4  # pieces: what is larger is split as a text of its own
_SMALL = 0.25  # of a piece: what is smaller is better put to a neighbour
_MOST = 3  # chunks that one change of a sentence may touch
Range = tuple[int, int]  # half-open, of a text's characters


class Piece(NamedTuple):
    """A chunk without its overlap; `placed` is the position of the same text in an older chunk."""

    start: int
    end: int
    placed: Placed | None = None


class _Choice(NamedTuple):
    """One way to fill the gap between two kept pieces."""

    changed: int  # chunks that differ from all that were there
    over: bool  # a piece is larger than others are
    smallest: int  # tokens, of its smallest piece; negative, so that less is better
    ranges: tuple[Range, ...]
    left: bool  # it takes in the kept piece before
    right: bool  # and the one after


def place_known(text: str, known: Sequence[Chunk], sizes: Sizes) -> list[Placed]:
    """Return the pieces of an older text's chunks that a text still contains, in order."""
    return [
        placed_core
        for placed_core in place_cores(text, cores_of(known))
        if placed_core.core.tokens <= sizes.chunk
    ]


def keep_borders(text: str, part: Range, placed: Sequence[Placed], sizes: Sizes) -> Iterator[Piece]:
    """Yield the pieces of a part of a text in order; they cover all but white space.

    Args:
        text: the text.
        part: the range to be covered.
        placed: what stands in it of an older text, in order.
        sizes: sizes of chunks; a piece may be as large as a chunk where that keeps other chunks.
    """
    pieces: list[Piece] = []
    rest = list(placed)[::-1]
    while True:
        after = rest[-1] if rest else None
        gap = _trimmed(text, pieces[-1].end if pieces else part[0], after.start if after else part[1])
        if gap:
            _fill(text, gap, pieces, rest, sizes)
        elif after:
            pieces.append(Piece(after.start, after.end, rest.pop()))
        else:
            break
    yield from pieces


def begin_of(text: str, before: Piece | None, piece: Piece, sizes: Sizes) -> int:
    """Return the start of a piece's chunk: as before if that text is still there, else with what fits."""
    if piece.placed and (
        piece.placed.begin == piece.start or (before and _stands(text, piece.placed, before))
    ):
        return piece.placed.begin
    return reach_back(text, before[:2], piece[:2], sizes) if before else piece.start


def _stands(text: str, placed: Placed, before: Piece | None) -> bool:
    """Return whether a chunk's whole text is still there, and repeats nothing but the piece before it."""
    if not placed.core.repeats:
        return True
    reaches = before is not None and placed.begin >= before.start
    return reaches and text.startswith(placed.core.whole, placed.begin)


def _trimmed(text: str, start: int, end: int) -> Range | None:
    piece = text[start:end]
    size = len(piece.strip())
    first = start + len(piece) - len(piece.lstrip())
    return (first, first + size) if size else None


def _fill(text: str, gap: Range, pieces: list[Piece], rest: list[Placed], sizes: Sizes) -> None:
    """Add the pieces of a gap, replacing kept ones beside it if that changes fewer chunks."""
    # A token has four characters, and sixteen of white space and the like: counting all would take long.
    large = gap[1] - gap[0] > 16 * _LARGE * sizes.chunk
    if large or count_tokens(text[slice(*gap)]) > _LARGE * sizes.piece:
        ranges = fresh_pieces(text[slice(*gap)], sizes.piece)
        pieces.extend(Piece(gap[0] + start, gap[0] + end) for start, end in ranges)
    else:
        choice = min(_choices(text, gap, pieces, rest, sizes), key=lambda option: option[:3])
        if choice.left:
            pieces.pop()
        if choice.right:
            rest.pop()
        pieces.extend(Piece(*each) for each in choice.ranges)


def _choices(
    text: str, gap: Range, pieces: list[Piece], rest: list[Placed], sizes: Sizes
) -> Iterator[_Choice]:
    plain = _choice(text, gap, rest, sizes)
    yield plain
    right = _close(text, gap[1], rest)
    small = -plain.smallest < _SMALL * sizes.piece
    if plain.changed >= _MOST:
        yield _choice(text, gap, rest, sizes, over=True)
        if right:
            yield _choice(text, (gap[0], right.end), rest[:-1], sizes, right=True, over=True)
    if right and (small or plain.changed >= _MOST):
        yield _choice(text, (gap[0], right.end), rest[:-1], sizes, right=True)
    if small and pieces and pieces[-1].placed:
        yield _choice(text, (pieces[-1].start, gap[1]), rest, sizes, left=True)


def _choice(
    text: str,
    gap: Range,
    rest: Sequence[Placed],
    sizes: Sizes,
    *,
    left: bool = False,
    right: bool = False,
    over: bool = False,
) -> _Choice:
    after = _close(text, gap[1], rest)
    stands = after is not None and text.startswith(after.core.whole, after.begin) and after.begin >= gap[0]
    limit = sizes.chunk if over else sizes.piece
    uncut = after.begin if after and stands and after.core.repeats else None
    ranges = pack(text, gap, limit, sizes.piece, uncut)
    if after:
        last = Piece(*ranges[-1])
        changed = len(ranges) + (not _stands(text, after, last))
    else:
        changed = len(ranges)
    smallest = min(count_tokens(text[slice(*each)]) for each in ranges)
    return _Choice(changed, over, -smallest, tuple(ranges), left, right)


def _close(text: str, end: int, rest: Sequence[Placed]) -> Placed | None:
    """Return the kept piece that follows at once."""
    return rest[-1] if rest and not text[end : rest[-1].start].strip() else None


def pack(text: str, within: Range, limit: int, size: int, whole_from: int | None = None) -> list[Range]:
    """Return the fewest pieces of at most `limit` tokens that cover a range, as even as possible.

    Args:
        text: the text.
        within: the range, without white space at its ends.
        limit: maximum number of tokens in a piece.
        size: number of tokens into which longer sentences are cut.
        whole_from: text from here on is not cut, if it fits into a piece.
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
