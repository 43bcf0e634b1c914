"""Encodes a chunk's statements about names, for storage.

A chunk has a property `names`, a list of lines with tabs between their parts:

    A  alias  name  passes  start  end  alias name  a sentence says that the two are one; both as spelled
    S  element                                       its facts bear on what a short name means

A version that is being written has them on its link to the chunk.
"""

from __future__ import annotations

from collections.abc import Sequence

from workers.core.graph.aliases import NameClaim
from workers.core.ports import ChunkFacts


def name_lines(chunk: ChunkFacts) -> list[str] | None:
    """Return the lines of a chunk; None if there are none."""
    lines = [
        "\t".join(
            (
                *("A", claim.alias, claim.name, str(int(claim.passes)), str(claim.start), str(claim.end)),
                *(" ".join(spelled.split()) for spelled in (claim.alias_spelled, claim.name_spelled)),
            )
        )
        for claim in chunk.claims
    ]
    return [*lines, *(f"S\t{element}" for element in chunk.short_forms)] or None


def claims_of(lines: Sequence[str]) -> tuple[NameClaim, ...]:
    """Return the name claims in the lines of a chunk."""
    return tuple(claim_of(line) for line in lines if line.startswith("A\t"))


def short_forms_of(lines: Sequence[str]) -> tuple[str, ...]:
    """Return the key elements whose meaning depends on facts of a chunk, according to its lines."""
    return tuple(line.removeprefix("S\t") for line in lines if line.startswith("S\t"))


def claim_of(line: str) -> NameClaim:
    """Return the name claim in a line of the first kind."""
    _kind, alias, name, passes, start, end, alias_spelled, name_spelled = line.split("\t")
    return NameClaim(
        alias=alias,
        name=name,
        alias_spelled=alias_spelled,
        name_spelled=name_spelled,
        start=int(start),
        end=int(end),
        passes=passes == "1",
    )
