"""Counts of documents in a sentence, which come from the code and stand in no quote."""

from __future__ import annotations

import re

_DOCUMENTS = (
    r"(?:documents?|articles?|reports?|texts?|sources?|files?|reviews?|notes?|dokumente[ns]?|documentos|documenti|"
    r"文档|文件|文章)"
)
_COUNT = re.compile(
    rf"(?<![\d.,])(\d+)(?=\s*(?:of (?:the )?\d+ )?(?:个|篇|份)?\s*{_DOCUMENTS}\b)", re.IGNORECASE
)
_OF_ALL = re.compile(rf"(?<![\d.,])of (?:the )?(\d+)(?= {_DOCUMENTS}\b)", re.IGNORECASE)


def without_counts(sentence: str, documents: int, of: int = 0) -> str:
    """Return a sentence without the right counts of the documents that it cites: "3 of 12 documents".

    Args:
        sentence: as written.
        documents: distinct ones that state what it cites.
        of: documents that were looked at, 0 where that is not known.
    """
    bare = _COUNT.sub(lambda found: "" if int(found[1]) == documents else found[0], sentence)
    return _OF_ALL.sub(lambda found: "" if of and int(found[1]) == of else found[0], bare)
