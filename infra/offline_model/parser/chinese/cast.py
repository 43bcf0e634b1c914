"""Finds the entities that a Chinese text names, with their types and aliases."""

from __future__ import annotations

import re
from collections.abc import Sequence

from infra.offline_model.parser.chinese.names import counted, ended, people
from infra.offline_model.parser.chinese.words import (
    CALLINGS,
    CHIEFS,
    HAN,
    KIN,
    PREFIXES,
    TITLES,
    gender_of,
    sort_of,
)
from infra.offline_model.parser.statements.cast import Member

_QUOTED = rf"[“「](?P<alias>[{HAN}·]{{1,8}})[”」]"
_CALLED = re.compile(rf"(?:叫|称|管|唤)(?P<who>[他她它])(?:叫|为|作|做)?{_QUOTED}")
_KNOWN_AS = re.compile(rf"(?:人称|外号|绰号|又名|又叫|别名)(?:叫|是|为)?{_QUOTED}")
_THING_CALLED = re.compile(rf"(?P<noun>[{HAN}]{{1,3}}?)(?:名叫|名为|叫做|叫作|叫|称为|是)?{_QUOTED}")
_CALLED_THING = re.compile(rf"(?:名叫|叫做|叫作|叫){_QUOTED}的(?P<noun>[{HAN}]{{1,3}})")
GENDERS = {"他": "m", "她": "f"}
_SURE, _LIKELY = 3, 2
_NOTHING = re.compile(r"(?!)")
_SHORTEST_FULL = 3  # characters of a name with a given name of two


class ChineseCast:
    """All members of a text.

    Args:
        sentences: of the text, in order.
    """

    def __init__(self, sentences: Sequence[str]) -> None:
        self._text = "\n".join(sentences)
        self.members: dict[str, Member] = {}
        for name in people(self._text):
            self._add_person(name)
        for name in ended(self._text):
            sort = sort_of(name)
            if sort and sort != "person" and name not in self.members:
                self.members[name] = Member(name, sort, _LIKELY, plain=sort == "item")
        self._add_quoted()
        for name in counted(self._text):
            if name and name not in self.members:
                self.members[name] = Member(name, "item", _LIKELY, plain=True)
        for member in list(self.members.values()):
            self._add_short(member)
        self._learn()

    def named(self, spelling: str) -> Member | None:
        """Return who bears a name or alias."""
        return self._bearers.get(spelling)

    def called(self, sentence: str, meant: Member | None) -> None:
        """Take note of what a sentence says somebody is called; meant is whom its pronoun means."""
        for match in (*_CALLED.finditer(sentence), *_KNOWN_AS.finditer(sentence)):
            before = [
                member for member in self.mentioned(sentence[: match.start()]) if member.sort == "person"
            ]
            whom = before[-1] if before else meant
            alias = match["alias"]
            if whom and alias not in whom.spellings:
                known = self.members.get(alias)
                if known is None or known.sure < _SURE:
                    self.members.pop(alias, None)
                    whom.aliases.append(alias)
                    pronoun = match.groupdict().get("who", "")
                    whom.gender = whom.gender or GENDERS.get(pronoun, "")
                    self._learn()

    def mentioned(self, text: str) -> list[Member]:
        """Return those that a text mentions, in order, each once."""
        members = (self.named(match[0]) for match in self.pattern.finditer(text))
        return list(dict.fromkeys(member for member in members if member))

    def _add_person(self, name: str) -> None:
        member = Member(name, "person", _SURE)
        calling = re.search(rf"(?P<told>{CALLINGS}|{CHIEFS}){re.escape(name)}", self._text)
        kin = re.search(rf"(?P<told>{KIN}){re.escape(name)}", self._text)
        title = re.search(rf"(?:{TITLES})$", name)
        member.calling = calling["told"] if calling else ""
        for word in (title and title[0], kin and kin["told"], calling and calling["told"]):
            member.gender = member.gender or gender_of(word or "")
        self.members[name] = member

    def _add_quoted(self) -> None:
        """Add what bears a name in quotation marks, by the noun beside it: 风筝叫“青鸾”."""
        for match in (*_CALLED_THING.finditer(self._text), *_THING_CALLED.finditer(self._text)):
            sort = sort_of(match["noun"])
            if sort and sort != "person" and match["alias"] not in self.members:
                self.members[match["alias"]] = Member(match["alias"], sort, _SURE)

    def _add_short(self, member: Member) -> None:
        """Add a given name of two characters that stands alone, and what only one here is, as an alias."""
        if member.sort != "person":
            return
        given_name = member.name[1:]
        alone = len(member.name) == _SHORTEST_FULL and member.name[0] not in PREFIXES
        if (
            alone
            and sort_of(given_name) is None
            and re.search(rf"(?<!{member.name[0]}){given_name}", self._text)
        ):
            member.aliases.append(given_name)
        if member.calling and not any(
            other.calling == member.calling for other in self.members.values() if other is not member
        ):
            bare = re.compile(rf"(?:这个|那个|那位|这位|的){member.calling}(?!{member.name})")
            if bare.search(self._text) and len(member.calling) > 1:
                member.aliases.append(member.calling)

    def _learn(self) -> None:
        """Make what finds every mention, the longest spelling first."""
        members = list(self.members.values())
        self._bearers = {
            known: member for member in reversed(members) for known in reversed(member.spellings)
        }
        spellings = sorted(self._bearers, key=lambda known: (-len(known), known))
        self.pattern = re.compile("|".join(map(re.escape, spellings))) if spellings else _NOTHING
