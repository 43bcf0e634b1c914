"""Parses Cypher expressions by the precedence of Neo4j 5's grammar, and patterns, whose length is bounded."""

from __future__ import annotations

from workers.text2cypher.cursor import Cursor
from workers.text2cypher.functions import instead_of
from workers.text2cypher.lexer import Token
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
        """Refuse path selectors such as `ANY SHORTEST` and `SHORTEST 2 PATHS`.

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
                raise self.refused("labels that can match in too many ways", f"{_MOST_LABELS} labels")
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
        """Read a quantifier after a relationship: `+`, `*`, `{2}`, `{1,3}`."""
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


_COMPARED = words("= <> < > <= >=")
_LEVELS = {"OR": 1, "XOR": 2, "AND": 3, **dict.fromkeys(_COMPARED, 5)}
_LEVELS |= dict.fromkeys(("=~", "IN", "CONTAINS", "STARTS", "ENDS", "IS"), 6)
_LEVELS |= {"+": 7, "-": 7, "||": 7, "*": 8, "/": 8, "%": 8, "^": 9}
_NOT = 4
_CONSTANTS = words("NULL TRUE FALSE INF INFINITY NAN")
_SUBQUERIES = words("EXISTS COUNT COLLECT")
_OF_EACH = words("ALL ANY NONE SINGLE")
_MOST_STEPS = 6  # properties and indexes behind one value


class Expressions(Patterns):
    """Reads expressions."""

    def expression(self, least: int = 1) -> Part:
        """Read an expression whose operators bind at least this tightly."""
        left = self._operand()
        while (level := _LEVELS.get(self.peek().key, 0)) >= least:
            token = self.take()
            if token.key == "IS":
                self.skip("NOT")
                self.expect("NULL")
                left = Part("operation", token, "IS", (left,))
                continue
            if token.key in {"STARTS", "ENDS"}:
                self.expect("WITH")
            left = Part("operation", token, token.key, (left, self.expression(level + 1)))
        return left

    def _operand(self) -> Part:
        token = self.peek()
        if self.skip("NOT"):
            while self.skip("NOT"):
                pass
            return Part("operation", token, "NOT", (self.expression(_NOT),))
        if self.skip("+") or self.skip("-"):
            return Part("operation", token, "sign", (self._postfixed(),))
        return self._postfixed()

    def _postfixed(self) -> Part:
        part = self._atom()
        for _ in range(_MOST_STEPS + 1):
            token = self.peek()
            if self.skip("."):
                name = self.take_name("a property")
                part = Part("property", name, name.name, (part,))
            elif self.skip("["):
                part = self._indexed(token, part)
            elif self.at(":"):
                return Part("operation", token, "IS", (part, *self.labels()))
            else:
                return part
        raise self.refused("too long a chain of properties and indexes", f"{_MOST_STEPS}")

    def _indexed(self, token: Token, part: Part) -> Part:
        places = [] if self.at("..") else [self.expression()]
        is_slice = self.skip("..")
        if is_slice and not self.at("]"):
            places.append(self.expression())
        self.expect("]")
        return Part("slice" if is_slice else "index", token, "", (part, *places))

    def _atom(self) -> Part:
        token = self.peek()
        if token.kind in {"string", "number"}:
            return Part("literal", self.take(), token.kind)
        read = {"(": self._bracketed, "[": self._square, "{": self.map, "$": self._parameter}.get(token.key)
        if read is None and not self.at_name():
            raise self.unexpected("an expression")
        return (read or self._named)()

    def _bracketed(self) -> Part:
        if self.at_path():
            return self.path()
        self.expect("(")
        part = self.expression()
        self.expect(")")
        return part

    def _parameter(self) -> Part:
        self.expect("$")
        return self.named("parameter", "the name of a parameter")

    def _named(self) -> Part:
        """Read what begins with a word: a constant, a subquery, a call, a variable."""
        token, following = self.peek(), self.peek(1).key
        if token.key == "CASE" and following not in {".", ",", ")"}:
            return self._case()
        if token.key in _CONSTANTS and following not in {".", "("}:
            return Part("literal", self.take(), token.key)
        if token.key in _SUBQUERIES and following == "{":
            self.take()
            return self.braces(token.key)
        if token.key in SHORTEST and following == "(":
            raise self.unexpected("MATCH path = shortestPath(…)")
        if token.key in _OF_EACH and following == "(" and self.at_name(2) and self.peek(3).key == "IN":
            self.take()
            return self._each(token, "(", ")")
        return self._call_or_variable()

    def _call_or_variable(self) -> Part:
        ahead = 1
        while self.peek(ahead).key == "." and self.at_name(ahead + 1):
            ahead += 2
        if self.peek(ahead).key == "(":
            return self.call()
        variable = self.named("variable", "a variable")
        if not self.at("{"):
            return variable
        token = self.take()
        return Part(
            "projection", token, "", (variable, *self.list_of(lambda: self._projected(variable), "}"))
        )

    def call(self) -> Part:
        """Read the name of a function and its arguments."""
        token = self.peek()
        name = self.dotted("a function")
        if self.peek(2).key == "=":  # its first argument gives a name: no other function has such
            raise self.refused(f"the function {name}", instead_of(name), token)
        self.expect("(")
        self.skip("DISTINCT")
        if self.at("*", ")"):
            parts = [Part("star", self.take())]
            self.expect(")")
        else:
            parts = self.list_of(self.expression, ")")
        return Part("call", token, name, tuple(parts))

    def dotted(self, what: str) -> str:
        """Read a name with its namespace."""
        names = [self.take_name(what).name]
        while self.skip("."):
            names.append(self.take_name(what).name)
        return ".".join(names)

    def _square(self) -> Part:
        """Read what begins with a square bracket: a comprehension of a list or of paths, or a list."""
        if self.at_name(1) and self.peek(2).key == "IN":
            return self._each(self.peek(), "[", "]")
        token = self.expect("[")
        if not (self.at("(") and self.at_path()) and not (self.at_name() and self.peek(1).key == "="):
            return Part("list", token, "", tuple(self.list_of(self.expression, "]")))
        parts = [self.pattern(), *self.where()]
        self.expect("|")
        parts.append(self.expression())
        self.expect("]")
        return Part("along", token, "", tuple(parts))

    def _each(self, token: Token, opening: str, closing: str) -> Part:
        """Read `[x IN list WHERE … | …]`, or the same in round brackets."""
        self.expect(opening)
        parts = [self.named("binding", "a variable")]
        self.expect("IN")
        parts += [self.expression(), *self.where()]
        if opening == "[" and self.skip("|"):
            parts.append(self.expression())
        self.expect(closing)
        return Part("each", token, token.key, tuple(parts))

    def map(self) -> Part:
        """Read `{name: value, …}`."""
        token = self.expect("{")
        return Part("map", token, "", tuple(self.list_of(self._entry, "}")))

    def _entry(self) -> Part:
        token = self.take_name("a key")
        self.expect(":")
        return Part("entry", token, token.name, (self.expression(),))

    def _projected(self, variable: Part) -> Part:
        """Read one of `person {.name, .*, age: …, other}`."""
        if not self.skip("."):
            if self.peek(1).key == ":":
                return self._entry()
            return self.named("variable", "a property or a variable")
        if self.at("*"):
            return Part("star", self.take(), "", (variable,))
        token = self.take_name("a property")
        return Part("property", token, token.name, (variable,))

    def _case(self) -> Part:
        token = self.expect("CASE")
        parts = [] if self.at("WHEN") else [self.expression()]
        while self.skip("WHEN"):
            if self.at_one(_COMPARED):  # CASE value WHEN > 3 THEN …
                self.take()
            parts.append(self.expression())
            parts.append(self._value("THEN"))
        if self.at("ELSE"):
            parts.append(self._value("ELSE"))
        self.expect("END")
        return Part("case", token, "", tuple(parts))

    def _value(self, keyword: str) -> Part:
        return Part("value", self.expect(keyword), "", (self.expression(),))
