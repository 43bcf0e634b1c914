"""The demo of tools: imports the Movies graph into a database of its own and asks it questions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from hopline.views.answers import print_answer
from producer.demo.movies_graph import has_movies, tools_target
from producer.demo.questions import DemoQuestion, load_questions
from producer.views.demo import print_headline, print_question, print_tips

if TYPE_CHECKING:
    from rich.console import Console

    from hopline import Hopline
    from hopline.models.answers import Answer
    from hopline.models.jobs import Json
    from producer.service.script_import import Target
    from workers.settings import Settings

COLLECTION = "movies"  # one without documents: the tools ask another database
_TIPS = (
    "hopline tools schema, then hopline tools: what the graph is made of, and the tools over it",
    'hopline tools run find_connection entity1="Keanu Reeves" entity2="Tom Hanks"',
    'hopline ask "Which movies were released after 2008?" --strategy tools --explain',
    "hopline jobs show ID --json: an answer with the Cypher and the rows of each citation",
)


class MoviesDemo:
    """One run of the demo.

    Args:
        client: of the servers to run it on.
        settings: of these servers; they name the database that tools ask.
        console: where to print.
        ask: shows a question's progress and returns its answer with the seconds it took.
        load: makes the graph in an empty database, with its progress; returns nodes and relationships.
    """

    def __init__(
        self,
        client: Hopline,
        settings: Settings,
        console: Console,
        *,
        ask: Callable[[str], tuple[Answer, float]],
        load: Callable[[Target], tuple[int, int]],
    ) -> None:
        self._client = client
        self._settings = settings
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
        for number, question in enumerate(load_questions(DemoQuestion, "movies"), 1):
            wrong += self._ask_one(number, question)
        print_tips(self._console, _TIPS)
        return wrong

    def _bring_graph_in(self) -> None:
        settings = self._settings
        target = tools_target(settings)
        print_headline(self._console, f"The Movies graph, in a database of its own at {target.url}")
        if has_movies(settings):
            self._console.print("It is there already.")
            return
        nodes, relationships = self._load(target)
        self._console.print(f"Imported: {nodes} nodes, {relationships} relationships; names are indexed.")

    def _ask_one(self, number: int, question: DemoQuestion) -> list[str]:
        print_question(self._console, number, question.question, question.shows)
        job = self._client.queries.submit(question.question, collection=COLLECTION, strategy="tools")
        answer, seconds = self._ask(job.id)
        print_answer(self._console, answer, seconds)
        self.asked.append({"question": question.question, "answer": answer.model_dump(mode="json")})
        return question.mistakes(answer)
