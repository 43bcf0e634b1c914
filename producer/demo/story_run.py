"""The demo of profiles and tools: a story in chapters becomes a graph, and each tool is asked about it."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from importlib.resources import as_file, files
from typing import TYPE_CHECKING, Any

from rich.text import Text

from producer.console import harmless
from producer.views.reports import print_report
from producer.views.tools import print_result
from workers.core.model import Frozen

if TYPE_CHECKING:
    from rich.console import Console

    from producer.client import Hopline
    from producer.report import IngestReport, Submitted
    from workers.core.work import Json
    from workers.tools.tool import ToolResult

COLLECTION = "story"
PROFILE = "narrative"


class StoryQuestion(Frozen):
    """A question about the story, and the tool that answers it."""

    question: str
    tool: str
    arguments: dict[str, str] = {}
    found: tuple[str, ...]  # what its Markdown must hold

    def mistakes(self, result: ToolResult) -> list[str]:
        """Return what is wrong with a result; an empty list where it is as it should be."""
        return [
            f"“{self.question}” does not tell {one!r}" for one in self.found if one not in result.markdown
        ]


def story_questions() -> list[StoryQuestion]:
    """Return the questions that come with the story."""
    told = tomllib.loads(
        (files("producer.demo") / "story" / "en" / "questions.toml").read_text(encoding="utf-8")
    )
    return [StoryQuestion.model_validate(one) for one in told["questions"]]


class StoryDemo:
    """One run of the demo.

    Args:
        client: the servers to run it on.
        console: where to print.
        ingest: shows an ingestion's progress and returns its report.
    """

    def __init__(
        self, client: Hopline, console: Console, *, ingest: Callable[[Submitted], IngestReport]
    ) -> None:
        self._client = client
        self._console = console
        self._ingest = ingest
        self.asked: list[Json] = []  # questions with their results, as JSON

    def run(self) -> list[str]:
        """Run it; return what did not end as it should, an empty list where all did."""
        wrong = self._bring_story_in()
        for number, question in enumerate(story_questions(), 1):
            wrong += self._ask_one(number, question)
        self._headline("What to try next")
        for tip in (
            f'hopline tool lookup_knowledge entity="Maud Pell" -c {COLLECTION}',
            f'hopline ask "Who is the father of Captain Roake?" -c {COLLECTION}',
            f"hopline ingest FOLDER -c mine --profile {PROFILE}, or --profile FILE.toml: docs/profiles.md",
        ):
            self._console.print(Text(f"  {tip}"))
        return wrong

    def _bring_story_in(self) -> list[str]:
        self._headline("A story in seven chapters")
        with as_file(files("producer.demo") / "story" / "en" / "chapters") as folder:
            submitted = self._client.submit_documents([folder], COLLECTION, profile=PROFILE)
            report = self._ingest(submitted)
        print_report(self._console, report)
        return [f"{one.uri}: {one.error}" for one in report.failed]

    def _ask_one(self, number: int, question: StoryQuestion) -> list[str]:
        self._headline(f"{number}. {question.question}")
        self._console.print(Text(f"{question.tool} {_told(question.arguments)}".rstrip(), "dim"))
        self._console.print()
        result = self._client.tool(question.tool, COLLECTION, **question.arguments)
        print_result(self._console, result)
        self.asked.append({"question": question.question, "result": result.model_dump(mode="json")})
        return question.mistakes(result)

    def _headline(self, text: str) -> None:
        self._console.print(Text(f"\n{harmless(text)}", "bold cyan"))


def _told(arguments: dict[str, Any]) -> str:
    return " ".join(f'{name}="{value}"' for name, value in arguments.items())
