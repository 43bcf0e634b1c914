"""Which key elements does a question name?"""

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


@pytest.mark.parametrize(("question", "elements", "found"), [
    # In the question's order.
    (
        "Did Ada Lovelace meet Charles Babbage in London?",
        ("London", "Charles Babbage", "Ada Lovelace", "Paris"),
        ["Ada Lovelace", "Charles Babbage", "London"],
    ),
    # Those that overlap are both taken, and one that stands twice is named twice.
    (
        "Where is New York Times Square?",
        ("New York Times", "Times Square"),
        ["New York Times", "Times Square"],
    ),
    ("Is Paris in Texas like Paris in France?", ("Paris",), ["Paris", "Paris"]),
    # A common word in small letters is no name, but several are, and a number is.
    ("what is an engine made of?", ("engine", "made"), []),
    ("how does a steam engine work?", ("steam engine", "engine"), ["steam engine"]),
    ("What happened in 1871?", ("1871",), ["1871"]),
    # Words that every question has.
    ("Who was it? What is the What Of The?", ("who", "what", "the", "what is the", "it", "of the"), []),
    # The first word's capital comes from its place, unless several words make a name.
    ("Cities of which country lie on it?", ("cities", "city"), []),
    ("Cities of Light and of Cities?", ("Cities",), ["Cities"]),
    ("Ada Lovelace was who?", ("Ada Lovelace",), ["Ada Lovelace"]),
    ("The Ada Lovelace was who?", ("Ada Lovelace",), ["Ada Lovelace"]),
    # One Chinese character alone.
    ("河在哪里？", ("河", "在", "里"), []),
])  # fmt: skip
def test_a_question_names_the_elements_that_it_speaks_of(question, elements, found):
    assert names(question, *elements) == found


def test_the_longest_name_is_taken_and_none_inside_it():
    question = "Who designed “Clifton Suspension Bridge” in Clifton?"
    elements = ("Clifton Suspension Bridge", "Suspension Bridge", "Clifton", "Bridge")
    whole, part = named(question, *elements)
    assert (whole.name, part.name) == ("Clifton Suspension Bridge", "Clifton")
    assert question[whole.mention.start : whole.mention.end].strip("“”") == "Clifton Suspension Bridge"
    assert part.mention.start == question.rindex("Clifton")
    chinese = ("泰晤士河", "伦敦", "塔桥", "伦敦塔桥")
    assert names("泰晤士河上的伦敦塔桥在伦敦吗？", *chinese) == ["泰晤士河", "伦敦塔桥", "伦敦"]


# spellings ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("question", "element"), [
    ("Where was Éamon de Valera born?", "Eamon de Valera"),
    ("Where was Eamon de Valera born?", "Éamon de Valera"),
    ("Who was Marie Curie's husband?", "Marie Curie"),
    ("Who was Marie Curie’s husband?", "Marie Curie"),
    ("Who led the workers' party?", "workers' party"),
    ("When did the Beatles part?", "The Beatles"),
    ("Who built Steam Engines?", "steam engine"),
    ("Which books did J. R. R. Tolkien write?", "J.R.R. Tolkien"),
    ("Who lived in “Abbey Road” (London)?", "Abbey Road"),
    ("WHO WAS MARIE CURIE?", "Marie Curie"),
    ("Was it in the United\n  Kingdom?", "united kingdom"),
    ("Who was Ѐва Иванова?", "Ѐва Иванова"),
])  # fmt: skip
def test_a_name_is_found_however_it_is_spelled(question, element):
    assert names(question, element) == [element]


def test_every_stored_name_is_among_the_spellings_that_are_looked_up():
    question = "Who knew Johann Wolfgang von Goethe's Faust?"
    tried = {spelling for mention in mentions_of(question) for spelling in mention.spellings}
    assert {normalise_element("Johann Wolfgang von Goethe"), normalise_element("Faust")} <= tried
    assert set(element_spellings("Faust")) <= tried


# scripts without spaces -----------------------------------------------------------------------------


@pytest.mark.parametrize(("question", "element"), [
    ("泰晤士河在哪里？", "泰晤士河"),
    ("居里夫人1903年获得了什么奖？", "居里夫人"),
    ("阿尔伯特·爱因斯坦出生在哪里？", "阿尔伯特·爱因斯坦"),
    ("Who wrote 红楼梦 in Beijing?", "红楼梦"),
    ("東京タワーはどこにありますか", "東京タワー"),
    ("กรุงเทพมหานครอยู่ที่ไหน", "กรุงเทพมหานคร"),
])  # fmt: skip
def test_names_are_found_where_words_have_no_spaces_between_them(question, element):
    assert names(question, element) == [element]


# how much -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("question", ["", " ", "?", "?!… — “”", "\n\t", "Who is it?", "()[]{}'"])
def test_a_question_without_a_word_of_its_own_names_nothing(question):
    assert mentions_of(question) == []
    assert names(question, "it", "?") == []


@pytest.mark.parametrize("text", [
    "Ada Lovelace met Babbage. ", "泰晤士河在哪里", "A", "A.B.", "'s ", "((((", "the ", "- & ", "1", "é",
])  # fmt: skip
def test_the_longest_question_is_looked_up_by_a_bounded_number_of_names(text):
    mentions = mentions_of((text * 4_000)[:4_000])
    assert len(mentions) <= MANY
    assert sum(len(mention.spellings) for mention in mentions) <= MANY


def test_longer_runs_come_before_shorter_ones():
    question = "Where did Ada Lovelace live?"
    runs = [question[mention.start : mention.end].split() for mention in mentions_of(question)]
    assert runs == sorted(runs, key=len, reverse=True)


# what else is asked ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("question", "elements", "left"), [
    ("Who was the  husband of Marie Curie in Paris?", ("Marie Curie", "Paris"), "Who was the husband of in"),
    ("Who was the  husband of Marie Curie?", (), "Who was the husband of Marie Curie?"),
    ("Where is New York Times Square in winter?", ("New York Times", "Times Square"), "Where is in winter?"),
    ("Marie Curie ?", ("Marie Curie",), ""),
    ("泰晤士河在哪里？", ("泰晤士河",), "在哪里？"),
])  # fmt: skip
def test_what_is_asked_is_the_question_without_the_names(question, elements, left):
    matches = named(question, *elements)
    assert without(question, matches) == without(question, reversed(matches)) == left


@pytest.mark.parametrize(("text", "searched"), [
    ("The bridge and the river: who built the bridge?", "river built bridge"),  # where it was said last
    ("Who was Ada, and what was Ada's Engine 1843?", "ada ada's engine 1843"),
    ("who is it?", ""),
    ("泰晤士河在哪里？", "泰晤 晤士 士河 河在 在哪 哪里"),
    ("伦敦 and 红楼梦", "伦敦 红楼 楼梦"),
])  # fmt: skip
def test_words_are_searched_once_each_and_stop_words_never(text: str, searched: str) -> None:
    assert content_words(text) == searched


def test_what_a_text_takes_of_a_question_s_room_is_counted_as_it_is_looked_at():
    assert looked_at("Ada Lovelace, of London") == 4
    assert looked_at("泰晤士河 in London") == 6
