"""Counts of documents that a sentence may say though they stand in no quote."""

import re

import pytest

from workers.critic.draft import overstated, without_counts


def numbers(text: str) -> list[str]:
    return re.findall(r"\d[\d,.]*\d|\d", text)


COUNTED = """
In 12 documents: guests complain about noise. / 12 of 60 reviews complain about noise.
12 out of the 60 texts complain about noise. / Of the 60 documents, 12 complain about noise.
Of 60 documents looked at, 12 complain about noise. / In 12 von den 60 Texten steht Lärm.
12 de los 60 documentos hablan de ruido. / Le bruit est dans 12 sur 60 documents.
在12篇文档中，客人抱怨噪音。 / 在60篇文档中有12篇提到噪音。 / 60篇文章中的12篇提到噪音。 / 12 个文档提到噪音。
"""
OTHERS = """
12 guests complain about noise. / In 12.5 documents: noise.
In room 12 of the 60 rooms there was noise. / Of the 60 documents, 12% complain.
"""
MOST = """
Most of the reviews complain about noise. / The majority of the 60 reviews complain about noise.
More than half of all documents complain about noise.
Die meisten Dokumente nennen Lärm. / 大多数文档提到噪音。
"""


def sentences(table: str) -> list[str]:
    return re.split(r" / |\n", table.strip())


def test_right_counts_are_no_numbers_of_the_sentence_and_other_numbers_stay() -> None:
    for sentence in sentences(COUNTED):
        assert numbers(without_counts(sentence, 12, 60)) == [], sentence
        assert "12" in numbers(without_counts(sentence, 13, 60)), sentence
        if "60" in sentence:
            assert "60" in numbers(without_counts(sentence, 12, 61)), sentence
    for sentence in sentences(OTHERS):
        assert any(number.startswith("12") for number in numbers(without_counts(sentence, 12, 60))), sentence


@pytest.mark.parametrize(
    "sentence", ["In 1,200 documents: noise.", "1,200 of 3,400 documents tell of noise."]
)
def test_thousands_may_be_set_apart(sentence: str) -> None:
    assert numbers(without_counts(sentence, 1200, 3400)) == []
    assert numbers(without_counts(sentence, 200, 400)) == numbers(sentence)


def test_most_documents_are_more_than_half_of_those_looked_at_or_said_so_by_a_quote() -> None:
    for sentence in sentences(MOST):
        assert overstated(sentence, 30, 60, ""), sentence
        assert not overstated(sentence, 31, 60, ""), sentence
    assert not overstated("Most reports blame the engine.", 1, 60, "Most reports blame the engine, he wrote.")
    assert not overstated("Most guests complain about noise.", 1, 60, "")
