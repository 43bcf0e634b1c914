"""Measures search within and across languages, with and without the plan's words in other languages.

A story of eight passages, each in six languages, and thirty questions (bench/judged/across.json). A question
is asked over the passages in all languages, without the other versions of the passage that answers it; for
ten questions that passage is in another language. The words in the other languages are what a good model
would plan. Passages are loaded directly, by statements in corpus.py.

With --answers: each question also has a reply as a good model might word it, in the question's language, and
most have one with a wrong number, date, name or denial. What the search found is the evidence, and the
writer's step checks the replies: once with a model that judges translated sentences as the file says, and
once without.

    python bench/across.py [--answers] [--json FILE]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, cast

from corpus import Loader
from report import keep, machine, options
from rich.console import Console
from rich.table import Table
from world import started_world

from hopline.models.jobs import Json, Usage
from hopline.models.search import Found
from infra.local.neo4j_server import Neo4jMemory
from producer.evaluation.dataset import Dataset, EvalQuestion, read_dataset
from workers.core.errors import ModelRefused
from workers.core.ids import document_id
from workers.core.jobs.work import Job
from workers.core.json_objects import parse_json
from workers.core.ports import Answered, Model, Ports
from workers.core.records import ScoredFact
from workers.critic.schema import TranslationVerdicts
from workers.critic.synthesize import WritingInput, WritingResult, synthesize
from workers.search.search import search
from workers.services import Services
from workers.traverse.plan import translated_of
from workers.traverse.schema import TranslatedQuestionPlan

FILE = Path(__file__).with_name("judged") / "across.json"
MEMORY = Neo4jMemory(heap=512, page_cache=256)
_FIRST = 5


class Reply(NamedTuple):
    """A reply to a question: sentences, each with parts of what it quotes, and what is wrong in them."""

    sentences: Sequence[tuple[str, Sequence[str]]]
    wrong: Sequence[str] = ()
    kind: str = "right"  # or of what is wrong: number, date, name, negation

    @property
    def is_right(self) -> bool:
        """Whether the quotes carry the reply."""
        return self.kind == "right"


@dataclass(frozen=True)
class WrittenModel:
    """Writes one reply, and judges its sentences as a good model would, or not at all."""

    reply: Reply
    judges: bool

    def ask(self, _prompt: object, material: Mapping[str, Any], reply: type[Any], **_: Any) -> Answered[Any]:
        """Return the reply, or verdicts on its sentences."""
        if reply is not TranslationVerdicts:
            fields = self.draft(material["evidence"])
        elif self.judges:
            fields = self.verdicts(material["sentences"])
        else:
            raise ModelRefused("This model judges no translations.")
        return Answered(value=reply.model_validate(fields), usage=Usage(model_calls=1))

    def draft(self, evidence: Sequence[Json]) -> Json:
        """Return the reply as a draft that cites the evidence whose quotes hold the named parts."""
        cited = {
            text: [entry["n"] for entry in evidence if any(part in entry["quote"] for part in parts)]
            for text, parts in self.reply.sentences
        }
        return {
            "answerable": True,
            "sentences": [{"text": text, "citations": numbers} for text, numbers in cited.items()],
        }

    def verdicts(self, sentences: Sequence[Json]) -> Json:
        """Return whether the reply's sentences are carried, as a good model would judge them."""
        verdict = {"carried": self.reply.is_right, "wrong": self.reply.wrong}
        return {"verdicts": [{"n": each["n"], **verdict} for each in sentences]}


def replies_to(row: Json) -> Iterator[Reply]:
    """Yield what is written to a question of the file: the right reply, and the wrong one if it has one."""
    yield Reply([(each["text"], each["quotes"]) for each in row["reply"]])
    if wrong := row.get("wrong"):
        yield Reply([(wrong["text"], wrong["quotes"])], wrong["words"], wrong["kind"])


def answered(
    question: str, reply: Reply, facts: Sequence[ScoredFact], ports: Ports, *, judges: bool
) -> WritingResult:
    """Return what the writer's step makes of a reply.

    Args:
        question: to be answered.
        reply: what the model writes.
        facts: the evidence.
        ports: graph; their model is not asked.
        judges: whether the model judges translated sentences.
    """
    model = cast("Model", WrittenModel(reply, judges))
    ports = replace(ports, model=model)
    writing = WritingInput(question=question, sub_questions=(), facts=tuple(facts))
    return cast("WritingResult", synthesize(writing, ports).result)


def main() -> None:
    """Measure and print."""
    parser = options(__doc__, "across")
    parser.add_argument("--answers", action="store_true", help="also check the replies of the file")
    arguments = parser.parse_args()
    dataset = read_dataset(FILE)
    questions = {row["id"]: row for row in parse_json(FILE.read_bytes())["questions"]}
    with started_world(MEMORY) as world:
        rows = list(_asked(Services(world.settings), dataset, questions, answers=arguments.answers))
    report: Json = {"benchmark": "across", "machine": machine(), "rows": rows}
    console = Console()
    _print(console, rows)
    if arguments.answers:
        _print_answers(console, rows)
    keep(report, arguments.json)


def _plan(row: Json) -> TranslatedQuestionPlan:
    return TranslatedQuestionPlan(question=row["question"], translations=row["translations"])


def _asked(
    services: Services, dataset: Dataset, rows: Mapping[str, Json], *, answers: bool
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
            planned = translated_of(_plan(rows[question.id]))[1]
            for name, translations in (("alone", ()), ("planned", planned)):
                found = search(
                    question.question, collection, services, limit=_FIRST, translations=translations
                )
                ids = [hit.document.id for hit in found.chunks]
                answer = document_id(collection, gold)
                ranks[name] = ids.index(answer) + 1 if answer in ids else None
            checked = _checked(services, collection, rows[question.id], found) if answers else []
            yield {"id": question.id, "type": question.type, **ranks, "replies": checked}


def _checked(services: Services, collection: str, row: Json, found: Found) -> list[Json]:
    """Return what became of each reply, with a model that judges and without."""
    job = Job(id="across", kind="query", collection=collection, params={"question": row["question"]})
    limits = services.settings.limits
    ports = Ports(job, services.graph, services.vectors, services.model, services.blobs, limits)
    facts = [
        ScoredFact(
            fact_text=fact.text,
            source_node_id=fact.elements[0] if fact.elements else "",
            source_fact_id=fact.id,
            extracted_from_depth=0,
            score=0.9,
            source_description="",
            scored_by="critic",
        )
        for hit in found.chunks
        for fact in hit.facts
    ]
    checked: list[Json] = []
    for reply in replies_to(row):
        results = {
            name: answered(row["question"], reply, facts, ports, judges=name == "judged")
            for name in ("judged", "alone")
        }
        checked += [{"kind": reply.kind, "sentences": len(reply.sentences)} | _fate(results)]
    return checked


def _fate(results: Mapping[str, WritingResult]) -> Json:
    fates = {}
    for name, result in results.items():
        dropped = result.details.get("dropped_sentences", [])
        marked = result.details.get("unchecked_sentences", [])
        fates[name] = {
            "text": result.text,
            "dropped": dropped,
            "fate": "dropped" if dropped or not result.text else "marked" if marked else "kept",
        }
    return fates


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


def _print_answers(console: Console, rows: list[dict[str, Any]]) -> None:
    table = Table(title="Replies: right ones kept whole, wrong ones dropped, and how many are marked")
    for name in ("questions", "model judges", "right", "kept", "marked", "wrong", "dropped", "marked"):
        table.add_column(name, justify="right")
    for kind in ("within", "across"):
        replies = [reply for row in rows if row["type"] == kind for reply in row["replies"]]
        for name in ("judged", "alone"):
            cells = [kind, "yes" if name == "judged" else "no"]
            for is_right in (True, False):
                fates = Counter(
                    reply[name]["fate"] for reply in replies if (reply["kind"] == "right") == is_right
                )
                stayed = fates["kept"] + fates["marked"]
                cells += [str(fates.total()), str(stayed if is_right else fates["dropped"])]
                cells.append(str(fates["marked"] or ""))
            table.add_row(*cells)
    console.print(table)
    for row in rows:
        for reply in row["replies"]:
            for name in ("judged", "alone"):
                fate = reply[name]
                if (reply["kind"] == "right") == (fate["fate"] == "dropped"):
                    console.print(f"{row['id']} {reply['kind']} {name}: {fate}")


if __name__ == "__main__":
    main()
