"""The demo of tools: the Movies graph in a database of its own, and questions to it."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from importlib.resources import files
from typing import TYPE_CHECKING, Literal

from rich.text import Text

from producer.console import harmless, print_indented
from producer.demo.movies_graph import has_movies, tools_target
from producer.views.questions.answers import print_answer
from workers.core.model import Frozen
from workers.tools.text2cypher import TEXT2CYPHER

if TYPE_CHECKING:
    from rich.console import Console

    from producer.client.hopline import Hopline
    from producer.service.script_import import Target
    from workers.core.answers.answer import Answer
    from workers.core.jobs.work import Json

COLLECTION = "movies"  # one without documents: the tools ask another database


class MoviesQuestion(Frozen):
    """A question to the Movies graph, and what a right answer looks like."""

    question: str
    shows: str  # what the question is there to show
    status: Literal["done", "abstained"] = "done"
    words: tuple[str, ...] = ()  # that the answer must hold
    cited: bool = True  # whether the answer must cite places in the graph

    def mistakes(self, answer: Answer) -> list[str]:
        """Return what is wrong with an answer; an empty list where it is as it should be."""
        wrong = []
        if answer.status != self.status:
            wrong.append(f"ended {answer.status}, should be {self.status}")
        wrong += [f"the answer does not say {word!r}" for word in self.words if word not in answer.text]
        if self.cited and not any(citation.kind == "graph" for citation in answer.citations):
            wrong.append("cites nothing in the graph")
        return [f"“{self.question}” {fault}" for fault in wrong]


def movies_questions() -> list[MoviesQuestion]:
    """Return the questions that come with the graph."""
    place = files("producer.demo") / "movies" / "questions.toml"
    questions = tomllib.loads(place.read_text(encoding="utf-8"))["questions"]
    return [MoviesQuestion.model_validate(question) for question in questions]


class MoviesDemo:
    """One run of the demo.

    Args:
        client: the servers to run it on; its settings name the database that tools ask.
        console: where to print.
        ask: shows a question's progress and returns its answer with the seconds it took.
        load: makes the graph in an empty database, with its progress; returns nodes and relationships.
    """

    def __init__(
        self,
        client: Hopline,
        console: Console,
        *,
        ask: Callable[[str], tuple[Answer, float]],
        load: Callable[[Target], tuple[int, int]],
    ) -> None:
        self._client = client
        self._console = console
        self._ask = ask
        self._load = load
        self.asked: list[Json] = []  # questions with their answers, as JSON

    def run(self) -> list[str]:
        """Run it; return what did not end as it should, an empty list where all did.

        Raises:
            InvalidInput: the tools' database holds another graph; nothing was done.
            DependencyAway: it cannot be reached.
        """
        self._bring_graph_in()
        wrong = []
        for number, question in enumerate(movies_questions(), 1):
            wrong += self._ask_one(number, question)
        self._say_what_next()
        return wrong

    def _bring_graph_in(self) -> None:
        target = tools_target(self._client.services.settings)
        self._headline(f"The Movies graph, in a database of its own at {target.url}")
        if has_movies(target):
            self._console.print("It is there already.")
            return
        nodes, relationships = self._load(target)
        self._console.print(f"Imported: {nodes} nodes, {relationships} relationships; names are indexed.")

    def _ask_one(self, number: int, question: MoviesQuestion) -> list[str]:
        self._headline(f"{number}. {question.question}")
        self._console.print(Text(question.shows, "dim"))
        self._console.print()
        job_id = self._client.submit_question(question.question, COLLECTION, strategy="tools")
        answer, seconds = self._ask(job_id)
        print_answer(self._console, answer, seconds)
        self._print_cypher(answer)
        self.asked.append({"question": question.question, "answer": answer.model_dump(mode="json")})
        return question.mistakes(answer)

    def _print_cypher(self, answer: Answer) -> None:
        """Print the Cypher of tools that come with it; a model's own stands with the calls."""
        cited = [citation for citation in answer.citations if citation.kind == "graph"]
        written = {one.tool: one.cypher for one in cited if one.cypher and one.tool != TEXT2CYPHER.name}
        for tool, cypher in written.items():
            self._console.print(Text(f"\nThe Cypher of {tool}", "bold cyan"))
            for line in cypher.splitlines():
                print_indented(self._console, Text(harmless(line), "cyan"), 2)

    def _say_what_next(self) -> None:
        self._headline("What to try next")
        for tip in (
            "hopline schema, then hopline tool: what the graph is made of, and the tools over it",
            'hopline tool find_connection entity1="Keanu Reeves" entity2="Tom Hanks"',
            'hopline ask "Which movies were released after 2008?" --strategy tools',
        ):
            self._console.print(Text(f"  {tip}"))

    def _headline(self, text: str) -> None:
        self._console.print(Text(f"\n{harmless(text)}", "bold cyan"))
