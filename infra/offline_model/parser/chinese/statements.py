"""Splits Chinese sentences into statements at new subjects, with pronouns replaced."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from infra.offline_model.parser.chinese.cast import GENDERS, ChineseCast
from infra.offline_model.parser.statements.cast import Member

_LONGEST = 600  # characters; no sentence that rules understand is longer
_SHORTEST = 5  # characters of a statement
_QUOTED = re.compile(rf"[“「][^”」]{{0,{_LONGEST}}}+[”」]")
_LEAD = r"于是|然后|后来|可是|但是|但|因为|所以|接着|就|[一-龥]{1,6}，"
_PRONOUN = re.compile(rf"^(?:{_LEAD})?(?P<word>[他她])(?!们)")
_INSIDE = re.compile(r"(?<=[：，])(?P<word>[他她])(?!们|的)")
# What somebody does next, said without a subject.
_NEXT = re.compile(
    r"(?:又|还|也|并|后来|然后|随后|接着|从此)?"
    r"(?:加入|投奔|离开|娶|嫁|教会|当上|成为|成了|失去|得到|找到|继承|背叛|住在|搬到)"
)
_OWNED = re.compile(r"(?P<word>[他她])(?=的)")
_SAYING = re.compile(r"(?P<who>.{0,8})(?:说|问|答|喊|道)[。！？]?$")
_RECENT = 5  # of those spoken of


class ChineseStatements:
    """Follows whom a text speaks of, sentence by sentence.

    Args:
        cast: of the text.
    """

    def __init__(self, cast: ChineseCast) -> None:
        self._cast = cast
        self._spoken_of: list[Member] = []  # the last one last

    def of(self, sentences: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yield each statement with the sentence that it is taken from."""
        for sentence in sentences:
            self._cast.called(sentence, self._spoken_of[-1] if self._spoken_of else None)
            for piece in self._pieces(sentence):
                resolved = self._resolved(piece)
                self._follow(resolved)
                if len(resolved) >= _SHORTEST and not _only_speech(resolved):
                    yield resolved, sentence

    def _pieces(self, sentence: str) -> Iterator[str]:
        """Cut at a semicolon, and at a comma behind which somebody is named or does something else."""
        if len(sentence) > _LONGEST:
            yield sentence
            return
        hidden = _QUOTED.sub(lambda match: "〇" * len(match[0]), sentence)
        begin, subject = 0, ""
        for match in re.finditer(r"[；，]", hidden):
            piece, after = sentence[begin : match.start()], sentence[match.end() :]
            people = self._people(subject + piece)
            follows = people and _NEXT.match(after)
            if match[0] == "；" or follows or (people and self._begins_anew(after)):
                yield subject + piece
                begin, subject = match.end(), people[0].name if follows else ""
        yield subject + sentence[begin:]

    def _begins_anew(self, text: str) -> bool:
        """Tell whether a text begins with a person and what that person does."""
        match = self._cast.pattern.match(text)
        member = self._cast.named(match[0]) if match else None
        if match is None or member is None or member.sort != "person":
            return bool(re.match(r"[他她](?!们|的)", text))
        return text[match.end() : match.end() + 1] not in {"", "，", "。", "、"}

    def _resolved(self, piece: str) -> str:
        match = _PRONOUN.search(piece)
        if match and (meant := self._meant(match["word"])):
            piece = f"{piece[: match.start('word')]}{meant.name}{piece[match.end('word') :]}"
        if (inside := _INSIDE.search(piece)) and (people := self._people(piece[: inside.start()])):
            name = people[0].name if _may_be(people[0], inside["word"]) else inside["word"]
            piece = f"{piece[: inside.start()]}{name}{piece[inside.end() :]}"
        owned = _OWNED.search(piece)
        if owned:
            before = self._people(piece[: owned.start()])
            meant = before[0] if before else self._meant(owned["word"])
            # Of whom nothing is known, it may be another's as well.
            if meant and meant.gender == GENDERS[owned["word"]]:
                piece = f"{piece[: owned.start()]}{meant.name}{piece[owned.end() :]}"
        return piece

    def _meant(self, pronoun: str) -> Member | None:
        latest = self._spoken_of[::-1]
        gender = GENDERS[pronoun]
        known = [member for member in latest[:_RECENT] if member.gender == gender]
        for member in known or latest:
            if _may_be(member, pronoun):
                member.gender = gender
                return member
        return None

    def _follow(self, statement: str) -> None:
        """Take notice of who is named; the first is spoken of."""
        outside = _QUOTED.sub("", statement)
        for member in reversed(self._people(outside)):
            self._spoken_of = [*(known for known in self._spoken_of if known is not member), member]

    def _people(self, text: str) -> list[Member]:
        return [member for member in self._cast.mentioned(text) if member.sort == "person"]


def _may_be(member: Member, pronoun: str) -> bool:
    return member.gender in {GENDERS[pronoun], ""}


def _only_speech(statement: str) -> bool:
    """Tell whether a statement is no more than who speaks: 柳青禾说."""
    left = _QUOTED.sub("", statement)
    return bool(_SAYING.fullmatch(left.strip("，。！？")))
