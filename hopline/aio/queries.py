"""Questions, and searches without an answer."""

from __future__ import annotations

from typing import Annotated, Unpack

from pydantic import Field

from hopline.aio.noun import AsyncNoun
from hopline.models.collections import CollectionNames, SearchedCollections
from hopline.models.conversations import ConversationId
from hopline.models.jobs import JobTags, Priority
from hopline.models.params import QueryBounds
from hopline.models.questions import MOST_TRANSLATIONS, QuestionCheck, QuestionScope, SearchScope, Strategy
from hopline.models.results import Job
from hopline.models.search import Found
from hopline.models.strategies import summaries
from hopline.models.webhooks import WebhookUrl
from hopline.operation import IdempotencyKey, Wait, operation

_USUAL = QueryBounds()
_NO_TAGS: dict[str, str] = {}
_HOW = "How to look for the answer. " + " ".join(summaries())


class AsyncQueries(AsyncNoun):
    """Questions."""

    @operation("POST", "/v1/queries", right="submit")
    async def submit(
        self,
        question: Annotated[
            str,
            Field(
                min_length=1,
                max_length=4000,
                examples=["Where was the builder of the Bell Rock Lighthouse born?"],
            ),
        ],
        *,
        collection: CollectionNames = ("default",),
        strategy: Annotated[Strategy, Field(description=_HOW)] = "auto",
        session: Annotated[
            str | None,
            Field(
                max_length=200,
                description="A session, in which follow-up questions are understood in context.",
            ),
        ] = None,
        conversation: Annotated[
            ConversationId | None,
            Field(
                description="A conversation, whose questions and answers are kept. The sender makes up its "
                "id; an unknown id begins a new conversation. It replaces `session`."
            ),
        ] = None,
        parameters: QueryBounds = _USUAL,
        priority: Priority = "normal",
        webhook: WebhookUrl | None = None,
        tags: JobTags = _NO_TAGS,
        key: IdempotencyKey = None,
        wait: Wait = 0,
        **scope: Unpack[QuestionScope],
    ) -> Job:
        """Submit a question; the job's outcome is the answer. A collection without documents is a 404.

        Returns:
            The job; with `wait`, as soon as it has ended or the seconds have passed.

        Raises:
            InvalidInput: a value is not valid, or the scope is empty.
            NotFound: a collection has no documents, or the conversation is somebody else's.
            KeyReused: the key was used with another question.
            TooManyJobs: too much work is waiting.
        """
        raise NotImplementedError

    @operation("POST", "/v1/queries/check", right="submit", safe=True)
    async def check(
        self,
        question: Annotated[
            str, Field(min_length=1, max_length=4000, examples=["Who built the lighthouse?"])
        ],
        *,
        collection: CollectionNames = ("default",),
        strategy: Annotated[Strategy, Field(description=_HOW)] = "auto",
        session: Annotated[
            str | None,
            Field(max_length=200, description="The session whose earlier questions are taken into account."),
        ] = None,
        parameters: QueryBounds = _USUAL,
        **scope: Unpack[QuestionScope],
    ) -> QuestionCheck:
        """Check a question as if it were submitted, without a job or a model.

        Raises:
            InvalidInput: a value is not valid, or the scope is empty.
            NotFound: a collection has no documents.
        """
        raise NotImplementedError

    @operation("GET", "/v1/search", right="read")
    async def search(
        self,
        question: Annotated[
            str, Field(min_length=1, max_length=4000, examples=["Who built the lighthouse?"])
        ],
        *,
        collection: SearchedCollections = ("default",),
        limit: Annotated[int, Field(ge=1, le=100, description="Maximum number of chunks.")] = 10,
        translations: Annotated[
            tuple[str, ...],
            Field(
                max_length=MOST_TRANSLATIONS,
                description="The question, or its names and words, in other languages, one text per "
                "language.",
            ),
        ] = (),
        sentences: Annotated[
            int, Field(ge=0, le=10, description="Number of best-matching sentences to return per chunk.")
        ] = 0,
        **scope: Unpack[SearchScope],
    ) -> Found:
        """Search for a question: ranked chunks with reasons, without a job or a language model.

        Raises:
            InvalidInput: a value is not valid, or the scope is empty.
            NotFound: the caller may see nothing in the collection.
        """
        raise NotImplementedError
