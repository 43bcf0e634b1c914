"""Admits only regular expressions that run in time linear in the text."""

from __future__ import annotations

import re

# Characters, classes of characters, ends, and a choice between whole expressions: nothing that a matcher
# could try in several ways. Brackets would make a choice of choices.
_FLAG = r"\(\?i\)"
_ONE = r"[^\\()\[\]{}*+?|]|\\[dDsSwWbB]|\\[^\w\s]|\[\^?(?:[^\\\[\]&]|\\[dDsSwW]|\\[^\w\s])+\]"
_PLAIN = re.compile(rf"(?:{_FLAG})?(?:{_ONE})*(?:\|(?:{_ONE})*)*", re.DOTALL)
_REPEATED = re.compile(r"(?<!\\)[*+{]|(?<!\\)(?<!\()\?")


def fault_of(literal: str) -> str:
    """Return why a regular expression is refused, empty if it is not.

    Args:
        literal: as it stands in the statement, with its quotes.
    """
    pattern = re.sub(r"\\(.)", r"\1", literal[1:-1], flags=re.DOTALL)
    if _PLAIN.fullmatch(pattern):
        return ""
    return "a repetition" if _REPEATED.search(pattern) else "brackets, a back-reference or a look around"
