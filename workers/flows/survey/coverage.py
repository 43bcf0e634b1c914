"""What a survey looked at, of how much, and how it says so."""

from __future__ import annotations

from workers.core.records import Frozen


class TopicSeen(Frozen):
    """A topic of the coarsest level in the coverage."""

    id: str
    name: str
    facts: int  # looked at; 0 where it was not
    hits: int = 0  # that help


class Coverage(Frozen):
    """What a survey looked at, of how much there is."""

    documents: int
    of_documents: int
    topics: int  # of the coarsest level
    of_topics: int  # 0 where the collection has none
    facts: int
    of_facts: int
    hits: int  # facts that help
    since: int  # documents, at least, that came after the topics were built
    looked_at: tuple[TopicSeen, ...]  # best first
    not_looked_at: tuple[TopicSeen, ...]  # the best of them

    @property
    def line(self) -> str:
        """The coverage in words."""
        facts, documents = (
            _of(self.facts, self.of_facts, "fact"),
            _of(self.documents, self.of_documents, "document"),
        )
        names = "; ".join(topic.name for topic in self.not_looked_at)
        looked = f"Looked at {facts} in {documents}"
        return " ".join(
            filter(
                None,
                (
                    f"{looked}, from {_of(self.topics, self.of_topics, 'topic')}."
                    if self.of_topics
                    else f"{looked}, which searches found: the collection has no topics yet.",
                    f"Not looked at: {names}." if names else "",
                    f"At least {_number(self.since, 'document')} came after the topics were built."
                    if self.since
                    else "",
                ),
            )
        )


def _of(some: int, whole: int, what: str) -> str:
    return f"{some:,} of {_number(max(some, whole), what)}"


def _number(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
