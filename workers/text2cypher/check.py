"""Checks whether a model-written Cypher statement may be sent: read-only clauses and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from workers.text2cypher.boundary import Boundary, bounded
from workers.text2cypher.expressions import Expressions
from workers.text2cypher.functions import check_calls
from workers.text2cypher.growth import check_growth
from workers.text2cypher.lexer import Token, lex, refusal, unescaped
from workers.text2cypher.limits import check_length, check_shape, check_tokens
from workers.text2cypher.names import GraphNames, check_names
from workers.text2cypher.syntax import Part, words

_MOST_KEPT = 16_000  # characters of a statement with its conditions


def checked(text: str, names: GraphNames | None = None, boundary: Boundary | None = None) -> str:
    """Return the statement that may run: the one given, its Unicode escapes replaced.

    Run the returned statement, which was checked, not the given one. The check does not judge whether the
    statement answers the question, and leaves plan, time and rows to the server. Parameters stay parameters.

    Args:
        text: one statement, without fences (`unfenced`).
        names: names of the graph; None leaves them unchecked.
        boundary: the part of the graph that it may see, with its names; the returned statement is rewritten
            to stay within it, and must run with the boundary's parameters. None: the whole graph.

    Raises:
        CypherRefused: it is too long, too deep or too large; is outside the grammar or the list of functions;
            may grow; uses unknown names; or cannot be confined to the boundary. The message says what, where,
            and what is allowed. No other error is raised, whatever the text.
    """
    check_length(text)
    plain = unescaped(text)
    tokens = lex(plain)
    check_tokens(plain, tokens)
    statement = read_statement(plain, tokens)
    check_shape(plain, statement)
    check_calls(plain, statement)
    check_growth(plain, statement)
    if names is not None:
        check_names(plain, statement, names)
    if boundary is None:
        return plain
    kept = bounded(plain, statement, boundary)
    if len(kept) > _MOST_KEPT:
        raise refusal(
            plain, 0, "too many conditions on long patterns", "fewer conditions, or shorter patterns"
        )
    return kept


CLAUSES = "MATCH, OPTIONAL MATCH, WHERE, WITH, UNWIND, CALL, RETURN, ORDER BY, SKIP, LIMIT, UNION"
_MOST_CLAUSES = 40
_PATTERNS = words("SHORTESTPATH ALLSHORTESTPATHS ANY ALL SHORTEST")
_LIMITING = words("SKIP OFFSET LIMIT")
_DIRECTIONS = words("ASC ASCENDING DESC DESCENDING")


def read_statement(text: str, tokens: Sequence[Token]) -> Part:
    """Return the tree of an unescaped statement.

    Raises:
        CypherRefused: it has another clause, is more than one statement, or is no Cypher.
    """
    return Clauses(text, tokens).statement()


class Clauses(Expressions):
    """Reads clauses."""

    _clauses = 0

    def statement(self) -> Part:
        """Read the whole of it."""
        query = self.query()
        self.skip(";")
        if self.peek().kind != "end":
            raise self.unexpected(f"one statement of {CLAUSES}, and nothing else")
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
        self._clauses += 1
        if self._clauses > _MOST_CLAUSES:
            raise self.refused("too many clauses", f"{_MOST_CLAUSES}")
        if self.at("OPTIONAL", "MATCH"):
            self.take()
            return self._match("OPTIONAL MATCH")
        match self.peek().key:
            case "MATCH":
                return self._match("MATCH")
            case "WITH" | "RETURN":
                return self._projection()
            case "UNWIND":
                return Part("clause", self.take(), "UNWIND", (self._item(),))
            case "CALL":
                return self._call()
        raise self.unexpected(f"one of {CLAUSES}")

    def _match(self, name: str) -> Part:
        token = self.expect("MATCH")
        parts = [*self.list_of(self.pattern), *self.where()]
        return Part("clause", token, name, tuple(parts))

    def _projection(self) -> Part:
        token = self.take()
        self.skip("DISTINCT")
        parts = [*self.list_of(self._item_or_star), *self._order()]
        if token.key == "WITH":
            parts += self.where()
        return Part("clause", token, token.key, tuple(parts))

    def _item_or_star(self) -> Part:
        return Part("star", self.take()) if self.at("*") else self._item()

    def _item(self) -> Part:
        token = self.peek()
        parts = [self.expression()]
        if self.skip("AS"):
            parts.append(self.named("binding", "a variable"))
        return Part("item", token, "", tuple(parts))

    def _order(self) -> list[Part]:
        token, parts = self.peek(), list[Part]()
        if self.skip("ORDER"):
            self.expect("BY")
            parts += self.list_of(self._sorted)
        while self.at_one(_LIMITING):
            self.take()
            parts.append(self.expression())
        return [Part("order", token, "", tuple(parts))] if parts else []

    def _sorted(self) -> Part:
        part = self.expression()
        if self.at_one(_DIRECTIONS):
            self.take()
        return part

    def _call(self) -> Part:
        token = self.expect("CALL")
        if not (self.at("{") or self.at("(")):
            return self._procedure(token)
        if self.skip("(") and not self.skip("*", ")"):
            self.list_of(lambda: self.named("variable", "a variable"), ")")
        part = self.braces("CALL")
        if self.at("IN"):
            raise self.unexpected("a subquery without a transaction of its own")
        return Part("clause", token, "CALL", (part,))

    def _procedure(self, token: Token) -> Part:
        named = self.peek()
        name = self.dotted("a procedure")
        arguments = self.list_of(self.expression, ")") if self.skip("(") else []
        parts: list[Part] = [Part("call", named, name, tuple(arguments))]
        if self.skip("YIELD"):
            parts += [*self.list_of(self._item_or_star), *self.where()]
        return Part("clause", token, "CALL procedure", tuple(parts))

    def braces(self, name: str) -> Part:
        """Read a subquery; EXISTS and COUNT also take a pattern without MATCH."""
        token = self.expect("{")
        if name in {"EXISTS", "COUNT"} and not self._at_clause():
            parts = [*self.list_of(self.pattern), *self.where()]
            inner = Part("query", token, "", (Part("clause", token, "MATCH", tuple(parts)),))
        else:
            inner = self.query()
        self.expect("}")
        return Part("subquery", token, name, (inner,))

    def _at_clause(self) -> bool:
        """Return whether a clause begins here; a pattern begins with a bracket or with `name =`."""
        return self.at_name() and self.peek(1).key != "=" and not self.at_one(_PATTERNS)
