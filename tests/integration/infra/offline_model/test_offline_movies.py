"""The offline model over HTTP and the tools on the Movies graph: what is chosen, brought back, and told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from doubles.meter import Offline, Purse, model_at

from workers.adapters.neo4j.connection import Connection
from workers.adapters.neo4j.schema import Neo4jSchema
from workers.adapters.neo4j.untrusted_cypher import GuardedReader
from workers.core.models.tool_calls import ToolCall
from workers.core.prompts import load_prompt
from workers.critic.schema import AnswerCheck, AnswerDraft, FactScore
from workers.tools.packs import load_toolbox
from workers.tools.session import GraphTools
from workers.tools.tool import ToolPorts
from workers.traverse.tools.schema import AtomicQuestions

DATA = Path(__file__).parents[3] / "data"
QUESTIONS = json.loads((DATA / "movies_questions.json").read_text(encoding="utf-8"))
ROUNDS = 3
RELEVANT = 0.5


@dataclass
class Asking:
    """One question on its way, as the flow of tools goes."""

    model: Any
    tools: GraphTools
    called: list[ToolCall] = field(default_factory=list)
    facts: list[tuple[str, str]] = field(default_factory=list)  # text, tool
    found: list[dict[str, Any]] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    def call(self, question: str) -> None:
        """Have tools chosen for an atomic question, and run them."""
        material = {"question": question, "whole": question, "history": [], "answers": []}
        prompt = load_prompt("workers.traverse.tools", "choose_tools")
        material |= {"schema": self.tools.schema()}
        value = self.model.choose_tools(prompt, material, self.tools.offered(), self.tools.fault).value
        assert not value.refused
        for call in value.calls:
            self.called.append(call)
            if call.name == "respond":
                self.said.append(call.arguments["answer"])
                continue
            answer = self.tools.run(call, question)
            self.facts += [(fact.text, call.name) for fact in answer.facts]
            fields = {"question": question, "tool": call.name, "arguments": call.arguments}
            self.found.append(fields | {"found": answer.markdown or answer.note})

    def answered(self, question: str) -> str:
        """Go all rounds, and return the answer's text."""
        material = {"question": question, "history": [], "schema": self.tools.schema()}
        prompt = load_prompt("workers.traverse.tools", "normalise")
        parts = self.model.ask(prompt, material, AtomicQuestions).value
        sub_questions = list(parts.sub_questions) or [parts.question]
        open_questions = sub_questions
        for left in range(ROUNDS, 0, -1):
            for open_question in open_questions:
                self.call(open_question)
            checked = {"question": parts.question, "rounds_left": left, "asked": self.found}
            check = self.model.ask(load_prompt("workers.critic", "check_answer"), checked, AnswerCheck).value
            open_questions = [] if check.complete or check.gave_up else list(check.missing)
            sub_questions += open_questions
            if not open_questions:
                break
        return " ".join(self.said) or self.written(parts.question, sub_questions)

    def written(self, question: str, sub_questions: list[str]) -> str:
        evidence = [
            {"n": n, "fact": text, "quote": text, "source": tool}
            for n, (text, tool) in enumerate(self.facts, 1)
        ]
        material = {"question": question, "sub_questions": sub_questions, "evidence": evidence}
        draft = self.model.ask(load_prompt("workers.critic", "synthesize"), material, AnswerDraft).value
        for sentence in draft.sentences:
            text = self.facts[sentence.citations[0] - 1][0]
            fact = {"question": question, "sub_questions": sub_questions, "fact": text, "sources": []}
            scored = self.model.ask(load_prompt("workers.critic", "score"), fact, FactScore).value
            assert scored.relevance >= RELEVANT
        return " ".join(sentence.text for sentence in draft.sentences)


@pytest.fixture
def asking(movies_neo4j, model_url: str) -> Iterator[Asking]:
    Offline(model_url).set(reset=True)
    login = (movies_neo4j.url, movies_neo4j.user, movies_neo4j.password)
    reader, connection = GuardedReader(*login), Connection(*login, 30.0)
    model = model_at(model_url).metered(Purse())
    unused: Any = None
    ports = ToolPorts("default", Neo4jSchema(connection), reader, unused, unused, model)
    yield Asking(model, GraphTools(lambda: (load_toolbox("movies"), ports)))
    reader.close()
    connection.close()


def test_the_schema_of_the_unit_tests_is_the_graphs_own(asking: Asking):
    golden = (DATA / "schemas" / "movies.txt").read_text(encoding="utf-8")
    assert asking.tools.schema() == golden


ROUTED = {
    "How many movies did Tom Hanks act in?": ("text2cypher", ["movies: 12"]),
    "Who acted in the most movies?": ("text2cypher", ["person: Tom Hanks", "movies: 12"]),
    "Which movies were released in the 1980s?": ("text2cypher", ["Top Gun", "Stand By Me"]),
    "Who is the oldest actor?": ("text2cypher", ["Max von Sydow", "1929"]),
    "What is the average rating of The Da Vinci Code?": ("text2cypher", ["66.5"]),
    "Which persons acted in more than six movies?": ("text2cypher", ["Tom Hanks", "Keanu Reeves"]),
    "Which movies did Tom Hanks and Meg Ryan both act in?": (
        "text2cypher",
        ["Joe Versus the Volcano", "Sleepless in Seattle", "You've Got Mail"],
    ),
    "Who wrote When Harry Met Sally?": ("movie_info_by_title", ["Nora Ephron"]),
    "Which movies did Emil Eifrem act in?": ("movies_info_by_actor", ["The Matrix"]),
    "When was Keanu Reeves born?": ("lookup_knowledge", ["born: 1964"]),
    "How is Kevin Bacon connected to Tom Hanks?": ("find_connection", ["Apollo 13"]),
    "Whom does Paul Blythe follow?": ("lookup_knowledge", ["Angela Scope"]),
}


@pytest.mark.parametrize("question", ROUTED)
def test_a_question_reaches_its_tool_and_the_tool_finds_what_the_graph_holds(asking: Asking, question: str):
    tool, holding = ROUTED[question]
    asking.call(question)
    assert [call.name for call in asking.called] == [tool]
    evidence = "\n".join(text for text, _ in asking.facts)
    for expected in holding:
        assert expected in evidence


@pytest.mark.parametrize("case", QUESTIONS, ids=lambda case: case["about"])
def test_a_question_is_answered_over_all_rounds(asking: Asking, case: dict[str, Any]):
    text = asking.answered(case["question"])
    assert [call.name for call in asking.called] == case["tools"]
    for expected in case["answer_has"]:
        assert expected in text
