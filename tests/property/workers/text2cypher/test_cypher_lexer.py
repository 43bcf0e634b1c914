"""What holds for Cypher's tokens, whatever the text."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.core.errors import CypherRefused
from workers.text2cypher.check import checked
from workers.text2cypher.lexer import lex, significant, unescaped

_SPACES = "\t\n\v\f\r\x1c\x1d\x1e\x1f \u00a0\u1680\u2000\u2003\u2028\u2029\u202f\u205f\u3000"
_PIECES = st.sampled_from("()[]{}<>=+-*/%^,.:;|&!$'\"`\\") | st.sampled_from(
    ["//", "/*", "*/", "..", "<>", "=~", "\\u0027", "\\u000a", "MATCH", "SET", "x", "1", "名"]
)
_STATEMENTS = st.lists(st.one_of(_PIECES, st.sampled_from(_SPACES), st.text(max_size=3)), max_size=30).map(
    "".join
)
_INSIDE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="'\"`\\\r\n*/"), max_size=20)
_KEYWORD = st.sampled_from(["CREATE", "SET", "DELETE", "LOAD CSV", "MERGE", "CALL", "merge", "Remove"])


@given(_STATEMENTS)
def test_tokens_put_together_are_the_statement(text: str) -> None:
    with contextlib.suppress(CypherRefused):
        tokens = lex(text)
        assert "".join(token.text for token in tokens) == text
        assert [token.at for token in tokens] == [
            sum(len(t.text) for t in tokens[:n]) for n in range(len(tokens))
        ]


@given(_STATEMENTS)
def test_a_statement_without_escapes_stays_without(text: str) -> None:
    with contextlib.suppress(CypherRefused):
        plain = unescaped(text)
        assert unescaped(plain) == plain


@given(_STATEMENTS)
def test_the_guard_returns_or_refuses(text: str) -> None:
    with contextlib.suppress(CypherRefused):
        assert checked(text) == unescaped(text)


@given(_INSIDE, _KEYWORD, _INSIDE, st.sampled_from(["'{}'", '"{}"', "`{}`", "/*{}*/", "//{}\n", "//{}\r"]))
def test_a_keyword_within_a_text_a_quoted_name_or_a_comment_is_none(before, word, after, quotes):
    tokens = lex(f"RETURN {quotes.format(f'{before} {word} {after}')} x")
    assert [token.key for token in significant(tokens) if token.key] == ["RETURN", "X"]


@given(_KEYWORD, st.sampled_from(_SPACES), st.sampled_from(["", "/* x */", "//x\n"]))
def test_a_keyword_after_any_white_space_is_one(word: str, space: str, comment: str) -> None:
    with pytest.raises(CypherRefused):
        checked(f"MATCH (n){space}{comment}{word}{space}n")


@given(_INSIDE)
def test_a_keyword_written_in_escapes_is_one(inside: str) -> None:
    escaped = "".join(f"\\u{ord(letter):04x}" for letter in "DELETE")
    with pytest.raises(CypherRefused, match="DELETE"):
        checked(f"MATCH (n) WHERE n.x = '{inside}' {escaped} n")
