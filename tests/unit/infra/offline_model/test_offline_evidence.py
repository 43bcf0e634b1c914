"""What the rule-based reader makes of evidence: notes on a way, scores, checks of results, answers."""

from typing import Any

import pytest
from doubles.offline import ask, evidence, rows

from infra.offline_model.parser.survey import ANYTHING_HELPS
from workers.critic.schema import (
    AnswerCheck,
    AnswerDraft,
    EvidenceSummary,
    FactScore,
    ReasonedAnswer,
)
from workers.traverse.reader.schema import ChunkNotes, FactNotes, NeighbourChoice
from workers.traverse.schema import NodeNotes
from workers.traverse.survey.schema import SurveyDraft, TopicClaims

TWO_HOPS = "In which country was the composer of Finlandia born?"
EVIDENCE = (
    "Finlandia is a tone poem that was composed by Jean Sibelius.",
    "Jean Sibelius was born in Hämeenlinna in Finland on 8 December 1865.",
    "Aino Järnefelt, whom Jean Sibelius married in 1892, was born in Helsinki.",
    "Jean Sibelius's father died in 1868.",
    "Finlandia was first played in Helsinki on 2 July 1900.",
)


def draft(question: str, *facts: str, source: str = "", **more: Any) -> AnswerDraft:
    return ask(AnswerDraft, question, evidence=evidence(*facts, source=source), **more)


def cited(answer: AnswerDraft | ReasonedAnswer) -> list[int]:
    return [n for sentence in answer.sentences for n in sentence.citations]


# On the way through the graph ---------------------------------------------------------------------------


def visit(question: str, **fields: Any) -> NodeNotes:
    return ask(NodeNotes, question, **{"node": {"id": "k0", "name": "Finlandia", "properties": {}}} | fields)


def neighbour(node_id: str, name: str, context: str) -> dict[str, Any]:
    return {"id": node_id, "name": name, "relationship": "SHARES_FACT", "shared": 1, "context": context}


def test_a_visit_notes_what_is_asked_and_follows_the_bridge_to_the_answer() -> None:
    facts = [{"id": f"f{n}", "text": text} for n, text in enumerate(EVIDENCE)]
    around = [neighbour("k1", "Helsinki", EVIDENCE[4]), neighbour("k2", "Jean Sibelius", EVIDENCE[0])]
    notes = visit(TWO_HOPS, facts=[facts[0], facts[4]], neighbours=around)
    assert ([fact.source_ids for fact in notes.facts], notes.next, notes.stop) == ([["f0"]], ["k2"], False)
    notes = visit(TWO_HOPS, neighbours=around, visited=["Jean Sibelius"])
    assert (notes.next, notes.stop) == ([], False), "nothing here is no answer"
    around = [neighbour("k3", "Finland", EVIDENCE[1])]
    notes = visit("When was Jean Sibelius born?", facts=[facts[1]], neighbours=around)
    assert (notes.next, notes.stop) == ([], True)
    node = {"id": "m1", "name": "The Matrix", "properties": {"released": 1999, "tagline": "Welcome"}}
    [fact] = visit("When was The Matrix released?", node=node).facts
    assert (fact.text, fact.source_ids) == ("The Matrix: released = 1999", ["property:released"])
    chunk = {"id": "c1", "text": "It rained. Keanu Reeves was born in Beirut."}
    [fact] = visit("Where was Keanu Reeves born?", chunks=[chunk]).facts
    assert (fact.text, fact.source_ids) == ("Keanu Reeves was born in Beirut.", ["c1"])


BRIDGE = "Where was the designer of the Alda Bridge born?"
HALF = "Who designed the Alda Bridge, and who painted it?"
OPENED = "When was the Alda Bridge opened?"
HOPS = ["Who or what is the designer of the Alda Bridge?", "Where was that designer born?"]
DESIGNED = "The Alda Bridge was designed by Maren Holt."
BORN = "Maren Holt was born in Vestby."
GOES_ON = "The chunk's last sentence goes on behind it."
OTHERS = ("Karsund has a harbour.", "Ships come in summer.")


def path(question: str, *notes: str, **more: Any) -> dict[str, Any]:
    parts = HOPS if question == BRIDGE else []
    plan = {"asked": question, "steps": parts, "key_information": []}
    notebook = [{"id": f"e{n}", "text": note} for n, note in enumerate(notes, 1)]
    return {"question": question, "sub_questions": parts, "plan": plan, "notebook": notebook} | more


def checked(*facts: str, notes: tuple[str, ...] = (), question: str = BRIDGE, title: str = "") -> FactNotes:
    entries = [{"id": f"f{n}", "text": fact} for n, fact in enumerate(facts, 1)]
    chunks = [{"id": "c1", "title": title, "facts": entries}]
    return ask(FactNotes, **path(question, *notes, nodes=[], chunks=chunks))


def read(*sentences: str, **around: Any) -> ChunkNotes:
    entries = [{"id": f"s{n}", "text": sentence} for n, sentence in enumerate(sentences, 1)]
    chunk = {"title": "", "previous": True, "subsequent": True} | around | {"sentences": entries}
    return ask(ChunkNotes, **path(OPENED, chunk=chunk, queued=0))


def chosen(*neighbours: tuple[str, str], notes: tuple[str, ...] = ()) -> NeighbourChoice:
    offered = [{"name": name, "shared": 1, "context": context} for name, context in neighbours]
    return ask(NeighbourChoice, **path(BRIDGE, *notes, nodes=["alda bridge"], need="", neighbours=offered))


def test_facts_that_help_are_noted_once_and_tell_what_is_read_next() -> None:
    notes = checked(DESIGNED, "The Skerne is a river.")
    assert [(note.text, note.rests_on) for note in notes.notes] == [(DESIGNED, ["f1"])]
    assert (notes.action, notes.chunks) == ("read_chunk", ["c1"])
    assert notes.need == "Where was that designer born? (Maren Holt)"
    assert notes.reason == f"This fact comes nearest to what is asked: {DESIGNED}"
    notes = checked(BORN, notes=(DESIGNED,))
    assert (notes.action, notes.chunks, notes.need, notes.complete) == ("termination", [], "", True)
    notes = checked(*OTHERS)
    assert (notes.notes, notes.action) == ([], "stop_and_read_neighbor")
    assert checked(DESIGNED, notes=(DESIGNED,)).notes == []
    notes = checked(DESIGNED, question=HALF)
    assert notes.reason == "The notes answer a part of what is asked; the rest is left open."
    [note] = checked("The span was designed by Maren Holt.", title="Alda Bridge").notes
    assert note.text == "Alda Bridge: The span was designed by Maren Holt."


def test_a_chunk_that_answers_ends_the_path_and_one_of_another_matter_leads_to_the_queue() -> None:
    notes = read("The Alda Bridge is long.", "It was opened in 1893.", title="Alda Bridge")
    assert (notes.action, notes.complete, notes.need) == ("termination", True, "")
    [note] = notes.notes
    assert (note.text, note.rests_on) == ("Alda Bridge was opened in 1893.", ["s2"])
    notes = read(*OTHERS)
    assert (notes.notes, notes.action, notes.complete, notes.need) == ([], "search_more", False, OPENED)
    assert notes.reason == "Neither end of the chunk leads on."


@pytest.mark.parametrize(("sentences", "side", "reason"), [
    (("It is long.", "The opening of the Alda Bridge was delayed."), "subsequent", ""),
    (("It is long.", "The history of the Alda Bridge is continued there."), "subsequent", ""),
    (("It is long.", "These are the dates of the Alda Bridge:"), "subsequent", ""),
    (
        ("It is long.", "Late the Alda Bridge was"),
        "subsequent",
        "The chunk's last sentence goes on behind it.",
    ),
    (("Its opening was cheered.", "It rains."), "previous", "The chunk refers to what stands before it."),
    (("It has a crane.", "The Alda Bridge, named above, is painted red.", "It rains."), "previous", ""),
])  # fmt: skip
def test_what_an_end_of_a_chunk_announces_or_refers_to_is_read_next(sentences, side, reason):
    notes = read(*sentences)
    assert notes.action == f"read_{side}_chunk"
    assert notes.reason == (reason or notes.reason)
    assert read(*sentences, **{side: False}).action != f"read_{side}_chunk"


def test_a_path_goes_on_where_its_notes_lead_and_ends_where_nothing_promises_more() -> None:
    town = ("karsund", "Karsund is a town.")
    choice = chosen(town, ("maren holt", DESIGNED), notes=(DESIGNED,))
    assert (choice.action, choice.name) == ("read_neighbor_node", "maren holt")
    assert choice.reason == "The notes lead to maren holt."
    choice = chosen(town)
    assert (choice.action, choice.complete) == ("termination", False)
    choice = chosen(("vestby", BORN), notes=(DESIGNED, BORN))
    assert (choice.action, choice.complete) == ("termination", True)


PRODUCTS = (("bolt", 3), ("nut", 4))


def reasoned(question: str, *facts: str) -> ReasonedAnswer:
    notebooks = [
        {"path": n, "start": f"node {n}", "entries": [{"text": fact, "evidence": [n]}]}
        for n, fact in enumerate(facts, 1)
    ]
    return ask(ReasonedAnswer, question, notebooks=notebooks, evidence=evidence(*facts))


def test_an_answer_is_put_together_from_several_notebooks_with_what_is_lacking() -> None:
    answer = reasoned(BRIDGE, DESIGNED, BORN, "Karsund has a harbour.")
    assert cited(answer) == [1, 2]
    assert f"Path 2, begun at node 2: {BORN}" in answer.analysis
    assert "Path 3, begun at node 3: of 1 entries none carries the answer." in answer.analysis
    answer = reasoned(OPENED, "The Alda Bridge was opened in 1893.", "The Alda Bridge was opened in 1895.")
    assert (answer.conflicts, "contradict" in answer.analysis) == ([[1, 2]], True)
    rows = (
        f"Product: Steel {of}; Price of a box: {price} euros; Weight of a box: {price} kg."
        for of, price in PRODUCTS
    )
    assert not reasoned("What is the price of a steel bolt?", *rows).conflicts, "rows of two products"
    answer = reasoned(BRIDGE, DESIGNED)
    assert (answer.answerable, answer.missing in answer.analysis) == (False, True)
    answer = reasoned(HALF, DESIGNED)
    assert "painted" in answer.missing
    assert "Together they hold a part of what is asked" in answer.analysis


# Scores, summaries and answers --------------------------------------------------------------------------


def score(question: str, fact: str, *parts: str) -> float:
    return ask(FactScore, question, sub_questions=parts, fact=fact, sources=[]).relevance


def test_facts_score_by_how_much_they_help_and_are_summed_up_with_their_numbers() -> None:
    born = "When was Jean Sibelius born?"
    scores = [score(born, fact) for fact in (EVIDENCE[1], EVIDENCE[3], "Tampere has a zoo.")]
    assert scores == sorted({1.0, *scores}, reverse=True)
    source = {"title": "Jean Sibelius", "quote": EVIDENCE[3]}
    described = ask(FactScore, born, sub_questions=[], fact=EVIDENCE[3], sources=[source])
    assert described.source_description == "Jean Sibelius: Jean Sibelius's father died in 1868."
    assert score(COUNT, f"{COUNT} movies: 12") > 0.9
    assert score(NESTED, "Lana Wachowski (Person) DIRECTED Hoffa", INNER, "Who directed Hoffa?") > 0.8
    assert score("Which movies did Emil Eifrem act in?", "Emil Eifrem (Person): born: 1978") < 0.5
    fact = "The Forth Bridge was opened in 1890."
    for question, helps in (
        ("What are the main themes of these texts?", True),
        ("What are the main themes about harbours?", False),
    ):
        assert (score(question, fact) == ANYTHING_HELPS) == helps
        claims = ask(TopicClaims, question, facts=[{"fact": fact, "n": 1}]).claims
        assert [(claim.text, claim.facts) for claim in claims] == ([(fact, [1])] if helps else [])
    long = "Jean Sibelius was born in Hämeenlinna, " + "where it often rained, " * 12 + "as they say"
    facts = evidence("Tampere has a zoo.", long)
    reply = ask(EvidenceSummary, "Where was Jean Sibelius born?", evidence=facts)
    assert [sentence.citations for sentence in reply.sentences] == [[2]]
    assert len(reply.sentences[0].text) <= 161


# Numbers of EVIDENCE that an answer cites; none where it is declined.
ANSWERS = """
    When did the father of Jean Sibelius die?                                     | 4
    When was Jean Sibelius born and where was Finlandia first played?             | 2 5
    How tall was Jean Sibelius?                            |  | height
"""


@pytest.mark.parametrize(("question", "numbers", "missing"), rows(ANSWERS))
def test_an_answer_is_of_the_evidence_or_says_what_it_lacks(question, numbers, missing):
    answer = draft(question, *EVIDENCE)
    assert (answer.answerable, sorted(cited(answer))) == (bool(numbers), [int(n) for n in numbers.split()])
    assert missing in answer.missing
    assert bool(answer.missing) == bool(missing)


# The relative whom a question asks for, what is said of another one, and what is said of the right one.
RELATIVES = """
    Who was the daughter of Ann Holt? | Ann Holt had a son, Bo Holt.    | Ann Holt had a daughter, Cara Holt.
    Where was Ann Holt's brother born? | Ann Holt's sister Cara Holt was born in Vestby. \
        | Ann Holt's brother Bo Holt was born in Karsund.
    Who was Ann Holt's mother?        | Ann Holt's father was Bo Holt. | Cara Holt was the mother of Ann Holt.
    Who was the husband of Ann Holt?  | Cara Holt was the wife of Ann Holt.      | Ann Holt married Bo Holt.
    谁是林河的女儿？                  | 林山是林河的儿子。              | 林月是林河的女儿。
    Wer war die Tochter von Anna Holt? | Anna Holt hatte einen Sohn, Bo Holt. \
        | Die Tochter von Anna Holt war Cara Holt.
    林河的母亲住在哪里？              | 林河的父亲林山住在石桥镇。      | 林河的母亲林月住在枫口。
"""


@pytest.mark.parametrize(("question", "other", "right"), rows(RELATIVES))
def test_a_relative_who_is_asked_for_is_no_other_one(question: str, other: str, right: str) -> None:
    assert not draft(question, other).answerable
    assert cited(draft(question, other, right)) == [2]


IN_GERMAN = """
    Wann ist Anna Holt gestorben?            | Am 4. Mai 1923 ist Anna Holt in Halle gestorben. | 1
    Wer führte das Protokoll der Sitzung?    | Das Protokoll der Sitzung führte Paul Zander.    | 1
    Wo hat Anna Holt studiert?               | Anna Holt studierte in Leipzig.                  | 1
    Wie alt wurde Anna Holt?                 | Anna Holt wurde am 4. Mai in Halle beigesetzt.   |
    Wer gehört dem Beirat an?                | Der Beirat empfahl dem Vorstand ein Darlehen.    |
"""


@pytest.mark.parametrize(("question", "fact", "answered"), rows(IN_GERMAN))
def test_a_german_question_is_answered_where_a_statement_has_its_words(question, fact, answered):
    assert draft(question, fact).answerable == bool(answered)


# What tools found ---------------------------------------------------------------------------------------

NESTED = "Who directed the movie in which Emil Eifrem acted?"
INNER = "Which movie did Emil Eifrem act in?"
COUNT = "How many movies did Tom Hanks act in?"
BORN_ROW = "Tom Hanks (Person): born: 1956"
DIRECTED_ROW = "Tom Hanks DIRECTED That Thing You Do (Movie)"
ROLES = (
    "Hugo Weaving ACTED_IN The Matrix (Movie) (roles: Agent Smith)",
    "Hugo Weaving ACTED_IN Cloud Atlas (Movie) (roles: Old Georgie)",
)
LIST = tuple(f"Keanu Reeves ACTED_IN Movie {n} (Movie)" for n in range(30))


@pytest.mark.parametrize(("question", "facts", "numbers"), [
    ("What role did Hugo Weaving play in Cloud Atlas?", ROLES, [2]),
    ("When was Tom Hanks born?", (BORN_ROW, DIRECTED_ROW), [1]),
    ("Who is Tom Hanks?", (BORN_ROW, DIRECTED_ROW), [1, 2]),
    ("Which movies did Keanu Reeves act in?", LIST, list(range(1, 21))),
    ("Who wrote You've Got Mail?", ("You've Got Mail (Movie): At odds in life · released: 1998",), []),
])  # fmt: skip
def test_a_row_of_a_tool_is_told_and_what_it_only_brought_along_is_not(question, facts, numbers):
    answer = draft(question, *facts, source="lookup_knowledge")
    assert cited(answer) == numbers
    assert answer.answerable == bool(numbers) != bool(answer.missing)


def test_a_path_is_told_whole_parts_each_and_documents_behind_what_tools_found() -> None:
    question = "How is Keanu Reeves connected to Hugo Weaving?"
    hops = ("Keanu Reeves (Person) ACTED_IN The Matrix (Movie)", *ROLES)
    assert cited(draft(question, *hops, source="find_connection")) == [1, 2, 3]
    facts = ("Emil Eifrem ACTED_IN Hoffa (Movie)", "Lana W (Person) DIRECTED Hoffa", "Hoffa: released: 1992")
    parts = [INNER, "Who directed Hoffa?"]
    assert cited(draft(NESTED, *facts, source="lookup_knowledge", sub_questions=parts)) == [1, 2]
    both = evidence("Tom Hanks was born in Concord.", BORN_ROW)
    both[1]["source"] = "lookup_knowledge, Tom Hanks"
    assert cited(ask(AnswerDraft, "Where was Tom Hanks born?", evidence=both)) == [2, 1]


MOVIE = "### Emil Eifrem (Person)\n\nborn: 1978\n\n- ACTED_IN → **The Matrix** (Movie) · roles: Emil"
DIRECTORS = "### The Matrix (Movie)\n\n- DIRECTED ← **Lana W** (Person)\n- DIRECTED ← **Lilly W** (Person)"
TABLE = "### Found\n\n| person | node |\n| --- | --- |\n| Tony Scott | a person |"
ROWS = "### Movie\n\n- Top Gun · released: 1986 · actors: Tom Cruise · directors: Tony Scott"
PASSAGES = "### What the documents say\n\n1. **Films**\n   - Tony Scott directed Top Gun."
SIMILAR = "No node is named “Corvin Berg”. Similar names: Corvin Hale (Character); Anna Berg (Character)."
FOUNDER = "No node is named “the bell founder”. Similar names: Bell Guild (Organization)."
NOT_ASKED = "The graph was not asked: the schema has nothing like it."
OF_TOP_GUN, SCOTT = "In which movies did the director of Top Gun act?", "In which movies did Tony Scott act?"
THREE = "When was the director of the movie in which Emil Eifrem acted born?"
TOP_GUN = "Who directed Top Gun?"
MATRIX, DIRECTOR = "Who directed The Matrix?", "Who is the director of The Matrix?"
PRIZE = "Which prize did Tom Hanks win?"
BELL = "How is Ilse connected to the bell founder?"
XYZ, UNKNOWN = "Who directed Xyz?", "No node is named “Xyz”."


@pytest.mark.parametrize(("question", "found", "missing"), [
    (NESTED, {INNER: MOVIE}, [MATRIX]),
    (NESTED, {INNER: MOVIE, MATRIX: DIRECTORS}, []),
    (THREE, {INNER: MOVIE}, [DIRECTOR]),
    (THREE, {INNER: MOVIE, DIRECTOR: DIRECTORS}, ["When was Lana W born?", "When was Lilly W born?"]),
    *((OF_TOP_GUN, {TOP_GUN: form}, [SCOTT]) for form in (TABLE, ROWS, PASSAGES)),
    ("Who directed Top Gun and when was he born?", {TOP_GUN: TABLE}, ["When was Tony Scott born?"]),
    (MATRIX, {MATRIX: DIRECTORS}, []),
    # Another way is tried once, where the result shows one.
    ("Who is Corvin Berg?", {"Who is Corvin Berg?": SIMILAR}, ["Who is Corvin Hale?"]),
    (PRIZE, {PRIZE: NOT_ASKED}, ["What is known of Tom Hanks?"]),
    ("Who is Corvin Berg?", {"Who is Corvin Berg?": SIMILAR, "Who is Corvin Hale?": SIMILAR}, None),
    (BELL, {BELL: FOUNDER}, None),
    (XYZ, {XYZ: UNKNOWN}, None),
])  # fmt: skip
def test_a_check_asks_for_what_is_missing_or_gives_up(question, found, missing):
    entries = [
        {"question": part, "tool": "text2cypher", "arguments": {"question": part}, "found": result}
        if result == NOT_ASKED
        else {"question": part, "tool": "lookup_knowledge", "arguments": {}, "found": result}
        for part, result in found.items()
    ]
    check = ask(AnswerCheck, question, rounds_left=2, asked=entries)
    assert (check.complete, check.gave_up) == (missing == [], missing is None)
    if missing is None:
        assert question in check.missing
    else:
        assert check.missing == missing


def test_a_survey_about_anything_names_its_topics_with_their_documents() -> None:
    titles = ["Forth Bridge", "Tower Bridge", "Benjamin Baker", "John Fowler", "Weather"]
    facts = [{"n": n, "fact": f"{title} opened early.", "source": title} for n, title in enumerate(titles, 1)]
    claims = ask(TopicClaims, "What are the main themes of these texts?", facts=facts).claims
    assert [(claim.text, claim.facts) for claim in claims] == [
        ("people: Benjamin Baker, John Fowler", [3, 4]),
        ("bridges: Forth Bridge, Tower Bridge", [1, 2]),
    ]
    shown = [{"n": 1, "fact": claims[1].text, "documents": 2}]
    [sentence] = ask(SurveyDraft, "What are the main themes of these texts?", evidence=shown).sentences
    assert sentence.text == "bridges, 2 documents: Forth Bridge, Tower Bridge"


SPANS = {
    "Brooklyn Bridge": "Its main span of 486 metres was the longest when it was opened",
    "Golden Gate Bridge": "Golden Gate Bridge's main span measures 1,280 metres",
    "Menai Bridge": "The main span measures 176 metres",
    "Golden Gate": "The main span of the Golden Gate Bridge measures 1,280 metres in all",
}
DESIGNERS = {
    "Brooklyn Bridge": "The Brooklyn Bridge was designed by John Augustus Roebling",
    "Forth Bridge": "The Forth Bridge was designed by Sir John Fowler and Sir Benjamin Baker",
    "Emily Roebling": "John Augustus Roebling designed the Brooklyn Bridge",
}


@pytest.mark.parametrize(("question", "held", "expected"), [
    (
        "What is said about the main spans of bridges?",
        SPANS,
        {
            SPANS["Brooklyn Bridge"]: ["Brooklyn Bridge"],
            SPANS["Menai Bridge"]: ["Menai Bridge"],
            SPANS["Golden Gate Bridge"]: ["Golden Gate Bridge", "Golden Gate"],
        },
    ),
    (
        "What do the texts say about bridges?",
        DESIGNERS,
        {
            DESIGNERS["Emily Roebling"]: ["Brooklyn Bridge", "Emily Roebling"],
            DESIGNERS["Forth Bridge"]: ["Forth Bridge"],
        },
    ),
])  # fmt: skip
def test_a_claim_rests_on_statements_that_have_its_names_and_numbers(question, held, expected):
    facts = [{"n": n, "fact": fact, "source": title} for n, (title, fact) in enumerate(held.items(), 1)]
    titles = dict(enumerate(held, 1))
    claims = ask(TopicClaims, question, facts=facts).claims
    assert claims
    for claim in claims:
        assert [titles[n] for n in claim.facts] == expected[claim.text]


# Arithmetic ---------------------------------------------------------------------------------------------

FIGURES = (
    "The main span of the Forth Bridge measures 521 metres.",
    "The main span of the Brooklyn Bridge measures 486 metres.",
    "Benjamin Baker was born on 31 March 1840.",
    "Benjamin Baker died on 19 May 1907.",
    "The Iron Bridge was opened on 1 January 1781.",
    "The Forth Bridge was opened on 4 March 1890.",
    "The stall sold 1,250 pears in June.",
    "The stall sold 1,750 pears in July.",
    "The firm Weber made an offer.",
    "The firm Kranz made an offer.",
)


@pytest.mark.parametrize(("question", "text", "expression"), [
    ("How much longer is the main span of the Forth Bridge than that of the Brooklyn Bridge?",
     "The difference is 35 metres.", "521 - 486"),
    ("What is the difference between the main span of the Brooklyn Bridge and that of the Forth Bridge?",
     "The difference is 35 metres.", "521 - 486"),
    ("How old was Benjamin Baker when he died?",
     "Benjamin Baker was 67 years old.", "years(31 March 1840; 19 May 1907)"),
    ("How many years after the Iron Bridge was the Forth Bridge opened?",
     "It was 109 years.", "years(1 January 1781; 4 March 1890)"),
    ("How many pears did the stall sell in June and July together?",
     "Together it is 3,000.", "1,250 + 1,750"),
    ("What share of the pears of July is the pears of June?", "The share is 71.4%.", "1,250 / 1,750 * 100"),
    ("How many times larger is the main span of the Forth Bridge than that of the Brooklyn Bridge?",
     "It is 1.1 times as much.", "521 / 486"),
    ("How many firms made an offer?", "There are 2 firms.", "count"),
])  # fmt: skip
def test_a_question_that_needs_arithmetic_is_answered_with_its_calculation(question, text, expression):
    told = draft(question, *FIGURES)
    (sentence,) = told.sentences
    (calculation,) = sentence.calculations
    assert (sentence.text, calculation.expression) == (text, expression)
    assert calculation.value in sentence.text
    assert sentence.citations == [operand.citation for operand in calculation.operands]


def test_amounts_of_different_units_are_not_subtracted():
    facts = ("The gate measures 12 metres.", "The wall weighs 40 tonnes.")
    told = draft("How much more is the gate than the wall?", *facts)
    assert not [sentence for sentence in told.sentences if sentence.calculations]
