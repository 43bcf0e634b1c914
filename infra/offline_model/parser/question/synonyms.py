"""Synonyms in questions, and stems of all other words."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from workers.core.language.text import words

# One line per concept: what a question and a text may call the same matter.
_CLASSES = """
    hold hold holds held holding
birth born birth birthplace birthday birthdate native
death die died dies death dead deathplace killed
write write writes wrote written writing writer writers author authors authored novelist
compose compose composes composed composer composers composition
marry marry married marries wife husband spouse marriage widow wed
child child children son sons daughter daughters
sibling brother brothers sister sisters sibling siblings
parent father mother parents parent
locate located lies situated stands location
found found founded founder founders founding established establish
win win won wins winner awarded receive received
direct direct directed director directs
design design designed designer designs architect
invent invent invented inventor invention invents
discover discover discovered discoverer discovery discovers
build build built builder builders builds building constructed construct construction
paint paint painted painter painting paints
lead lead led leader leads head headed
teach teach taught teacher teaches
study study studied studies student educated attended graduated
open open opened opening opens inaugurated
height tall height high
length long length
population population inhabitants
area area square
cost cost costs price paid
age age old
cross cross crosses crossed crossing
finish finished completed complete completion finish
publish publish published publication publisher publishes
sing sing sang sung singer
play play played player plays
own own owned owner owns
speak speak spoke spoken language languages
nationality nationality citizen citizenship
join join joins joined member
begin begin began begun start started starts
move move moved moves
bury buried burial grave
name named called
use use used uses
weigh weigh weight weighs tonnes
fall fall fell fallen falls collapse collapsed
"""
# Relatives of one concept who are not one another: who had a son need not have had a daughter.
_RELATIVES = """
    child son sons | daughter daughters
    child 儿子 | 女儿
    sibling brother brothers | sister sisters
    sibling 哥哥 兄长 | 弟弟 | 姐姐 | 妹妹
    parent father | mother
    parent 父亲 爸爸 | 母亲 妈妈
    marry husband | wife
    marry 丈夫 | 妻子
"""
# Concepts that hold of a statement's subject: "the sister of X was born" does not say when X was born.
OF_THE_SUBJECT = frozenset(
    (
        "birth",
        "death",
        "height",
        "length",
        "population",
        "area",
        "age",
        "weigh",
        "nationality",
        "bury",
        "open",
    )
)
# Words that a question needs and its answer need not repeat: they name the kind of thing that is asked for.
KINDS = frozenset(
    """
    year date day month century time place city town country nation village region state person man
    woman kind type one ones thing things many much long far big large often exactly located lies
    situated stands name named called famous known first-name surname full main people amount number
    which today ever really actually also please tell
    """.split()  # noqa: SIM905 - a list of words reads best
)
STOP_WORDS = frozenset(
    """
    a about after all also am an and any are as at be been before being between both but by can
    could did do does during each for from had has have he her hers him his how i if in into is it
    its itself me more most my no nor not of on once only or other our out over own she should so
    some such than that the their them then there these they this those through to under until up
    upon very was we were what when where which while who whom whose why will with would you your
    """.split()  # noqa: SIM905 - a list of words reads best
)
GERMAN_PARTICLES = frozenset(("der", "des", "dem", "von", "vom", "zur", "zum"))  # between nouns of a name
# Of a question in German only: "die" and "was" are English words.
GERMAN_STOP_WORDS = GERMAN_PARTICLES | frozenset(
    """
    aber alle als am an auf aus bei beim bis das dass den denn die dies diese dieser dieses doch durch ein
    eine einem einen einer eines er es für gab gegen gibt habe haben hat hatte hatten heißen heißt hin hoch
    ihr ihre im in ist jahr kann lange mal man mit nach name nicht noch nur oder oft ohne seine seit sich
    sie sind soll statt tag um und unter viel viele vor wann war waren was welche welchem welchen welcher
    welches wen wer werden wie wird wo wurde wurden zu über
    """.split()  # noqa: SIM905 - a list of words reads best
)
_ENDINGS = ("ations", "ation", "itions", "ition", "ings", "ing", "ments", "ment", "ers", "er", "ors", "or")
_SHORT_ENDINGS = ("ied", "ies", "ed", "es", "s", "e", "y")
_GRAMMAR = re.compile("[\u3040-\u309f]+")  # hiragana: endings and particles
_STEM = 4  # letters that must be left


@cache
def _concepts() -> dict[str, str]:
    lines = [line.split() for line in _CLASSES.strip().splitlines()]
    return {word: name for name, *line in reversed(lines) for word in line}


RELATIONS = frozenset(line.split()[0] for line in _CLASSES.strip().splitlines())


def concept(word: str) -> str:
    """Return the concept of a lower-case word, else its stem."""
    bare = word.removesuffix("'s").removesuffix("’s")
    known = _concepts().get(bare)
    return known or _stem(bare)


@cache
def _stem(word: str) -> str:
    if not word.isascii():
        return word
    for endings in (_ENDINGS, _SHORT_ENDINGS):
        for ending in endings:
            if word.endswith(ending) and len(word) - len(ending) >= _STEM:
                return word.removesuffix(ending)
    return word


@cache
def _relatives() -> dict[str, tuple[str, str]]:
    """Return of each relative's word its concept, and the first word of those that mean the same."""
    told: dict[str, tuple[str, str]] = {}
    for line in _RELATIVES.strip().splitlines():
        name, _, groups = line.strip().partition(" ")
        for same in map(str.split, groups.split("|")):
            told.update((word, (name, same[0])) for word in same)
    return told


def other_relatives(asked: str, told: str) -> frozenset[str]:
    """Return the concepts of which one text names a relative, and the other only another: child."""
    mine, theirs = _relatives_in(asked), _relatives_in(told)
    concepts_of = {name for name, _ in mine} & {name for name, _ in theirs}
    return frozenset(name for name in concepts_of if not any(kin[0] == name for kin in mine & theirs))


@lru_cache(maxsize=8192)
def _relatives_in(text: str) -> frozenset[tuple[str, str]]:
    spoken = {word.removesuffix("'s").removesuffix("’s") for word in words(text)}
    return frozenset(
        kin for word, kin in _relatives().items() if word in (text if is_dense(word) else spoken)
    )


def concepts(text: str) -> frozenset[str]:
    """Return the concepts of a text's content words; of scripts without spaces, its pairs of characters."""
    terms: set[str] = set()
    for word in words(text):
        if word in STOP_WORDS:
            continue
        if is_dense(word):
            pairs = (word[place : place + 2] for place in range(max(1, len(word) - 1)))
            terms.update(pair for pair in pairs if not _GRAMMAR.fullmatch(pair))
        else:
            terms.add(concept(word))
    return frozenset(terms)


def is_dense(text: str) -> bool:
    """Return whether a text has Chinese, Japanese, Thai or similar characters, which need no spaces."""
    return any("\u0e00" <= mark <= "\u0eff" or "\u3040" <= mark <= "\u9fff" for mark in text)
