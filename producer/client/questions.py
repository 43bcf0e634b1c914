"""Questions from a client: ask one, hand one over, search without one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hopline.models.jobs import Json, Priority
from producer.client.link import DEFAULT_COLLECTION
from producer.client.part import Part, Pending
from producer.client.terms import patience_of, principals_of, terms_of
from producer.reports import outcomes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date, datetime

    from hopline.models.answers import Answer
    from hopline.models.search import Found


class Questions(Part):
    """What a client does with questions."""

    def ask(
        self,
        /,
        question: str,
        collection: str | Sequence[str] = DEFAULT_COLLECTION,
        *,
        key: str | None = None,
        wait: bool = True,
        priority: Priority = "normal",
        webhook: str = "",
        tags: Mapping[str, str] | None = None,
        act_as: str | Sequence[str] | None = None,
        **params: Any,
    ) -> Pending[Answer]:
        """Ask a question; return its answer, or with wait=False what is known at once (status running).

        Args:
            question: up to 4,000 characters.
            collection: whose documents to answer from; those of up to 10 are read as one collection's.
            key: idempotency key: asking again with it returns the first job's answer.
            wait: block until the job has ended.
            priority: high, normal or low, among what waits.
            webhook: an address that is told of the job's end.
            tags: of the job, to find it by: {"team": "legal"}.
            act_as: principals such as user:ann, group:legal: only what they may see is read (docs/access.md).
            **params: fields of `workers.core.jobs.params.QueryParams`, such as max_depth; where, documents
                as_of and known_at say what the question is about (docs/scopes.md).

        Raises:
            InvalidInput: names the field, what was given and what is allowed.
            EmbedderMismatch: another embedder made the vectors of one of several collections.
            TimeoutError: no worker has ended the job well after its own timeout.
        """
        job_id = self.submit_question(
            question,
            collection,
            key=key,
            priority=priority,
            webhook=webhook,
            tags=tags,
            act_as=act_as,
            **params,
        )
        return Pending.job(job_id, outcomes.answer_of, patience_of(params), wait=wait)

    def submit_question(
        self,
        /,
        question: str,
        collection: str | Sequence[str] = DEFAULT_COLLECTION,
        *,
        key: str | None = None,
        priority: Priority = "normal",
        webhook: str = "",
        tags: Mapping[str, str] | None = None,
        act_as: str | Sequence[str] | None = None,
        **params: Any,
    ) -> str:
        """Submit a question; return its job's id at once. Arguments and errors are those of `ask`."""
        terms = terms_of(priority, webhook, tags, act_as)
        return self._link.questions.submit(question, collection, key, params, terms).job.id

    def search(  # noqa: PLR0913 - one option, one argument
        self,
        question: str,
        collection: str | Sequence[str] = DEFAULT_COLLECTION,
        limit: int = 10,
        *,
        where: str | Json | None = None,
        documents: Sequence[str] | None = None,
        as_of: date | str | None = None,
        known_at: datetime | str | None = None,
        translations: Sequence[str] = (),
        act_as: str | Sequence[str] | None = None,
    ) -> Found:
        """Return the chunks that a question leads to, best first, at once: no job, no language model.

        Args:
            question: up to 4,000 characters.
            collection: whose documents to search; of up to 10 collections, which are ranked together.
            limit: chunks at most, up to 100.
            where: only documents whose metadata this filter means (docs/scopes.md).
            documents: only these; ids.
            as_of: only those dated until then.
            known_at: the versions that were live at that time, where they are kept.
            translations: the question, or its names and words, in up to 5 other languages, a text each.
            act_as: only what these principals may see: user:ann, group:legal (docs/access.md).

        Raises:
            InvalidInput: names the field, what was given and what is allowed.
            EmbedderMismatch: another embedder than the one in use made the vectors of a collection.
        """
        scope = {"where": where, "documents": documents, "as_of": as_of, "known_at": known_at}
        named = {name: value for name, value in scope.items() if value is not None}
        named |= {"translations": tuple(translations)} if translations else {}
        principals = principals_of(act_as)
        return self._link.questions.search(question, collection, limit, named, principals)
