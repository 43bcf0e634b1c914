"""Made-up stories whose people have several names: what each name means is known.

Seeded. Every story has people with by-names that a chapter states and others use, given and family names
alone, and what must not be joined: the family name of siblings, an office and a by-name that pass on, a
by-name that is also a common noun, and sentences that only look as if they said a name.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain

Sentence = tuple[str, list[str]]  # a fact, and the names in it

_GIVEN = (
    "Corvin Tobias Mara Ilse Harl Edda Jonas Mirel Tamsin Orrin Selka Davin Brena Lothar Wenna Perrin Asta "
    "Kjell Rosalind Emmerich Yorick Sunniva Halvard Petronella Caspar Linnea Ansel Dagny Ruben Thea Falk"
)
_FAMILY = (
    "Drake Renn Venn Varn Vane Okafor Weber Lindqvist Marsh Holloway Ferro Castell Brandt Ostrow Quill "
    "Tarrow Haldane Moreau Severin Kestrel Alder Winter Stahl Roth Berger Falkenrath Ulmer Sorrel Pike Thorn"
)
_BYNAMES = (
    "Heron|Quiet Knife|Red Otter|Lamplighter|Grey Widow|Salt Fox|Nightjar|Iron Tailor|Silent Bell|"
    "Copper Hand|White Stoat|Long Shadow|Old Compass|Black Thistle|Kingfisher|Barn Owl|Crooked Oar|"
    "Blue Lantern|Lame Wolf|Weather Witch|Ash Raven|Stone Ferryman|Paper Saint|Winter Hare|Broken Crown"
)
_GERMAN_BYNAMES = (
    "Reiher|Rote Fuchs|Stille Wolf|Graue Mantel|Alte Kompass|Eisvogel|Schwarze Dorn|Blaue Reiter|Lahme Adler|"
    "Kupferne Krug|Weiße Hirsch|Nachtfalke|Lange Schatten|Eiserne Hut"
)
_SHIPS = "Grey Gull|Blue Anchor|Northern Star|Salt Maiden|Red Harbour|Silver Oar"
_GERMAN_SHIPS = "Graue Möwe|Blaue Anker|Silberne Kahn|Roter Hafen"
_HAN_FAMILY = "高林陈赵沈陆苏韩许顾"
_HAN_GIVEN = "承岳|明远|雪晴|子墨|云舟|若溪|怀瑾|长风|静姝|伯言|清河|望舒|思齐|晚照"
_HAN_BYNAMES = (
    "独眼龙|铁算盘|白狐狸|夜行客|老罗盘|冷面虎|金算子|无影手|雪里红|黑旋风|玉面书生|草上飞|青衫客|半把刀"
)
_HAN_SHIPS = "灰鸥号|北极星号|海燕号|银桨号"

_STATED = (
    "The sailors called {name} the {alias}.",
    "{name} was known along the coast as the {alias}.",
    "{name}, known as the {alias}, kept the tide books.",
    "The {alias}, whose true name was {name}, came ashore at dawn.",
    "{name} went by the name of the {alias}.",
    "{name} was nicknamed the {alias}.",
    "Everyone called {name} the {alias}.",
    "The {alias}'s real name was {name}.",
    "{name}, nicknamed the {alias}, mended the nets.",
    "The {alias} was in truth {name}.",
)
_GERMAN_STATED = (
    "Die Leute nannten {name} den {alias}.",
    "{name}, genannt der {alias}, führte das Boot.",
    "{name} wurde von allen der {alias} genannt.",
    "{name} war als der {alias} bekannt.",
    "Der {alias}, dessen richtiger Name {name} war, kam an Land.",
)
_HAN_STATED = (
    "{name}，人称{alias}。",
    "{alias}本名{name}。",
    "{name}被水手们称为{alias}。",
    "大家都称{name}为{alias}。",
    "{alias}就是{name}。",
    "{name}外号{alias}。",
)
_USED = (
    "The {alias} sold the boat to {other}.",
    "The {alias} repaired the {ship}.",
    "At noon the {alias} left the harbour.",
)
_GERMAN_USED = ("Der {alias} verkaufte das Boot an {other}.", "Am Mittag verließ der {alias} den Hafen.")
_HAN_USED = ("{alias}把船卖给了{other}。", "{alias}修好了{ship}。")


_GONE = 0.4  # of documents after which one goes


@dataclass
class Story:
    """Documents by uri, and what each alias means; None: it may be joined with nobody."""

    language: str
    documents: dict[str, list[list[Sentence]]] = field(default_factory=dict)
    meant: dict[str, str | None] = field(default_factory=dict)  # normalised names
    # Documents that come and go again: while they are there they use names for something else.
    guests: dict[str, list[list[Sentence]]] = field(default_factory=dict)

    def add(self, uri: str, *sentences: Sentence) -> None:
        """Add a document of one chunk."""
        self.documents[uri] = [list(sentences)]

    def add_guest(self, uri: str, *sentences: Sentence) -> None:
        """Add a document of one chunk that does not stay."""
        self.guests[uri] = [list(sentences)]

    def some_order(self, rng: random.Random) -> Iterator[tuple[str, list[list[Sentence]] | None]]:
        """Yield documents as they come, and without text as they go; some of those that stay come twice."""
        waiting = rng.sample([*self.documents, *self.guests], len(self.documents) + len(self.guests))
        there: list[str] = []
        chances = len(self.documents) // 4
        while waiting or self.guests.keys() & there:
            if waiting:
                there.append(waiting.pop())
                yield there[-1], (self.documents | self.guests)[there[-1]]
            if not waiting or rng.random() < _GONE:
                gone = rng.choice(
                    [uri for uri in there if uri in self.guests or (waiting and chances)] or [""]
                )
                if gone:
                    there.remove(gone)
                    yield gone, None
                if gone in self.documents:
                    chances -= 1
                    waiting.insert(rng.randrange(len(waiting) + 1), gone)


def make_stories(count: int, seed: int = 18) -> list[Story]:
    """Return stories in English, German and Chinese, the same for a seed."""
    rng = random.Random(seed)
    makers = (_english, _german, _english, _chinese)
    return [makers[nth % len(makers)](rng) for nth in range(count)]


def _english(rng: random.Random) -> Story:
    story = Story("en")
    forenames, family = rng.sample(_GIVEN.split(), 14), rng.sample(_FAMILY.split(), 14)
    people = [f"{forename} {surname}" for forename, surname in zip(forenames, family, strict=True)]
    aliases, ship = rng.sample(_BYNAMES.split("|"), 8), rng.choice(_SHIPS.split("|"))
    for nth in range(6):
        name, alias, other = people[nth], aliases[nth], people[nth + 7]
        phrase = rng.choice(_STATED)
        story.add(f"by-name {nth} stated", (phrase.format(name=name, alias=alias), [name, f"the {alias}"]))
        used = rng.choice(_USED)
        names = [
            f"the {alias}",
            *([other] if "{other}" in used else [ship] if "{ship}" in used else ["harbour"]),
        ]
        story.add(f"by-name {nth} used", (used.format(alias=alias, other=other, ship=ship), names))
        story.add(f"by-name {nth} plain", (f"{name} wrote to the {ship}.", [name, ship]))
        if nth > 3:  # two are enough
            story.add_guest(f"by-name {nth} noun", (f"A {alias.lower()} hung there.", [f"the {alias}"]))
        story.meant[alias.lower()] = name.lower()
    for nth in range(6, 10):
        name, short = people[nth], (forenames if nth % 2 else family)[nth]
        story.add(f"short {nth} full", (f"{name} joined the crew of the {ship}.", [name, "crew", ship]))
        story.add(f"short {nth} alone", (f"{short} scrubbed the deck of the {ship}.", [short, "deck", ship]))
        if nth > 7:
            story.add_guest(f"short {nth} town", (f"The market in {short} is old.", ["market", short]))
        story.meant[short.lower()] = name.lower()
    _english_traps(story, people[10:], forenames[10:], family[10:], aliases[6:], ship)
    return story


def _english_traps(
    story: Story, people: list[str], forenames: list[str], family: list[str], aliases: list[str], ship: str
) -> None:
    sibling = f"{forenames[1]} {family[0]}"
    story.add("siblings", (f"{people[0]} met {sibling} on the {ship}.", [people[0], sibling, ship]))
    story.add("family name", (f"{family[0]} steered the {ship}.", [family[0], ship]))
    story.meant[family[0].lower()] = None
    story.add("office 1", (f"{people[2]} became the Warden of Lisk.", [people[2], "the Warden", "Lisk"]))
    story.add("office 2", (f"Everyone called {people[3]} the Warden.", [people[3], "the Warden"]))
    story.add("office used", (f"The Warden inspected the {ship}.", ["the Warden", ship]))
    story.meant["warden"] = None
    passing = aliases[0]
    story.add("passes 1", (f"The crew called {people[2]} the {passing}.", [people[2], f"the {passing}"]))
    story.add("passes 2", (f"{people[3]} was known as the {passing}.", [people[3], f"the {passing}"]))
    story.meant[passing.lower()] = None
    noun = aliases[1]
    story.add("noun stated", (f"{people[0]} was nicknamed the {noun}.", [people[0], f"the {noun}"]))
    story.add("noun", (f"A {noun.lower()} was painted over the door.", [noun.lower(), "door"]))
    story.meant[noun.lower()] = None
    story.add("call", (f"{people[2]} called for {people[3]} from the {ship}.", [people[2], people[3], ship]))
    story.add("insult", (f"{people[3]} called {people[2]} a coward.", [people[3], people[2], "coward"]))
    story.meant["coward"] = None
    story.add(
        "hearsay",
        (f"The brother of {people[0]} was called the Ghost.", [people[0], "the Ghost", "brother"]),
        (f"The Ghost avoided the {ship}.", ["the Ghost", ship]),
    )
    story.meant["ghost"] = None


def _german(rng: random.Random) -> Story:
    story = Story("de")
    forenames, family = rng.sample(_GIVEN.split(), 10), rng.sample(_FAMILY.split(), 10)
    people = [f"{forename} {surname}" for forename, surname in zip(forenames, family, strict=True)]
    aliases, ship = rng.sample(_GERMAN_BYNAMES.split("|"), 8), rng.choice(_GERMAN_SHIPS.split("|"))
    for nth in range(7):
        name, alias, other = people[nth], aliases[nth], people[(nth + 1) % 7]
        phrase = rng.choice(_GERMAN_STATED)
        story.add(f"by-name {nth} stated", (phrase.format(name=name, alias=alias), [name, alias]))
        used = rng.choice(_GERMAN_USED)
        names = [alias, other if "{other}" in used else "Hafen"]
        story.add(f"by-name {nth} used", (used.format(alias=alias, other=other), names))
        story.add(f"by-name {nth} plain", (f"{name} schrieb an die {ship}.", [name, ship]))
        if nth > 4:
            story.add_guest(f"by-name {nth} noun", (f"Ein {alias} hing über der Tür.", [alias, "Tür"]))
        story.meant[alias.lower().replace("ß", "ss")] = name.lower()
    for nth in range(7, 9):
        name, short = people[nth], forenames[nth]
        story.add(f"short {nth} full", (f"{name} kam auf die {ship}.", [name, ship]))
        story.add(f"short {nth} alone", (f"{short} holte Wasser für die {ship}.", [short, "Wasser", ship]))
        story.meant[short.lower()] = name.lower()
    noun = aliases[7]
    story.add("noun stated", (f"Die Leute nannten {people[9]} den {noun}.", [people[9], noun]))
    story.add("noun", (f"Ein {noun} hing über der Tür.", [noun, "Tür"]))
    story.meant[noun.lower().replace("ß", "ss")] = None
    sibling = f"{forenames[8]} {family[9]}"
    story.add("siblings", (f"{people[9]} traf {sibling} auf der {ship}.", [people[9], sibling, ship]))
    story.meant[forenames[8].lower()] = None  # two of that name now
    story.add("family name", (f"{family[9]} segelte die {ship}.", [family[9], ship]))
    story.meant[family[9].lower()] = None
    return story


def _chinese(rng: random.Random) -> Story:
    story = Story("zh")
    forenames = rng.sample(_HAN_GIVEN.split("|"), 12)
    people = [rng.choice(_HAN_FAMILY) + forename for forename in forenames]
    aliases, ship = rng.sample(_HAN_BYNAMES.split("|"), 9), rng.choice(_HAN_SHIPS.split("|"))
    for nth in range(8):
        name, alias, other = people[nth], aliases[nth], people[(nth + 1) % 8]
        phrase = rng.choice(_HAN_STATED)
        story.add(f"by-name {nth} stated", (phrase.format(name=name, alias=alias), [name, alias]))
        used = rng.choice(_HAN_USED)
        names = [alias, other if "{other}" in used else ship]
        story.add(f"by-name {nth} used", (used.format(alias=alias, other=other, ship=ship), names))
        story.add(f"by-name {nth} plain", (f"{name}给{ship}的船主写信。", [name, ship, "船主"]))
        if nth > 5:
            story.add_guest(f"by-name {nth} beside", (f"{name}和{alias}上了岸。", [name, alias]))
        story.meant[alias] = name
    for nth in range(8, 10):
        story.add(f"short {nth} full", (f"{people[nth]}上了{ship}。", [people[nth], ship]))
        story.add(
            f"short {nth} alone", (f"{forenames[nth]}擦洗{ship}的甲板。", [forenames[nth], ship, "甲板"])
        )
        story.meant[forenames[nth]] = people[nth]
    story.add("office 1", (f"{people[10]}成为船长。", [people[10], "船长"]))
    story.add("office used", (f"船长检查了{ship}。", ["船长", ship]))
    story.meant["船长"] = None
    passing = aliases[8]
    story.add("passes 1", (f"{people[10]}外号{passing}。", [people[10], passing]))
    story.add("passes 2", (f"{people[11]}，人称{passing}。", [people[11], passing]))
    story.meant[passing] = None
    story.add("brother", (f"{people[11]}的弟弟人称鬼影子。", [people[11], "鬼影子"]))
    story.meant["鬼影子"] = None
    return story


def names_of(story: Story) -> set[str]:
    """Return all names of a story's facts."""
    sentences = chain.from_iterable(chain.from_iterable(story.documents.values()))
    return {name for _text, names in sentences for name in names}
