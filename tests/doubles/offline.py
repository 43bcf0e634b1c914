"""Tables of what the offline model is asked, and its replies without a server."""

from pathlib import Path
from typing import Any, TypeVar

from hopline.models.base import Frozen
from infra.offline_model.replies import content_of

M = TypeVar("M", bound=Frozen)
_SCHEMAS = Path(__file__).parents[1] / "data" / "schemas"
MOVIES = (_SCHEMAS / "movies.txt").read_text(encoding="utf-8")
STORY = (_SCHEMAS / "story.txt").read_text(encoding="utf-8")


def rows(table: str) -> list[list[str]]:
    """Return the rows of a table: one a line, its columns between bars; one with fewer is filled with ""."""
    split = [[" ".join(column.split()) for column in line.split("|")] for line in table.strip().splitlines()]
    return [row + [""] * (max(map(len, split)) - len(row)) for row in split]


def ask(kind: type[M], question: str = "", **material: Any) -> M:
    """Return the reply of this kind to a question, or to other material."""
    return kind.model_validate_json(content_of(kind.__name__, {"question": question, **material}, None))


def evidence(*facts: str, source: str = "") -> list[dict[str, Any]]:
    """Number some facts, as a request has them."""
    return [{"n": n, "fact": fact, "quote": fact, "source": source} for n, fact in enumerate(facts, 1)]
