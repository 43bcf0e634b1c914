"""Splits Cypher into tokens by the rules of Neo4j 5's own lexer (tried on 5.26.30)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from workers.core.errors import CypherRefused

Kind = Literal["space", "comment", "string", "quoted", "number", "word", "mark", "end"]

# White space as the server defines it, unlike Python: U+0085 is not, U+001C to U+001F are.
_SPACES = "\t\n\v\f\r\x1c-\x1f \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_RULES: tuple[tuple[Kind, str], ...] = (
    ("space", f"[{_SPACES}]+"),
    ("comment", r"//[^\r\n]*|/\*.*?\*/"),  # a line ends at \r and \n only; comments do not nest
    ("string", r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""),
    ("quoted", r"`(?:[^`]|``)*`"),
    (
        "number",
        r"0[xX][0-9a-fA-F_]+|0o[0-7_]+|(?:(?:[0-9][0-9_]*)?\.[0-9][0-9_]*|[0-9][0-9_]*)(?:[eE][+-]?[0-9]+)?",
    ),
    ("word", r"[^\W\d]\w*"),
    ("mark", r"<=|>=|<>|!=|=~|\+=|\|\||::|\.\.|[-+*/%^=<>()\[\]{},.:;|&!$]"),
)
_TOKEN = re.compile("|".join(f"(?P<{kind}>{rule})" for kind, rule in _RULES), re.DOTALL)
_UNFINISHED = {"'": "a text", '"': "a text", "`": "a quoted name", "/": "a comment"}
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)


@dataclass(frozen=True)
class Token:
    """A piece of a statement."""

    kind: Kind
    text: str
    at: int  # offset within the statement, in characters

    @cached_property
    def key(self) -> str:
        """A word in capitals, as keywords are compared, or a mark; nothing for the rest.

        Only letters of ASCII make a keyword: Python's capital of a long s is an S, the server's is not.
        """
        if self.kind == "mark":
            return self.text
        return self.text.upper() if self.kind == "word" and self.text.isascii() else ""

    @cached_property
    def name(self) -> str:
        """The meaning of a word or a quoted name."""
        return self.text[1:-1].replace("``", "`") if self.kind == "quoted" else self.text


def refusal(text: str, at: int, what: str, allowed: str = "") -> CypherRefused:
    """Build the error for a refused statement: the place, the refused part and the allowed alternative."""
    line = text.count("\n", 0, at) + 1
    column = at - text.rfind("\n", 0, at)
    return CypherRefused(f"line {line}:{column}: {what}" + (f"; allowed: {allowed}" if allowed else ""))


def unescaped(text: str) -> str:
    r"""Return a statement with its escapes of the form \uXXXX replaced, which the server does before lexing.

    Such escapes can end texts and comments. The result contains none, and means the same to a server whether
    or not it replaces them.

    Raises:
        CypherRefused: an escape is not a character, or would make another escape.
    """
    plain = _ESCAPE.sub(lambda match: _character(text, match), text)
    try:
        plain = plain.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        raise refusal(text, 0, "half of a surrogate pair", "whole characters") from None
    for match in _ESCAPE.finditer(plain):
        if match[1][0] == "u":
            raise refusal(
                plain, match.start(), "an escape that contains escapes", "the characters themselves"
            )
    return plain


def _character(text: str, match: re.Match[str]) -> str:
    if match[1][0] != "u":
        return match[0]
    if len(match[1]) == 1:
        raise refusal(text, match.start(), "\\u without four hexadecimal digits", "\\u0041, or \\\\ for a \\")
    return chr(int(match[1][1:], 16))


def lex(text: str) -> list[Token]:
    """Return all tokens of an unescaped statement; joined, they are the statement.

    Raises:
        CypherRefused: a text, name or comment does not end, or a character has no place outside of these.
    """
    return list(tokens_of(text))


def tokens_of(text: str) -> Iterator[Token]:
    """Yield the tokens one after another, as `lex` returns them: a script may be long."""
    last: Token | None = None
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        kind: Kind = match.lastgroup if match else "end"  # type: ignore[assignment]
        if match is None or (kind == "mark" and text.startswith("/*", at)):
            raise _no_token(text, at)
        if kind in {"word", "number"} and last and last.kind in {"word", "number"}:
            raise refusal(text, at, f"{match[0]!r} right after {last.text!r}", "a space between them")
        if match[0] == "$" and last and last.kind == "word":
            raise refusal(text, at, "a $ within a name", "a name in backticks")
        last = Token(kind, match[0], at)
        yield last
        at = match.end()


def _no_token(text: str, at: int) -> CypherRefused:
    character = text[at]
    if character in _UNFINISHED:
        return refusal(text, at, f"{_UNFINISHED[character]} that does not end")
    shown = character if character.isprintable() else f"U+{ord(character):04X}"
    return refusal(text, at, f"the character {shown}", "only within texts and quoted names")


def significant(tokens: list[Token]) -> list[Token]:
    """Return the tokens that mean something: all but white space and comments."""
    return [token for token in tokens if token.kind not in {"space", "comment"}]
