"""When the facts of one visit answer the whole question."""

import re

from workers.core.records import QuotedFact
from workers.traverse.graph.visit import answers_whole_question, asks_for_several

SEVERAL = """
Which films did Ada direct? / How many towers are there? / Where else did she live?
Welche Bücher schrieb sie? / Wer sind die Mitglieder? / 高承岳有哪些别名？
What awards did Marie Curie win? / Who founded Google? / Wie viele Filme drehte sie?
¿Cuántos hijos tuvo? / Combien de films y a-t-il ? / Qui sont les auteurs ?
Compare the budgets of Alien and Aliens. / Did Oslo or Bergen host the regatta?
"""
ONE = """
When was Ada born? / Who was the author of Frankenstein? / What is the capital of Peru?
What currency does Peru use? / 独眼龙是谁？
"""


def test_a_question_tells_whether_it_may_have_several_answers():
    for questions, several in ((SEVERAL, True), (ONE, False)):
        for question in re.split(r" / |\n", questions.strip()):
            assert asks_for_several(question) is several, question


def test_of_two_parts_one_alone_is_not_enough():
    parts = ("When did the regatta come to Oslo?", "When did the regatta come to Bergen?")
    fields = {"source_node_id": "k", "extracted_from_depth": 0}
    oslo = QuotedFact(fact_text="The regatta came to Oslo in 1931.", **fields)
    bergen = oslo.model_copy(update={"fact_text": "The regatta came to Bergen in 1934."})
    question = "How long was the regatta in Oslo until it came to Bergen?"
    assert not answers_whole_question((oslo,), question, parts)
    assert answers_whole_question((oslo, bergen), question, parts)
    assert not answers_whole_question((), "When was Ada born?", ())
