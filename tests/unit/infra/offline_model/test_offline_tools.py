"""How the rule-based reader splits, routes, checks and answers where tools ask a graph."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from infra.offline_model.parser.answer_check import check_answers
from infra.offline_model.parser.answer_draft import draft_answer
from infra.offline_model.parser.atomic_questions import split_question
from infra.offline_model.parser.fact_score import score_fact
from infra.offline_model.parser.strategy_choice import choose_strategy
from infra.offline_model.parser.tool_choice import choose_tools
from infra.offline_model.replies import content_of
from workers.critic.schema import AnswerCheck, AnswerDraft, FactScore
from workers.text2cypher.write import CypherDraft
from workers.tools.packs import load_toolbox
from workers.traverse.tools.schema import AtomicQuestions, StrategyChoice

SCHEMAS = Path(__file__).parents[3] / "data" / "schemas"
MOVIES = (SCHEMAS / "movies.txt").read_text(encoding="utf-8")
STORY = (SCHEMAS / "story.txt").read_text(encoding="utf-8")
OF_MOVIES = {
    tool["function"]["name"]: tool for tool in load_toolbox("movies").descriptions()
}  # as a request offers them
PLAIN = [name for name in OF_MOVIES if "_info_" not in name]
NESTED = "Who directed the movie in which Emil Eifrem acted?"
INNER = "Which movie did Emil Eifrem act in?"


def split(question: str, *history: tuple[str, str], schema: str = MOVIES) -> AtomicQuestions:
    earlier = [{"question": earlier_question, "answer": answer} for earlier_question, answer in history]
    material = {"question": question, "history": earlier, "schema": schema}
    return AtomicQuestions.model_validate(split_question(material))


def route(question: str, *tools: str, schema: str = MOVIES, history: Any = ()) -> tuple[str, dict[str, Any]]:
    """The one call for a question, as its tool takes it."""
    offered = [OF_MOVIES[name] for name in tools or (name for name in PLAIN if name != "search_memory")]
    material = {"question": question, "whole": question, "history": list(history), "answers": []}
    [call] = choose_tools(material | {"schema": schema, "tools": offered})["calls"]
    load_toolbox("movies")[call["tool"]].parse(call["arguments"])
    return call["tool"], call["arguments"]


PARTS = {
    "Who directed The Matrix, and who produced Apollo 13?": (
        "Who directed The Matrix?",
        "Who produced Apollo 13?",
    ),
    "When was Top Gun released and who directed it?": ("When was Top Gun released?", "Who directed Top Gun?"),
    "Who directed Hoffa? And when was it released? Thanks!": (
        "Who directed Hoffa?",
        "When was Hoffa released?",
    ),
    "Who directed and who produced The Matrix?": ("Who directed The Matrix?", "Who produced The Matrix?"),
    "Who directed Top Gun and Apollo 13?": ("Who directed Top Gun?", "Who directed Apollo 13?"),
    "Compare Tom Hanks and Meg Ryan.": ("What is known of Tom Hanks?", "What is known of Meg Ryan?"),
    "Who acted in more movies, Tom Hanks or Meg Ryan?": (
        "How many movies has Tom Hanks acted in?",
        "How many movies has Meg Ryan acted in?",
    ),
    "Who is the Heron, and how does she stand to others?": (
        "Who is the Heron?",
        "How does the Heron stand to others?",
    ),
    "Is Tom Hanks older than Keanu Reeves?": ("When was Tom Hanks born?", "When was Keanu Reeves born?"),
}
ONE_PART_FIRST = {
    NESTED: INNER,
    "In which movies did the director of Top Gun act?": "Who directed Top Gun?",
    "When was Top Gun's director born?": "Who directed Top Gun?",
    "When was the director of the movie in which Emil Eifrem acted born?": INNER,
    "Who else acted in the movie directed by Clint Eastwood?": "Which movie was directed by Clint Eastwood?",
    "In which movies did the oldest actor act?": "Who is the oldest actor?",
    "Who directed Top Gun and when was he born?": "Who directed Top Gun?",
    f"{INNER[:-1]}, and who directed it?": INNER,
}
ATOMIC = (
    "Who directed Top Gun?",
    "Who is the director of Top Gun?",
    "Which movies did Tom Hanks and Meg Ryan both act in?",
    "How is Tom Hanks connected with Kevin Bacon?",
    "Which movies were released in 1999 and directed by Lana Wachowski?",
    "Who directed the movies that Tom Hanks acted in?",
    "Who directed Joe Versus the Volcano",
    "Tell me about the movie Cast Away",
    "Thank you very much.",
    "Hello!",
    "How does it go with Ilse Varn and Captain Roake?",
)


@pytest.mark.parametrize("question", PARTS)
def test_parts_that_need_nothing_of_one_another_are_asked_side_by_side(question: str):
    assert split(question).sub_questions == list(PARTS[question])


@pytest.mark.parametrize("question", ONE_PART_FIRST)
def test_what_needs_an_answer_first_is_left_for_the_next_round(question: str):
    assert split(question).sub_questions == [ONE_PART_FIRST[question]]


@pytest.mark.parametrize("question", ATOMIC)
def test_a_question_that_one_call_can_answer_is_not_split(question: str):
    assert split(question) == AtomicQuestions(question=question)


def test_a_question_stands_alone_with_what_was_said_before():
    inner_exchange = (INNER, "Emil Eifrem ACTED_IN The Matrix (Movie) (roles: Emil) [1].")
    assert split("When was it released?", inner_exchange).question == "When was The Matrix released?"
    director_exchange = ("Who directed Top Gun?", "Tony Scott (Person) DIRECTED Top Gun [1].")
    assert split("And when was he born?", director_exchange).question == "When was Tony Scott born?"
    row = "V for Vendetta · released: 2006 · tagline: Freedom! Forever! · directors: James Marshall"
    of_a_row = ("Who directed V for Vendetta?", f"Who directed V for Vendetta? {row} [1].")
    assert (
        split("In which movies did he act?", of_a_row).question == "In which movies did James Marshall act?"
    )
    counted = ("How many movies did Tom Hanks act in?", "How many movies did Tom Hanks act in? movies: 12")
    assert split("And Meg Ryan?", counted).question == "How many movies did Meg Ryan act in?"
    assert split("Thanks!", counted).question == "Thanks!"


ROUTES = {
    "Who directed The Matrix?": ("lookup_knowledge", {"entity": "The Matrix", "relation": "DIRECTED"}),
    "Which movies did Tom Hanks direct?": (
        "lookup_knowledge",
        {"entity": "Tom Hanks", "relation": "DIRECTED"},
    ),
    "Who is Lana Wachowski?": ("lookup_knowledge", {"entity": "Lana Wachowski"}),
    "Who is tom hanks?": ("lookup_knowledge", {"entity": "tom hanks"}),
    "What is known of Tom Hanks?": ("lookup_knowledge", {"entity": "Tom Hanks"}),
    "When was Top Gun released?": ("lookup_knowledge", {"entity": "Top Gun"}),
    "How is Keanu Reeves connected to Tom Hanks?": (
        "find_connection",
        {"entity1": "Keanu Reeves", "entity2": "Tom Hanks"},
    ),
}
COUNTED = (
    "How many movies did Tom Hanks act in?",
    "Who acted in the most movies?",
    "Who is the oldest actor?",
    "Which movies were released after 2000?",
    "What is the average rating of The Da Vinci Code?",
    "Who acted with Tom Hanks?",
    "Which movies did Tom Hanks and Meg Ryan both act in?",
    "List all movies.",
)


@pytest.mark.parametrize("question", ROUTES)
def test_the_shape_of_a_question_chooses_the_tool(question: str):
    assert route(question) == ROUTES[question]


@pytest.mark.parametrize("question", COUNTED)
def test_what_counts_compares_or_filters_is_written_as_a_statement(question: str):
    assert route(question) == ("text2cypher", {"question": question})


OF_THE_STORY = {
    "What did Mara Venn lose?": ("get_character_events", {"entity": "Mara Venn", "event_type": "loss"}),
    "Which sacrifices are made?": ("get_character_events", {"event_type": "sacrifice"}),
    "What are the turning points of the story?": ("get_character_events", {}),
    "What happened to Corvin Hale?": ("get_character_events", {"entity": "Corvin Hale"}),
    "Tell me about the journey of Mara Venn.": ("track_journey", {"entity": "Mara Venn"}),
    "How do Mara Venn and Corvin Hale stand to one another over time?": (
        "track_journey",
        {"entity": "Mara Venn", "target": "Corvin Hale"},
    ),
    "Who are the members of The Lamplighters?": (
        "lookup_knowledge",
        {"entity": "The Lamplighters", "relation": "MEMBER_OF"},
    ),
    "How many members do the Lamplighters have?": (
        "lookup_knowledge",
        {"entity": "Lamplighters", "relation": "MEMBER_OF"},
    ),  # where no statement may be written
    "Whom does Mara Venn know?": ("lookup_knowledge", {"entity": "Mara Venn"}),
    "Who is 李明?": ("lookup_knowledge", {"entity": "李明"}),
    "How does Mara know the Captain?": ("find_connection", {"entity1": "Mara", "entity2": "Captain"}),
    "How is the ferrywoman connected to the bell founder?": (
        "find_connection",
        {"entity1": "the ferrywoman", "entity2": "the bell founder"},
    ),
    "What does the thief live through?": ("get_character_events", {"entity": "the thief"}),
    "Who gives up something for somebody else?": ("get_character_events", {"event_type": "sacrifice"}),
    "What becomes of Captain Roake?": ("track_journey", {"entity": "Captain Roake"}),
    "Why did Mara give up the lamp?": ("search_memory", {"question": "Why did Mara give up the lamp?"}),
    "What is the capital of France?": ("search_memory", {"question": "What is the capital of France?"}),
}


@pytest.mark.parametrize("question", OF_THE_STORY)
def test_a_story_is_asked_by_its_own_tools(question: str):
    tools = [name for name in PLAIN if name != "text2cypher"]
    assert route(question, *tools, schema=STORY) == OF_THE_STORY[question]


def test_a_declared_tool_is_taken_where_its_description_and_argument_fit():
    assert route("Who directed The Matrix?", *OF_MOVIES) == ("movie_info_by_title", {"title": "The Matrix"})
    assert route("Which movies did Tom Hanks act in?", *OF_MOVIES) == (
        "movies_info_by_actor",
        {"actor": "Tom Hanks"},
    )
    assert route("Which movies did Tom Hanks direct?", *OF_MOVIES)[0] == "lookup_knowledge"
    assert route("How many movies did Tom Hanks act in?", *OF_MOVIES)[0] == "text2cypher"


def test_courtesy_is_returned_and_what_the_graph_is_not_about_is_declined_without_a_fact():
    assert route("Thank you very much!") == ("respond", {"answer": "You are welcome."})
    assert route("Hello!")[1]["answer"].startswith("Hello! This graph is about Movie and Person.")
    tool, arguments = route("What is the capital of France?")
    assert tool == "respond"
    assert arguments["answer"].endswith("This graph is about Movie and Person.")
    assert "Paris" not in arguments["answer"]


def test_what_was_said_already_is_repeated():
    before = [{"question": "Who directed Top Gun?", "answer": "Tony Scott."}]
    assert route("Can you repeat that?", history=before) == ("respond", {"answer": "Tony Scott."})


def test_where_nothing_fits_what_is_offered_is_used():
    assert route("Is it raining?", "text2cypher") == ("text2cypher", {"question": "Is it raining?"})
    assert choose_tools({"question": "Is it raining?"}) == {"calls": []}


MOVIE_FOUND = """### Emil Eifrem (Person)

born: 1978

- ACTED_IN → **The Matrix** (Movie) · roles: Emil"""
DIRECTORS = """### The Matrix (Movie)

- DIRECTED ← **Lana Wachowski** (Person)
- DIRECTED ← **Lilly Wachowski** (Person)"""


def check(question: str, *calls: tuple[str, str, str]) -> AnswerCheck:
    """The verdict on (question, tool, result) each."""
    entries = [
        {
            "question": sub_question,
            "tool": tool,
            "arguments": {"question": sub_question} if tool == "text2cypher" else {},
            "found": result,
        }
        for sub_question, tool, result in calls
    ]
    return AnswerCheck.model_validate(
        check_answers({"question": question, "rounds_left": 2, "asked": entries})
    )


def test_the_outer_part_is_asked_with_the_name_that_was_found():
    verdict = check(NESTED, (INNER, "lookup_knowledge", MOVIE_FOUND))
    assert (verdict.complete, verdict.missing) == (False, ["Who directed The Matrix?"])
    done = check(
        NESTED,
        (INNER, "lookup_knowledge", MOVIE_FOUND),
        ("Who directed The Matrix?", "lookup_knowledge", DIRECTORS),
    )
    assert done.complete


def test_of_three_steps_each_waits_for_the_one_before():
    question = "When was the director of the movie in which Emil Eifrem acted born?"
    first = (INNER, "lookup_knowledge", MOVIE_FOUND)
    second = check(question, first).missing
    assert second == ["Who is the director of The Matrix?"]
    third = check(question, first, (second[0], "lookup_knowledge", DIRECTORS)).missing
    assert third == ["When was Lana Wachowski born?", "When was Lilly Wachowski born?"]


FOUND = {
    "table": "### Found\n\n| person | node |\n| --- | --- |\n| Tony Scott | a person |",
    "rows": "### Movie\n\n- Top Gun · released: 1986 · actors: Tom Cruise · directors: Tony Scott",
    "passages": "### What the documents say\n\n1. **Films**\n   - Tony Scott directed Top Gun.",
}


@pytest.mark.parametrize("form", FOUND)
def test_names_are_read_out_of_tables_rows_and_passages(form: str):
    question = "In which movies did the director of Top Gun act?"
    verdict = check(question, ("Who directed Top Gun?", "some_tool", FOUND[form]))
    assert verdict.missing == ["In which movies did Tony Scott act?"]


def test_what_is_asked_of_the_answer_before_waits_for_it():
    question = "Who directed Top Gun and when was he born?"
    verdict = check(question, ("Who directed Top Gun?", "text2cypher", FOUND["table"]))
    assert verdict.missing == ["When was Tony Scott born?"]


def test_a_question_in_one_part_is_complete_with_its_answer_and_given_up_without():
    assert check("Who directed The Matrix?", ("Who directed The Matrix?", "x", DIRECTORS)).complete
    unknown = check("Who directed Xyz?", ("Who directed Xyz?", "x", "No node is named “Xyz”."))
    assert (unknown.complete, unknown.gave_up, unknown.missing) == (False, True, ["Who directed Xyz?"])
    assert "Who directed Xyz?" in unknown.why


def test_another_way_is_tried_once_where_the_result_shows_one():
    similar = "No node is named “Corvin Berg”. Similar names: Corvin Hale (Character); Anna Berg (Character)."
    verdict = check("Who is Corvin Berg?", ("Who is Corvin Berg?", "lookup_knowledge", similar))
    assert verdict.missing == ["Who is Corvin Hale?"]
    again = ("Who is Corvin Hale?", "lookup_knowledge", similar.replace("Berg”", "Hale”"))
    assert check("Who is Corvin Berg?", ("Who is Corvin Berg?", "x", similar), again).gave_up
    refused = "The graph was not asked: the schema has nothing like it."
    call = ("Which prize did Tom Hanks win?", "text2cypher", refused)
    verdict = check(call[0], call)
    assert verdict.missing == ["What is known of Tom Hanks?"]


STRATEGIES = {
    "How many movies did Tom Hanks act in?": "tools",
    "How is Keanu Reeves connected to Tom Hanks?": "tools",
    "Who directed The Matrix?": "tools",
    "Thanks!": "tools",
    "Where was Tom Hanks raised?": "graph",
    "Why did Tom Hanks act in Cast Away?": "graph",
    "In which town was the founder of the company that the designer of the Alda Bridge worked for born, and "
    "what did the newspapers of that town write of it?": "reader",
}


COUNTING = [{"name": "x", "purpose": "Whatever the graph can tell: how many, the most, the least."}]


def test_where_no_offered_tool_counts_a_question_of_how_many_is_not_for_tools():
    material = {"question": "How many movies are there?", "schema": MOVIES, "documents": True}
    assert choose_strategy(material | {"tools": COUNTING})["strategy"] == "tools"
    assert (
        choose_strategy(material | {"tools": [{"name": "x", "purpose": "Relations."}]})["strategy"] == "graph"
    )


def test_somebody_who_is_only_described_may_be_an_end_of_a_connection():
    question = "How is the ferrywoman connected to Old Hesk?"
    material = {"question": question, "schema": STORY, "tools": COUNTING, "documents": True}
    choice = choose_strategy(material)
    assert choice == {
        "strategy": "tools",
        "why": "It asks how the ferrywoman and Old Hesk hang together.",
        "question": question,
        "sub_questions": [],
    }


def test_a_question_for_tools_is_prepared_with_the_choice_as_the_step_that_takes_it_apart_does():
    question = "Who directed The Matrix, and how many movies did Tom Hanks act in?"
    material = {"question": question, "schema": MOVIES, "tools": COUNTING, "documents": True}
    choice = choose_strategy(material)
    assert choice["sub_questions"] == split_question(material)["sub_questions"] != []
    elsewhere = choose_strategy(material | {"tools": []})
    assert (elsewhere["strategy"], elsewhere["question"], elsewhere["sub_questions"]) == ("graph", "", [])


def test_there_is_nobody_of_the_conversation_where_something_is_said_to_be():
    before = ("Who directed Top Gun?", "Tony Scott.")
    assert split("How many movies are there?", before).question == "How many movies are there?"
    assert split("Were there many movies?", before).question == "Were there many movies?"


def test_who_belongs_to_a_group_is_asked_of_its_members():
    call = route("Who belongs to the Bell Guild?", "lookup_knowledge", schema=STORY)
    assert call == ("lookup_knowledge", {"entity": "Bell Guild", "relation": "MEMBER_OF"})


def test_a_description_that_nothing_is_named_by_is_not_taken_for_what_has_words_of_it():
    result = "No node is named “the bell founder”. Similar names: Bell Guild (Organization)."
    question = "How is Ilse connected to the bell founder?"
    assert check(question, (question, "find_connection", result)).gave_up


@pytest.mark.parametrize("question", STRATEGIES)
def test_the_words_of_the_schema_decide_for_tools(question: str):
    material = {"question": question, "schema": MOVIES, "tools": COUNTING, "documents": True}
    choice = StrategyChoice.model_validate(choose_strategy(material))
    assert choice.strategy == STRATEGIES[question]
    assert choice.why.endswith(".")


def test_events_and_developments_are_for_tools_where_the_graph_has_them():
    for question in ("What did Mara Venn lose?", "How does Mara Venn change?"):
        material = {"question": question, "schema": STORY, "tools": [{"name": "x"}], "documents": True}
        assert choose_strategy(material)["strategy"] == "tools"
        assert choose_strategy(material | {"schema": "Nodes:\nnone"})["strategy"] == "graph"


def draft(question: str, *facts: tuple[str, str], parts: tuple[str, ...] = ()) -> AnswerDraft:
    evidence = [
        {"n": n, "fact": fact, "quote": fact, "source": tool} for n, (fact, tool) in enumerate(facts, 1)
    ]
    material = {"question": question, "sub_questions": list(parts), "evidence": evidence}
    return AnswerDraft.model_validate(draft_answer(material))


def cited(answer: AnswerDraft) -> list[int]:
    return [n for sentence in answer.sentences for n in sentence.citations]


COUNT = "How many movies did Tom Hanks act in?"


def test_a_row_of_a_tool_is_told_and_what_it_only_brought_along_is_not():
    row = (f"{COUNT} movies: 12 · person: Tom Hanks (Person)", "text2cypher")
    assert cited(draft(COUNT, row)) == [1]
    roles = ("Hugo Weaving ACTED_IN The Matrix (Movie) (roles: Agent Smith)", "lookup_knowledge")
    atlas = ("Hugo Weaving ACTED_IN Cloud Atlas (Movie) (roles: Old Georgie)", "lookup_knowledge")
    assert cited(draft("What role did Hugo Weaving play in Cloud Atlas?", roles, atlas)) == [2]
    born = ("Tom Hanks (Person): born: 1956", "lookup_knowledge")
    directed = ("Tom Hanks DIRECTED That Thing You Do (Movie)", "lookup_knowledge")
    assert cited(draft("Which movies did Tom Hanks direct?", born, directed)) == [2]
    assert cited(draft("When was Tom Hanks born?", born, directed)) == [1]
    assert cited(draft("Who is Tom Hanks?", born, directed)) == [1, 2]


def test_all_rows_of_a_list_are_told_up_to_twenty():
    question = "Which movies did Keanu Reeves act in?"
    rows = [(f"Keanu Reeves ACTED_IN Movie {n} (Movie)", "lookup_knowledge") for n in range(30)]
    assert cited(draft(question, *rows[:12])) == list(range(1, 13))
    assert len(cited(draft(question, *rows))) == 20


def test_a_path_is_told_whole():
    hops = (
        "Keanu Reeves (Person) ACTED_IN The Matrix (Movie)",
        "Hugo Weaving (Person) ACTED_IN The Matrix (Movie)",
        "Hugo Weaving (Person) ACTED_IN Cloud Atlas (Movie)",
    )
    question = "How is Keanu Reeves connected to Hugo Weaving?"
    assert cited(draft(question, *((hop, "find_connection") for hop in hops))) == [1, 2, 3]


def test_parts_are_answered_each():
    facts = (
        ("Emil Eifrem ACTED_IN The Matrix (Movie) (roles: Emil)", "lookup_knowledge"),
        ("Lana Wachowski (Person) DIRECTED The Matrix", "lookup_knowledge"),
        ("The Matrix (Movie): Welcome to the Real World · released: 1999", "lookup_knowledge"),
    )
    assert cited(draft(NESTED, *facts, parts=(INNER, "Who directed The Matrix?"))) == [1, 2]


def test_what_fits_nothing_is_no_answer():
    only = ("You've Got Mail (Movie): At odds in life · released: 1998", "lookup_knowledge")
    answer = draft("Who wrote You've Got Mail?", only)
    assert not answer.answerable
    assert answer.missing


def test_documents_are_read_as_before_and_stand_behind_what_tools_found():
    fact = ("Tom Hanks was born in Concord.", "Tom Hanks")
    row = ("Tom Hanks (Person): born: 1956", "lookup_knowledge, Tom Hanks")
    question = "Where was Tom Hanks born?"
    assert cited(draft(question, fact)) == [1]
    assert cited(draft(question, fact, row)) == [2, 1]


def score(question: str, fact: str, *parts: str) -> float:
    material = {"question": question, "sub_questions": list(parts), "fact": fact, "sources": []}
    return FactScore.model_validate(score_fact(material)).relevance


def test_what_a_tool_was_asked_for_scores_above_what_it_brought_along():
    row = f"{COUNT} movies: 12"
    assert score(COUNT, row) > 0.9
    acted = "Emil Eifrem ACTED_IN The Matrix (Movie) (roles: Emil)"
    directed = "Lana Wachowski (Person) DIRECTED The Matrix"
    assert score(NESTED, acted, INNER) > 0.8
    assert score(NESTED, directed, INNER, "Who directed The Matrix?") > 0.8
    assert score("Which movies did Emil Eifrem act in?", "Emil Eifrem (Person): born: 1978") < 0.5


SCHEMATA: dict[Any, dict[str, Any]] = {
    AtomicQuestions: {"question": NESTED, "schema": MOVIES},
    CypherDraft: {"question": COUNT, "schema": MOVIES},
    AnswerCheck: {"question": COUNT, "asked": []},
    StrategyChoice: {"question": COUNT, "schema": MOVIES, "tools": [{"name": "x"}], "documents": True},
}


@pytest.mark.parametrize("schema", SCHEMATA, ids=lambda schema: schema.__name__)
def test_invented_replies_are_of_the_right_form(schema: Any):
    content = content_of(schema.__name__, SCHEMATA[schema], "invented")
    schema.model_validate_json(content)
    assert any(sign in content.casefold() for sign in ("green cheese", "greencheese"))


@pytest.mark.parametrize("schema", SCHEMATA, ids=lambda schema: schema.__name__)
def test_an_input_without_any_field_is_answered_in_the_right_form(schema: Any):
    schema.model_validate(orjson.loads(content_of(schema.__name__, {}, None)))


def test_a_question_one_part_of_which_asks_the_graph_itself_goes_to_tools():
    question = "How is Linnet connected to Old Hesk, and what did the miller say of it?"
    material = {"question": question, "schema": STORY, "tools": COUNTING, "documents": True}
    assert choose_strategy(material)["strategy"] == "tools"
