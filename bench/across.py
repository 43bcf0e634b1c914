"""Measures search within and across languages, with and without the plan's words in other languages.

A story of eight passages, each in six languages, and thirty questions (bench/judged/across.json). A question
is asked over the passages in all languages, without the other versions of the passage that answers it; for
ten questions that passage is in another language. The words in the other languages are what a good model
would plan. Passages are loaded directly, by statements in corpus.py.

    python bench/across.py [--json FILE]
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from corpus import Loader
from report import keep, machine, options
from rich.console import Console
from rich.table import Table
from world import started_world

from infra.local.neo4j_server import Neo4jMemory
from producer.evaluation.dataset import Dataset, EvalQuestion, read_dataset
from workers.core.ids import document_id
from workers.core.jobs.work import Json
from workers.core.json_objects import parse_json
from workers.search.search import search
from workers.services import Services
from workers.traverse.plan import translated_of
from workers.traverse.schema import TranslatedQuestionPlan

FILE = Path(__file__).with_name("judged") / "across.json"
MEMORY = Neo4jMemory(heap=512, page_cache=256)
_FIRST = 5


def main() -> None:
    """Measure and print."""
    arguments = options(__doc__, "across").parse_args()
    dataset = read_dataset(FILE)
    plans = {row["id"]: _plan(row) for row in parse_json(FILE.read_bytes())["questions"]}
    with started_world(MEMORY) as world:
        rows = list(_asked(Services(world.settings), dataset, plans))
    report: Json = {"benchmark": "across", "machine": machine(), "rows": rows}
    _print(Console(), rows)
    keep(report, arguments.json)


def _plan(row: Json) -> TranslatedQuestionPlan:
    return TranslatedQuestionPlan(question=row["question"], translations=row["translations"])


def _asked(
    services: Services, dataset: Dataset, plans: dict[str, TranslatedQuestionPlan]
) -> Iterator[dict[str, Any]]:
    by_gold: dict[str, list[EvalQuestion]] = {}
    for question in dataset.questions:
        by_gold.setdefault(question.gold[0], []).append(question)
    for gold, questions in by_gold.items():
        section = gold.partition("-")[0]
        kept = [one for one in dataset.passages if one.id == gold or one.id.partition("-")[0] != section]
        collection = f"across-{gold}"
        Loader(services, collection).load_until(10**9, iter(kept))
        for question in questions:
            ranks = {}
            for name, translations in (("alone", ()), ("planned", translated_of(plans[question.id])[1])):
                found = search(
                    question.question, collection, services, limit=_FIRST, translations=translations
                )
                ids = [hit.document.id for hit in found.chunks]
                answer = document_id(collection, gold)
                ranks[name] = ids.index(answer) + 1 if answer in ids else None
            yield {"id": question.id, "type": question.type, **ranks}


def _print(console: Console, rows: list[dict[str, Any]]) -> None:
    table = Table(title=f"R@1 and R@{_FIRST} of 30 questions in six languages ({machine()})")
    for name in ("questions", "", "R@1", f"R@{_FIRST}", "with words: R@1", f"R@{_FIRST}"):
        table.add_column(name, justify="right")
    for kind in ("within", "across"):
        some = [row for row in rows if row["type"] == kind]
        shares = [
            f"{100 * sum(row[way] is not None and row[way] <= most for row in some) / len(some):.0f}"
            for way in ("alone", "planned")
            for most in (1, _FIRST)
        ]
        table.add_row(str(len(some)), kind, *shares)
    console.print(table)


if __name__ == "__main__":
    main()
