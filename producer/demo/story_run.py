"""The demo of profiles and tools: ingests a story in chapters, and asks each tool about it."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import as_file, files
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Any, Literal

from hopline.models.base import Frozen
from hopline.views.reports import print_report
from hopline.views.tools import print_result
from producer.demo.questions import load_questions
from producer.views.demo import print_headline, print_question, print_tips

if TYPE_CHECKING:
    from rich.console import Console

    from hopline import Hopline
    from hopline.models.ingest_reports import IngestReport, Submitted
    from hopline.models.jobs import Json
    from hopline.models.tools import ToolResult

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
        """Return what is wrong with a result; an empty list if it is as expected."""
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
        client: of the servers to run it on.
        console: where to print.
        ingest: shows an ingestion's progress and returns its report.
        language: of the story, its questions and what is said around them.
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
