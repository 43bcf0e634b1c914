"""Which key elements does a question name?"""

from __future__ import annotations

import pytest

from workers.core.graph.elements import element_spellings, normalise_element
from workers.search.mentions import chosen, content_words, looked_at, mentions_of, without

MANY = 2_000  # runs of words that one question may be looked up by, at the very most


def named(question: str, *elements: str):
    """Return what the question names, in a graph with just these key elements."""
    known = {normalise_element(name): (name, name, 1, 1) for name in elements}
    return chosen(mentions_of(question), known)


def names(question: str, *elements: str) -> list[str]:
    return [match.name for match in named(question, *elements)]


# which ----------------------------------------------------------------------------------------------


def test_names_are_found_in_the_questions_order():
    question = "Did Ada Lovelace meet Charles Babbage in London?"
    assert names(question, "London", "Charles Babbage", "Ada Lovelace", "Paris") == [
        "Ada Lovelace",
        "Charles Babbage",
        "London",
    ]


def test_the_longest_name_is_taken_and_none_inside_it():
    question = "Who designed the Clifton Suspension Bridge in Clifton?"
    elements = ("Clifton Suspension Bridge", "Suspension Bridge", "Clifton", "Bridge")
    matches = named(question, *elements)
    assert [match.name for match in matches] == ["Clifton Suspension Bridge", "Clifton"]
    assert matches[1].mention.start == question.rindex("Clifton")


def test_a_mention_tells_where_it_stands():
    question = "Was “Ada Lovelace” a countess?"
    [ada] = named(question, "Ada Lovelace")
    assert question[ada.mention.start : ada.mention.end].strip("“”") == "Ada Lovelace"


def test_names_that_overlap_are_both_taken():
    question = "Where is New York Times Square?"
    assert names(question, "New York Times", "Times Square") == ["New York Times", "Times Square"]


def test_the_same_name_twice_is_named_twice():
    assert names("Is Paris in Texas like Paris in France?", "Paris") == ["Paris", "Paris"]


def test_a_common_word_in_small_letters_is_no_name_but_several_are():
    assert names("what is an engine made of?", "engine", "made") == []
    assert names("how does a steam engine work?", "steam engine", "engine") == ["steam engine"]


def test_a_number_is_a_name():
    assert names("What happened in 1871?", "1871") == ["1871"]


def test_words_that_every_question_has_are_no_names():
    elements = ("who", "what", "the", "what is the", "it", "of the")
    assert names("Who was it? What is the What Of The?", *elements) == []


# spellings ------------------------------------------------------------------------------------------


def test_the_first_words_capital_comes_from_its_place():
    assert names("Cities of which country lie on it?", "cities", "city") == []
    assert names("Cities of Light and of Cities?", "Cities") == ["Cities"]


@pytest.mark.parametrize("question", ["Ada Lovelace was who?", "The Ada Lovelace was who?"])
def test_a_question_may_begin_with_a_name_of_several_words(question):
    assert names(question, "Ada Lovelace") == ["Ada Lovelace"]


@pytest.mark.parametrize(
    ("question", "element"),
    [
        ("Where was Éamon de Valera born?", "Eamon de Valera"),
        ("Where was Eamon de Valera born?", "Éamon de Valera"),
        ("Who was Marie Curie's husband?", "Marie Curie"),
        ("Who was Marie Curie’s husband?", "Marie Curie"),
        ("Who led the workers' party?", "workers' party"),
        ("When did the Beatles part?", "The Beatles"),
        ("Who built Steam Engines?", "steam engine"),
        ("Which books did J. R. R. Tolkien write?", "J.R.R. Tolkien"),
        ("Who lived in “Abbey Road” (London)?", "Abbey Road"),
        ("Who lived in Abbey Road (London)?", "London"),
        ("WHO WAS MARIE CURIE?", "Marie Curie"),
        ("Was it in the United\n  Kingdom?", "united kingdom"),
        ("Who was Ѐва Иванова?", "Ѐва Иванова"),
    ],
)
def test_a_name_is_found_however_it_is_spelled(question, element):
    assert names(question, element) == [element]


def test_every_stored_name_is_among_the_spellings_that_are_looked_up():
    question = "Who knew Johann Wolfgang von Goethe's Faust?"
    tried = {spelling for mention in mentions_of(question) for spelling in mention.spellings}
    assert {normalise_element("Johann Wolfgang von Goethe"), normalise_element("Faust")} <= tried
    assert set(element_spellings("Faust")) <= tried


# scripts without spaces -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "element"),
    [
        ("泰晤士河在哪里？", "泰晤士河"),
        ("谁设计了伦敦塔桥？", "伦敦塔桥"),
        ("居里夫人1903年获得了什么奖？", "居里夫人"),
        ("阿尔伯特·爱因斯坦出生在哪里？", "阿尔伯特·爱因斯坦"),
        ("Who wrote 红楼梦 in Beijing?", "红楼梦"),
        ("東京タワーはどこにありますか", "東京タワー"),
        ("กรุงเทพมหานครอยู่ที่ไหน", "กรุงเทพมหานคร"),
    ],
)
def test_names_are_found_where_words_have_no_spaces_between_them(question, element):
    assert names(question, element) == [element]


def test_the_longest_chinese_name_is_taken_and_none_inside_it():
    matches = named("泰晤士河上的伦敦塔桥在伦敦吗？", "泰晤士河", "伦敦", "塔桥", "伦敦塔桥")
    assert [match.name for match in matches] == ["泰晤士河", "伦敦塔桥", "伦敦"]
    assert without("泰晤士河在哪里？", named("泰晤士河在哪里？", "泰晤士河")) == "在哪里？"


def test_one_chinese_character_alone_is_no_name():
    assert names("河在哪里？", "河", "在", "里") == []


def test_chinese_is_searched_by_pairs_of_characters():
    assert content_words("泰晤士河在哪里？") == "泰晤 晤士 士河 河在 在哪 哪里"
    assert content_words("伦敦 and 红楼梦") == "伦敦 红楼 楼梦"


# how much -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("question", ["", " ", "?", "?!… — “”", "\n\t", "Who is it?", "()[]{}'"])
def test_a_question_without_a_word_of_its_own_names_nothing(question):
    assert mentions_of(question) == []
    assert names(question, "it", "?") == []


@pytest.mark.parametrize(
    "question",
    [
        "Ada Lovelace met Babbage. " * 154,
        "泰晤士河在哪里" * 571,
        "A" * 4_000,
        "A.B." * 1_000,
        "'s " * 1_333,
        "((((" * 1_000,
        "the " * 1_000,
        "- & " * 1_000,
        "1" * 4_000,
        "é" * 4_000,
    ],
)
def test_the_longest_question_is_looked_up_by_a_bounded_number_of_names(question):
    mentions = mentions_of(question[:4_000])
    assert len(mentions) <= MANY
    assert sum(len(mention.spellings) for mention in mentions) <= MANY


def test_longer_runs_come_before_shorter_ones():
    lengths = [
        len("Where did Ada Lovelace live?"[m.start : m.end].split())
        for m in mentions_of("Where did Ada Lovelace live?")
    ]
    assert lengths == sorted(lengths, reverse=True)


# what else is asked ---------------------------------------------------------------------------------


def test_what_is_asked_is_the_question_without_the_names():
    question = "Who was the  husband of Marie Curie in Paris?"
    assert without(question, named(question, "Marie Curie", "Paris")) == "Who was the husband of in"
    assert without(question, []) == "Who was the husband of Marie Curie in Paris?"


def test_names_that_overlap_take_no_other_word_with_them():
    question = "Where is New York Times Square in winter?"
    matches = named(question, "New York Times", "Times Square")
    assert without(question, matches) == without(question, reversed(matches)) == "Where is in winter?"


def test_a_question_that_is_but_names_asks_nothing_else():
    assert without("Marie Curie ?", named("Marie Curie ?", "Marie Curie")) == ""


def test_a_word_stands_where_it_was_said_last():
    assert content_words("The bridge and the river: who built the bridge?") == "river built bridge"


def test_what_a_text_takes_of_a_question_s_room_is_counted_as_it_is_looked_at():
    assert looked_at("Ada Lovelace, of London") == 4
    assert looked_at("泰晤士河 in London") == 6


def test_words_are_searched_once_each_and_stop_words_never():
    assert content_words("Who was Ada, and what was Ada's Engine 1843?") == "ada ada's engine 1843"
    assert content_words("who is it?") == ""
