"""Statements drawn at random: Cypher that reads, and what lies beside it, as growth and writes do."""

from collections.abc import Callable, Iterator
from itertools import count
from random import Random

LABELS = ("Movie", "Person", "Long", "Nobody")
TYPES = ("ACTED_IN", "DIRECTED", "REVIEWED", "FOLLOWS", "WROTE|PRODUCED")
PROPERTIES = ("title", "name", "born", "released", "tagline", "roles", "rating", "text", "numbers", "words")
LITERALS = [
    *("1", "0", "-7", "2.5", "1e300", "''", "'a'", "'Keanu Reeves'", "'aaaaaaaaaa'", "true", "null"),
    "[]",
]
ONE = [
    *("toLower", "toUpper", "size", "trim", "reverse", "head", "last", "tail", "labels", "keys"),
    *("properties", "nodes", "relationships", "length", "toString", "toInteger", "abs", "sqrt"),
    *("date", "duration", "isEmpty", "exists", "type", "id", "startNode", "elementId"),
]
TWO = [
    *("left", "right", "split", "btrim", "coalesce", "nullIf", "range", "substring", "round"),
    "point.distance",
]
SUMMED = ["count", "collect", "sum", "avg", "min", "max", "collect", "collect"]
BESIDE = [
    *("normalize", "toStringList", "vector.similarity.cosine", "apoc.text.repeat", "apoc.coll.toSet"),
    *("file", "rand", "randomUUID", "genai.vector.encode"),
]
SHORT = ["''", "'x'", "'xyz'"]  # replacements
OPERATORS = ["+", "+", "+", "||", "-", "*", "/", "%", "^"]
COMPARED = ["=", "=", "<>", "<", ">=", "IN", "CONTAINS", "STARTS WITH", "ENDS WITH"]
REGEXES = ["'.*x.*y.*z'", "'(a+)+b'", "'(?i)keanu'", "'a|b|c'", "'(a|a)(a|a)(a|a)b'", "'[a-z]*'", "'\\\\w'"]
WRITES = """
SET {v}.x = 1
DELETE {v}
DETACH DELETE {v}
REMOVE {v}.name
CREATE (:Pwned)
MERGE (:Pwned)
FOREACH (x IN [1] | SET {v}.x = x)
LOAD CSV FROM 'file:///etc/passwd' AS line
FINISH
CALL db.labels() YIELD label
CALL dbms.listConfig()
CALL apoc.util.sleep(9999)
USE system
CALL ({v}) { SET {v}.x = 1 } IN TRANSACTIONS
INSERT (:Pwned)
CALL db.createLabel('Pwned')
""".strip().splitlines()


class Statements:
    """Draws statements; the same seed draws the same.

    Args:
        seed: of the generator.
        recorded: statements of others, which are drawn with some of their words changed.
    """

    def __init__(self, seed: int, recorded: list[str]) -> None:
        self._random = Random(seed)
        self._recorded = recorded
        self._names: list[str] = []
        self._fresh = count()

    def draw(self, number: int) -> Iterator[str]:
        for _ in range(number):
            yield self._mutated() if self._random.random() < 0.15 else self._query()

    def _chance(self, share: float) -> bool:
        return self._random.random() < share

    def _mutated(self) -> str:
        words = self._random.choice(self._recorded)[:3000].split(" ")
        others = self._random.choice(self._recorded)[:3000].split(" ")
        for _ in range(self._random.randint(1, 4)):
            at = self._random.randrange(len(words))
            match self._random.randrange(4):
                case 0:
                    words[at] = self._random.choice(others)
                case 1:
                    words.insert(at, self._random.choice(others))
                case 2 if len(words) > 1:
                    del words[at]
                case _:
                    start = self._random.randrange(len(others))
                    words[at:at] = others[start : start + 6]
        return " ".join(words)

    def _query(self) -> str:
        self._names = []
        self._fresh = count()
        clauses = [self._reading()]
        kinds = (self._reading, self._with, self._with, self._unwind)
        clauses += [self._random.choice(kinds)() for _ in range(self._random.choice((0, 0, 1, 1, 2, 3, 5)))]
        if self._chance(0.05):
            clauses.append(self._random.choice(WRITES).replace("{v}", self._name()))
        clauses.append(f"RETURN {self._distinct()}{self._expression(3)} AS result{self._limit()}")
        if self._chance(0.05):
            clauses.append("UNION ALL RETURN 1 AS result")
        return " ".join(clauses)

    def _reading(self) -> str:
        if self._chance(0.15):
            return self._unwind()
        optional = "OPTIONAL " if self._chance(0.1) else ""
        patterns = ", ".join(self._pattern() for _ in range(self._random.choice((1, 1, 1, 2, 3))))
        return f"{optional}MATCH {patterns}{self._where()}"

    def _where(self) -> str:
        return f" WHERE {self._condition(2)}" if self._chance(0.4) else ""

    def _condition(self, depth: int) -> str:
        sides = (self._expression(depth - 1), self._expression(depth - 1))
        if depth > 1 and self._chance(0.3):
            return f"({self._condition(1)} {self._random.choice(('AND', 'OR', 'XOR'))} {self._condition(1)})"
        return self._random.choice(
            (
                f"{sides[0]} {self._random.choice(COMPARED)} {sides[1]}",
                f"{sides[0]} IN {self._name()}.{self._random.choice(PROPERTIES)}",
                f"toLower({self._name()}.name) CONTAINS {self._random.choice(LITERALS)}",
                f"NOT {sides[0]} IS NULL",
                f"{self._name()}:{self._random.choice(LABELS)}",
                f"any(x IN {self._stored()} WHERE x = {sides[1]})",
                f"EXISTS {{ ({self._name()})-->(:Movie) }}",
                sides[0],
            )
        )

    def _stored(self) -> str:
        names = [f"{self._name()}.{name}" for name in ("roles", "words", "numbers")]
        return self._random.choice(
            (*names, f"labels({self._name()})", f"nodes({self._name()})", "range(1, 99)")
        )

    def _limit(self) -> str:
        return f" ORDER BY {self._expression(1)} LIMIT 9" if self._chance(0.2) else ""

    def _distinct(self) -> str:
        return "DISTINCT " if self._chance(0.15) else ""

    def _unwind(self) -> str:
        source = self._random.choice((self._range, self._list, lambda: self._expression(1), self._name))()
        return f"UNWIND {source} AS {self._new()}"

    def _with(self) -> str:
        aggregated = self._chance(0.4)
        parts = [self._name() for _ in range(self._random.randint(0, 2))] if self._names else []
        made = [
            f"{self._summed()} AS {name}" if aggregated else f"{self._expression(2)} AS {name}"
            for name in (f"v{next(self._fresh)}" for _ in range(self._random.choice((1, 1, 2))))
        ]
        self._names = [*dict.fromkeys(parts), *(text.rpartition(" AS ")[2] for text in made)]
        return f"WITH {self._distinct()}{', '.join([*dict.fromkeys(parts), *made])}{self._where()}"

    def _pattern(self) -> str:
        node = self._node()
        path = node
        for _ in range(self._random.choice((0, 0, 1, 1, 2))):
            length = self._random.choice(("", "", "", "", "", "*1..3", "*..6", "*2"))
            length = self._random.choice(("*", "*1..40", "*3..")) if self._chance(0.02) else length
            kind = f":{self._random.choice(TYPES)}" if self._chance(0.6) else ""
            path += self._random.choice(("-[{}]->", "<-[{}]-", "-[{}]-")).format(kind + length) + self._node()
        if path == node or self._chance(0.7):
            return path
        shortest = self._chance(0.3)
        return f"{self._new()} = " + (f"shortestPath({path})" if shortest else path)

    def _node(self) -> str:
        name = self._name() if self._names and self._chance(0.4) else self._new()
        label = f":{self._random.choice(LABELS)}" if self._chance(0.6) else ""
        return f"({name}{label})"

    def _new(self) -> str:
        self._names.append(f"v{next(self._fresh)}")
        return self._names[-1]

    def _name(self) -> str:
        return self._random.choice(self._names[-4:]) if self._names else "1"

    def _summed(self) -> str:
        return f"{self._random.choice(SUMMED)}({self._distinct()}{self._expression(1)})"

    def _range(self) -> str:
        if self._chance(0.04):
            return self._random.choice((f"range(0, size({self._name()}) - 1)", "range(1, 1000000000)"))
        return f"range({self._random.choice((0, 1))}, {self._random.choice((1, 9, 9, 20, 999))})"

    def _list(self) -> str:
        most = self._random.choice((1, 2, 3, 8, 8, 300))
        member = self._name() if self._chance(0.5) else str(self._random.randrange(99))
        return f"[{', '.join([member] * most)}]"

    def _expression(self, depth: int) -> str:
        leaves: list[Callable[[], str]] = [
            self._name,
            lambda: f"{self._name()}.{self._random.choice(PROPERTIES)}",
            lambda: f"{self._name()}.{self._random.choice(PROPERTIES)}",
            lambda: self._random.choice(LITERALS),
        ]
        if depth == 0:
            return self._random.choice(leaves)()
        beside = self._chance(0.03)
        forms = self._beside(depth - 1) if beside else (*leaves, *leaves, *self._compound(depth - 1))
        return self._random.choice(forms)()

    def _member(self, text: str, depth: int) -> str:
        """Fill in a comprehension; its body mostly looks at its own member."""
        sources = (self._stored, self._stored, self._stored, self._range, self._list, self._name)
        source, names = self._random.choice(sources)(), self._names
        self._names = ["x"] if self._chance(0.85) else [*names, "x"]
        try:
            return text.format(source=source, body=self._expression(depth), condition=self._condition(1))
        finally:
            self._names = names

    def _beside(self, depth: int) -> list[Callable[[], str]]:
        """Return forms that are none of the language that is allowed."""

        def inner() -> str:
            return self._expression(depth)

        return [
            lambda: f"{self._random.choice(BESIDE)}({inner()}, {inner()})",
            lambda: f"{inner()} =~ {self._random.choice(REGEXES)}",
            lambda: f"replace({inner()}, {inner()}, {inner()})",
            lambda: self._member("reduce(s = 'x', x IN {source} | s + {body})", depth),
            lambda: self._member("reduce(s = 'x', x IN {source} | s + s)", depth),
        ]

    def _compound(self, depth: int) -> list[Callable[[], str]]:
        def inner() -> str:
            return self._expression(depth)

        def member(text: str) -> str:
            return self._member(text, depth)

        pick = self._random.choice
        return [
            lambda: f"{inner()} {pick(OPERATORS)} {inner()}",
            lambda: f"({inner()} {pick(OPERATORS)} {inner()})",
            lambda: f"{inner()}{' + ' + inner()}{' + ' + inner()}",
            lambda: f"{pick(ONE)}({inner()})",
            lambda: f"{pick(ONE)}({inner()})",
            lambda: f"{pick(TWO)}({inner()}, {inner()})",
            lambda: f"replace({inner()}, 'e', {pick(SHORT)})",
            lambda: f"({self._condition(1)})",
            lambda: f"CASE WHEN {inner()} THEN {inner()} ELSE {inner()} END",
            self._list,
            self._range,
            lambda: f"[{inner()}, {inner()}, {inner()}]",
            lambda: "{" + f"a: {inner()}, b: {inner()}" + "}",
            lambda: f"{self._name()} {{.name, .*, v: {inner()}}}",
            lambda: f"{inner()}[{pick((0, -1, '0..3', inner()))}]",
            lambda: member("[x IN {source} | {body}]"),
            lambda: member("[x IN {source} WHERE {condition} | {body}]"),
            lambda: member("[x IN {source} WHERE {condition}]"),
            lambda: member(f"{pick(('any', 'all', 'none', 'single'))}(x IN {{source}} WHERE {{condition}})"),
            lambda: f"COUNT {{ ({self._name()})--() }}",
            lambda: f"COLLECT {{ MATCH ({self._name()})-->(y) RETURN y.name }}",
            lambda: f"EXISTS {{ ({self._name()})-->() }}",
            lambda: f"[({self._name()})-->(y) | y.{pick(PROPERTIES)}]",
            self._summed,
        ]
