"""Finds the subject of a sentence, so that its pronoun can be replaced."""

from __future__ import annotations

import re

from infra.offline_model.parser.statements.names import names
from workers.core.language.genders import THINGS, Gender, gender_of
from workers.core.language.name_words import GIVEN_NAMES
from workers.core.language.text import words

LEAD = (
    r"(?:In|On|At|From|By|After|Before|Until|Since|During|Between|Later|Then|Today|Also|As|When|While|For)\b"
)
_PRONOUN = re.compile(
    rf"^(?P<lead>(?:{LEAD}[^,.;]{{0,40}}, ?)?)"
    r"(?P<word>(?:[Hh]e|[Ss]he|[Ii]t|[Tt]hey|[Hh]is|[Hh]er|[Ii]ts|[Tt]heir)\b)"
    r"(?! (?:is|was) (?:\w+ )?(?:that|who|to)\b)"  # it was he who
)
_LATER = re.compile(rf"^(?P<lead>{LEAD} ?[^,.;]{{0,40}}?,? ?)\b(?P<word>he|she)\b")
_INVERTED = re.compile(
    r"(?:Above|Behind|Below|Beside|Near|Opposite|Under) [^,]{1,40}? (?:is|lies|stands|stood|was) (?:the )?"
)
_DESCRIBED = re.compile(r"^(?:The|This|That) (?P<noun>[a-z]+(?: [a-z]+)?)\b")
_PERSONAL: dict[str, Gender] = {"he": "m", "his": "m", "she": "f", "her": "f"}
_PLURAL = frozenset(("they", "their"))
_SHORTEST, _LONGEST = 2, 5  # words of a person's name
_ARTICLE = 4  # characters of "The "
_OWNING = frozenset(("his", "her", "its", "their"))


class Subjects:
    """Tracks the subject of a text, sentence by sentence, beginning with the document's title."""

    def __init__(self, title: str) -> None:
        self.title = re.sub(r"\([^)]{0,200}\)$", "", title).strip()
        self.name = self.title.removeprefix("The ").split(", ")[0]  # Durham, as "Durham, Maine" calls it
        self._of_a_person = _may_be_person(self.title)
        self._people = [self.title] if self._of_a_person else []  # the last one last
        self._told = ""  # the text so far
        self._thing = self.title
        self._several = "" if self._of_a_person else self.title

    def resolved(self, sentence: str) -> str:
        """Return the sentence with its first pronoun replaced, if its meaning is clear."""
        match = _PRONOUN.match(sentence) or _LATER.match(sentence)
        if match:
            word = match.group("word").casefold()
            meant = self._meant(word)
            lead, rest = _parted(match.group("lead")), sentence[match.end() :]
            if meant and not (word == "her" and re.match(r" (?:to|in|at|on|and|with|by)\b", rest)):
                return f"{lead}{_owned(meant) if word in _OWNING else meant}{rest}"
        return self._described(sentence)

    def _described(self, sentence: str) -> str:
        """Replace "The bridge" in a document about Tower Bridge by its title."""
        match = _DESCRIBED.match(sentence)
        title = words(self.title)
        if not match or len(title) < 2 or match.group("noun").split()[0] != title[-1]:  # noqa: PLR2004
            return sentence
        after = sentence[match.start("noun") + len(title[-1]) :]
        return sentence if after[:2] in ("'s", "’s") else f"The {self.title.removeprefix('The ')}{after}"

    def follow(self, sentence: str) -> None:
        """Take notice of a sentence's subject."""
        proper_names = names(sentence)
        self._told += f"{sentence} "
        for name in proper_names:
            place = sentence.find(name)
            acts = place <= _ARTICLE or (not self._of_a_person and sentence[:place].endswith(" by "))
            if acts and _may_be_person(name):
                told_of = _relative(sentence, name, proper_names) or name
                self._people = [*(known for known in self._people if known != told_of), told_of]
                return
        before = sentence.partition(proper_names[0])[0] if proper_names else ""
        if proper_names and (len(before) <= _ARTICLE or _INVERTED.fullmatch(before)):
            self._thing = self._several = proper_names[0]

    def _meant(self, pronoun: str) -> str:
        if pronoun in _PERSONAL:
            return self._person(_PERSONAL[pronoun])
        if pronoun in _PLURAL:
            return self._several if self._several.endswith("s") else ""
        return "" if gender_of(self._thing, self._told).gender in {"f", "m"} else self._thing

    def _person(self, gender: Gender) -> str:
        """Return the last person who may be of a gender, preferring the document's subject."""
        known = {name: gender_of(name, self._told).gender for name in self._people}
        fitting = [name for name in self._people if known[name] in {gender, ""}]
        sure = [name for name in fitting if known[name] == gender]
        if self._of_a_person and self.title in (sure or fitting):
            return self.title
        return (sure or fitting or [""])[-1]


def _relative(sentence: str, name: str, proper_names: list[str]) -> str:
    """Return the son in "John Roebling's son Washington Roebling" for John Roebling; "" if nobody follows."""
    rest = re.search(rf"{re.escape(name)}['’]s? [a-z]+ (?P<rest>.+)", sentence)
    people = (other for other in proper_names if rest and rest["rest"].startswith(other))
    return next((person for person in people if _may_be_person(person)), "")


def _parted(lead: str) -> str:
    """Return "In Egypt, " for "In Egypt ", or the two names would look like one."""
    *before, last = lead.split() or [""]
    return f"{lead.rstrip()}, " if before and last[0].isupper() and last[-1].isalnum() else lead


def _owned(name: str) -> str:
    return f"{name}'" if name.endswith("s") and name[-2:-1] != "s" and " " not in name else f"{name}'s"


def _may_be_person(name: str) -> bool:
    parts = name.split()
    if not _SHORTEST <= len(parts) <= _LONGEST or parts[0] in ("The", "River", "Lake", "Mount", "University"):
        return False
    if parts[-1].casefold() in THINGS:
        return False
    if "of" in parts:  # Joan of Arc, and not Battle of Britain
        return parts[0].casefold() in GIVEN_NAMES and parts[1] == "of"
    return all(part[:1].isupper() or part in ("de", "van", "von", "der") for part in parts)
