"""The salutation that a text may begin with: Dear, Sehr geehrte, Estimada, 尊敬的."""

from __future__ import annotations

import re

_SALUTATION = re.compile(
    r"\s*(?:(?:dear|hello|hi|sehr geehrte[rs]?|liebe[rs]?|hallo|guten tag|ch[eè]re?s?|bonjour|estimad[oa]s?"
    r"|querid[oa]s?|hola|gentil[ei]|car[oaie]|prezad[oa]s?|olá|beste|geachte|bästa|hej|kære|szanown[yai]|droga|drogi"
    r"|уважаем(?:ый|ая|ые)|дорог(?:ой|ая|ие)|здравствуйте|шановн(?:ий|а|і)|sayın|merhaba|kedves|tisztelt"
    r"|stimat[ăe]|αγαπητ(?:έ|ή|οί)|عزيزي|عزيزتي|יקר(?:ה|ים)?|प्रिय|kính gửi|yang terhormat)(?=[\s,])"
    r"|尊敬的|亲爱的|親愛的|[你您]好)[\s,，]*",
    re.IGNORECASE,
)


def without_salutation(sentence: str) -> str:
    """Return a sentence without the salutation that it begins with; the name behind it stays."""
    return _SALUTATION.sub("", sentence, count=1) if _SALUTATION.match(sentence) else sentence
