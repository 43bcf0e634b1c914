"""Splits a Cypher script into statements."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from workers.text2cypher.lexer import Token, refusal, tokens_of, unescaped

_SCHEMA = {"INDEX", "CONSTRAINT"}
_KINDS_OF_INDEX = {"OR", "REPLACE", "RANGE", "TEXT", "POINT", "FULLTEXT", "LOOKUP", "VECTOR"}
_OPENING, _CLOSING = {"(", "{", "["}, {")", "}", "]"}
_BEFORE_NAMES = {":", ".", "|", "&", "!", "$", "%"}  # a word after one of these is a name
_MOST_BETWEEN = 12  # tokens of the number of transactions at a time
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
    parameters: dict[str, Any] = field(default_factory=dict)  # values of its $names


def split_script(script: str) -> Iterator[ScriptStatement]:
    """Yield the statements, which `;` ends outside of texts, quoted names and comments; the last need not.

    Raises:
        CypherRefused: names line and column of what is no Cypher, a command of a shell among it.
    """
    text = unescaped(script)
    first: list[Token] = []  # of the present statement: some that mean something
    calls = _Calls()
    line, counted = 1, 0
    for token in tokens_of(text + "\n;"):
        if token.kind in {"space", "comment"}:
            continue
        if token.text == ";":
            if first:
                start = first[0].at
                line, counted = line + text.count("\n", counted, start), start
                kind = "own" if calls.in_transactions else _kind(first)
                yield ScriptStatement(text[start : token.at].rstrip(), line, kind)
            first, calls = [], _Calls()
            continue
        if token.text == ":" and not first:
            raise _shell_command(text, token.at)
        calls.take(token)
        if len(first) < _BEGINNING:
            first.append(token)


class _Calls:
    """Finds `CALL … { … } IN [n CONCURRENT] TRANSACTIONS` in a statement that is given token by token."""

    def __init__(self) -> None:
        self.in_transactions = False
        self._last = ""  # key of the last token; of a name, nothing
        self._open: list[bool] = []  # for each bracket: is it CALL's own
        self._after: list[str] | None = None  # keys since the last block of a CALL ended

    def take(self, token: Token) -> None:
        key = "" if token.kind == "word" and self._last in _BEFORE_NAMES else token.key
        if self._after is not None:
            self._follow(key)
        if key in _OPENING:
            self._open.append(self._last == "CALL" or (key == "{" and self._last == "CALL )"))
        elif key in _CLOSING and self._open and self._open.pop():
            if key == "}":
                self._after = []
            else:
                key = "CALL )"  # its block is still to come
        self._last = key

    def _follow(self, key: str) -> None:
        """Take a key after CALL's block: IN, and then what ends with CONCURRENT, may stand in between."""
        after = self._after or []
        if key == "TRANSACTIONS" and after[:1] == ["IN"] and (len(after) == 1 or after[-1] == "CONCURRENT"):
            self.in_transactions = True
        ended = len(after) > _MOST_BETWEEN or (not after and key != "IN")
        self._after = None if ended else [*after, key]


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
