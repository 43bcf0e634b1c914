"""What questions of tools take in calls and tokens: those of the Movies graph, and of the demo's story.

The Movies questions are asked with the tools strategy of a Neo4j of their own, the story's with `auto`, the
story being ingested with the narrative profile. A question is right where its answer holds what is expected.
Calls are counted as the jobs' meters book them, tokens as the offline model reports them.

    python bench/questions.py [--graph FILE.cypher] [--questions FILE.json] [--json FILE]
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path

from neo4j import GraphDatabase
from report import is_there, keep, machine, options
from rich.console import Console
from rich.table import Table
from world import World, started_world

from hopline import Hopline
from hopline.models.answers import Answer
from hopline.models.jobs import Json
from infra.local.jars import ensure_jars
from infra.local.java import find_java
from infra.local.neo4j_server import USER, Neo4jMemory, neo4j_address, neo4j_program
from infra.local.process import free_port
from infra.local.settings import cache_folder
from infra.local.work import worker_program

SHARED = Path("../shared/eval/movies.cypher")
MOVIES = Path("tests/data/movies_questions.json")
STORY = {
    "Who belongs to the Bell Guild?": ("Old Hesk", "Perrin Roake"),
    "How is the ferrywoman connected to Old Hesk?": ("Ilse Varn", "Old Hesk"),
    "What becomes of Captain Roake?": ("Toll Guard",),
    "How does it go with Ilse Varn and Captain Roake?": ("made peace",),
    "Who gives up something for somebody else?": ("gave his life for Ambry",),
    "What does Linnet live through?": ("Linnet became the ringer of Ambry",),
    "How many characters are there?": ("characters",),
    "Who is a friend of Ilse Varn?": ("FRIEND_OF",),
    "What was the silver whistle cast from?": ("filings of Long Margit",),
    "Who leads the Toll Guard, and who belongs to the Bell Guild?": ("Roake", "Old Hesk"),
}


@dataclass(frozen=True)
class Asked:
    """A question with its answer."""

    question: str
    answer: Answer
    right: bool

    def row(self) -> Json:
        """Return it as the report has it."""
        usage, chosen = self.answer.usage, self.answer.details.get("chosen", {})
        return {
            "question": self.question,
            "right": self.right,
            "status": self.answer.status,
            "strategy": chosen.get("strategy", "tools"),
            "calls": usage.model_calls,
            "prompt_tokens": usage.prompt_tokens,
            "completion_tokens": usage.completion_tokens,
        }


def main() -> None:
    """Measure and print."""
    parser = options(__doc__)
    parser.add_argument(
        "--graph", type=Path, default=SHARED, help="the statements that make the Movies graph"
    )
    parser.add_argument("--questions", type=Path, default=MOVIES, help="the Movies questions, as JSON")
    arguments = parser.parse_args()
    if not is_there("questions", arguments.graph):
        return
    movies = {
        entry["question"]: entry["answer_has"] for entry in json.loads(arguments.questions.read_text("utf-8"))
    }
    with started_world() as world:
        answers = {
            "the story, auto": list(_of_the_story(world)),
            "Movies, tools": list(_of_movies(world, arguments.graph, movies)),
        }
    sets = {name: [answer.row() for answer in rows] for name, rows in answers.items()}
    report = {"benchmark": "questions", "machine": machine(), "sets": sets}
    Console().print(_table(sets))
    keep(report, arguments.json)


def _of_the_story(world: World) -> Iterator[Asked]:
    _work(world, "bulk", "interactive")
    with Hopline.local(world.settings) as client:
        with as_file(files("producer.demo") / "story" / "en" / "chapters") as chapters:
            client.ingest([chapters], "story", profile="narrative", timeout=900)
        for question, words in STORY.items():
            yield _ask(client, question, words, "story", "auto")


def _of_movies(world: World, graph: Path, questions: dict[str, list[str]]) -> Iterator[Asked]:
    port, password = free_port(), secrets.token_urlsafe(12)
    jars = ensure_jars(cache_folder())
    plugins = world.folder / "no-plugins"
    plugins.mkdir()
    memory = Neo4jMemory(heap=320, page_cache=32, transaction=128)
    world.start(
        neo4j_program(
            world.folder / "movies",
            port,
            password,
            java=find_java(None),
            jars=jars.model_copy(update={"plugins": plugins}),
            memory=memory,
            lasting=False,
        ),
        "movies",
    )
    world.running["movies"].wait_ready(120)
    with GraphDatabase.driver(neo4j_address(port), auth=(USER, password)) as driver:
        for statement in graph.read_text(encoding="utf-8").split(";\n"):
            if statement.strip():
                driver.execute_query(statement)
    beside = world.beside(
        "movies",
        1,
        HOPLINE_TOOLS_NEO4J_URL=neo4j_address(port),
        HOPLINE_TOOLS_NEO4J_USER=USER,
        HOPLINE_TOOLS_NEO4J_PASSWORD=password,
        HOPLINE_TOOL_PACKS="movies",
    )
    _work(beside, "interactive")
    with Hopline.local(beside.settings) as client:
        for question, words in questions.items():
            yield _ask(client, question, words, "movies", "tools")


def _work(world: World, *queues: str) -> None:
    """Start a worker of each queue; the jobs wait until they are there."""
    for queue in queues:
        world.start(worker_program(queue, None), f"{queue} worker")


def _ask(client: Hopline, question: str, words: Iterable[str], collection: str, strategy: str) -> Asked:
    answer = client.ask(question, collection=collection, strategy=strategy, timeout=600)
    right = answer.status in ("done", "partial") and all(word in answer.text for word in words)
    return Asked(question, answer, right)


def _table(sets: dict[str, list[Json]]) -> Table:
    table = Table(title="model calls and tokens of a question, by the offline model")
    for name in ("questions", "right", "calls", "calls a right answer", "tokens", "tokens a right answer"):
        table.add_column(name, justify="right" if name != "questions" else "left")
    for name, rows in sets.items():
        right = sum(row["right"] for row in rows)
        calls = sum(row["calls"] for row in rows)
        tokens = sum(row["prompt_tokens"] + row["completion_tokens"] for row in rows)
        table.add_row(
            f"{name} ({len(rows)})",
            str(right),
            str(calls),
            f"{calls / max(1, right):.1f}",
            f"{tokens:,}",
            f"{tokens / max(1, right):,.0f}",
        )
    return table


if __name__ == "__main__":
    main()
