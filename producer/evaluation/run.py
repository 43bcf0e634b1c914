"""Runs one evaluation from its file to its report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from hopline.errors import DependencyAway, Permanent
from hopline.models.jobs import JobState
from hopline.models.times import seconds_between
from producer.evaluation.answers import AnswerRow, ask_questions, measure_answers
from producer.evaluation.flight import in_flight, never_left
from producer.evaluation.report import EvalReport, Ingested, circumstances, measured_file
from producer.evaluation.retrieval import RankedRow, measure_retrieval, retrieving
from workers.core import ids
from workers.core.jobs.params import check_collection

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hopline import Hopline
    from hopline.models.documents import Document
    from hopline.models.ingest_reports import IngestReport, Submitted
    from infra.local.probes import PartStatus
    from producer.evaluation.dataset import Dataset
    from workers.settings import Settings

_SERVERS = ("neo4j", "vectors", "model")
_SEED = 4
_REMOVALS = 16  # documents under removal at a time
_PATIENCE = 300.0  # seconds that a removal may take

Counted = Callable[[str, int], AbstractContextManager[Callable[[], None]]]
Follow = Callable[["Submitted"], "IngestReport"]
_LIVE = "indexed"  # the status of a document that is whole in the graph


class Evaluation:
    """Brings the passages in, ranks, answers, reports; in this order.

    Args:
        client: client of the servers.
        settings: settings of the servers.
        dataset: the file.
        collection: collection for its passages; by default a separate one for the file.
        parts: servers and workers as they answer now.
        counted: shows how many of some things are done.
        follow: shows an ingestion's progress and returns its report.
    """

    def __init__(
        self,
        client: Hopline,
        settings: Settings,
        dataset: Dataset,
        collection: str | None,
        *,
        parts: Sequence[PartStatus],
        counted: Counted,
        follow: Follow,
    ) -> None:
        # Other models make another graph of the same passages.
        own = dataset.collection(settings.fast_model, settings.embedding_model)
        self._client = client
        self._settings = settings
        self._dataset = dataset
        self._parts = parts
        self._counted = counted
        self._follow = follow
        self.collection = check_collection(collection or own)
        self.ingested = Ingested()
        self._others = 0
        self._ranked: list[RankedRow] = []
        self._warm_up = 0
        self._answered: list[AnswerRow] = []
        self._asked = ("", 0)
        for name in _SERVERS:
            self._need(name)

    @property
    def default_out(self) -> Path:
        """The default path of the report."""
        return self._settings.var / "eval" / f"{self.collection}.json"

    def others(self) -> int:
        """Return how many documents of the collection are not passages of the file."""
        return len(other_documents(self._held(), self.collection, self._dataset))

    def bring_in(self, *, fresh: bool) -> None:
        """Ingest the passages that the collection does not hold unchanged.

        Args:
            fresh: first remove every document of the collection, even if it is not from the file.

        Raises:
            DependencyAway: passages are missing, and no worker would ingest them.
            Permanent: not one passage could be ingested.
        """
        if fresh:
            self.empty()
        held = self._held()
        self._others = len(other_documents(held, self.collection, self._dataset))
        missing = missing_passages(held, self.collection, self._dataset)
        if not missing:
            return
        self._need("worker bulk")
        lines = self.default_out.with_name(f"{self._dataset.name}.jsonl")  # a retry of the job reads it again
        lines.parent.mkdir(parents=True, exist_ok=True)
        with never_left(self._client) as (key, job_id):
            report = self._follow(submit_passages(self._client, self.collection, missing, lines, key))
        job = self._client.jobs.get(job_id)
        failed = {document.uri: document.error or "no reason recorded" for document in report.failed}
        self.ingested = Ingested(
            new=len(missing) - len(failed),
            failed=failed,
            model_calls=report.usage.model_calls,
            seconds=seconds_between(job.created, job.ended or job.created),
        )
        if len(failed) == len(self._dataset.passages):
            place, reason = next(iter(failed.items()))
            raise Permanent(f"no passage could be ingested; for example, {place}: {reason}")

    def rank(self) -> None:
        """Search for every question."""
        questions = self._dataset.questions
        with retrieving(self._settings, self.collection, self._dataset) as retriever:
            self._warm_up = retriever.warm_up(questions)
            with self._counted("searches", len(questions)) as advance:
                for row in retriever.rows(questions):
                    self._ranked.append(row)
                    advance()

    def answer(self, strategy: str, parallel: int) -> None:
        """Answer every question.

        Raises:
            DependencyAway: no worker would answer.
        """
        self._need("worker interactive")
        self._asked = (strategy, parallel)
        with self._counted("answers", len(self._dataset.questions)) as advance:
            self._answered = ask_questions(
                self._client, self.collection, self._dataset, strategy, parallel, advance
            )

    def report(self) -> EvalReport:
        """Return what was found."""
        strategy, parallel = self._asked
        measured = measure_answers(self._answered, strategy=strategy, parallel=parallel, seed=_SEED)
        return EvalReport(
            file=measured_file(self._dataset),
            collection=self.collection,
            seed=_SEED,
            ingested=self.ingested,
            others=self._others,
            retrieval=measure_retrieval(self._ranked, warm_up=self._warm_up, seed=_SEED),
            answers=measured if self._answered else None,
            ranked=tuple(self._ranked),
            answered=tuple(self._answered),
            **circumstances(self._settings, self._parts),
        )

    def _held(self) -> list[Document]:
        return list(self._client.documents.iterate(collection=self.collection))

    def empty(self) -> None:
        """Remove every document of the collection, and with the last one the collection."""
        held = [document.id for document in self._held()]
        if not held:
            return
        self._need("worker bulk")
        flight = in_flight(
            self._client,
            held,
            lambda document_id, key: self._client.documents.delete(document_id, key=key),
            parallel=_REMOVALS,
            patience=_PATIENCE,
        )
        with self._counted("removals", len(held)) as advance, closing(flight) as ended:
            for _, job in ended:
                advance()
                if job.state is not JobState.DONE:
                    raise Permanent(f"{job.id}: {job.why or job.state}")

    def _need(self, name: str) -> None:
        """Raise an error if a server or queue is not served, because a measurement would mislead."""
        part = next((part for part in self._parts if part.name == name), None)
        if part is not None and part.state != "up":
            raise DependencyAway(f"{name} {part.address}".rstrip() + f": {part.detail}")


if TYPE_CHECKING:
    from pathlib import Path

    from hopline import Hopline
    from hopline.models.documents import Document
    from hopline.models.ingest_reports import Submitted
    from producer.evaluation.dataset import Dataset, Passage


def missing_passages(held: Iterable[Document], collection: str, dataset: Dataset) -> list[Passage]:
    """Return the passages that a collection lacks, or has in another version."""
    live = {document.id: document.content_hash for document in held if document.status == _LIVE}
    return [
        passage
        for passage in dataset.passages
        if live.get(ids.document_id(collection, passage.id)) != ids.content_hash(passage.text)
    ]


def other_documents(held: Iterable[Document], collection: str, dataset: Dataset) -> list[Document]:
    """Return the documents of a collection that are not passages of the file."""
    own = {ids.document_id(collection, passage.id) for passage in dataset.passages}
    return [document for document in held if document.id not in own]


def submit_passages(
    client: Hopline, collection: str, passages: Sequence[Passage], lines: Path, key: str
) -> Submitted:
    """Submit passages as one batch, each a document with its own id and title.

    Args:
        client: client of the servers, which read files of this machine.
        collection: where the documents go.
        passages: at least one.
        lines: the file that they are written to, of which with #id a document's uri is made; it has to be
            there until they are in.
        key: idempotency key.
    """
    lines.write_bytes(b"\n".join(orjson.dumps(passage.model_dump()) for passage in passages))
    return client.hand_over([lines], collection, key=key)
