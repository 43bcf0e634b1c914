"""Reads evaluation files: passages, and questions with the passages that answer them.

The format: {"passages": [{id, title, text}], "questions": [{id, question, answer, type, gold}]},
where gold is a list of ids of passages.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from hopline.allowed_values import allowed_in_words
from hopline.errors import InvalidInput, unreadable_file
from hopline.models.base import Frozen
from workers.core.json_objects import parse_json

_NOT_A_NAME = re.compile(r"[^0-9A-Za-z]+")
_NAME_LENGTH, _HASH_LENGTH = 60, 10  # of a collection's name, which takes 100 letters


class _Row(BaseModel):
    # A file may say more than is read here.
    model_config = ConfigDict(frozen=True, extra="ignore", coerce_numbers_to_str=True)


Row = TypeVar("Row", bound=_Row)


class Passage(_Row):
    """A text that becomes a document."""

    id: str = Field(min_length=1, max_length=1000)
    title: str
    text: str = Field(pattern=r"\S")


class EvalQuestion(_Row):
    """A question with its expected answer."""

    id: str = Field(min_length=1)
    question: str = Field(pattern=r"\S", max_length=4000)
    answer: str
    type: str = "untyped"
    gold: tuple[str, ...] = Field(min_length=1)  # ids of the passages that the answer needs


class Dataset(Frozen):
    """An evaluation file that was read and checked."""

    name: str  # the file's name
    passages: tuple[Passage, ...]
    questions: tuple[EvalQuestion, ...]

    def collection(self, *made_by: str) -> str:
        """Return the name of this file's own collection: the same passages give the same name.

        Args:
            *made_by: other inputs of the graph, such as the models' names.
        """
        parts = [field for passage in self.passages for field in (passage.id, passage.title, passage.text)]
        content = orjson.dumps([*parts, *made_by])
        stem = _NOT_A_NAME.sub("-", Path(self.name).stem).strip("-").lower()[:_NAME_LENGTH]
        return f"eval-{stem or 'file'}-{hashlib.sha256(content).hexdigest()[:_HASH_LENGTH]}"

    def types(self) -> dict[str, int]:
        """Return each type of question with how many there are, sorted by name."""
        return dict(sorted(Counter(question.type for question in self.questions).items()))

    def first(self, questions: int | None) -> Dataset:
        """Return the dataset with only the first questions and all passages."""
        return self.model_copy(update={"questions": self.questions[:questions]})


def read_dataset(path: Path) -> Dataset:
    """Return an evaluation file's passages and questions.

    Raises:
        InvalidInput: there is no such file, or it has the wrong format; the message names the row and the
            field.
    """
    content = _json_object(path)
    passages = _rows(content, "passages", Passage)
    questions = _rows(content, "questions", EvalQuestion)
    known = {passage.id for passage in passages}
    _refuse_twice("passages", [passage.id for passage in passages])
    _refuse_twice("questions", [question.id for question in questions])
    for number, question in enumerate(questions):
        strange = [passage_id for passage_id in question.gold if passage_id not in known]
        if strange:
            raise InvalidInput(f"questions[{number}].gold", strange[0], "the id of one of the passages")
    return Dataset(name=path.name, passages=passages, questions=questions)


def _json_object(path: Path) -> dict[str, Any]:
    try:
        content = parse_json(path.read_bytes())
    except FileNotFoundError:
        raise unreadable_file("FILE", path) from None
    except OSError as error:
        raise unreadable_file("FILE", path, error) from error
    except orjson.JSONDecodeError as error:
        raise InvalidInput("FILE", str(path), f"JSON in UTF-8 ({error})") from error
    if not isinstance(content, dict):
        raise InvalidInput("FILE", str(path), "one JSON object with passages and questions")
    return content


def _rows(content: dict[str, Any], field: str, kind: type[Row]) -> tuple[Row, ...]:
    rows = content.get(field)
    if not isinstance(rows, list) or not rows:
        raise InvalidInput(field, rows, f"a list of objects {{{', '.join(kind.model_fields)}}}, not empty")
    return tuple(_row(row, f"{field}[{number}]", kind) for number, row in enumerate(rows))


def _row(row: object, place: str, kind: type[Row]) -> Row:
    if not isinstance(row, dict):
        raise InvalidInput(place, row, f"an object {{{', '.join(kind.model_fields)}}}")
    try:
        return kind.model_validate(row)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join([place, *(str(part) for part in first["loc"])])
        missing = first["type"] == "missing"
        allowed = "a value; the field is missing" if missing else allowed_in_words(first)
        raise InvalidInput(field, None if missing else first["input"], allowed) from error


def _refuse_twice(field: str, ids: Sequence[str]) -> None:
    seen: dict[str, int] = {}
    for number, row_id in enumerate(ids):
        if row_id in seen:
            raise InvalidInput(
                f"{field}[{number}].id", row_id, f"an id that differs from that of {field}[{seen[row_id]}]"
            )
        seen[row_id] = number
