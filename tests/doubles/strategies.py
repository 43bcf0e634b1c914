"""One question for each strategy, over a library in memory, with a model that says what a script says."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic import BaseModel

from doubles.flow_run import QueryRun
from doubles.library import Library, Script
from doubles.toolset import ScriptedTools, found
from doubles.topics import MemoryTopics
from workers.core.models.tool_calls import ToolCall, ToolCalls
from workers.critic.schema import AnswerCheck, AnswerDraft, DraftSentence, FactScore, ReasonedAnswer
from workers.traverse.auto.choose_strategy import StrategyChoice
from workers.traverse.auto.flow import AUTO
from workers.traverse.graph.flow import QUERY
from workers.traverse.reader.flow import READER
from workers.traverse.reader.schema import (
    ChunkNotes,
    FactNotes,
    NeighbourChoice,
    Note,
    RationalPlan,
    StartScore,
    StartScores,
)
from workers.traverse.schema import NodeNotes, QuestionPlan, ReadFact
from workers.traverse.survey.flow import SURVEY
from workers.traverse.survey.schema import DraftClaim, SurveyDraft, SurveyPlan, TopicClaims
from workers.traverse.tools.flow import TOOLS
from workers.traverse.tools.normalise import AtomicQuestions

Material = Mapping[str, Any]

# graph ----------------------------------------------------------------------------------------------------

WROTE = "Mary Shelley wrote Frankenstein."
BORN = "Mary Shelley was born in London in 1797."
CITY = "In which city was the author of Frankenstein born?"


def read_all(material: Material) -> NodeNotes:
    """Note every fact of a node, and go on to every neighbour."""
    facts = [ReadFact(text=fact["text"], source_ids=[fact["id"]]) for fact in material["facts"]]
    return NodeNotes(facts=facts, next=[near["id"] for near in material["neighbours"]])


def name_london(material: Material) -> AnswerDraft:
    """Answer with the evidence that tells of London."""
    n = next(entry["n"] for entry in material["evidence"] if "London" in entry["quote"])
    sentence = DraftSentence(text="She was born in London.", citations=[n])
    return AnswerDraft(answerable=True, sentences=[sentence])


class GraphRun(QueryRun):
    """A city that two documents tell together."""

    query = QUERY
    asks = {"question": CITY, "max_seeds": 1}
    replies = {
        QuestionPlan: QuestionPlan(question=CITY, entities=["Frankenstein"]),
        NodeNotes: read_all,
        FactScore: FactScore(relevance=0.8, source_description="a life"),
        AnswerDraft: name_london,
    }

    @classmethod
    def held(cls) -> Library:
        return (
            Library()
            .add("Novels", (WROTE, ["Mary Shelley", "Frankenstein"]))
            .add("Lives", (BORN, ["Mary Shelley", "London", "1797"]))
        )


# reader ---------------------------------------------------------------------------------------------------


def score_starts(material: Material) -> StartScores:
    named = [candidate["name"] for candidate in material["candidates"]]
    scores = {"frankenstein": 90, "mary shelley": 80}
    return StartScores(scores=[StartScore(name=name, score=scores.get(name, 0)) for name in named])


def go_to(*names: str) -> Script:
    """Choose the first of these neighbours that is offered."""

    def choose(material: Material) -> NeighbourChoice:
        offered = [near["name"] for near in material["neighbours"]]
        chosen = next((name for name in names if name in offered), None)
        if chosen is None:
            return NeighbourChoice(action="termination")
        return NeighbourChoice(action="read_neighbor_node", name=chosen)

    return choose


def note_all(material: Material) -> FactNotes:
    """Note every fact, and go on to Mary Shelley or London where they are offered."""
    facts = [fact for chunk in material["chunks"] for fact in chunk["facts"]]
    notes = [Note(text=fact["text"][:2000], rests_on=[fact["id"]]) for fact in facts]
    names = [near["name"] for near in material["neighbours"]]
    name = next((name for name in ("mary shelley", "london") if name in names), "")
    return FactNotes(notes=notes, action="stop_and_read_neighbor", need="birthplace", name=name)


def reason_on_london(material: Material) -> ReasonedAnswer:
    n = next((entry["n"] for entry in material["evidence"] if "London" in entry["quote"]), None)
    if n is None:
        return ReasonedAnswer(answerable=False, missing="The evidence names no city.")
    sentences = [DraftSentence(text="She was born in London.", citations=[n])]
    return ReasonedAnswer(answerable=True, sentences=sentences, analysis="One path found the birthplace.")


class ReaderRun(QueryRun):
    """The same city, and a document that has nothing to do with it."""

    query = READER
    asks = {"question": CITY, "strategy": "reader", "max_seeds": 1}
    replies = {
        RationalPlan: RationalPlan(
            question=CITY,
            asked="the name of a city",
            steps=["find the author", "find the birthplace"],
            key_information=["author of Frankenstein"],
            entities=["Frankenstein", "Mary Shelley"],
        ),
        StartScores: score_starts,
        FactNotes: note_all,
        ChunkNotes: ChunkNotes(action="termination"),
        NeighbourChoice: go_to("mary shelley", "london"),
        FactScore: FactScore(relevance=0.8, source_description="a life"),
        ReasonedAnswer: reason_on_london,
    }

    @classmethod
    def held(cls) -> Library:
        return GraphRun.held().add("Skies", ("The Moon orbits the Earth.", ["Moon", "Earth"]))


# tools ----------------------------------------------------------------------------------------------------

PARTS = ["Who directed The Matrix?", "How many movies did Tom Hanks act in?"]
BOTH = "Who directed The Matrix, and how many movies did Tom Hanks act in?"
DIRECTED = "Lana Wachowski directed The Matrix"
COUNTED = "How many movies did Tom Hanks act in? movies: 12"


def calls(*chosen: tuple[str, dict[str, Any]]) -> ToolCalls:
    return ToolCalls(calls=tuple(ToolCall(name=name, arguments=arguments) for name, arguments in chosen))


def route(material: Material) -> ToolCalls:
    if "Matrix" in material["question"]:
        return calls(("lookup", {"about": "The Matrix"}))
    return calls(("count", {"about": material["question"]}))


def write_all(material: Material) -> AnswerDraft:
    """Say everything that was found."""
    statements = [(f"{entry['fact']}.", entry["n"]) for entry in material["evidence"]]
    sentences = [DraftSentence(text=text, citations=[n]) for text, n in statements[:50]]
    return AnswerDraft(answerable=True, sentences=sentences)


def tools(**more: Any) -> ScriptedTools:
    """Return tools that answer both parts, but for what is given."""
    script = {"lookup": found("lookup", DIRECTED), "count": found("count", COUNTED, words="tom hanks")}
    return ScriptedTools(**{**script, **more})


class ToolsRun(QueryRun):
    """Two parts, each for a tool of its own; no documents unless some are given."""

    query = TOOLS
    asks = {"question": BOTH, "strategy": "tools"}
    replies = {
        AtomicQuestions: AtomicQuestions(question=BOTH, sub_questions=PARTS), ToolCalls: route,
        AnswerCheck: AnswerCheck(complete=True), FactScore: FactScore(relevance=0.9), AnswerDraft: write_all,
    }  # fmt: skip
    cites = False  # small talk rests on nothing

    def __init__(
        self,
        toolset: ScriptedTools | None = None,
        script: Mapping[type[BaseModel], Script] | None = None,
        *,
        library: Library | None = None,
        **more: Any,
    ) -> None:
        super().__init__(library, script, **more)
        self.ports = replace(self.ports, tools=tools() if toolset is None else toolset)


# auto -----------------------------------------------------------------------------------------------------

WHO = "Who wrote Frankenstein?"


def write_first(material: Material) -> AnswerDraft:
    first = material["evidence"][0]
    return AnswerDraft(answerable=True, sentences=[DraftSentence(text=first["fact"], citations=[first["n"]])])


class AutoRun(ToolsRun):
    """A question that a document and a tool both answer; the graph is chosen unless the script differs."""

    query = AUTO
    asks = {"question": WHO}
    replies = {
        **ToolsRun.replies,
        StrategyChoice: StrategyChoice(strategy="graph", why="It stands in one sentence."),
        QuestionPlan: QuestionPlan(question=WHO, entities=["Frankenstein"]),
        NodeNotes: read_all,
        FactScore: FactScore(relevance=0.8),
        AnswerDraft: write_first,
        AtomicQuestions: AtomicQuestions(question=WHO),
        ToolCalls: calls(("lookup", {"about": "Frankenstein"})),
    }

    def __init__(self, toolset: ScriptedTools | None = None, *args: Any, **more: Any) -> None:
        lookup = ScriptedTools(lookup=found("lookup", WROTE))
        super().__init__(lookup if toolset is None else toolset, *args, **more)

    @classmethod
    def held(cls) -> Library:
        return Library().add("Novels", (WROTE, ["Mary Shelley", "Frankenstein"]))


# survey ---------------------------------------------------------------------------------------------------

THEMES = ("coffee", "noise", "beds")


def complaint(theme: str, n: int) -> str:
    return f"Guest{n} complained about {theme} in room{n}."


def path_of(text: str) -> tuple[str, ...]:
    """Return the topics of a guest's fact, the coarsest first."""
    theme = next((theme for theme in THEMES if theme in text), "walks")
    return ("stay" if theme in THEMES else "area", theme, theme)


def plan_survey(material: Material) -> SurveyPlan:
    parts = [f"Who complained about {theme}?" for theme in THEMES]
    return SurveyPlan(question=material["question"], sub_questions=parts)


def score_complaint(material: Material) -> FactScore:
    return FactScore(relevance=0.9 if "complained" in material["fact"] else 0.0)


def claim_themes(material: Material) -> TopicClaims:
    by_theme: dict[str, list[int]] = {}
    for fact in material["facts"]:
        by_theme.setdefault(path_of(fact["fact"])[1], []).append(fact["n"])
    claims = [
        DraftClaim(text=f"Guests complained about {theme}.", facts=some) for theme, some in by_theme.items()
    ]
    return TopicClaims(claims=claims)


def write_counts(material: Material) -> SurveyDraft:
    sentences = [
        DraftSentence(text=f"In {entry['documents']} documents: {entry['fact']}", citations=[entry["n"]])
        for entry in material["evidence"]
    ]
    return SurveyDraft(answerable=True, sentences=sentences)


class SurveyRun(QueryRun):
    """What guests complain about, in 24 documents of three themes."""

    query = SURVEY
    asks = {"question": "What do guests complain about?", "strategy": "survey"}
    replies = {
        SurveyPlan: plan_survey, FactScore: score_complaint, TopicClaims: claim_themes,
        SurveyDraft: write_counts,
    }  # fmt: skip

    def __init__(self, library: Library | None = None, *args: Any, **more: Any) -> None:
        held = self.held() if library is None else library
        held.topics = MemoryTopics(held, path_of)
        super().__init__(held, *args, **more)

    @classmethod
    def held(cls) -> Library:
        held = Library()
        for theme in THEMES:
            for n in range(8):
                complaining = (complaint(theme, n), [theme, f"Guest{n}", "guests complain"])
                held.add(f"{theme}-{n}", complaining, (f"Guest{n} walked to lake{n}.", ["lake", f"Guest{n}"]))
        return held
