"""Finds the entities that a text names, with their types, aliases and pronouns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from infra.offline_model.parser.statements.cast_words import (
    DEEDS,
    HONORIFICS,
    KIN,
    SPOUSES,
    Sort,
    is_calling,
    is_female,
    is_male,
    sort_of,
)
from infra.offline_model.parser.statements.names import CAPITALS, MONTHS, names

_NAME = rf"[{CAPITALS}][\w'’-]*(?: [{CAPITALS}][\w'’-]*)*"
_CALLED = re.compile(
    rf"\b(?P<verb>called|nicknamed|known as)\b "
    rf"(?:(?P<who>him|her|it|them) )?(?P<alias>(?:[Tt]he )?{_NAME})"
)
_ITEM = re.compile(
    r"\b(?:an?|the|her|his|their|its) (?P<item>(?!(?:new|old|other|same)\b)[a-z]{3,} [a-z]{3,})\b"
)
_PLACE_BEFORE = re.compile(r"\b(?:at|in|near|into|towards?) (?:the )?$", re.IGNORECASE)
_ACTS = rf"(?:[a-z]+ly |also |then |later |never )?(?:{DEEDS})"
_NOBODY = frozenset(("People", "Men", "Women", "Children", "Everybody", "Everyone", "Somebody", "Someone"))
_WITH = re.compile(
    r"\b(?:taught|met|married|helped|trained|befriended|told|asked|warned|thanked|with|"
    r"(?:learned|heard) from) $"
)
_WORDS_LOOKED_AT = 5  # of an apposition, for its noun
_SURE, _LIKELY, _GUESSED = 3, 2, 1


@dataclass(eq=False)
class Member:
    """One that a text names."""

    name: str
    sort: Sort | None = None
    sure: int = 0  # how well the sort is known
    calling: str = ""  # what he or she is: ferrywoman
    gender: str = ""  # f, m, or not known
    aliases: list[str] = field(default_factory=list)
    plain: bool = False  # a thing without a name of its own: silver whistle

    @property
    def own_words(self) -> list[str]:
        """The words of the name without titles."""
        held = self.name.split()
        kept = [word for word in held if word.casefold().rstrip(".") not in HONORIFICS]
        return kept or held

    @property
    def spellings(self) -> list[str]:
        """The name and what else it is called."""
        return [self.name, *self.aliases]

    def is_now(self, sort: Sort | None, sure: int) -> None:
        """Take note of a sort, unless one is known better."""
        if sort and sure > self.sure:
            self.sort, self.sure = sort, sure


class Cast:
    """All members of a text.

    Args:
        sentences: sentences of the text, in order.
    """

    def __init__(self, sentences: Sequence[str]) -> None:
        self._text = " ".join(sentences)
        self.members: dict[str, Member] = {}
        candidates = [_undated(name) for sentence in sentences for name in names(sentence)]
        full = _full_names(name for name in dict.fromkeys(candidates) if self._is_name(name, sentences))
        for name, short in full.items():
            self.members[name] = Member(name, aliases=short)
        for member in self.members.values():
            self._tell_sort(member)
        self._add_items()
        for member in list(self.members.values()):
            self._add_described(member)
        self._learn()

    def named(self, spelling: str) -> Member | None:
        """Return the member with a name or alias."""
        return self._bearers.get(spelling.casefold())

    def called(self, sentence: str, meant: Member | None) -> None:
        """Record the names that a sentence gives somebody; `meant` is the person its pronoun refers to."""
        for match in _CALLED.finditer(sentence):
            alias = match["alias"].removeprefix("The ").strip()
            name = alias.removeprefix("the ")
            known = self.members.get(name)
            if match["who"] in {"him", "her"}:
                whom = meant
            else:
                before = [
                    member for member in self.mentioned(sentence[: match.start("verb")]) if not member.plain
                ]
                whom = before[-1] if before and match["verb"] != "called" else None
            if whom and name not in whom.spellings and (known is None or known.sure < _SURE):
                self.members.pop(name, None)
                whom.aliases.append(alias)
                self._learn()

    def mentioned(self, text: str) -> list[Member]:
        """Return those that a text mentions, in order, each once."""
        members = (self.named(match[0]) for match in self.pattern.finditer(text))
        return list(dict.fromkeys(member for member in members if member))

    def _learn(self) -> None:
        """Make what finds every mention, the longest spelling first."""
        members = list(self.members.values())
        self._bearers = {
            known.casefold(): member for member in reversed(members) for known in reversed(member.spellings)
        }
        spellings = {known for member in members for known in member.spellings}
        forms = [_either_case(known) for known in sorted(spellings, key=lambda known: (-len(known), known))]
        self.pattern = re.compile(rf"(?<![\w-])(?:{'|'.join(forms)})(?![\w-])") if forms else _NOTHING

    def _is_name(self, name: str, sentences: Sequence[str]) -> bool:
        """Return whether a single word is a name, and not just the first of a sentence."""
        if " " in name:
            return True
        if name in _NOBODY:
            return False
        inside = re.compile(rf"(?<=[\w,;] ){re.escape(name)}\b")
        acts = re.compile(rf"^{re.escape(name)}(?:,? (?:who|{DEEDS}|[a-z]+ed)\b|['’]s |, (?:an?|the) )")
        return any(inside.search(sentence) or acts.search(sentence) for sentence in sentences)

    def _tell_sort(self, member: Member) -> None:
        for spelling in member.spellings:
            self._by_nouns(member, spelling)
        first, last = (member.name.split()[at].casefold() for at in (0, -1))
        if first in HONORIFICS and " " in member.name:
            member.is_now("person", _SURE)
            member.gender = member.gender or _gender(first)
        member.is_now(sort_of(last) if " " in member.name else None, _LIKELY)
        member.is_now(sort_of(first) if " " in member.name else None, _LIKELY)
        for spelling in member.spellings:
            bare = re.escape(spelling)
            if re.search(
                rf"\b{bare},? (?:who|{_ACTS})\b|\b(?:said|asked|answered|told) {bare}\b", self._text
            ):
                member.is_now("person", _LIKELY)
            before = [self._text[: match.start()][-20:] for match in re.finditer(rf"\b{bare}\b", self._text)]
            if any(_PLACE_BEFORE.search(text) for text in before):
                member.is_now("place", _GUESSED)
            of = re.findall(rf"\b(?P<noun>[a-z]+) of {bare}\b", self._text)
            if any(sort_of(noun) == "item" for noun in of):  # the bell of Ambry
                member.is_now("place", _GUESSED)
            did = re.search(rf"(?:^|[.!?;,] |and ){bare} (?:[a-z]+ly )?[a-z]{{2,}}ed\b", self._text)
            if did or any(_WITH.search(text) for text in before):
                member.is_now("person", _GUESSED)

    def _by_nouns(self, member: Member, spelling: str) -> None:
        """Read "the healer Greta", "Greta, a healer", "the village of Ambry", "a ferry called Heron"."""
        bare = re.escape(spelling)
        for pattern in (
            rf"\b(?P<told>[a-z]+) {bare}\b",
            rf"\b(?P<told>[a-z]+) of {bare}\b",
            rf"\b(?P<told>[a-z]+),? (?:is |was )?(?:called|named) (?:the )?{bare}\b",
            rf"\b{bare}, (?:an?|the|her|his|their) (?P<told>[a-z]+(?: [a-z]+){{0,4}})",
            rf"\b{bare} (?:is|was) (?:an?|the|her|his|their) (?P<told>[a-z]+(?: [a-z]+){{0,3}})",
        ):
            for match in re.finditer(pattern, self._text):
                if " of " in match[0][: match.end("told") + 4 - match.start()] and not _named_by(match):
                    continue
                self._describe(member, match["told"])

    def _describe(self, member: Member, description: str) -> None:
        before_of = re.split(r" (?:of|in|on|at|that|who|which|with|from|by|for)\b", f"{description} ")[0]
        for word in reversed(before_of.split()[:_WORDS_LOOKED_AT]):
            sort = sort_of(word)
            if sort is None:
                continue
            member.is_now(sort, _SURE)
            if member.sort == sort == "person":
                member.gender = member.gender or _gender(word)
                if word not in KIN | SPOUSES:
                    member.calling = member.calling or word
            return

    def _add_items(self) -> None:
        for match in _ITEM.finditer(self._text):
            item = match["item"]
            if sort_of(item.split()[-1]) == "item" and not is_calling(item.split()[0]):
                owner = re.search(rf"({_NAME}), (?:an?|the) {re.escape(item)}\b", self._text)
                named = self.members.get(owner[1]) if owner else None
                if named:
                    named.aliases.append(f"the {item}")
                elif item not in self.members:
                    self.members[item] = Member(item, "item", _SURE, plain=True)

    def _add_described(self, member: Member) -> None:
        """Add "the captain" for Captain Roake, "the ferrywoman" for Ilse Varn, if it means nobody else."""
        title = member.name.split()[0].casefold()
        words = [member.calling] if member.calling else []
        words += [title] if title in HONORIFICS - {"old", "young"} and " " in member.name else []
        words += [member.name.split()[-1].casefold()] if member.sort == "group" else []
        for word in words:
            rivals = [rival for rival in self.members.values() if rival is not member and _bears(rival, word)]
            phrase = f"the {word}"
            alone = re.compile(rf"\b[Tt]he {word}\b(?! (?:{_NAME}|of\b))")
            if not rivals and phrase not in member.aliases and alone.search(self._text):
                member.aliases.append(phrase)


def _full_names(candidates: Iterable[str]) -> dict[str, list[str]]:
    """Return each full name with its short forms: words of only one name, or of one as its first word."""
    known = sorted(candidates, key=lambda name: -len(name.split()))
    full: dict[str, list[str]] = {}
    for name in known:
        holding = [other for other in full if " " not in name and name in other.split()]
        led = [other for other in holding if Member(other).own_words[0] == name]
        owners = led if len(led) == 1 else holding
        if len(owners) == 1:
            full[owners[0]].append(name)
        elif not holding:
            full[name] = []
    return full


def _undated(name: str) -> str:
    """Return Ilse Varn for March Ilse Varn, of "one morning in March Ilse Varn met"."""
    first, _, rest = name.partition(" ")
    return rest if rest and first in MONTHS else name


def _named_by(match: re.Match[str]) -> bool:
    """Return whether "X of NAME" states the kind of NAME: "the village of Ambry" makes Ambry a village."""
    noun = match["told"].split()[-1]
    return f"{noun} of " not in match[0] or sort_of(noun) in {"place", "region", "nation"}


def _bears(member: Member, word: str) -> bool:
    return word == member.calling or word in member.name.casefold().split()


def _gender(word: str) -> str:
    return "f" if is_female(word) else "m" if is_male(word) else ""


def _either_case(spelling: str) -> str:
    first, rest = re.escape(spelling[:1]), re.escape(spelling[1:])
    return f"[{first}{spelling[:1].swapcase()}]{rest}" if spelling.startswith("the ") else first + rest


_NOTHING = re.compile(r"(?!)")
