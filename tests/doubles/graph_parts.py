"""A graph in memory is all of its parts itself."""

from typing import Self


class Whole:
    @property
    def store(self) -> Self:
        return self

    nodes = paths = around = merging = views = store
