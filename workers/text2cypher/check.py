"""Whether a statement that a model wrote may be shown to the server at all."""

from __future__ import annotations

from workers.text2cypher.clauses import read_statement
from workers.text2cypher.functions import check_calls
from workers.text2cypher.growth import check_growth
from workers.text2cypher.lexer import lex, unescaped
from workers.text2cypher.limits import check_length, check_shape, check_tokens
from workers.text2cypher.names import GraphNames, check_names


def checked(text: str, names: GraphNames | None = None) -> str:
    """Return the statement that may run: the one given, its Unicode escapes replaced.

    What comes back is what was checked; run it and not what was given. It says nothing of whether the
    statement is true to the question, and leaves to the server what only the server can judge: its plan,
    its time, its rows. Parameters stay parameters.

    Args:
        text: one statement, without fences (`unfenced`).
        names: of the graph; None leaves them unchecked.

    Raises:
        CypherRefused: too long, too deep or too large; what the grammar or the list of functions does not
            have; what may grow; names that the graph does not have. It says what, where, and what is
            allowed. Nothing else is raised, whatever the text.
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
    return plain
