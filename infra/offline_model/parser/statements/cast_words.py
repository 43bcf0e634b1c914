"""Word lists from which the type of a name is found: person, group, place, thing."""

from __future__ import annotations

from typing import Literal

from workers.core.language.genders import FEMALE, MALE

Sort = Literal["person", "group", "nation", "place", "region", "item"]

_NOUNS: dict[Sort, str] = {
    "person": """
        man woman boy girl child baby lady gentleman stranger widow widower orphan thief poet priest monk nun
        abbot abbess king queen prince princess knight duke duchess earl baron emperor empress captain chief
        servant slave cook smith guide guard spy nurse doctor physician magician wizard witch giant ghost
        dog cat horse donkey bear wolf fox raven crow owl dragon hermit clerk judge mayor agent boss
        customer client patient judge heir friend enemy rival apprentice pupil student tenant
        """,
    "group": """
        guild guard order company crew council court army navy tribe clan family school brotherhood sisterhood
        society league band gang club party union association institute university bank firm agency ministry
        committee church choir regiment legion fleet house
        """,
    "nation": "kingdom empire republic nation state duchy realm",
    "region": "country province county land lands plain plains desert steppe coast highlands valley marsh",
    "place": """
        village town city hamlet river stream brook lake sea bay harbour harbor port island isle castle tower
        palace fort fortress inn tavern mill farm forest wood woods hill mountain mount cave road street
        square bridge gate garden field meadow temple abbey monastery chapel cathedral station hospital prison
        """,
    "item": """
        bell whistle key sword knife dagger shield bow ring crown necklace jewel stone lamp lantern candle
        candlestick book ledger letter map scroll diary mirror box chest coin boat ship ferry barge raft
        cart wagon coat cloak hat mask drum harp flute violin clock watch compass machine engine staff wand
        cup chalice statue painting seal contract
        """,
}
KIN = frozenset(
    """
    father mother son daughter brother sister uncle aunt nephew niece cousin grandfather grandmother
    grandson granddaughter stepfather stepmother twin parent
    """.split()  # noqa: SIM905 - a list of words reads best
)
SPOUSES = frozenset(("wife", "husband", "bride", "bridegroom", "betrothed"))
HONORIFICS = frozenset(
    """
    captain old young king queen prince princess lord lady sir dame father mother brother sister uncle aunt
    mr mrs miss ms dr doctor professor master mistress saint st general colonel major sergeant count countess
    duke duchess baron baroness judge mayor
    """.split()  # noqa: SIM905 - a list of words reads best
)
# What only someone does.
DEEDS = (
    "said|asked|answered|told|replied|laughed|wept|cried|shouted|whispered|thought|knew|wanted|smiled|nodded|"
    "met|married|taught|learned|revealed|confessed|promised|swore|betrayed|fought|refused|agreed|sat|walked|"
    "ran|rode|rowed|slept|ate|drank|sang|climbed|mended|joined|led|dug|blew|lied|dreamed|remembered|forgot|"
    "lived|warned|inherited|received|visited|helped|owes|owed|left|read|put|laid|folded|dismissed|"
    "looked|waited|found|lost|died|became|was born|gave|took|brought|carried|held|noticed|kept|stole"
)
_PERSON_ENDINGS = (
    "woman",
    "man",
    "keeper",
    "maker",
    "builder",
    "master",
    "wright",
    "smith",
    "herd",
    "monger",
)
_AGENT_ENDINGS = ("er", "or", "ist", "ess", "eer")
_NO_AGENTS = frozenset(
    """
    river tower other letter water winter summer october september november december never ever over under
    after number paper silver copper corner border order member matter manner dinner supper power flower
    door floor mirror harbor error honor colour former latter later quarter daughter sister brother father
    mother another further rather whether together however less guess press mess chess dress business
    best first last most forest west rest guest chest unless happiness darkness illness beer deer
    ladder fever weather feather leather finger hammer lantern anger hunger master
    """.split()  # noqa: SIM905 - a list of words reads best
)
_SORTS: dict[str, Sort] = {word: sort for sort, nouns in _NOUNS.items() for word in nouns.split()}


def sort_of(noun: str) -> Sort | None:
    """Return the kind of thing that a common noun means; None if unknown."""
    word = noun.casefold()
    if word in KIN | SPOUSES:
        return "person"
    known = _SORTS.get(word) or _SORTS.get(word.removesuffix("s"))
    if known:
        return known
    return "person" if is_calling(word) else None


def is_calling(word: str) -> bool:
    """Return whether a noun is an occupation, by its ending: ferrywoman, healer, pianist."""
    if word in _NO_AGENTS or not word.isalpha() or not word.islower():
        return False
    return word.endswith(_PERSON_ENDINGS) or (len(word) > 5 and word.endswith(_AGENT_ENDINGS))  # noqa: PLR2004


def is_female(word: str) -> bool:
    """Return whether a noun is said of women only."""
    return word in FEMALE or word.endswith("woman")


def is_male(word: str) -> bool:
    """Return whether a noun is said of men only."""
    return word in MALE or (word.endswith("man") and not word.endswith("woman"))
