"""A corpus repeated with its rare names changed: its copies hang together by what is frequent."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator

from infra.offline_model.parser.extracted_facts import extract_facts
from producer.evaluation.dataset import Passage
from workers.core.graph.elements import normalise_element

FREQUENT = 5  # passages; a key element in more of them is shared by all copies
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


class Repeater:
    """Makes copies of passages.

    A rare key element is a name that at most FREQUENT passages hold. In a copy, each of its words that at
    most FREQUENT passages hold gets an ending of the copy's own, or its last word where none is so rare: the
    same name becomes the same new name everywhere in the copy, title included. Dates and numbers stay.
    """

    def __init__(self, passages: tuple[Passage, ...]) -> None:
        self._passages = passages
        self._spellings: dict[str, set[str]] = defaultdict(
            set
        )  # passage id -> as its key elements are written
        held: Counter[str] = Counter()
        words: Counter[str] = Counter()
        for passage in passages:
            spelt = self._spellings[passage.id]
            spelt.add(passage.title)
            for fact in extract_facts({"title": passage.title, "text": passage.text})["facts"]:
                spelt.update(fact["key_elements"])
            held.update({normalise_element(name) for name in spelt})
            words.update({word.casefold() for word in _WORD.findall(f"{passage.title} {passage.text}")})
        self._rare = frozenset(name for name, count in held.items() if count <= FREQUENT)
        self._rare_words = frozenset(word for word, count in words.items() if count <= FREQUENT)
        self.frequent = len(held) - len(self._rare)

    def copies(self) -> Iterator[Passage]:
        """Yield the passages as they are, then copy after copy without end."""
        yield from self._passages
        number = 0
        while True:
            number += 1
            ending = letters(number)
            for passage in self._passages:
                yield self.copy(passage, ending)

    def copy(self, passage: Passage, ending: str) -> Passage:
        """Return one of the passages with this ending on its rare names."""
        names = [name for name in self._spellings[passage.id] if self._is_rare(name)]
        names.sort(key=lambda name: (-len(name), name))
        if not names:
            return passage.model_copy(update={"id": f"{passage.id}-{ending}"})
        pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, names))})(?!\w)")

        def renamed(match: re.Match[str]) -> str:
            return self._renamed(match.group(), ending)

        changed = {"title": pattern.sub(renamed, passage.title), "text": pattern.sub(renamed, passage.text)}
        return passage.model_copy(update={"id": f"{passage.id}-{ending}", **changed})

    def _is_rare(self, name: str) -> bool:
        return normalise_element(name) in self._rare and _WORD.search(name) is not None

    def _renamed(self, name: str, ending: str) -> str:
        words = list(_WORD.finditer(name))
        chosen = [word for word in words if word.group().casefold() in self._rare_words]
        if not chosen and not any(letter.isdigit() for letter in name):
            chosen = words[-1:]
        for word in reversed(chosen):
            name = name[: word.end()] + ending + name[word.end() :]
        return name


def letters(number: int) -> str:
    """Return x and a letter for each digit: what no English word ends with."""
    return "x" + "".join(chr(ord("a") + int(digit)) for digit in str(number))
