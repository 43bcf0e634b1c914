"""Tells from words whether a name is a woman's, a man's, a thing's, or of several."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from workers.core.language.name_words import GIVEN_NAMES

Gender = Literal["f", "m", "thing", "several", ""]

FEMALE = frozenset(
    """
    woman girl lady widow nun abbess queen princess duchess empress witch mother daughter sister aunt
    niece grandmother granddaughter stepmother wife bride dame mistress mrs miss ms countess baroness
    """.split()  # noqa: SIM905 - a list of words reads best
)
MALE = frozenset(
    """
    man boy gentleman widower monk abbot king prince duke emperor father son brother uncle nephew
    grandfather grandson stepfather husband bridegroom sir lord mr count baron
    """.split()  # noqa: SIM905 - a list of words reads best
)
_FEMALE = FEMALE | {"actress", "heroine", "goddess", "waitress", "hostess", "madame", "madam", "maiden"}
_MALE = MALE | {"cardinal", "pope", "friar", "monsieur", "monsignor"} - {"count"}
_WOMEN = frozenset(
    """
    ada agatha agnes alice alicia alison amanda amelia amy ana anastasia angela anita ann anna anne
    annie antonia aretha audrey barbara beatrice betty brenda carla carmen carole caroline catherine
    cecilia celine charlotte christina christine cindy claire clara claudia cynthia daniela daphne
    deborah diana diane donna dorothy edith eileen elena eleanor elisabeth elizabeth ella ellen elsa
    emily emma esther eva fatima fiona flora frances gemma georgia gina gloria greta hannah harriet
    heather heidi helen helena hillary holly ida ingrid irene iris isabel isabella jane janet jennifer
    jenny jessica joan joanna josephine judith judy julia juliet julie karen karin kate katherine
    kathleen kathryn kathy katie lana laura lauren lily linda lisa louisa louise lucia lucy lydia
    madonna margaret margarita maria marie marilyn marlene martha mary megan melanie melissa mercedes
    michaela mildred miriam molly monica nadia nancy naomi natalia natalie nicole nina nora olivia olga
    oprah pamela patricia patti paula pauline peggy penelope petra philippa phoebe rachel rebecca regina
    rita rosa rosalind rose ruby ruth sally samantha sandra sara sarah serena sharon sheila silvia
    simone sofia sonia sophia sophie stella stephanie sue susan susanna suzanne sylvia tamara tara
    teresa thelma theresa tina ursula valerie vanessa victoria viola virginia wanda wendy winona yoko
    yvonne zoe jeanne margot ingeborg astrid birgit ilse lotte maren signe
    """.split()  # noqa: SIM905
)
# Borne by women and men, or names of other things as well.
_EITHER = frozenset(
    """
    alex ali andrea angel carol chris dale dominic evelyn florence francis gene hamza jackie jan jamie
    jay jean jesse jon jordan jules jun juri kaiser kelly ken kim lee leslie lloyd lynn mahatma marion
    marian max merle michel michele michelle morgan moses murray neville nicola nikita noel pat randy
    rene robin ross sam shannon shane sidney stevie terry tiger toni tracy valentina venus vera vivian
    wallace warren wayne yuri mark bill grant frank jack ray rich will art august augustus carter clark
    dean earl duke glen grace grover guy homer horace jerry lincoln miles nelson orson pete placido rex
    rod spencer stan ulysses victor
    """.split()  # noqa: SIM905
)
_MEN = GIVEN_NAMES - _WOMEN - _EITHER
THINGS = frozenset(
    """
    bridge tower river lake university college school museum island islands mountain sea ocean prize
    award war battle company city county state states kingdom empire republic institute institution
    society church cathedral palace castle canal railway station street park opera symphony academy
    union party league association act treaty line tunnel dam journal magazine album song film games cup
    hall house theatre festival
    """.split()  # noqa: SIM905
)
_SEVERAL = re.compile(r"\b(?:brothers|sisters|twins|beatles|couple|band|team)\b|\b(?:and|&)\b", re.IGNORECASE)
_CHINESE = re.compile(r"[\u3400-\u9fff]")
_HAN_WOMEN = (
    "女士|小姐|太太|夫人|奶奶|婆婆|姑娘|姑母|阿姨|母亲|妻子|女儿|姐姐|妹妹|公主|王后|皇后|女王|女皇|修女|少女|"
    "女孩|圣女"
)
_HAN_MEN = (
    "先生|爷爷|大爷|叔叔|伯伯|父亲|丈夫|儿子|哥哥|弟弟|王子|国王|皇帝|神父|教皇|教宗|少年|男孩|公爵|爵士|"
    "骑士|和尚"
)
_HAN_LIKELY_MEN = "主教"  # women are bishops, too
_HAN_THINGS = "桥|塔|河|湖|江|山|岛|大学|学院|公司|城|市|县|省|国|教堂|博物馆|战争|奖|协会"
_TOLD = 4  # words behind a name's article: Ada, the youngest daughter


class Named(NamedTuple):
    """Known properties of the person that a name means."""

    gender: Gender
    is_told: bool = False  # by a noun or a title; a given name only makes it likely


def gender_of(name: str, text: str) -> Named:
    """Return the gender shown by a name itself and by the text beside it.

    Args:
        name: as written in the text.
        text: text with the name.
    """
    if _CHINESE.search(name) or not name.strip():  # a document may have no title
        return _gender_in_chinese(name, text) if name.strip() else Named("")
    words = [word.casefold().strip(".,") for word in name.split()]
    if _SEVERAL.search(name):
        return Named("several", is_told=True)
    given = next((word for word in words if word in GIVEN_NAMES or word in _WOMEN), "")
    likely: Gender = "f" if given in _WOMEN else "m" if given in _MEN else ""
    is_thing = words[0] in {"river", "lake", "mount", "university"} or (
        words[-1] in THINGS and words[0] != given
    )
    if is_thing or words[0] == "the":
        return Named("thing", is_told=is_thing)  # The Rock may be a man
    bare = re.escape(name)
    nouns = [words[0]] if len(words) > 1 else []
    described = rf"(?P<noun>[a-z]+(?: [a-z-]+){{0,{_TOLD - 1}}})"
    for pattern in (
        rf"\b(?P<noun>[A-Za-z]+) {bare}\b",
        rf"\b{bare},? (?:(?:is|was) )?(?:an?|the|his|her|their) {described}(?![\w'’-]| [A-Z])",
    ):
        nouns += [word for match in re.finditer(pattern, text) for word in _before_of(match["noun"])]
    told: set[Gender] = {gender for noun in nouns if (gender := _gender_of_noun(noun))}
    if likely and told - {likely}:
        return Named("")  # Anna Holt, the king of the stage
    if len(told) == 1:
        return Named(told.pop(), is_told=True)
    return Named("" if words[-1] in THINGS else likely)  # Joan Tower, Victoria Station


def _before_of(described: str) -> list[str]:
    return described.casefold().split(" of ")[0].split()


def _gender_of_noun(noun: str) -> Gender:
    if noun in _FEMALE or noun.endswith("woman"):
        return "f"
    return "m" if noun in _MALE else ""


def may_be_work(name: str) -> bool:
    """Return whether a name that sounds like a person's may be a book's, a film's, a band's or a place's.

    One word (Virginia), or one behind a form of address or a rank (Mrs Dalloway, King Kong).
    """
    words = [word.casefold().strip(".,") for word in name.split()]
    return len(words) == 1 or bool(_gender_of_noun(words[0]))


def _gender_in_chinese(name: str, text: str) -> Named:
    bare = re.escape(name)
    for gender, nouns in (("f", _HAN_WOMEN), ("m", _HAN_MEN)):
        told = f"(?<!女)(?:{nouns})"
        own = re.search(f"{told}$|^{told}", name)
        if own or re.search(f"{told}{bare}|{bare}(?:{nouns}|是[^，。]{{0,8}}{told})", text):
            return Named(gender, is_told=True)  # type: ignore[arg-type]
    if re.search(f"(?:{_HAN_LIKELY_MEN})$", name) or re.search(f"{bare}(?:{_HAN_LIKELY_MEN})", text):
        return Named("m")
    if re.search(f"(?:{_HAN_THINGS})$", name):
        return Named("thing", is_told=True)
    return Named("")
