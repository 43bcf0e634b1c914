"""Connections to a real Neo4j beside which something else happens, or which tell only what they are asked."""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from workers.adapters.neo4j.connection import Connection, Row

Reply = TypeVar("Reply")


class Beside:
    """Does something each time before a query of some name is run, and notes the names of all that ran.

    Args:
        connection: that runs them.
        before: what is done, by the name of the query.
    """

    def __init__(self, connection: Connection, **before: Callable[[], object]) -> None:
        self._connection = connection
        self.before = before
        self.ran: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def _note(self, query: str) -> None:
        self.ran.append(query)
        if query in self.before:
            self.before[query]()

    def run(self, query: str, /, **parameters: Any) -> list[Row]:
        self._note(query)
        return self._connection.run(query, **parameters)

    def run_text(self, name: str, text: str, seconds: float | None = None, /, **parameters: Any) -> list[Row]:
        self._note(name)
        return self._connection.run_text(name, text, seconds, **parameters)

    def run_marked(self, query: str, /, **parameters: Any) -> tuple[list[Row], str]:
        self._note(query)
        return self._connection.run_marked(query, **parameters)

    def stream(self, query: str, seconds: float, mark: str, /, **parameters: Any) -> Iterator[list[Any]]:
        self._note(query)
        yield from self._connection.stream(query, seconds, mark, **parameters)

    def together(self, name: str, work: Callable[..., Reply]) -> Reply:
        self._note(name)
        return self._connection.together(name, work)


class Steady(Beside):
    """Takes the database for unchanged, whatever others write to it, until a test says otherwise."""

    def __init__(self, connection: Connection, **before: Callable[[], object]) -> None:
        super().__init__(connection, **before)
        self.state = 1

    def mark(self) -> str:
        return str(self.state)

    def run_marked(self, query: str, /, **parameters: Any) -> tuple[list[Row], str]:
        return self.run(query, **parameters), self.mark()

    def stream(self, query: str, seconds: float, _mark: str, /, **parameters: Any) -> Iterator[list[Any]]:
        yield from super().stream(query, seconds, "", **parameters)
