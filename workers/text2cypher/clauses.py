"""The clauses that read, and nothing else: what is not listed here is refused."""

from __future__ import annotations

from workers.text2cypher.expressions import Expressions
from workers.text2cypher.lexer import lex
from workers.text2cypher.syntax import Part

CLAUSES = "MATCH, OPTIONAL MATCH, WHERE, WITH, UNWIND, CALL, RETURN, ORDER BY, SKIP, LIMIT, UNION"
_PATTERNS = frozenset({"SHORTESTPATH", "ALLSHORTESTPATHS", "ANY", "ALL", "SHORTEST"})
_LIMITING = frozenset({"SKIP", "OFFSET", "LIMIT"})


def read_statement(text: str) -> Part:
    """Return the tree of an unescaped statement.

    Raises:
        CypherRefused: it has another clause, is more than one statement, or is no Cypher.
    """
    return Clauses(text, lex(text)).statement()


class Clauses(Expressions):
    """Reads clauses."""

    def statement(self) -> Part:
        """Read the whole of it."""
        query = self.query()
        self.skip(";")
        if self.peek().kind != "end":
            raise self.unexpected(f"one statement of {CLAUSES}")
        return query

    def query(self) -> Part:
        """Read clauses up to the end of the statement or of the subquery."""
        begun = self.peek()
        parts = [self._clause()]
        while self.peek().kind != "end" and not self.at("}") and not self.at(";"):
            if self.at("UNION"):
                parts.append(Part("clause", self.take(), "UNION"))
                _ = self.skip("ALL") or self.skip("DISTINCT")
            parts.append(self._clause())
        return Part("query", begun, "", tuple(parts))

    def _clause(self) -> Part:
        optional = self.at("OPTIONAL", "MATCH") or self.at("OPTIONAL", "CALL")
        if optional:
            self.take()
        match self.peek().key:
            case "MATCH":
                return self._match("OPTIONAL MATCH" if optional else "MATCH")
            case "WITH" | "RETURN":
                return self._body()
            case "UNWIND":
                return Part("clause", self.take(), "UNWIND", (self._item(),))
            case "CALL":
                return self._call()
            case "ORDER" | "SKIP" | "OFFSET" | "LIMIT":
                return Part("clause", self.peek(), "ORDER BY", tuple(self._order()))
        raise self.unexpected(f"one of {CLAUSES}")

    def _match(self, name: str) -> Part:
        token = self.expect("MATCH")
        if self.at("REPEATABLE") or self.at("DIFFERENT"):
            raise self.unexpected("a pattern")
        parts = self.list_of(self.pattern)
        if self.skip("WHERE"):
            parts.append(self.expression())
        return Part("clause", token, name, tuple(parts))

    def _body(self) -> Part:
        token = self.take()
        self.skip("DISTINCT")
        parts = self.list_of(self._item_or_star)
        parts += self._order()
        if token.key == "WITH" and self.skip("WHERE"):
            parts.append(self.expression())
        return Part("clause", token, token.key, tuple(parts))

    def _item_or_star(self) -> Part:
        if self.at("*"):
            return Part("star", self.take())
        return self._item()

    def _item(self) -> Part:
        token = self.peek()
        parts = [self.expression()]
        if self.skip("AS"):
            parts.append(self._binding())
        return Part("item", token, "", tuple(parts))

    def _order(self) -> list[Part]:
        parts: list[Part] = []
        if self.skip("ORDER"):
            self.expect("BY")
            parts += self.list_of(self._sorted)
        while self.at_one(_LIMITING):
            self.take()
            parts.append(self.expression())
        return parts

    def _sorted(self) -> Part:
        part = self.expression()
        _ = self.skip("ASC") or self.skip("ASCENDING") or self.skip("DESC") or self.skip("DESCENDING")
        return part

    def _call(self) -> Part:
        token = self.expect("CALL")
        if not (self.at("{") or self.at("(")):
            return self._procedure()
        scope = self._scope() if self.skip("(") else []
        part = self.braces("CALL")
        if self.at("IN"):
            raise self.unexpected("a subquery in the transaction of its statement")
        return Part("clause", token, "CALL", (*scope, part))

    def _scope(self) -> list[Part]:
        parts: list[Part] = []
        if self.skip("*"):
            self.expect(")")
            return parts
        while not self.skip(")"):
            name = self.take_name("a variable")
            parts.append(Part("variable", name, name.name))
            self.skip(",")
        return parts

    def _procedure(self) -> Part:
        token = self.peek()
        name = self.dotted("a procedure")
        arguments: list[Part] = []
        if self.skip("("):
            arguments = [] if self.at(")") else self.list_of(self.expression)
            self.expect(")")
        parts: list[Part] = [Part("call", token, name, tuple(arguments))]
        if self.skip("YIELD"):
            parts += self.list_of(self._item_or_star)
            if self.skip("WHERE"):
                parts.append(self.expression())
        return Part("clause", token, "CALL procedure", tuple(parts))

    def braces(self, name: str) -> Part:
        """Read a subquery; EXISTS and COUNT also take a pattern without MATCH."""
        token = self.expect("{")
        before, self._bars = self._bars, True
        if name in {"EXISTS", "COUNT"} and not self._at_clause():
            parts = self.list_of(self.pattern)
            if self.skip("WHERE"):
                parts.append(self.expression())
            inner = Part("query", token, "", (Part("clause", token, "MATCH", tuple(parts)),))
        else:
            inner = self.query()
        self._bars = before
        self.expect("}")
        return Part("subquery", token, name, (inner,))

    def _at_clause(self) -> bool:
        """Say whether a clause begins here; a pattern begins with a bracket or with `name =`."""
        return self.at_name() and self.peek(1).key != "=" and not self.at_one(_PATTERNS)
