"""Reads the user's guide to a graph: its terminology, and example questions with their Cypher."""

from __future__ import annotations

import tomllib
from pathlib import Path

from pydantic import Field, ValidationError

from hopline.errors import InvalidInput
from hopline.models.base import Frozen
from hopline.models.jobs import Json
from hopline.trees import expanded
from workers.core.answers.lexical_rank import overlap, terms
from workers.core.errors import CypherRefused
from workers.text2cypher.check import checked
from workers.text2cypher.limits import LONGEST

_MOST_BYTES = 2_000_000  # of a file
_MOST_TERMS, _LONGEST_TERM = 500, 500  # all of them are in every prompt
_MOST_EXAMPLES = 5000  # of a file
_SHOWN, _SHOWN_CHARACTERS = 5, 6000  # examples in a prompt


class Example(Frozen):
    """A question with a statement that answers it well."""

    question: str = Field(min_length=1, max_length=1000)
    cypher: str = Field(min_length=1, max_length=LONGEST)


class Guide(Frozen):
    """What helps to write a statement for one graph."""

    terms: dict[str, str] = {}  # what people say → what it is in the graph
    examples: tuple[Example, ...] = ()

    def similar(self, question: str) -> list[Example]:
        """Return the few examples whose questions share most words with this one, the nearest first."""
        wanted = terms(question)
        near = [
            (overlap(wanted, example.question) + overlap(terms(example.question), question), example)
            for example in self.examples
        ]
        near.sort(key=lambda pair: -pair[0])
        chosen, size = list[Example](), 0
        for score, example in near[:_SHOWN]:
            length = len(example.question) + len(example.cypher)
            if score > 0 and size + length <= _SHOWN_CHARACTERS:
                chosen.append(example)
                size += length
        return chosen


def load_guide(terms_file: Path | None, examples_file: Path | None) -> Guide:
    """Read the files that settings name.

    Args:
        terms_file: TOML, a word or phrase per line: `"film" = "Movie"`.
        examples_file: JSON lines of {question, cypher}.

    Raises:
        InvalidInput: names the file, the line or word, and what is allowed; examples are statements that
            the guard lets pass.
    """
    return Guide(
        terms=_terms(terms_file) if terms_file else {},
        examples=tuple(_examples(examples_file)) if examples_file else (),
    )


def _terms(path: Path) -> dict[str, str]:
    try:
        meanings: Json = tomllib.loads(_text(path))
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(str(path), str(error), "TOML") from error
    if len(meanings) > _MOST_TERMS:
        raise InvalidInput(str(path), len(meanings), f"at most {_MOST_TERMS} terms")
    for name, meaning in meanings.items():
        if not isinstance(meaning, str) or not 0 < len(name) + len(meaning) <= _LONGEST_TERM:
            allowed = f"a text of {_LONGEST_TERM} characters at most, the word included"
            raise InvalidInput(f"{path}: {name[:_LONGEST_TERM]}", meaning, allowed)
    return dict(meanings)


def _examples(path: Path) -> list[Example]:
    # By its line feeds alone: a text may hold other characters that end lines.
    lines = [(nth, line) for nth, line in enumerate(_text(path).split("\n"), start=1) if line.strip()]
    if len(lines) > _MOST_EXAMPLES:
        raise InvalidInput(str(path), len(lines), f"at most {_MOST_EXAMPLES} examples")
    examples = []
    for nth, line in lines:
        try:
            example = Example.model_validate_json(line)
            checked(example.cypher)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            raise InvalidInput(
                f"{path}:{nth}", first["input"], f'{{"question", "cypher"}}: {first["msg"]}'
            ) from error
        except CypherRefused as error:
            raise InvalidInput(
                f"{path}:{nth}", example.cypher, f"a statement that passes the check: {error}"
            ) from error
        examples.append(example)
    return examples


def _text(path: Path) -> str:
    try:
        raw = expanded(path, "file").read_bytes()
        if len(raw) <= _MOST_BYTES:
            return raw.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput("file", str(path), "a file that can be read, in UTF-8") from error
    raise InvalidInput(str(path), f"{len(raw):,} bytes", f"at most {_MOST_BYTES:,} bytes")
