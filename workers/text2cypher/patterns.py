"""Parses Cypher patterns (nodes, relationships, paths) and limits their length."""

from __future__ import annotations

from workers.text2cypher.cursor import Cursor
from workers.text2cypher.syntax import Part, words

SHORTEST = words("SHORTESTPATH ALLSHORTESTPATHS")
_SELECTING = words("ANY ALL SHORTEST PATH PATHS GROUP GROUPS")
_MOST_LABELS = 12  # in one place


class Patterns(Cursor):
    """Reads patterns."""

    def pattern(self) -> Part:
        """Read `name = (a)-[…]->(b) …` or `name = shortestPath((a)-[…]-(b))`; refuse `ANY (a)-[…]-(b)`."""
        begun = self.peek()
        parts = []
        if self.at_name() and self.peek(1).key == "=":
            parts.append(self.named("binding", "a variable"))
            self.expect("=")
        if self.at_one(SHORTEST):
            self.take()
            self.expect("(")
            parts += self.path().parts
            self.expect(")")
            return Part("pattern", begun, "SHORTEST", tuple(parts), self.behind)
        self._refuse_selector()
        parts += self.path().parts
        return Part("pattern", begun, "", tuple(parts), self.behind)

    def _refuse_selector(self) -> None:
        """Refuse `ANY SHORTEST`, `SHORTEST 2 PATHS` and the like, where it is there.

        The server goes through all ways that one selects from without looking at the clock, or at whether it
        was told to end: over a clique of 40 nodes for 6 to 20 seconds longer, with a bound of 4 as well. Over
        one collection it would also select before it looks at conditions on the path.
        """
        begun, keys = self.peek(), list[str]()
        while self.at_one(_SELECTING) or (keys and self.peek().kind == "number"):
            keys.append(self.take().text.upper())
        if keys:
            allowed = "shortestPath(…), allShortestPaths(…)"
            raise self.refused(f"{' '.join(keys)} before a path", allowed, begun)

    def path(self) -> Part:
        """Read nodes with relationships between them."""
        begun = self.peek()
        parts = [self._node()]
        while self.at("-") or self.at("<", "-"):
            parts += [self._relationship(), self._node()]
        return Part("pattern", begun, "", tuple(parts), self.behind)

    def _node(self) -> Part:
        if not self.at("(") or self.peek(1).key == "(":
            raise self.unexpected("a node in round brackets")
        token = self.take()
        parts = self._inside()
        self.expect(")")
        return Part("node", token, "", tuple(parts))

    def _relationship(self) -> Part:
        token = self.peek()
        self.skip("<")
        self.expect("-")
        opened, parts = self.behind, list[Part]()
        if self.skip("["):
            opened = self.behind
            parts = self._inside(between=True)
            self.expect("]")
        self.expect("-")
        self.skip(">")
        return Part("relationship", token, "", (*parts, *self._quantifier()), opened)

    def _inside(self, *, between: bool = False) -> list[Part]:
        """Read the variable, labels, length, properties and filter of a node or relationship."""
        parts = [self.named("binding", "a variable")] if self.at_name() else []
        if self.at(":"):
            parts += self.labels(choice=True)
        if between and self.at("*"):
            parts.append(self._length())
        if self.at("{"):
            parts.append(self.map())
        elif self.at("$"):
            raise self.unexpected("properties by name, as in {name: $name}")
        return parts + self.where()

    def labels(self, *, choice: bool = False) -> list[Part]:
        """Read `:A`, `:A&!B`, `:A:B`, and, as a choice, `:A|B`."""
        self.expect(":")
        parts = self._label()
        marks = {"|"} if choice and self.at("|") else {"&", ":"}
        if "|" in marks:
            parts.append(Part("choice", self.peek()))
        while self.peek().key in marks:
            if len(parts) > _MOST_LABELS:
                raise self.refused("labels that can be met in too many ways", f"{_MOST_LABELS} labels")
            if self.take().key == "|":
                self.skip(":")
            parts += self._label()
        return parts

    def _label(self) -> list[Part]:
        token = self.peek()
        denied = [Part("denied", token)] if self.skip("!") else []
        return [self.named("label", "a label or type, joined by | or by &"), *denied]

    def _length(self) -> Part:
        """Read `*`, `*2`, `*1..3`, `*..3`."""
        token = self.expect("*")
        low = self._number()
        return Part("length", token, self._number() if self.skip("..") else low)

    def _quantifier(self) -> list[Part]:
        """Read `+`, `*`, `{2}`, `{1,3}` behind a relationship."""
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
        if self.peek().kind != "number":
            return ""
        if not self.peek().text.isdecimal():
            raise self.unexpected("a whole number in decimal digits")
        return self.take().text
