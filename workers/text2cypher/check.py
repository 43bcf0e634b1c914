"""Checks whether a model-written Cypher statement may be sent to the server."""

from __future__ import annotations

from workers.text2cypher.boundary import Boundary, bounded
from workers.text2cypher.clauses import read_statement
from workers.text2cypher.functions import check_calls
from workers.text2cypher.growth import check_growth
from workers.text2cypher.lexer import lex, refusal, unescaped
from workers.text2cypher.limits import check_length, check_shape, check_tokens
from workers.text2cypher.names import GraphNames, check_names

_MOST_KEPT = 16_000  # characters of a statement with its conditions


def checked(text: str, names: GraphNames | None = None, boundary: Boundary | None = None) -> str:
    """Return the statement that may run: the one given, its Unicode escapes replaced.

    What comes back is what was checked; run it and not what was given. It says nothing of whether the
    statement is true to the question, and leaves to the server what only the server can judge: its plan,
    its time, its rows. Parameters stay parameters.

    Args:
        text: one statement, without fences (`unfenced`).
        names: of the graph; None leaves them unchecked.
        boundary: the part of the graph that it may see, the names being this part's; what comes back is
            rewritten to keep to it, and is run with the boundary's parameters. None: all of the graph.

    Raises:
        CypherRefused: too long, too deep or too large; what the grammar or the list of functions does not
            have; what may grow; names that the graph does not have; what cannot be kept to the boundary. It
            says what, where, and what is allowed. Nothing else is raised, whatever the text.
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
        raise refusal(plain, 0, "too many conditions on long patterns", "fewer of either")
    return kept
