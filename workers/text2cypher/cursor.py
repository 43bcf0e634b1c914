"""A cursor over a statement's tokens, for the parser."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from workers.core.errors import CypherRefused
from workers.text2cypher.lexer import Token, refusal, significant
from workers.text2cypher.syntax import Part, Sort

OPENING = {"(": ")", "[": "]", "{": "}"}
DEEPEST = 16  # brackets within brackets; the server's own reader ends its connection at some hundreds
_PATH_AFTER = (("-", "["), ("-", "-"), ("<", "-", "["), ("<", "-", "-"))  # the first node of a path


class Cursor(ABC):
    """Reads a statement from left to right, each token once.

    Args:
        text: the statement, unescaped.
        tokens: tokens from `lex`.
    """

    def __init__(self, text: str, tokens: Sequence[Token]) -> None:
        self.text = text
        self._tokens = significant(list(tokens))
        self._end = Token("end", "", len(text))
        self._at = 0
        self._partners = self._matched()

    def _matched(self) -> dict[int, int]:
        """Return where each bracket that opens is closed."""
        partners: dict[int, int] = {}
        opened: list[int] = []
        for place, token in enumerate(self._tokens):
            if token.key in OPENING:
                opened.append(place)
                if len(opened) > DEEPEST:
                    raise self.refused("brackets nested too deep", f"{DEEPEST} levels", token)
            elif token.key in OPENING.values():
                if not opened or OPENING[self._tokens[opened[-1]].key] != token.key:
                    raise self.refused(f"a {token.key} that closes nothing", "", token)
                partners[opened.pop()] = place
        if opened:
            raise self.refused("a bracket that is not closed", "", self._tokens[opened[-1]])
        return partners

    def refused(self, what: str, allowed: str = "", token: Token | None = None) -> CypherRefused:
        """Return the error that refuses the statement at a token, else at this place."""
        return refusal(self.text, (token or self.peek()).at, what, allowed)

    def peek(self, ahead: int = 0) -> Token:
        """Return the next token, or one further on."""
        place = self._at + ahead
        return self._tokens[place] if place < len(self._tokens) else self._end

    def at(self, *keys: str) -> bool:
        """Return whether the next tokens are these keywords and marks."""
        return all(self.peek(ahead).key == key for ahead, key in enumerate(keys))

    def at_one(self, keys: frozenset[str]) -> bool:
        """Return whether the next token is one of these keywords and marks."""
        return self.peek().key in keys

    def at_path(self) -> bool:
        """Return whether the bracket that opens here is the first node of a path."""
        ahead = self._partners[self._at] + 1 - self._at
        return any(
            all(self.peek(ahead + more).key == key for more, key in enumerate(keys)) for keys in _PATH_AFTER
        )

    def take(self) -> Token:
        """Return the next token and advance."""
        token = self.peek()
        self._at += 1
        return token

    @property
    def behind(self) -> int:
        """The offset after the last token taken."""
        last = self._tokens[self._at - 1]
        return last.at + len(last.text)

    def skip(self, *keys: str) -> bool:
        """Consume these keywords and marks if they are next; return whether they were."""
        if self.at(*keys):
            self._at += len(keys)
            return True
        return False

    def expect(self, *keys: str) -> Token:
        """Consume these keywords and marks; return the first token."""
        token = self.peek()
        if not self.skip(*keys):
            raise self.unexpected(" ".join(keys))
        return token

    def unexpected(self, allowed: str) -> CypherRefused:
        """Return an error that names the unexpected token and what is allowed instead."""
        token = self.peek()
        return self.refused("the statement ends" if token.kind == "end" else f"{token.text[:40]!r}", allowed)

    def at_name(self, ahead: int = 0) -> bool:
        """Return whether a name is next."""
        return self.peek(ahead).kind in {"word", "quoted"}

    def take_name(self, what: str) -> Token:
        """Return the next token, which must be a name."""
        if not self.at_name():
            raise self.unexpected(what)
        return self.take()

    def named(self, sort: Sort, what: str) -> Part:
        """Return the part that is a name alone."""
        token = self.take_name(what)
        return Part(sort, token, token.name)

    def list_of(self, read: Callable[[], Part], closing: str = "") -> list[Part]:
        """Parse a comma-separated list; before a closing bracket it may be empty; consume the bracket."""
        if closing and self.skip(closing):
            return []
        parts = [read()]
        while self.skip(","):
            parts.append(read())
        if closing:
            self.expect(closing)
        return parts

    def where(self) -> list[Part]:
        """Read a condition, if there is one."""
        token = self.peek()
        if not self.skip("WHERE"):
            return []
        condition = self.expression()
        return [Part("where", token, "", (condition,), self.behind)]

    @abstractmethod
    def expression(self, least: int = 1) -> Part:
        """Read an expression whose operators bind at least this tightly."""

    @abstractmethod
    def map(self) -> Part:
        """Read a map, from its opening brace to the closing one."""

    @abstractmethod
    def query(self) -> Part:
        """Read clauses up to the end of the statement or of the subquery."""

    @abstractmethod
    def braces(self, name: str) -> Part:
        """Read a subquery, from its opening brace to the closing one."""
