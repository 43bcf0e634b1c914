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
    """What a survey looked at, of how much there is as far as topics know."""

    documents: int
    of_documents: int
    topics: int  # of the coarsest level
    of_topics: int
    facts: int
    of_facts: int
    hits: int  # facts that help
    looked_at: tuple[TopicSeen, ...]  # best first
    not_looked_at: tuple[TopicSeen, ...]  # the best of them

    @property
    def line(self) -> str:
        """The coverage in words."""
        facts, documents = (
            _of(self.facts, self.of_facts, "fact"),
            _of(self.documents, self.of_documents, "document"),
        )
        looked = f"Looked at {facts} in {documents}, from {_of(self.topics, self.of_topics, 'topic')}."
        names = "; ".join(topic.name for topic in self.not_looked_at)
        return f"{looked} Not looked at: {names}." if names else looked


def _of(some: int, whole: int, what: str) -> str:
    return f"{some:,} of {max(some, whole):,} {what}{'' if max(some, whole) == 1 else 's'}"
