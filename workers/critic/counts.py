"""Counts of documents in a sentence, which come from the code and stand in no quote."""

from __future__ import annotations

import re
from collections.abc import Callable

_NOUN = (
    r"(?:(?:documents?|articles?|reports?|texts?|sources?|files?|reviews?|notes?|dokumente?[ns]?|texten?|"
    r"documentos?|documenti|textos?|testi|textes?)\b|文档|文件|文章|文本|评论|报告)"
)
_UNIT = r"\s*(?:个|篇|份|条)?\s*"  # what Chinese counts documents by
_THE = r"(?:(?:the|these|all|den|allen|los|las|les)\s+){0,2}"
_OF = rf"\b(?:out of|of|von|aus|de|sur|su)\s+{_THE}"
_N = r"(?<![\d.,])(\d{1,3}(?:[,.]\d{3})++|\d++)(?![\d.,]*\d)"
_COUNT = re.compile(rf"{_N}(?=\s*(?:{_OF}[\d.,]+)?{_UNIT}{_NOUN})", re.IGNORECASE)
_OF_ALL = re.compile(rf"{_OF}{_N}(?={_UNIT}{_NOUN})", re.IGNORECASE)
# "Of the 60 documents, 12 …", "60篇文档中有12篇"
_OF_ALL_FIRST = re.compile(
    rf"({_OF}(?:[\d.,]+\s+)?{_NOUN}(?:\s+(?:looked at|read))?,?\s+){_N}(?!\s*%)", re.IGNORECASE
)
_AMONG = re.compile(rf"{_N}({_UNIT}{_NOUN}(?:中|里)[的有，,]?\s*){_N}(?=\s*[个篇份条])")
_MOST = re.compile(
    rf"(?:\b(?:most|(?:the|a) (?:\w+ )?majority|(?:more than|over) half|(?:nearly|almost) all)\s+(?:of\s+)?"
    rf"{_THE}(?:[\d.,]+\s+)?|\bdie meisten (?:der )?|\bdie mehrheit der |(?:大多数|大部分|多数)的?){_NOUN}",
    re.IGNORECASE,
)


def without_counts(sentence: str, documents: int, of: int = 0) -> str:
    """Return a sentence without the right counts of the documents that it cites: "3 of 12 documents".

    Args:
        sentence: as written.
        documents: distinct ones that state what it cites.
        of: documents that were looked at, 0 where that is not known.
    """
    is_count, is_all = _equals(documents), _equals(of)
    bare = _AMONG.sub(
        lambda match: match[2] if is_all(match[1]) and is_count(match[3]) else match[0], sentence
    )
    bare = _OF_ALL_FIRST.sub(lambda match: match[1] if is_count(match[2]) else match[0], bare)
    bare = _COUNT.sub(lambda match: "" if is_count(match[1]) else match[0], bare)
    return _OF_ALL.sub(lambda match: "" if is_all(match[1]) else match[0], bare)


def _equals(number: int) -> Callable[[str], bool]:
    return lambda text: number > 0 and int(re.sub(r"[,.]", "", text)) == number


def overstated(sentence: str, documents: int, of: int, quoted: str) -> bool:
    """Return whether a sentence speaks of most documents and cites no more than half of them.

    Args:
        sentence: as written.
        documents: distinct ones that state what it cites.
        of: documents that were looked at.
        quoted: what it cites; what stands there may be said again.
    """
    phrases = [match[0].casefold() for match in _MOST.finditer(sentence)]
    return 2 * documents <= of and any(words not in quoted.casefold() for words in phrases)
