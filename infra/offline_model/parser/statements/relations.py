"""Finds relations between entities in a statement, by the words between them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple, Protocol

from infra.offline_model.parser.statements.cast import Cast, Member
from infra.offline_model.parser.statements.cast_words import KIN, SPOUSES

# A and B are members; _ a few small words between; a pattern that ends in < tells it of B and A.
_PATTERNS: dict[str, str] = {
    "FAMILY_OF": """
        A's _ KIN, B | A _ (?:is|was|were) _ KIN of B | A, _ KIN of B | A [^«»]*(?:her|his|their) _ KIN,? B
        A and _ (?:her|his) KIN B | A (?:is|was) B's _ KIN | A (?:adopted|brought up) B
        """,
    "PARTNER_OF": """
        A _ married B | A (?:is|was|got) _ married to B | A and B (?:are|were|got) _ (?:married|betrothed)
        A's _ SPOUSE,? B | A,? (?:is |was )?_ SPOUSE of B | A [^«»]*(?:her|his) SPOUSE,? B | A _ loved B
        A _ fell in love with B | A _ (?:is|was) _ betrothed to B
        """,
    "FRIEND_OF": """
        A (?:is|was|became) _ (?:friend|ally) of B | A's _ friend,? B | A [^«»]*(?:her|his) _ friend,? B
        A and B (?:are|were|became) _ (?:friends|allies) | A _ (?:befriended|forgave) B
        A _ (?:made|makes) (?:peace|friends) with B
        """,
    "ENEMY_OF": """
        A (?:is|was|became) _ (?:enemy|rival|foe) of B | A's _ (?:enemy|rival),? B
        A and B (?:are|were|became) _ (?:enemies|rivals) | A _ (?:betrayed|fought|attacked|hated|defied) B
        A _ (?:swore revenge on|quarrelled with|fought (?:with|against)) B
        """,
    "MENTOR_OF": """
        A _ (?:taught|trained|schooled|guided) B | A (?:is|was|became) _ (?:mentor|teacher) of B
        A (?:is|was|became) _ (?:apprentice|pupil|student) of B < | A's _ (?:apprentice|pupil),? B
        """,
    "LEADER_OF": """
        A _ (?:led|leads|ruled|rules|commanded|commands|headed|governed) B
        A (?:is|was|became) _ (?:leader|captain|head|chief|king|queen|master|commander|abbot|abbess) of B
        A, _ (?:leader|captain|head|chief|king|queen|master|commander|abbot|abbess) of B
        """,
    "MEMBER_OF": """
        A _ (?:joined|joins|serves in|served in|belongs to|belonged to|enlisted in) B
        A (?:is|was|became) _ members? of B | A,? (?:who |is |was )[^«».;]{0,50}member of B
        """,
    "LIVES_IN": """
        A _ (?:lived|lives|dwelt|settled|dwells) (?:in|on|at|among|near) B
        B, where (?:[a-z]+ ){0,4}A _ (?:lived|lives|dwelt)
        """,
    "LOCATED_IN": """
        A _ (?:stands|stood|lies|lay|is|was) (?:just |close |deep )?(?:in|on|at|near|by) B | A of B
        """,
    "OWNS": """
        A _ (?:owned|owns|received|inherited|bought|was given) B | B,? (?:and )?(?:it |which )?belonged to A
        A's (?:[a-z]+ ){0,2}B | A _ (?:owner|keeper) of B
        """,
    "INTERACTS_WITH": """
        A _ (?:met|meets|visited|helped|asked|warned|thanked|nursed|rescued|told) B
        A _ (?:spoke|talked|dealt) (?:to|with) B
        """,
}
_NO_MARKS = str.maketrans({"«": '"', "»": '"'})  # of quotations: here they mark members
_GAP = r"(?:(?!(?:and|but|or|not|never|nor)\b)[a-z]+ ){0,3}?"
# The healer Greta, the kingdom of Marland.
_ARTICLE = r"(?:[Tt]he |[Aa]n? |[Hh]er |[Hh]is |[Tt]heir )?(?:[a-z]+ (?:of )?)?"


class NamedMembers(Protocol):
    """Members that a text may name; see `Cast`."""

    pattern: re.Pattern[str]

    def named(self, spelling: str) -> Member | None:
        """Return the member that a spelling names."""


class Related(NamedTuple):
    """A relation between two members."""

    source: Member
    type: str
    target: Member


class Marked(NamedTuple):
    """A statement with «0», «1» in place of its members."""

    text: str
    members: Sequence[Member]


class Stated(NamedTuple):
    """A statement of a text with its relations, event and names."""

    text: str
    related: Sequence[Related]
    event: dict[str, Any] | None  # {type, name, participants}
    members: Sequence[Member]  # whom it names, what it calls by a pronoun included
    elements: Sequence[str]  # names, dates and numbers


def marked(statement: str, cast: Cast) -> Marked:
    """Return a statement with its members marked, in the order of their places."""
    return with_marks(statement.translate(_NO_MARKS), cast)


def with_marks(plain: str, cast: NamedMembers) -> Marked:
    """Return a statement without «» with its members marked, in the order of their places."""
    members: list[Member] = []

    def mark(match: re.Match[str]) -> str:
        member = cast.named(match[0])
        if member is None:
            return match[0]
        members.append(member)
        return f"«{len(members) - 1}»"

    return Marked(cast.pattern.sub(mark, plain), members)


def relations_of(statement: Marked, types: Sequence[str]) -> Iterator[Related]:
    """Yield the relations of these types that a statement states, each once."""
    return stated_by(statement, types, _compiled)


def stated_by(
    statement: Marked, types: Sequence[str], patterns: Callable[[str], Iterable[tuple[re.Pattern[str], bool]]]
) -> Iterator[Related]:
    """Yield the relations that patterns find, each once.

    Args:
        statement: the statement to read.
        types: types of relations.
        patterns: patterns of a type: each with whether B is the source; groups a and b are marks.
    """
    seen = set()
    for kind in types:
        for pattern, turned in patterns(kind):
            for match in pattern.finditer(statement.text):
                first, second = (statement.members[int(match[group])] for group in ("a", "b"))
                related = Related(second, kind, first) if turned else Related(first, kind, second)
                triple = (related.source.name, kind, related.target.name)
                if first is not second and triple not in seen:
                    seen.add(triple)
                    yield related


@cache
def _compiled(kind: str) -> tuple[tuple[re.Pattern[str], bool], ...]:
    text = _PATTERNS.get(kind) or _by_its_name(kind)
    patterns = [pattern.strip() for line in text.splitlines() for pattern in _alternatives(line)]
    return tuple(
        (re.compile(_expanded(pattern.removesuffix("<"))), pattern.endswith("<"))
        for pattern in patterns
        if pattern
    )


def _alternatives(line: str) -> list[str]:
    return line.split(" | ")


def _by_its_name(kind: str) -> str:
    """Read OWES as "A owes B" or "A owed B", SIGNED_BY as "A signed by B"."""
    first, *rest = kind.casefold().split("_")
    stem = re.escape(first.removesuffix("s").removesuffix("e"))
    verb = " ".join([rf"{stem}(?:e?s|e?d|e|ing)?", *map(re.escape, rest)])
    return f"A _ {verb} B"


def _expanded(pattern: str) -> str:
    """Expand a pattern to a regular expression."""
    parts = re.split(r"(\bA\b|\bB\b|(?<![\w])_ |\bKIN\b|\bSPOUSE\b)", pattern.strip())
    known = {
        "A": r"«(?P<a>\d+)»",
        "B": rf"{_ARTICLE}«(?P<b>\d+)»",
        "_ ": _GAP,
        "KIN": f"(?:{'|'.join(sorted(KIN))})",
        "SPOUSE": f"(?:{'|'.join(sorted(SPOUSES))})",
    }
    expression = "".join(known.get(part, part) for part in parts)
    return expression.replace("»'s", "»['’]s?").replace("), ", "),? ")
