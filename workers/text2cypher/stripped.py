"""The statement within a model's reply."""

from __future__ import annotations

import re

_FENCED = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n`]*\n(.*?)^[ \t]*\1", re.DOTALL | re.MULTILINE)
_ONE_LINE = re.compile(r"```(?:cypher\b|sql\b)?(.+?)```", re.DOTALL | re.IGNORECASE)
_CLAUSE = re.compile(
    r"^[ \t]*(?:(?:cypher|query|answer)[ \t]*:[ \t]*)?"
    r"(?=(?:OPTIONAL[ \t]+MATCH|MATCH|WITH|UNWIND|RETURN|CALL)\b[ \t]*(?:[(\[{$'\"`*\w]|\r?$))",
    re.IGNORECASE | re.MULTILINE,
)
_KEYWORD = re.compile(r"OPTIONAL[ \t]+MATCH|MATCH|WITH|UNWIND|RETURN|CALL", re.IGNORECASE)
_PROSE_AFTER = re.compile(r"\n[ \t]*\n[ \t]*(?=[A-Z][a-z]+\b[^\n(]*[.:!]?[ \t]*(?:\n|$))")


def stripped(reply: str) -> str:
    """Return the statement of a reply: without a fence, and without the prose before and after it.

    Of several fenced blocks it is the first that has a clause. What has neither fence nor prose comes back
    as it is, without the white space around it.
    """
    blocks = [found[2] for found in _FENCED.finditer(reply)] or [
        found[1] for found in _ONE_LINE.finditer(reply)
    ]
    for block in blocks:
        if _KEYWORD.search(block):
            return block.strip()
    text = re.sub(r"^[ \t]*(?:`{3,}|~{3,})\w*[ \t]*$", "", reply, flags=re.MULTILINE)  # a fence left open
    text = text.strip()
    if text.startswith("`") and text.endswith("`") and text.count("`") == 2:  # noqa: PLR2004 - one pair
        text = text[1:-1].strip()
    return _without_prose(text)


def _without_prose(text: str) -> str:
    first = _KEYWORD.match(text)
    if first is None or first[0].istitle():  # "With pleasure" is how prose begins
        begun = [found.end() for found in _CLAUSE.finditer(text)]
        capital = [at for at in begun if _KEYWORD.match(text, at)[0].isupper()]  # type: ignore[index]
        at = next(iter(capital or begun), 0)
        text = text[at:]  # without any clause it is refused for what it is
    prose = _PROSE_AFTER.search(text)
    return (text[: prose.start()] if prose else text).strip()
