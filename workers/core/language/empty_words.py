"""Words of a sentence that claim nothing: a salutation, and small numbers that only point back."""

from __future__ import annotations

import re

from workers.core.language.numerals import numbers

# The two, beide Vereine, les trois, 两人.
_POINTING = re.compile(
    r"(?<!\w)(?:"
    r"(?:the|these|those|all|of the) (?:two|three|four|five)"
    r"|(?:the )?both|(?:die|den|der|diese[nr]?|alle) (?:beiden|zwei|drei|vier|fünf)|beide[nrs]?"
    r"|(?:tou(?:s|tes) )?(?:les|des|ces) (?:deux|trois|quatre|cinq)"
    r"|(?:l[ao]s|est[ao]s) (?:dos|tres|cuatro|cinco)|amb[ao]s"
    r"|(?:i|gli|le) (?:due|tre|quattro|cinque)|entramb[ei]"
    r"|(?:os|as|esses|essas) (?:dois|duas|três|quatro|cinco)|(?:de|deze|alle) (?:twee|drie|vier|vijf)|beiden?"
    r"|(?:te|ci|oba|obie|oboje)(?: (?:dwa|dwie|trzy|cztery))?|(?:эти|обе|оба|все)(?: (?:два|две|три|четыре))?"
    r"|her iki(?:si)?|mindkettő|mindkét|cả hai|kedua(?:nya)?|दोनों|שני(?:הם|הן)?|שתי(?:הם|הן)?|كلا|كلتا"
    r")(?!\w)|(?:这|這|那)?(?:[两兩二]人|[两兩]者|[两兩]家|三者|三人|双方|雙方)"
    r"|二人|両者|両方|三人とも|두 사람|둘 다|ทั้งสอง",
    re.IGNORECASE,
)
_SMALL = {str(number) for number in range(2, 11)}

# Dear, Sehr geehrte, Estimada, 尊敬的.
_SALUTATION = re.compile(
    r"\s*(?:(?:dear|hello|hi|sehr geehrte[rs]?|liebe[rs]?|hallo|guten tag|ch[eè]re?s?|bonjour|estimad[oa]s?"
    r"|querid[oa]s?|hola|gentil[ei]|car[oaie]|prezad[oa]s?|olá|beste|geachte|bästa|hej|kære|szanown[yai]|droga|drogi"
    r"|уважаем(?:ый|ая|ые)|дорог(?:ой|ая|ие)|здравствуйте|шановн(?:ий|а|і)|sayın|merhaba|kedves|tisztelt"
    r"|stimat[ăe]|αγαπητ(?:έ|ή|οί)|عزيزي|عزيزتي|יקר(?:ה|ים)?|प्रिय|kính gửi|yang terhormat)(?=[\s,])"
    r"|尊敬的|亲爱的|親愛的|[你您]好)[\s,，]*",
    re.IGNORECASE,
)


def without_pointing_numbers(sentence: str, stands: str) -> str:
    """Return a sentence without the small numbers that refer back to things in a text.

    They stay if the text itself gives such a number, so that "the two" does not match three.
    """
    return sentence if _SMALL & numbers(stands).keys() else _POINTING.sub(" ", sentence)


def without_salutation(sentence: str) -> str:
    """Return a sentence without its initial salutation; the name after it stays."""
    salutation = _SALUTATION.match(sentence)
    return sentence[salutation.end() :] if salutation else sentence
