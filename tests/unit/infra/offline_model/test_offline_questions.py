"""Questions and what the rule-based reader makes of them: plans, parts, strategies, calls of tools."""

import pytest
from doubles.offline import MOVIES, STORY, ask, rows

from infra.offline_model.parser.question.parts import separate_questions
from infra.offline_model.parser.tool_choice import choose_tools
from workers.tools.packs import load_toolbox
from workers.traverse.auto.choose_strategy import StrategyChoice
from workers.traverse.reader.schema import RationalPlan, StartScores
from workers.traverse.schema import QuestionPlan
from workers.traverse.tools.normalise import AtomicQuestions

TWO_HOPS = "In which country was the composer of Finlandia born?"
SAID = {  # what was asked before, and its answer
    "composer": ("Who composed Finlandia?", "Finlandia was composed by Jean Sibelius. [1]"),
    "bridge": ("When was Tower Bridge opened?", "Tower Bridge was opened on 30 June 1894. [1]"),
    "director": ("Who directed Top Gun?", "Tony Scott (Person) DIRECTED Top Gun [1]."),
    "actor": ("Which movie did Emil Eifrem act in?", "Emil Eifrem ACTED_IN The Matrix (Movie) [1]."),
    "row": ("Who directed Hoffa?", "Who directed Hoffa? Hoffa · released: 1992 · directors: Danny DeVito."),
    "count": ("How many movies did Tom Hanks act in?", "How many movies did Tom Hanks act in? movies: 12"),
}
ALONE = """
    composer | Where was he born?            | Where was Jean Sibelius born?
    composer | When was Tower Bridge opened? | When was Tower Bridge opened?
    director | How many movies are there?    | How many movies are there?
    row      | In which movies did he act?   | In which movies did Danny DeVito act?
    count    | And Meg Ryan?                 | How many movies did Meg Ryan act in?
"""


def history_of(said: str) -> list[dict[str, str]]:
    return [dict(zip(("question", "answer"), SAID[said], strict=True))]


@pytest.mark.parametrize(("said", "question", "alone"), rows(ALONE))
def test_a_question_stands_alone_with_what_was_said_before(said: str, question: str, alone: str) -> None:
    kind = QuestionPlan if said in {"composer", "bridge"} else AtomicQuestions
    assert ask(kind, question, history=history_of(said), schema=MOVIES).question == alone


def test_a_plan_names_entities_and_the_hops_of_a_question() -> None:
    assert ask(QuestionPlan, "Who designed the Forth Bridge in 1882?").entities == ["Forth Bridge", "1882"]
    assert ask(QuestionPlan, "Who discovered radium?").entities == ["radium"]
    assert ask(QuestionPlan, "图书室设在什么地方？").entities[0] == "图书室"
    hops = ["Who or what is the composer of Finlandia?", "In which country was that composer born?"]
    assert ask(QuestionPlan, TWO_HOPS).sub_questions == hops
    plan = ask(RationalPlan, TWO_HOPS)
    assert (plan.asked, plan.entities[0]) == (f"a place: {TWO_HOPS}", "Finlandia")
    assert plan.steps == [f"Find out: {hop}" for hop in hops]
    assert plan.key_information == ["Finlandia", *hops]
    assert ask(RationalPlan, "When was the Alda Bridge opened?").key_information[1] == "open of Alda Bridge"


ASKED = """
    Which river did Wen cross?           | what is asked for | Wen, cross of Wen, river of Wen
    Was war declared in 1914?            | what is asked for | 1914, declar of 1914, war of 1914
    Was Sind conquered by Napier?        | what is asked for | Sind, Napier, conquer of Sind, Napier
    Wo Hop is the owner of which street? | what is asked for | Wo Hop, own of Wo Hop, street of Wo Hop
    Wen was born in which year?          | a date            | Wen, birth of Wen
    Wen's brother died when?             | a date            | Wen, death of Wen, sibling of Wen
    Wer gründete Audi?                   | a person          | Audi, gründete of Audi
    Was war Audi?                        | what is asked for | Audi
    Was war der Grund?                   | what is asked for | Grund
    Wo Anna Holt die Firma gründete?     | a place           | Anna Holt, Firma, gründete of Anna Holt, Firma
    Bis wann arbeitet Anna Holt?         | a date            | Bis, Anna Holt, \
        arbeitet of Bis, Anna Holt, wann of Bis, Anna Holt
    An wen schrieb Audi?                 | a person          | Audi, schrieb of Audi, wen of Audi
"""


@pytest.mark.parametrize(("question", "kind", "key"), rows(ASKED))
def test_a_question_is_read_in_the_language_that_it_is_asked_in(question: str, kind: str, key: str) -> None:
    plan = ask(RationalPlan, question)
    assert (plan.asked, ", ".join(plan.key_information)) == (f"{kind}: {question}", key)


def test_names_of_the_question_score_best_and_strangers_nothing() -> None:
    contexts = {
        "finlandia": "Finlandia was composed by Jean Sibelius.",
        "jean sibelius": "Finlandia was composed by Jean Sibelius.",
        "1900": "Finlandia was played in 1900.",
        "tampere": "Tampere is a town.",
    }
    candidates = [{"name": name, "context": context} for name, context in reversed(contexts.items())]
    starts = ask(StartScores, TWO_HOPS, plan={"steps": []}, candidates=candidates).scores
    scores = {start.name: start.score for start in starts}
    assert scores["finlandia"] > scores["jean sibelius"] > scores["1900"] > scores["tampere"] == 0


# What needs an answer first is left for the next round; what one call can answer is not split.
PARTS = """
    Who directed Top Gun and Apollo 13?       | Who directed Top Gun?      | Who directed Apollo 13?
    Compare Tom Hanks and Meg Ryan.           | What is known of Tom Hanks?  | What is known of Meg Ryan?
    Is Tom Hanks older than Keanu Reeves?     | When was Tom Hanks born?     | When was Keanu Reeves born?
    Who acted in more movies, Al Pacino or Meg Ryan? \
        | How many movies has Al Pacino acted in? | How many movies has Meg Ryan acted in?
    Who else acted in the movie directed by Mike Nichols?   | Which movie was directed by Mike Nichols?
    When was Top Gun's director born?                       | Who directed Top Gun?
    In which movies did the oldest actor act?               | Who is the oldest actor?
    Which movies did Tom Hanks and Meg Ryan both act in?
"""


@pytest.mark.parametrize(("question", "first", "second"), rows(PARTS))
def test_a_question_is_split_into_what_one_call_can_answer(question: str, first: str, second: str) -> None:
    parts = [part for part in (first, second) if part]
    assert ask(AtomicQuestions, question, schema=MOVIES) == AtomicQuestions(
        question=question, sub_questions=parts
    )


def test_a_clause_is_no_question_of_its_own() -> None:
    for question in (
        "In the country where Finlandia was composed, where was Jean Sibelius born?",
        "Jean Sibelius was a composer, and was born where?",
        "Who was honoured at the Black and White Ball?",
    ):
        assert separate_questions(question) == [question]


OF_MOVIES = {tool["function"]["name"]: tool for tool in load_toolbox("movies").descriptions()}
PLAIN = {name for name in OF_MOVIES if "_info_" not in name}
OFFERED = {
    "movies": (MOVIES, PLAIN - {"search_memory"}),
    "declared": (MOVIES, set(OF_MOVIES)),
    "counting": (STORY, PLAIN),
    "story": (STORY, PLAIN - {"text2cypher"}),  # no statement may be written
}
# Q stands for the question.
ROUTES = """
    movies | How is Al Pacino connected to Meg Ryan? | find_connection | entity1=Al Pacino, entity2=Meg Ryan
    movies    | Who directed Hoffa?                    | lookup_knowledge | entity=Hoffa, relation=DIRECTED
    movies    | Thank you very much!                   | respond          | answer=You are welcome.
    movies    | Who acted with Tom Hanks?              | text2cypher | question=Q
    declared  | Who directed The Matrix?               | movie_info_by_title  | title=The Matrix
    declared  | Which movies did Tom Hanks act in?     | movies_info_by_actor | actor=Tom Hanks
    declared | Which movies did Tom Hanks direct? | lookup_knowledge | entity=Tom Hanks, relation=DIRECTED
    story     | What did Mara Venn lose?        | get_character_events | entity=Mara Venn, event_type=loss
    story     | Tell me about the journey of Mara Venn.       | track_journey        | entity=Mara Venn
    story     | How many members do the Lamplighters have? \
        | lookup_knowledge | entity=Lamplighters, relation=MEMBER_OF
    story | Who is 李明? | lookup_knowledge | entity=李明
    story     | Why did Mara give up the lamp?                | search_memory    | question=Q
    story | 少女经历了什么 | get_character_events | entity=少女
    story | 教会和独眼龙是什么关系 | find_connection | entity1=教会, entity2=独眼龙
    story | 命运共同体有哪些成员 | lookup_knowledge | entity=命运共同体, relation=MEMBER_OF
    story | 任务1607发生了什么 | get_character_events | entity=任务1607
    story | 少女在哪些地点出现过 | lookup_knowledge | entity=少女
    story | 谁委托了独眼龙 | lookup_knowledge | entity=独眼龙
    story | 图书室设在什么地方？ | lookup_knowledge | entity=图书室
    counting | 列出所有组织 | text2cypher | question=Q
    counting | 列出所有组织？ | text2cypher | question=Q
    story | 山雀和守风会之间有什么联系？ | find_connection | entity1=山雀, entity2=守风会
    story | 柳青禾和赵铁山的关系是怎样变化的？ | track_journey | entity=柳青禾, target=赵铁山
    story | 赵铁山后来怎么样了？ | track_journey | entity=赵铁山
    story | 谁为别人作出了牺牲？ | get_character_events | event_type=sacrifice
    story | 故事里有哪些重大事件？ | get_character_events |
    story | 独眼龙是谁？ | lookup_knowledge | entity=独眼龙
    story | 铜哨是用什么铸的？ | search_memory | question=Q
    story | 少女为什么离开村子？ | search_memory | question=Q
"""
CHINESE_OF_THE_GRAPH = """
    少女经历了什么
    教会和独眼龙是什么关系
    命运共同体有哪些成员
    任务1607发生了什么
    少女在哪些地点出现过
    谁委托了独眼龙
    列出所有组织
"""


def route(offered: str, question: str, said: str = "count") -> tuple[str, dict[str, str]]:
    """The one call for a question, as its tool takes it."""
    schema, names = OFFERED[offered]
    tools = [tool for name, tool in OF_MOVIES.items() if name in names]
    material = {"question": question, "whole": question, "history": history_of(said), "answers": []}
    [call] = choose_tools(material | {"schema": schema, "tools": tools})["calls"]
    load_toolbox("movies")[call["tool"]].parse(call["arguments"])
    return call["tool"], call["arguments"]


@pytest.mark.parametrize(("offered", "question", "tool", "arguments"), rows(ROUTES))
def test_a_questions_shape_chooses_the_tool(offered: str, question: str, tool: str, arguments: str) -> None:
    pairs = (pair.split("=") for pair in arguments.split(", ") if pair)
    named = {name: question if value == "Q" else value for name, value in pairs}
    assert route(offered, question) == (tool, named)


def test_what_needs_no_graph_is_answered_at_once() -> None:
    for question in ("Hello!", "What is the capital of France?"):
        tool, arguments = route("movies", question)
        assert (tool, "Paris" in arguments["answer"]) == ("respond", False)
        assert "This graph is about Movie and Person." in arguments["answer"]
    assert route("movies", "Can you repeat that?", "director") == ("respond", {"answer": SAID["director"][1]})
    assert choose_tools({"question": "Is it raining?"}) == {"calls": []}


COUNTING = "Whatever the graph can tell: how many, the most, the least."
STRATEGIES = """
    Thanks!                                     | movies | counting  | tools
    Why did Tom Hanks act in Cast Away?         | movies | counting  | graph
    In which town was the founder of the company that the designer of the Alda Bridge worked for born, and \
        what did the newspapers of that town write of it? | movies | counting  | reader
    How does Mara Venn change?                  | story  | relations | tools
"""
SCHEMAS = {"movies": MOVIES, "story": STORY, "empty": "Nodes:\nnone"}


def choose(question: str, schema: str, *tools: str) -> StrategyChoice:
    purposes = {"counting": COUNTING, "relations": "Relations."}
    offered = [{"name": "x", "purpose": purposes[tool]} for tool in tools]
    return ask(StrategyChoice, question, schema=SCHEMAS[schema], tools=offered, documents=True)


@pytest.mark.parametrize(("question", "schema", "tool", "strategy"), rows(STRATEGIES))
def test_words_of_the_schema_decide_for_tools(question: str, schema: str, tool: str, strategy: str) -> None:
    choice = choose(question, schema, tool)
    assert choice.strategy == strategy
    assert choice.why.endswith(".")


@pytest.mark.parametrize("question", CHINESE_OF_THE_GRAPH.split())
def test_a_question_in_chinese_about_what_a_graph_holds_is_for_tools(question: str) -> None:
    assert choose(question, "story", "counting").strategy == "tools"


def test_a_question_for_tools_is_prepared_with_the_choice_as_the_step_that_takes_it_apart_does() -> None:
    question = "Who directed The Matrix, and how many movies did Tom Hanks act in?"
    choice = choose(question, "movies", "counting")
    assert choice.sub_questions == ask(AtomicQuestions, question, schema=MOVIES).sub_questions != []
    elsewhere = choose(question, "movies")
    assert (elsewhere.strategy, elsewhere.question, elsewhere.sub_questions) == ("graph", "", [])
