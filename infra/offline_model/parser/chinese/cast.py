"""Finds the entities that a Chinese text names, with their types and aliases."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from infra.offline_model.parser.chinese.words import (
    AFTER,
    BEFORE,
    CALLINGS,
    CHIEFS,
    DEEDS,
    DOUBLE_SURNAMES,
    ENDINGS,
    HAN,
    KIN,
    MEASURES,
    NO_NAMES,
    NOUNS_TOO,
    PREFIXES,
    SURNAMES,
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
        sentences: sentences of the text, in order.
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
        """Return the member with a name or alias."""
        return self._bearers.get(spelling)

    def called(self, sentence: str, meant: Member | None) -> None:
        """Record the names that a sentence gives somebody; `meant` is the person its pronoun refers to."""
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
        """Add things with a name in quotation marks, by the noun beside it: 风筝叫“青鸾”."""
        for match in (*_CALLED_THING.finditer(self._text), *_THING_CALLED.finditer(self._text)):
            sort = sort_of(match["noun"])
            if sort and sort != "person" and match["alias"] not in self.members:
                self.members[match["alias"]] = Member(match["alias"], sort, _SURE)

    def _add_short(self, member: Member) -> None:
        """Add as aliases a lone given name of two characters, and a title that only one person here has."""
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


_OPEN = "“‘「『《"
_SURNAME = rf"(?:{'|'.join(DOUBLE_SURNAMES)}|[{''.join(sorted(SURNAMES))}])"
_PERSON = re.compile(rf"(?={_SURNAME}(?:{TITLES})|{_SURNAME}[{HAN}]{{1,2}}|[{PREFIXES}][{HAN}])")
_TITLED = re.compile(rf"{_SURNAME}(?:{TITLES})")
_ROLE = re.compile(rf"(?:{CALLINGS}|{KIN})[{_OPEN}]?$")
_BEFORE = re.compile(rf"(?:^|[^{HAN}]|{BEFORE})$")
_AFTER = re.compile(AFTER)
_DEEDS = re.compile(DEEDS)
_ENDINGS = (ending for endings in ENDINGS.values() for ending in endings.split("|"))
_ENDED = re.compile("|".join(sorted(_ENDINGS, key=len, reverse=True)))
_COUNTED = re.compile(rf"[一两几这那][{MEASURES}](?P<thing>[{HAN}]{{1,4}})")
_LONGEST_HEAD = 4  # characters of a name before its ending
_FULL = 3  # characters of a name with a given name of two
_LOOKED_AT = 6  # characters before a name, for the word that ends there
_NO_HEAD = re.compile(
    "[的了着和与跟在从到往是有这那一二三四五六七八九十几两每各全整本某把被给向对为她他它们我你个"
    "大小新旧老满半座条只上下前后里外过深学开吃看听说问送等写读]"
)
_NOT_GIVEN = re.compile("[的了着和与跟同在从到是有说问答把被给向对为也又还就都不没这那]")
_NO_PART = re.compile("[的了着要靠都会吹送教在到和从不没把被给]")  # of a thing or a group
_OFTEN = 2  # times that a name occurs before its borders are believed


def people(text: str) -> list[str]:
    """Return the full names of people in the order in which they occur.

    A surname followed by one or two characters is a name if the words around it allow that, and it recurs or
    follows a person's title or trade.
    """
    fitting: Counter[str] = Counter()
    sure: set[str] = set()
    for match in _PERSON.finditer(text):
        for name in _persons_at(text, match.start()):
            before = text[max(0, match.start() - _LOOKED_AT) : match.start()]
            after = text[match.start() + len(name) :]
            role = _ROLE.search(before)
            if _AFTER.match(after) and (role or _BEFORE.search(before)):
                fitting[name] += 1
                if role or _TITLED.fullmatch(name) or _begins(text, match.start(), name):
                    sure.add(name)
    often = (name for name in fitting if text.count(name) >= _OFTEN and name[0] not in NOUNS_TOO)
    believed = list(dict.fromkeys((*often, *(name for name in fitting if name in sure))))
    return sorted(_without_parts(believed, text), key=text.index)


def _begins(text: str, start: int, name: str) -> bool:
    """Return whether a name begins a phrase, a full one or before what somebody does: once is enough."""
    if name[0] in NOUNS_TOO or name[0] in PREFIXES or (start and re.match(f"[{HAN}]", text[start - 1])):
        return False
    return len(name) >= _FULL or _DEEDS.match(text, start + len(name)) is not None


def _persons_at(text: str, start: int) -> Iterable[str]:
    if NO_NAMES.match(text, start):
        return []
    titled = _TITLED.match(text, start)
    if titled:
        return [titled[0]]
    head = next((surname for surname in DOUBLE_SURNAMES if text.startswith(surname, start)), text[start])
    sizes = (1,) if head in PREFIXES else (1, 2)
    names = (text[start : start + len(head) + size] for size in sizes)
    return [
        name for name in names if re.fullmatch(rf"[{HAN}]{{2,4}}", name) and not _NOT_GIVEN.search(name[1:])
    ]


def _without_parts(names: list[str], text: str) -> Iterator[str]:
    """Drop the beginning of a longer name that is as often there: 柳青 beside 柳青禾; else the longer one."""
    for name in names:
        longer = [other for other in names if other != name and other.startswith(name)]
        shorter = [other for other in names if other != name and name.startswith(other)]
        if not any(_is_whole(other, name, text) for other in longer) and all(
            _is_whole(name, other, text) for other in shorter
        ):
            yield name


def _is_whole(longer: str, shorter: str, text: str) -> bool:
    """Tell which of two is the name: 李明走了 once is said of 李明, 李明生 again and again is one."""
    times = text.count(longer)
    return times == text.count(shorter) and (times >= _OFTEN or not _AFTER.match(longer[len(shorter) :]))


def ended(text: str) -> list[str]:
    """Return names that end in a word for their kind, like 断云谷: repeated, or between borders."""
    names: dict[str, None] = {}
    for match in _ENDED.finditer(text):
        if _ENDED.match(text, match.end()):
            continue  # 石桥 of 石桥帮
        if name := _before_ending(text, match.start(), match.end()):
            names[name] = None
    return list(names)


def _before_ending(text: str, start: int, end: int) -> str:
    """Return the longest name that ends here and occurs as often as any shorter one."""
    best, most = "", 1
    for size in range(1, _LONGEST_HEAD + 1):
        head = text[max(0, start - size) : start]
        if len(head) < size or not re.fullmatch(rf"[{HAN}]+", head) or _NO_HEAD.match(head):
            break
        name = head + text[start:end]
        if _NO_PART.search(head):
            break
        times = text.count(name)
        bordered = _BEFORE.search(text[max(0, start - size - _LOOKED_AT) : start - size]) is not None
        if times >= max(most, _OFTEN) or (bordered and times >= most and not best):
            best, most = name, times
    return best


def counted(text: str) -> list[str]:
    """Return the things that a text counts: 铜哨 of 一支铜哨."""
    return list(dict.fromkeys(_thing(match["thing"]) for match in _COUNTED.finditer(text)))


def _thing(run: str) -> str:
    ending = re.match(rf"[新旧大小]?(?P<thing>[{HAN}]{{1,3}}?(?:{ENDINGS['item']}))", run)
    return ending["thing"] if ending else ""
