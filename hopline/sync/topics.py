# Written from hopline/aio by `python -m infra.client_code`: edit it there.
"""Topics of a collection: groups of facts that share key elements."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from hopline.models.collections import CollectionName
from hopline.models.graph import MOST_FACTS
from hopline.models.results import Job
from hopline.models.topics import LEVELS, MOST_TOPICS, TopicDetail, TopicList
from hopline.operation import Cursor, IdempotencyKey, Wait, operation
from hopline.sync.noun import Noun


class Topics(Noun):
    """Topics of a collection."""

    @operation("GET", "/v1/collections/{name}/topics", right="read")
    def list(
        self,
        name: CollectionName,
        *,
        level: Annotated[
            int, Field(ge=0, lt=LEVELS, description="Level of the topics; 0 has the largest.")
        ] = 0,
        parent: Annotated[
            str | None, Field(max_length=100, description="Only topics within this one.")
        ] = None,
        cursor: Cursor = "",
        limit: Annotated[int, Field(ge=1, le=MOST_TOPICS)] = 100,
    ) -> TopicList:
        """List the largest topics of a level, or within a topic: by documents, then facts.

        Raises:
            NotFound: the collection has no documents, or its topics are not built; there is no such parent.
        """
        raise NotImplementedError

    @operation("GET", "/v1/collections/{name}/topics/{topic}", right="read")
    def get(
        self,
        name: CollectionName,
        topic: Annotated[str, Field(pattern=r"^[A-Za-z0-9]{1,64}$", description="As listed.")],
        *,
        facts: Annotated[
            int, Field(ge=0, le=MOST_FACTS, description="Number of its most central facts to return.")
        ] = 20,
    ) -> TopicDetail:
        """Show a topic with its parents, and its most central facts with the places that state them.

        Raises:
            NotFound: there is no such topic.
        """
        raise NotImplementedError

    @operation("POST", "/v1/collections/{name}/topics", right="submit")
    def build(
        self,
        name: CollectionName,
        *,
        anew: Annotated[
            bool, Field(description="Build from scratch instead of from the previous topics.")
        ] = False,
        key: IdempotencyKey = None,
        wait: Wait = 0,
    ) -> Job:
        """Build a collection's topics: groups of facts that share key elements, without a model.

        Returns:
            The job that does it.

        Raises:
            NotFound: the collection has no facts.
            KeyReused: the key was used for another request.
            TooManyJobs: too much work is waiting.
        """
        raise NotImplementedError
