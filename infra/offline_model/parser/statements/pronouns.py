"""Resolves a pronoun to the last mentioned entity that it fits."""

from __future__ import annotations

import re

from infra.offline_model.parser.statements.cast import Cast, Member
from infra.offline_model.parser.statements.subjects import LEAD

_AT_THE_START = re.compile(
    rf"^(?P<lead>(?:{LEAD}[^,.;]{{0,40}}?,? |(?:So|But|And|Yet) )?)"
    r"(?P<word>[Hh]e|[Ss]he|[Hh]is|[Hh]er)\b(?P<rest> \w+)"
)
_INSIDE = re.compile(r"\b(?:(?<=that )|(?<=and )|(?<=but )|(?<=, ))(?P<word>he|she)\b")
_NO_POSSESSION = frozenset(("to", "in", "at", "on", "and", "with", "by", "from", "that", "when", "if", "as"))
_OBJECT = re.compile(
    r"\b(?:of|with|by|for|to|from|at|in|on|like|than) (?:the |an? |her |his )?$", re.IGNORECASE
)
_OWNS = re.compile(r"\b(?P<word>her|his)\b")
_RECENT = 5  # of those spoken of: who is known to be a she goes before one of whom it is not known


class Pronouns:
    """Tracks the subject of a text, sentence by sentence."""

    def __init__(self, cast: Cast) -> None:
        self._cast = cast
        self._spoken_of: list[Member] = []  # the last one last

    @property
    def last(self) -> Member | None:
        """Whom a sentence spoke of last, as its subject."""
        return self._spoken_of[-1] if self._spoken_of else None

    def resolved(self, sentence: str) -> str:
        """Return the sentence with its subject pronoun replaced, if its meaning is clear."""
        match = _AT_THE_START.match(sentence)
        if not match or any(self._cast.mentioned(match["lead"])):
            return sentence
        word, follows = match["word"].casefold(), match["rest"].strip()
        if word == "her" and follows in _NO_POSSESSION:
            return sentence
        meant = self._meant("f" if word in {"she", "her"} else "m")
        if meant is None:
            return sentence
        name = meant.name if word in {"he", "she"} else f"{meant.name}'s"
        return f"{match['lead']}{name}{match['rest']}{sentence[match.end() :]}"

    def inside(self, statement: str) -> str:
        """Return a statement with "and she led", "that he was" told of the statement's own subject."""
        mention = self._subject(statement)
        if mention is None:
            return statement
        subject, start = mention

        def name_subject(match: re.Match[str]) -> str:
            gender = "f" if match["word"] == "she" else "m"
            return subject.name if subject.gender in {gender, ""} else match[0]

        return statement[:start] + _INSIDE.sub(name_subject, statement[start:])

    def follow(self, sentence: str) -> None:
        """Take notice of a sentence's subject, and of whoever else it names as the less likely one."""
        people = [member for member in self._cast.mentioned(sentence) if member.sort == "person"]
        mention = self._subject(sentence)
        subject = mention[0] if mention else None
        if subject:
            people = [*(member for member in people if member is not subject), subject]
        if subject and not subject.gender:
            subject.gender = self._owning(sentence, subject)
        for member in people:
            self._spoken_of = [*(known for known in self._spoken_of if known is not member), member]

    def _subject(self, sentence: str) -> tuple[Member, int] | None:
        """Return the first person who is not an object, and the end of the name."""
        for match in self._cast.pattern.finditer(sentence):
            member = self._cast.named(match[0])
            if member and member.sort == "person" and not _OBJECT.search(sentence[: match.start()]):
                return member, match.end()
        return None

    def _owning(self, sentence: str, subject: Member) -> str:
        """Read "Ilse put on her boots" before anybody else is named: f."""
        after = self._cast.pattern.search(sentence)
        while after and self._cast.named(after[0]) is not subject:
            after = self._cast.pattern.search(sentence, after.end())
        if after is None:
            return ""
        other = self._cast.pattern.search(sentence, after.end())
        owns = _OWNS.search(sentence, after.end(), other.start() if other else len(sentence))
        return {"her": "f", "his": "m"}[owns["word"]] if owns else ""

    def _meant(self, gender: str) -> Member | None:
        latest = self._spoken_of[::-1]
        known = [member for member in latest[:_RECENT] if member.gender == gender]
        for member in known or latest:
            if member.gender in {gender, ""}:
                member.gender = gender
                return member
        return None
