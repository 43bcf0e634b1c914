"""The demo: ingests the bundled texts, asks five questions, and suggests what to try next."""

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

COLLECTION = "demo"


class Demo:
    """One run of the demo.

    Args:
        client: of the servers to run it on.
        settings: of these servers.
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
