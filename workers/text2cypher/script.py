"""Splits a Cypher script into statements."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from workers.text2cypher.lexer import refusal, tokens_of, unescaped

_OPENING, _CLOSING = {"(", "{", "["}, {")", "}", "]"}
_BEFORE_NAMES = {":", ".", "|", "&", "!", "$", "%"}  # a word after one of these is a name
# Of a statement's outline: its keywords and marks, without what stands in brackets.
_SCHEMA = re.compile(
    r"(CREATE|DROP) ((OR|REPLACE|RANGE|TEXT|POINT|FULLTEXT|LOOKUP|VECTOR) )*(INDEX|CONSTRAINT) "
)
_OWN = re.compile(r"\bCALL (\( \) )?{ } IN ((\S+ ){1,12}?CONCURRENT )?TRANSACTIONS ")


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
        CypherRefused: names line and column of text that is not Cypher, such as a shell command.
    """
    text = unescaped(script)
    line, counted, start = 1, 0, 0
    outline: list[str] = []
    depth, last = 0, ""
    for token in tokens_of(text + "\n;"):
        if token.kind in {"space", "comment"}:
            continue
        if token.text == ";":
            if outline:
                line, counted = line + text.count("\n", counted, start), start
                yield ScriptStatement(text[start : token.at].rstrip(), line, _kind(" ".join([*outline, ""])))
            outline, depth, last = [], 0, ""
            continue
        if not outline:
            start = token.at
            if token.text == ":":
                raise _shell_command(text, start)
        last = "" if token.kind == "word" and last in _BEFORE_NAMES else token.key
        depth = max(0, depth - (last in _CLOSING))
        if not depth:
            outline.append(last or "_")
        depth += last in _OPENING


def _kind(outline: str) -> Literal["data", "schema", "own"]:
    if _OWN.search(outline):
        return "own"
    return "schema" if _SCHEMA.match(outline) else "data"


def _shell_command(text: str, at: int) -> Exception:
    command = text[at:].splitlines()[0].split(";")[0][:40].strip()
    return refusal(
        text, at, f"`{command}` is a command of a shell and no Cypher", "statements of Cypher alone"
    )
