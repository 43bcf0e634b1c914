"""Whom a pronoun means where a sentence puts a name in its place."""

import pytest

from workers.core.records import FactSource
from workers.critic.context import ChunkText
from workers.critic.pronouns import introduction, mistaken, replaced

JOAN = (
    "Joan of Arc was born in Domrémy. Bishop Pierre Cauchon presided over her trial. "
    "She was canonized by Pope Benedict XV in 1920."
)
ZHENDE = "圣女贞德出生于栋雷米。皮埃尔·科雄主教主持了审判。她于1920年被封为圣人。"
TWO = "Anna Holt was born in Bonn. Maria Brandt taught music there. She died in 1900."
BRIDGE = "Marc Brunel came to London. The Thames Tunnel was his idea. It was opened in 1843."
GEORGE = "George Eliot was born in Nuneaton. She wrote Middlemarch in 1871."
LATER = (
    "John Holt drew it. His son Peter Holt led the work. Many fell ill, and so did Peter Holt. "
    "He wrote letters to his wife Ada Holt from 1872."
)
BAND = "The Harper Brothers met John Reed in Leeds. They won a prize in 1999."


def cited(text, quote, title="A Life"):
    start = 100 + text.rfind(quote)
    place = {"chunk_id": "c", "document_id": "d", "start": start, "end": start + len(quote)}
    known = {"fact_id": "f", "fact": quote, "title": title, "uri": "u", "match": 1, "grounded": True}
    return FactSource(**place, **known, quote=quote)


def last_of(text):
    return text[text.rfind("。", 0, -1) + 1 :] if "。" in text else text[text.rfind(". ") + 2 :]


@pytest.mark.parametrize(("sentence", "text", "title", "is_right"), [
    ("Bishop Pierre Cauchon was canonized by Pope Benedict XV in 1920.", JOAN, "Joan of Arc", False),
    ("Pierre Cauchon was canonized in 1920.", JOAN, "Joan of Arc", False),
    ("Pierre Cauchon was canonized in 1920.", JOAN, "A trial", False),
    ("Joan of Arc was canonized by Pope Benedict XV in 1920.", JOAN, "Joan of Arc", True),
    ("Joan of Arc was canonized by Pope Benedict XV in 1920.", JOAN, "A trial", True),
    ("Pope Benedict XV canonized Joan of Arc in 1920.", JOAN, "A trial", True),
    ("She was canonized in 1920.", JOAN, "A trial", True),
    ("皮埃尔·科雄主教于1920年被封为圣人。", ZHENDE, "圣女贞德", False),
    ("圣女贞德于1920年被封为圣人。", ZHENDE, "圣女贞德", True),
    ("贞德于1920年被封为圣人。", ZHENDE, "审判", True),
    ("Anna Holt died in 1900.", TWO, "Bonn", False),
    ("Maria Brandt died in 1900.", TWO, "Bonn", True),
    ("Anna Holt died in 1900.", TWO, "Anna Holt", True),
    ("Marc Brunel was opened in 1843.", BRIDGE, "Thames Tunnel", False),
    ("The Thames Tunnel was opened in 1843.", BRIDGE, "London", True),
    ("George Eliot wrote Middlemarch in 1871.", GEORGE, "George Eliot", True),
    ("From 1872 John Holt wrote letters to his wife Ada Holt.", LATER, "A bridge", False),
    ("From 1872 Peter Holt wrote letters to his wife Ada Holt.", LATER, "A bridge", True),
    ("From 1872 John Holt wrote letters to his wife Ada Holt.", LATER, "John Holt", True),
    (
        "From 1872 John Holt wrote letters to his wife Ada Holt.",
        LATER.replace("Many", "John Holt"),
        "A bridge",
        True,
    ),
    ("John Reed won a prize in 1999.", BAND, "Leeds", False),
    ("The Harper Brothers won a prize in 1999.", BAND, "Leeds", True),
])  # fmt: skip
def test_a_name_agrees_with_the_pronoun_that_it_replaces(sentence, text, title, is_right):
    why = mistaken(sentence, [cited(text, last_of(text), title)], lambda _ids: [ChunkText(text, 100)])
    assert (why is None) == is_right, why


def test_a_name_that_another_cited_document_bears_takes_no_pronouns_place():
    text = "Emily Roebling lived in Trenton. She was born in 1843."
    sources = [
        cited(text, "She was born in 1843.", "Emily Roebling"),
        cited("He was born in 1840.", "He was born in 1840.", "Benjamin Baker"),
    ]
    people = "people: Benjamin Baker, Emily Roebling"
    assert mistaken(people, sources, lambda _ids: [ChunkText(text, 100)]) is None


@pytest.mark.parametrize(("sentence", "text", "title", "quote"), [
    ("Joan of Arc was canonized in 1920.", JOAN, "A trial", "Joan of Arc was born in Domrémy."),
    ("圣女贞德于1920年被封为圣人。", ZHENDE, "审判", "圣女贞德出生于栋雷米。"),
    ("Joan of Arc was canonized in 1920.", JOAN, "Joan of Arc", None),
])  # fmt: skip
def test_the_sentence_that_introduces_the_name_can_be_cited_unless_the_title_has_it(
    sentence, text, title, quote
):
    source = cited(text, last_of(text), title)
    found = replaced(sentence, source, lambda _ids: [ChunkText(text, 100)])
    assert found is not None
    place = introduction(found, source, lambda _ids: [ChunkText(text, 100)])
    assert (place.quote if place else None) == quote
    if place:
        assert text[place.start - 100 : place.end - 100] == quote


TWICE = (
    "Anna Holt was born in Bonn. She died in 1900. Maria Brandt was born in Kiel. She taught there. "
    "She died in 1900."
)


def test_a_quote_that_stands_twice_is_read_where_it_is_cited():
    source = cited(TWICE, "She died in 1900.", "Two lives")
    around = [ChunkText(TWICE, 100)]
    assert mistaken("Maria Brandt died in 1900.", [source], lambda _ids: around) is None
    found = replaced("Maria Brandt died in 1900.", source, lambda _ids: around)
    place = introduction(found, source, lambda _ids: around)
    assert place.quote == "Maria Brandt was born in Kiel."
    assert TWICE[place.start - 100 : place.end - 100] == place.quote


@pytest.mark.parametrize(("sentence", "text", "title"), [
    (
        "Mrs Dalloway was published in 1925.",
        "Mrs Dalloway is by Virginia Woolf of the Bloomsbury Society. It was published in 1925.",
        "Mrs Dalloway",
    ),
    (
        "Mrs Dalloway was published in 1925.",
        "Leonard Woolf ran the Hogarth Press. Mrs Dalloway was its best novel. It was published in 1925.",
        "Hogarth Press",
    ),
    (
        "Lady Bird was released in 2017.",
        "Greta Gerwig wrote Lady Bird for a film company. It was released in 2017.",
        "Film Academy",
    ),
    (
        "King Kong was shown in 1933.",
        "King Kong was made by a company. It was shown in 1933.",
        "King Kong (film)",
    ),
    (
        "King Kong was shown in 1933.",
        "The Empire State Building appears in King Kong. It was shown in 1933.",
        "Empire State Building",
    ),
    (
        "King Crimson won a prize in 1999.",
        "The Beatles were praised by King Crimson. They won a prize in 1999.",
        "Rock",
    ),
    (
        "Bishop Libby Lane was ordained in 1994.",
        "Queen Elizabeth II met Bishop Libby Lane. She was ordained in 1994.",
        "Church of England",
    ),
    ("莉比·莱恩主教于1994年被按立。",
     "英国圣公会有主教。莉比·莱恩主教来自英格兰。她于1994年被按立。", "英国圣公会"),
    ("女皇帝武则天于705年去世。", "女皇帝武则天统治中国。她于705年去世。", "唐朝"),
    (
        "Virginia became a state in 1788.",
        "Virginia lies on the James River. It became a state in 1788.",
        "James River",
    ),
    (
        "Anna Holt died in 1900.",
        "Anna Holt, the king of the stage, was born in Bonn. She died in 1900.",
        "Bonn",
    ),
    (
        "Sigrid Lund died in 1900.",
        "Sigrid Lund, the king's daughter, was born in Bonn. She died in 1900.",
        "Bonn",
    ),
    (
        "Sigrid Lund died in 1900.",
        "Sigrid Lund, her brother Olaf and a nun came to Bonn. She died in 1900.",
        "Bonn",
    ),
    (
        "Joan Tower won a prize in 1990.",
        "Joan Tower met Queen Elizabeth II. She won a prize in 1990.",
        "Music",
    ),
    ("The Rock won a prize in 1999.", "The Rock wrestled in Miami. He won a prize in 1999.", "Wrestling"),
    (
        "The Victory was launched in 1765.",
        "The Victory was built in Chatham. She was launched in 1765.",
        "Chatham",
    ),
    ("Ada Lovelace met him in 1833.", "Ada Lovelace came. She met him in 1833.", ""),
])  # fmt: skip
def test_a_name_is_kept_where_the_language_shows_no_contradiction(sentence, text, title):
    quote = text[text.rfind("。", 0, -1) + 1 :] if "。" in text else text[text.rfind(". ") + 2 :]
    assert mistaken(sentence, [cited(text, quote, title)], lambda _ids: [ChunkText(text, 100)]) is None
