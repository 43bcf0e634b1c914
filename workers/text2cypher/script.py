"""A Cypher script as its statements."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from workers.text2cypher.lexer import Token, refusal, tokens_of, unescaped

_SCHEMA = {"INDEX", "CONSTRAINT"}
_KINDS_OF_INDEX = {"OR", "REPLACE", "RANGE", "TEXT", "POINT", "FULLTEXT", "LOOKUP", "VECTOR"}
_BEGINNING = 6  # words that are enough to tell a command on the schema


@dataclass(frozen=True)
class ScriptStatement:
    """One statement of a script.

    kind: `schema` makes or drops constraints and indexes, which cannot share a transaction with data; `own`
    opens transactions of its own; all else is `data`.
    """

    text: str
    line: int  # of the script, where it begins
    kind: Literal["data", "schema", "own"]


def split_script(script: str) -> Iterator[ScriptStatement]:
    """Yield the statements, which `;` ends outside of texts, quoted names and comments; the last need not.

    Raises:
        CypherRefused: names line and column of what is no Cypher, a command of a shell among it.
    """
    text = unescaped(script)
    first: list[Token] = []  # of the present statement: some that mean something
    own = False
    line, counted = 1, 0
    for token in tokens_of(text + "\n;"):
        if token.kind in {"space", "comment"}:
            continue
        if token.text == ";":
            if first:
                start = first[0].at
                line, counted = line + text.count("\n", counted, start), start
                yield ScriptStatement(text[start : token.at].rstrip(), line, "own" if own else _kind(first))
            first, own = [], False
            continue
        if token.text == ":" and not first:
            raise _shell_command(text, token.at)
        own = own or token.key == "TRANSACTIONS"
        if len(first) < _BEGINNING:
            first.append(token)


def _kind(first: list[Token]) -> Literal["data", "schema"]:
    keys = [token.key for token in first]
    if keys[0] not in {"CREATE", "DROP"}:
        return "data"
    named = next((key for key in keys[1:] if key not in _KINDS_OF_INDEX), "")
    return "schema" if named in _SCHEMA else "data"


def _shell_command(text: str, at: int) -> Exception:
    command = text[at:].splitlines()[0].split(";")[0][:40].strip()
    return refusal(
        text, at, f"`{command}` is a command of a shell and no Cypher", "statements of Cypher alone"
    )
