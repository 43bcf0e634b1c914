from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from workers.core.language.languages import language_of
from workers.core.language.text import sentences

RULES = Path(__file__).resolve().parents[5] / "shared" / "eval" / "sentences.json"


def split(text):
    return [text[start:end] for start, end in sentences(text)]


def bare(parts):
    return ["".join(part.split()) for part in parts]


@pytest.mark.parametrize(("language", "least"), [("en", 45), ("de", 32), ("es", 33), ("ja", 5), ("zh", 2)])
def test_the_golden_rules_hold(language, least):
    if not RULES.is_file():
        pytest.skip("the evaluation data is not beside the project")
    rules = json.loads(RULES.read_text(encoding="utf-8"))[language]
    assert sum(bare(split(rule["text"])) == bare(rule["sentences"]) for rule in rules) >= least


@pytest.mark.parametrize(
    "parts",
    [
        ["E. coli is a bacterium.", "It was found by T. Escherich, see p. 55 and vol. 3."],
        ["Ms. Adams met Dr. J. R. Hale of Hale & Co. in Boston.", "They left at noon."],
        ["“It is late!” he cried.", "“Go home.”", "Nobody moved."],
        ['He said: "It will not be easy.', 'But we have to."', "Then he left."],
        ["It was cold (the heating had failed).", "(Nobody had paid for it.)", "They left."],
        ["Three steps:", "1. Open the box.", "2. Take the key.", "3. Close it."],
        ["Wir sahen im 19. Jahrhundert z. B. Prof. Dr. Keller.", "Er wohnte im 3. Stock.", "Es war 1883."],
        ["El Sr. Gómez vive en la Av. Mayor núm. 5.", "¿Lo conoces?", "¡Claro que sí!"],
        ["M. Dupont est arrivé à 10 h.", "Il a dit : « Bonjour. »", "Puis il est parti."],
        ["O Sr. Silva nasceu em 1950.", "Não é verdade?", "Mora no Porto."],
        ["Он родился в 1950 г. в Москве.", "Ул. Ленина, д. 5, далеко.", "А. С. Пушкин писал стихи."],
        ["वह दिल्ली में रहता है।", "क्या वह डॉक्टर है?"],
        ["يعيش أحمد في القاهرة.", "هل هو طبيب؟", "نعم."],
        ["「行くよ」と言った。", "彼は去った！"],
        ["他说：“我走了。”", "然后他离开了。", "真的吗？"],
    ],
)
def test_sentences_end_where_a_reader_ends_them(parts):
    assert split(" ".join(parts)) == parts


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("A line that\ngoes on. Another\none.", ["A line that\ngoes on.", "Another\none."]),
        ("A heading\n\nA text without a stop\n \nMore", ["A heading", "A text without a stop", "More"]),
        ("• first thing\n• second thing", ["• first thing", "• second thing"]),
        ("Dear all:\nWelcome.", ["Dear all:", "Welcome."]),
        ("他走了。“长鸣”是哨子。", ["他走了。", "“长鸣”是哨子。"]),
        ("See example.com. Then go.", ["See example.com.", "Then go."]),
        ("", []),
        (" \n ", []),
    ],
)
def test_lines_lists_and_small_letters(text, parts):
    assert split(text) == parts


def test_a_long_text_is_split_as_a_short_one():
    text = "“It is 5 p.m.” said Ms. Adams. Nobody moved (see p. 55). " * 2_000
    assert split(text) == split(text[: len(text) // 2_000]) * 2_000
    assert split("word " * 50_000) == [("word " * 50_000).strip()]


def test_threads_split_alike():
    texts = ["Das war im 3. Stock. Er ging.", "See p. 55. He left.", "¿Qué? Nada."] * 50
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(split, texts)) == [split(text) for text in texts]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The bridge was opened by her.", "en"),
        ("Die Brücke wurde von ihr eröffnet.", "de"),
        ("¿Quién abrió el puente?", "es"),
        ("橋を渡る。", "ja"),
        ("他过了桥。", "zh"),
        ("Міст відкрили її друзі.", "uk"),
        ("", "en"),
    ],
)
def test_a_language_is_known_by_its_script_and_its_small_words(text, language):
    assert language_of(text) == language
