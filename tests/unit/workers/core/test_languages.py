"""The language of a short sentence is told in 38 languages."""

from collections import Counter, defaultdict
from pathlib import Path

import pytest

from workers.core.language.languages import language_of, languages_of

_LINES = (Path(__file__).parents[3] / "data" / "short_sentences.tsv").read_text(encoding="utf-8").splitlines()
_SENTENCES = [(language, sentence) for language, _, sentence in (line.partition("\t") for line in _LINES)]
_KIN = [{"da", "no", "sv"}, {"id", "ms"}, {"hi", "mr", "ne"}, {"pt", "es", "ro"}, {"ru", "bg"}]


def test_short_sentences_are_of_their_language_or_of_its_kin() -> None:
    told = [(language, language_of(sentence)) for language, sentence in _SENTENCES]
    assert sum(language == said for language, said in told) >= 0.9 * len(told)
    foreign = [pair for pair in told if not any(set(pair) <= kin for kin in _KIN) and len(set(pair)) > 1]
    assert len(foreign) <= 5, foreign
    right = Counter(language for language, said in told if language == said)
    large = {"en", "de", "fr", "es", "it", "nl", "fi", "pl", "hu", "uk", "ru", "sr", "tr", "ar", "fa", "vi"}
    many = Counter(language for language, _said in told)
    assert {language: right[language] for language in large} == {
        language: many[language] for language in large
    }


def test_a_few_sentences_together_are_of_their_language() -> None:
    texts = defaultdict[str, list[str]](list)
    for language, sentence in _SENTENCES:
        texts[language].append(sentence)
    assert {language: language_of(" ".join(sentences)) for language, sentences in texts.items()} == {
        language: language for language in texts
    }


@pytest.mark.parametrize(
    "text", ["", "K-17", "50%", "Anna Ivanova", "Yes.", "Chapter 3", "1. 2. 3.", "😀", "\ud800"]
)
def test_what_tells_no_language_is_taken_for_english(text: str) -> None:
    assert language_of(text) == "en"


def test_a_foreign_name_makes_no_foreign_sentence() -> None:
    for sentence in [
        "The lease was signed by Jürgen Großmann in Köln.",
        "She met 山田花子 at the museum in Kyoto last year.",
        "Its owner is called Łukasz Żółty, and he has sold it.",
    ]:
        assert language_of(sentence) == "en", sentence


def test_a_text_too_short_to_tell_has_no_languages() -> None:
    assert languages_of("Die Mühle") == languages_of("No. 17, Nr. 3") == languages_of("") == ()
    assert languages_of("橋は完成した。") == ("ja",)
    assert languages_of("Der Vertrag endet am 3. Mai 2019.") == ("de",)
