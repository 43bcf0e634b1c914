"""The demos: bundled texts and five questions, a story in chapters, and the Movies graph for tools."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import as_file, files
from typing import TYPE_CHECKING

from hopline.models.answers import STAND_IN
from hopline.views.answers import print_answer
from hopline.views.reports import print_report
from producer.demo.questions import DemoQuestion, load_questions
from producer.views.demo import print_headline, print_question, print_tips

if TYPE_CHECKING:
    from rich.console import Console

    from hopline import Hopline
    from hopline.models.answers import Answer
    from hopline.models.ingest_reports import IngestReport, Submitted
    from hopline.models.jobs import Json
    from workers.settings import Settings


from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Any, Literal

from hopline.models.base import Frozen
from hopline.views.tools import print_result

if TYPE_CHECKING:
    from rich.console import Console

    from hopline import Hopline
    from hopline.models.ingest_reports import IngestReport, Submitted
    from hopline.models.jobs import Json
    from hopline.models.tools import ToolResult


from typing import TYPE_CHECKING

from producer.demo.movies_graph import has_movies, tools_target

if TYPE_CHECKING:
    from rich.console import Console

    from hopline import Hopline
    from hopline.models.answers import Answer
    from hopline.models.jobs import Json
    from producer.service.script_import import Target
    from workers.settings import Settings


COLLECTION = "demo"


class Demo:
    """One run of the demo.

    Args:
        client: client of the servers to run it on.
        settings: settings of these servers.
        console: where to print.
        ingest: shows an ingestion's progress and returns its report.
        ask: shows a question's progress and returns its answer with the seconds it took.
    """

    def __init__(
        self,
        client: Hopline,
        settings: Settings,
        console: Console,
        *,
        ingest: Callable[[Submitted], IngestReport],
        ask: Callable[[str], tuple[Answer, float]],
    ) -> None:
        self._client = client
        self._settings = settings
        self._console = console
        self._ingest = ingest
        self.asked: list[Json] = []  # questions with their answers, as JSON
        self._ask = ask

    def run(self) -> list[str]:
        """Run it; return what did not end as it should, an empty list where all did."""
        wrong = self._bring_documents_in()
        for number, question in enumerate(load_questions(DemoQuestion), 1):
            wrong += self._ask_one(number, question)
        self._say_what_next()
        return wrong

    def _bring_documents_in(self) -> list[str]:
        print_headline(self._console, "Twelve short texts about bridges and the people who built them")
        with as_file(files("producer.demo") / "documents") as folder:
            report = self._ingest(self._client.hand_over([folder], COLLECTION))
        print_report(self._console, report)
        if report.documents and all(document.status == "unchanged" for document in report.documents):
            line = f"All are unchanged since the last run; model calls for them: {report.usage.model_calls}."
            self._console.print(line)
            if report.usage.model_calls:
                return ["unchanged documents were given to a model again"]
        return [f"{document.uri}: {document.error}" for document in report.failed]

    def _ask_one(self, number: int, question: DemoQuestion) -> list[str]:
        print_question(self._console, number, question.question, question.shows)
        job = self._client.queries.submit(question.question, collection=COLLECTION)
        answer, seconds = self._ask(job.id)
        print_answer(self._console, answer, seconds)
        self.asked.append({"question": question.question, "answer": answer.model_dump(mode="json")})
        return question.mistakes(answer)

    def _say_what_next(self) -> None:
        settings = self._settings
        tips = [
            'hopline ask "Where is the designer of the Menai Suspension Bridge buried?" -c demo',
            'hopline ingest FOLDER -c mine && hopline ask "…" -c mine',
            "hopline jobs, then hopline jobs show ID",
            f"hopline down ends the stack; its data stays in {settings.var}",
        ]
        if settings.api_url:
            tips.insert(0, f"ask, look at the graph and watch a walk grow in a browser: {settings.api_url}")
        if settings.flower_url:
            login = f"(user and password: {settings.var / 'stack.env'})"
            tips.insert(-1, f"watch the tasks in Flower: {settings.flower_url} {login}")
        tips.append(_model_tip(settings.model))
        print_tips(self._console, tips)


def _model_tip(model: str) -> str:
    if model != STAND_IN:
        return f"these answers were read and written by {model}"
    return (
        "the answers above come from a rule-based reader that selects and copies; for a language model set "
        "HOPLINE_MODEL_URL, HOPLINE_MODEL_KEY and HOPLINE_MODEL, then `hopline up` again"
    )


PROFILE = "narrative"

Language = Literal["en", "zh"]
COLLECTIONS: dict[Language, str] = {"en": "story", "zh": "story-zh"}
_TEXTS: dict[Language, dict[str, str]] = {
    "en": {
        "story": "A story in seven chapters",
        "next": "What to try next",
        "lookup": 'hopline tools run lookup_knowledge entity="Maud Pell" -c story',
        "ask": 'hopline ask "Who is the father of Captain Roake?" -c story',
        "own": f"hopline ingest FOLDER -c mine --profile {PROFILE}, or --profile FILE.toml: docs/profiles.md",
    },
    "zh": {
        "story": "七章故事",
        "next": "接下来可以试试",
        "lookup": 'hopline tools run lookup_knowledge entity="阿雀" -c story-zh',
        "ask": 'hopline search "铜哨是用什么铸的？" -c story-zh',
        "own": f"hopline ingest 文件夹 -c mine --profile {PROFILE}，或 --profile 文件.toml：docs/profiles.md",
    },
}


class StoryQuestion(Frozen):
    """A question about the story, and the tool that answers it."""

    question: str
    tool: str
    arguments: dict[str, str] = {}
    found: tuple[str, ...]  # what its Markdown must hold

    def mistakes(self, result: ToolResult) -> list[str]:
        """Return the problems of a result; an empty list if it is as expected."""
        return [
            f"“{self.question}” does not tell {phrase!r}"
            for phrase in self.found
            if phrase not in result.markdown
        ]


def story_folder(language: Language = "en") -> Traversable:
    """Return the folder of a story's chapters."""
    return files("producer.demo") / "story" / language / "chapters"


def story_questions(language: Language = "en") -> list[StoryQuestion]:
    """Return the bundled questions of a story."""
    return load_questions(StoryQuestion, "story", language)


class StoryDemo:
    """One run of the demo.

    Args:
        client: client of the servers to run it on.
        console: where to print.
        ingest: shows an ingestion's progress and returns its report.
        language: language of the story, its questions and what is said around them.
    """

    def __init__(
        self,
        client: Hopline,
        console: Console,
        *,
        ingest: Callable[[Submitted], IngestReport],
        language: Language = "en",
    ) -> None:
        self._client = client
        self._language = language
        self._collection = COLLECTIONS[language]
        self._texts = _TEXTS[language]
        self._console = console
        self._ingest = ingest
        self.asked: list[Json] = []  # questions with their results, as JSON

    def run(self) -> list[str]:
        """Run it; return what did not end as it should, an empty list where all did."""
        wrong = self._bring_story_in()
        for number, question in enumerate(story_questions(self._language), 1):
            wrong += self._ask_one(number, question)
        tips = [self._texts[tip] for tip in ("lookup", "ask", "own")]
        print_tips(self._console, tips, self._texts["next"])
        return wrong

    def _bring_story_in(self) -> list[str]:
        print_headline(self._console, self._texts["story"])
        with as_file(story_folder(self._language)) as folder:
            submitted = self._client.hand_over([folder], self._collection, profile=PROFILE)
            report = self._ingest(submitted)
        print_report(self._console, report)
        return [f"{document.uri}: {document.error}" for document in report.failed]

    def _ask_one(self, number: int, question: StoryQuestion) -> list[str]:
        call = f"{question.tool} {_format_arguments(question.arguments)}".rstrip()
        print_question(self._console, number, question.question, call)
        result = self._client.tools.run(question.tool, question.arguments, collection=self._collection)
        print_result(self._console, result)
        self.asked.append({"question": question.question, "result": result.model_dump(mode="json")})
        return question.mistakes(result)


def _format_arguments(arguments: dict[str, Any]) -> str:
    return " ".join(f'{name}="{value}"' for name, value in arguments.items())


MOVIES = "movies"  # one without documents: the tools ask another database
_TIPS = (
    "hopline tools schema, then hopline tools: what the graph is made of, and the tools over it",
    'hopline tools run find_connection entity1="Keanu Reeves" entity2="Tom Hanks"',
    'hopline ask "Which movies were released after 2008?" --strategy tools --explain',
    "hopline jobs show ID --json: an answer with the Cypher and the rows of each citation",
)


class MoviesDemo:
    """One run of the demo.

    Args:
        client: client of the servers to run it on.
        settings: settings of these servers; they name the database that tools ask.
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
        job = self._client.queries.submit(question.question, collection=MOVIES, strategy="tools")
        answer, seconds = self._ask(job.id)
        print_answer(self._console, answer, seconds)
        self.asked.append({"question": question.question, "answer": answer.model_dump(mode="json")})
        return question.mistakes(answer)
