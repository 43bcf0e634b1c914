"""Patterns: nodes, relationships, paths, and how long these may be."""

from __future__ import annotations

from workers.text2cypher.cursor import Cursor
from workers.text2cypher.lexer import Token
from workers.text2cypher.syntax import Part

SHORTEST = frozenset({"SHORTESTPATH", "ALLSHORTESTPATHS"})
_SELECTORS = frozenset({"ANY", "ALL", "SHORTEST"})
_SELECTING = frozenset({"ANY", "ALL", "SHORTEST", "PATH", "PATHS", "GROUP", "GROUPS"})
_BETWEEN_LABELS = frozenset({"|", "&", ":"})


class Patterns(Cursor):
    """Reads patterns."""

    _bars = True  # whether a | after a label goes on with labels: not where it ends a comprehension's filter

    def pattern(self) -> Part:
        """Read `name = selector (a)-[…]->(b) …`."""
        begun = self.peek()
        parts = []
        if self.at_name() and self.peek(1).key == "=":
            parts.append(self._binding())
            self.expect("=")
        if self.at_one(SHORTEST):
            return Part("pattern", begun, self.peek().key, (*parts, self.shortest()))
        name = self._selector()
        return Part("pattern", begun, name, (*parts, *self._elements()))

    def _selector(self) -> str:
        if not self.at_one(_SELECTORS):
            return ""
        name = self.peek().key
        while self.at_one(_SELECTING) or self.peek().kind == "number":
            if self.take().key == "SHORTEST":
                name = "SHORTEST"
        return name

    def shortest(self) -> Part:
        """Read `shortestPath((a)-[…]-(b))`, in a MATCH or in an expression."""
        token = self.take()
        self.expect("(")
        parts = self._elements()
        self.expect(")")
        return Part("pattern", token, token.key, tuple(parts))

    def path(self) -> Part:
        """Read a pattern that stands in an expression."""
        begun = self.peek()
        return Part("pattern", begun, "", tuple(self._elements()))

    def _elements(self) -> list[Part]:
        if not self.at("("):
            raise self.unexpected("a node in round brackets")
        parts = []
        while self.at("("):
            if self.peek(1).key == "(" or (self.at_name(1) and self.peek(2).key == "="):
                parts.append(self._group())
                continue
            parts.append(self._node())
            while self.at("-") or self.at("<", "-"):
                parts.append(self._relationship())
                parts.extend(self._quantifier())
                if not self.at("("):
                    raise self.unexpected("a node in round brackets")
                if self.peek(1).key == "(":
                    break
                parts.append(self._node())
        return parts

    def _group(self) -> Part:
        token = self.expect("(")
        parts = [self.pattern()]
        if self.skip("WHERE"):
            parts.append(self.expression())
        self.expect(")")
        return Part("group", token, "", (*self._quantifier(), *parts))

    def _node(self) -> Part:
        token = self.expect("(")
        parts = self._inside()
        self.expect(")")
        return Part("node", token, "", tuple(parts))

    def _relationship(self) -> Part:
        token = self.peek()
        self.skip("<")
        self.expect("-")
        parts: list[Part] = []
        if self.skip("["):
            parts = self._inside(length=True)
            self.expect("]")
        self.expect("-")
        self.skip(">")
        return Part("relationship", token, "", tuple(parts))

    def _inside(self, *, length: bool = False) -> list[Part]:
        """Read the variable, labels, length, properties and filter of a node or relationship."""
        parts: list[Part] = []
        if self.at_name() and not self.at_filter():
            parts.append(self._binding())
        if self.at(":") or self.at("IS"):
            parts.extend(self._unbarred(bars=True))
        if length and self.at("*"):
            parts.append(self._length())
        if self.at("{"):
            parts.append(self.map())
        elif self.at("$"):
            raise self.unexpected("properties by name, as in {name: $name}")
        if self.skip("WHERE"):
            parts.append(self.expression())
        return parts

    def at_filter(self) -> bool:
        """Say whether the word here is no variable's name: `(WHERE …)`, `(IS Person)`."""
        return self.at_one(frozenset({"WHERE", "IS"})) and self.peek(1).key not in {")", "]", ":", "{"}

    def _unbarred(self, *, bars: bool) -> list[Part]:
        before, self._bars = self._bars, bars
        labels = self.labels()
        self._bars = before
        return labels

    def _binding(self) -> Part:
        token = self.take_name("a variable")
        return Part("binding", token, token.name)

    def labels(self) -> list[Part]:
        """Read `:A|B&!C`, `IS A`; return the names."""
        self.take()
        found = self._label()
        while self.at_one(_BETWEEN_LABELS) and (self._bars or not self.at("|")):
            found += self._another_label()
        return found

    def _another_label(self) -> list[Part]:
        token = self.take()
        if token.key == "|":
            self.skip(":")
            return self._label()
        return [Part("both", token), *self._label()]

    def _label(self) -> list[Part]:
        denied = self.skip("!")
        while self.skip("!"):
            pass
        if self.skip("("):
            before, self._bars = self._bars, True
            found = self._label()
            while self.at_one(_BETWEEN_LABELS):
                found += self._another_label()
            self._bars = before
            self.expect(")")
            return found
        if self.skip("%"):
            return [Part("star", self.peek())]
        if self.at("$"):
            raise self.unexpected("a label or type by its name")
        token = self.take_name("a label or type")
        return [Part("label", token, token.name), *([Part("star", token)] if denied else [])]

    def _length(self) -> Part:
        """Read `*`, `*2`, `*1..3`, `*..3`."""
        token = self.expect("*")
        low = self._number()
        if not self.skip(".."):
            return Part("length", token, low)
        return Part("length", token, self._number())

    def _quantifier(self) -> list[Part]:
        """Read `+`, `*`, `{2}`, `{1,3}` behind a relationship or a group."""
        token = self.peek()
        if self.skip("+") or self.skip("*"):
            return [Part("length", token)]
        if not self.skip("{"):
            return []
        high = self._number()
        if self.skip(","):
            high = self._number()
        self.expect("}")
        return [Part("length", token, high)]

    def _number(self) -> str:
        token: Token = self.peek()
        if token.kind != "number":
            return ""
        if not token.text.isdecimal():
            raise self.unexpected("a whole number in decimal digits")
        return self.take().text
