"""Lists and maps, and what goes through them: comprehensions, reduce, projections."""

from __future__ import annotations

from workers.text2cypher.lexer import Token
from workers.text2cypher.patterns import Patterns
from workers.text2cypher.syntax import Part


class Lists(Patterns):
    """Reads lists and maps."""

    def reduce(self) -> Part:
        """Read `reduce(total = 0, x IN list | …)`."""
        token = self.take()
        self.expect("(")
        accumulator = self._binding()
        self.expect("=")
        first = self.expression()
        self.expect(",")
        binding = self._binding()
        self.expect("IN")
        source = self.expression()
        self.expect("|")
        body = self.expression()
        self.expect(")")
        return Part("reduce", token, "reduce", (accumulator, first, binding, source, body))

    def square(self) -> Part:
        """Read what begins with a square bracket: a comprehension of a list or of paths, or a list."""
        if self.at_name(1) and self.peek(2).key == "IN":
            return self.each(self.peek(), "[", "]")
        token = self.expect("[")
        named = self.at_name() and self.peek(1).key == "=" and self.peek(2).key == "("
        if named or (self.at("(") and self.at_pattern()):
            return self._along(token, named=named)
        parts = [] if self.at("]") else self.list_of(self.expression)
        self.expect("]")
        return Part("list", token, "", tuple(parts))

    def each(self, token: Token, opening: str, closing: str) -> Part:
        """Read `[x IN list WHERE … | …]`, or the same in round brackets."""
        self.expect(opening)
        binding = self._binding()
        self.expect("IN")
        before, self._bars = self._bars, False
        parts = [self.expression()]
        if self.skip("WHERE"):
            parts.append(self.expression())
        self._bars = before
        if opening == "[" and self.skip("|"):
            parts.append(self.expression())
        self.expect(closing)
        return Part("each", token, token.key, (binding, *parts))

    def _along(self, token: Token, *, named: bool) -> Part:
        """Read `[(a)-[…]->(b) WHERE … | …]`, or a list that begins with a path."""
        parts = [self.pattern() if named else self.path()]
        if self.at(",") or self.at("]"):
            parts += self.list_of(self.expression) if self.skip(",") else []
            self.expect("]")
            return Part("list", token, "", tuple(parts))
        before, self._bars = self._bars, False
        if self.skip("WHERE"):
            parts.append(self.expression())
        self._bars = before
        self.expect("|")
        parts.append(self.expression())
        self.expect("]")
        return Part("along", token, "", tuple(parts))

    def map(self) -> Part:
        """Read `{name: value, …}`."""
        token = self.expect("{")
        parts = [] if self.at("}") else self.list_of(self._entry)
        self.expect("}")
        return Part("map", token, "", tuple(parts))

    def _entry(self) -> Part:
        token = self.take_name("a key")
        self.expect(":")
        return Part("entry", token, token.name, (self.expression(),))

    def projection(self, variable: Part) -> Part:
        """Read `person {.name, .*, age: …, other}`."""
        token = self.expect("{")
        parts = [] if self.at("}") else self.list_of(lambda: self._projected(variable))
        self.expect("}")
        return Part("projection", token, "", (variable, *parts))

    def _projected(self, variable: Part) -> Part:
        if self.skip("."):
            if self.at("*"):
                return Part("star", self.take())
            token = self.take_name("a property")
            return Part("property", token, token.name, (variable,))
        if self.peek(1).key == ":":
            return self._entry()
        token = self.take_name("a property or a variable")
        return Part("variable", token, token.name)
