"""Expressions, by the precedence of Neo4j 5's grammar."""

from __future__ import annotations

from workers.text2cypher.lexer import Token
from workers.text2cypher.lists import Lists
from workers.text2cypher.patterns import SHORTEST
from workers.text2cypher.syntax import Part, words

_COMPARED = dict.fromkeys(("=", "<>", "!=", "<", ">", "<=", ">="), 5)
_TESTED = dict.fromkeys(("=~", "IN", "CONTAINS", "STARTS", "ENDS", "IS", "::"), 6)
_SUMMED = dict.fromkeys(("+", "-", "||"), 7)
_LEVELS = {"OR": 1, "XOR": 2, "AND": 3, **_COMPARED, **_TESTED, **_SUMMED, "*": 8, "/": 8, "%": 8, "^": 9}
_NOT = 4
_CONSTANTS = frozenset({"NULL", "TRUE", "FALSE", "INF", "INFINITY", "NAN"})
_SUBQUERIES = frozenset({"EXISTS", "COUNT", "COLLECT"})
_TESTS_OF_EACH = frozenset({"ALL", "ANY", "NONE", "SINGLE"})
_WHEN = frozenset({*_COMPARED, "=~", "STARTS", "ENDS", "IS", "::"})
_FORMS = frozenset({"NFC", "NFD", "NFKC", "NFKD"})
_NO_LABELS = frozenset({"NOT", "NULL", "TYPED", "::", "NORMALIZED", *_FORMS})
_TYPES = words(
    "NOTHING NULL BOOL BOOLEAN VARCHAR STRING INT SIGNED INTEGER FLOAT DATE LOCAL ZONED TIME DATETIME WITHOUT"
    " TIMEZONE ZONE TIMESTAMP DURATION POINT NODE VERTEX RELATIONSHIP EDGE MAP LIST ARRAY PATH PATHS PROPERTY"
    " VALUE ANY NOT"
)


class Expressions(Lists):
    """Reads expressions."""

    def expression(self, least: int = 1) -> Part:
        """Read an expression whose operators bind at least this tightly."""
        left = self._operand()
        while (level := _LEVELS.get(self.peek().key, 0)) >= least:
            token = self.take()
            if token.key in {"IS", "::"}:
                left = self._test(left, token)
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

    def _test(self, left: Part, token: Token) -> Part:
        """Read what follows IS or `::`: null, a type, a normal form, a label."""
        if token.key == "IS" and not self.at_one(_NO_LABELS):
            self._at -= 1
            return Part("operation", token, "IS", (left, *self.labels()))
        self.skip("NOT")
        if self.at_one(_FORMS):
            self.take()
        if not (self.skip("NULL") or self.skip("NORMALIZED")):
            _ = self.skip("TYPED") or self.skip("::")
            self._type()
        return Part("operation", token, "IS", (left,))

    def _type(self) -> None:
        if not self.at_one(_TYPES):
            raise self.unexpected("the name of a type")
        while self.at_one(_TYPES) or self.at("|"):
            listed = self.take().key in {"LIST", "ARRAY", "VALUE"}
            if listed and self.skip("<"):
                self._type()
                self.expect(">")

    def _postfixed(self) -> Part:
        part = self._atom()
        while True:
            token = self.peek()
            if self.skip("."):
                name = self.take_name("a property")
                part = Part("property", name, name.name, (part,))
            elif self.skip("["):
                part = Part("index", token, "", (part, *self._indices()))
            elif self.at(":"):
                part = Part("operation", token, "IS", (part, *self.labels()))
            else:
                return part

    def _indices(self) -> list[Part]:
        found = []
        if not self.at(".."):
            found.append(self.expression())
        if self.skip("..") and not self.at("]"):
            found.append(self.expression())
        self.expect("]")
        return found

    def _atom(self) -> Part:
        token = self.peek()
        if token.kind in {"string", "number"}:
            return Part("literal", self.take(), token.kind)
        match token.key:
            case "(":
                return self.path() if self.at_pattern() else self._bracketed()
            case "[":
                return self.square()
            case "{":
                return self.map()
            case "$":
                return self._parameter()
        if not self.at_name():
            raise self.unexpected("an expression")
        return self._named()

    def _bracketed(self) -> Part:
        self.expect("(")
        before, self._bars = self._bars, True
        part = self.expression()
        self._bars = before
        self.expect(")")
        return part

    def _parameter(self) -> Part:
        token = self.expect("$")
        if not self.at_name() and self.peek().kind != "number":
            raise self.unexpected("the name of a parameter")
        return Part("parameter", token, self.take().name)

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
        if following == "(":
            special = self._special(token)
            if special is not None:
                return special
        return self._call_or_variable()

    def _special(self, token: Token) -> Part | None:
        """Read what looks like a call of a function, and is none."""
        if token.key in SHORTEST:
            return self.shortest()
        if token.key in _TESTS_OF_EACH and self.at_name(2) and self.peek(3).key == "IN":
            self.take()
            return self.each(token, "(", ")")
        if token.key == "REDUCE":
            return self.reduce()
        if token.key == "TRIM":
            return self._trim()
        return None

    def _call_or_variable(self) -> Part:
        ahead = 1
        while self.peek(ahead).key == "." and self.at_name(ahead + 1):
            ahead += 2
        token = self.peek()
        if self.peek(ahead).key == "(":
            return self.call()
        self.take()
        variable = Part("variable", token, token.name)
        return self.projection(variable) if self.at("{") else variable

    def call(self) -> Part:
        """Read the name of a function and its arguments."""
        token = self.peek()
        name = self.dotted("a function")
        self.expect("(")
        before, self._bars = self._bars, True
        self.skip("DISTINCT")
        parts = []
        if self.at("*", ")"):
            parts = [Part("star", self.take())]
        elif not self.at(")"):
            parts = self.list_of(self.expression)
        self._bars = before
        self.expect(")")
        return Part("call", token, name, tuple(parts))

    def dotted(self, what: str) -> str:
        """Read a name with its namespace."""
        names = [self.take_name(what).name]
        while self.skip("."):
            names.append(self.take_name(what).name)
        return ".".join(names)

    def _trim(self) -> Part:
        token = self.take()
        self.expect("(")
        _ = self.skip("BOTH") or self.skip("LEADING") or self.skip("TRAILING")
        parts = [] if self.at("FROM") else [self.expression()]
        if self.skip("FROM"):
            parts.append(self.expression())
        if self.skip(","):
            parts.append(self.expression())
        self.expect(")")
        return Part("call", token, "trim", tuple(parts))

    def _case(self) -> Part:
        token = self.expect("CASE")
        parts = [] if self.at("WHEN") else [self.expression()]
        while True:
            self.expect("WHEN")
            parts += self.list_of(self._when)
            self.expect("THEN")
            parts.append(self.expression())
            if not self.at("WHEN"):
                break
        if self.skip("ELSE"):
            parts.append(self.expression())
        self.expect("END")
        return Part("case", token, "", tuple(parts))

    def _when(self) -> Part:
        if not self.at_one(_WHEN):
            return self.expression()
        token = self.take()
        nothing = Part("star", token)
        if token.key in {"IS", "::"}:
            return self._test(nothing, token)
        if token.key in {"STARTS", "ENDS"}:
            self.expect("WITH")
        return Part("operation", token, token.key, (nothing, self.expression(_NOT + 1)))
