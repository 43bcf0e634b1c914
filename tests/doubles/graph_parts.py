"""A graph in memory is all of its parts itself."""

from typing import Self


class Whole:
    """Each part of the graph is the graph."""

    @property
    def store(self) -> Self:
        return self

    nodes = paths = around = merging = views = store
